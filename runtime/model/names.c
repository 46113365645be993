/* Open addressing with linear probing, at most half full. */
#include "model/names.h"

#include <string.h>

/* Begun with where the table lies, which a file cannot know: so no file can have ids that all meet in one slot. */
static uint64_t hash_of_name(const char *name, uint64_t seed) {
  uint64_t hash = seed * 0x9E3779B97F4A7C15u;
  for (; *name; name++) {
    hash = (hash ^ (unsigned char)*name) * 0x9FB21C651E98DF25u;
    hash ^= hash >> 29;
  }
  return hash ^ (hash >> 32);
}

static struct names_slot *names_find_slot(struct names_slot *slots, uint32_t capacity, const char *name) {
  uint64_t i = hash_of_name(name, (uintptr_t)slots) & (capacity - 1);
  while (slots[i].name && strcmp(slots[i].name, name) != 0) i = (i + 1) & (capacity - 1);
  return &slots[i];
}

void *names_get(const names *map, const char *name) {
  return map->capacity && name ? names_find_slot(map->slots, map->capacity, name)->value : NULL;
}

static bool names_grow(names *map) {
  uint32_t capacity = map->capacity ? map->capacity * 2 : 32;
  struct names_slot *slots = ARENA_ARRAY(map->arena, struct names_slot, capacity);
  if (!slots) return false;
  for (uint32_t i = 0; i < map->capacity; i++)
    if (map->slots[i].name) *names_find_slot(slots, capacity, map->slots[i].name) = map->slots[i];
  map->slots = slots;
  map->capacity = capacity;
  return true;
}

bool names_put(names *map, const char *name, void *value) {
  if ((map->count + 1) * 2 > map->capacity && !names_grow(map)) return false;
  *names_find_slot(map->slots, map->capacity, name) = (struct names_slot){name, value};
  map->count++;
  return true;
}
