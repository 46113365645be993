/* Chunks in a list, newest first; allocation moves a pointer. The first holds a usual unit of work, and is used again, so
 * that such a unit allocates nothing; then they double up to CHUNK_MAX, so a parse of megabytes costs some tens. A request
 * larger than a chunk gets one of its own. */
#include "base/arena.h"

#include <stdint.h>
#include <stdio.h>
#include <string.h>

#define CHUNK_MIN ((size_t)16 * 1024)
#define CHUNK_MAX ((size_t)1024 * 1024)
#define CHUNK_SMALL ((size_t)1024) /* what malloc keeps at hand for the thread */
#define ALIGNMENT ((size_t)16)

typedef struct chunk {
  struct chunk *older;
  size_t size; /* with this header */
} chunk;

struct orr_arena {
  orr_allocator allocator;
  chunk *newest;
  char *at, *end;  /* free bytes of the newest chunk */
  char *latest;    /* last allocation, which arena_grow may extend */
  size_t used;
  size_t next_size;
};

static size_t align_up(size_t size) { return (size + ALIGNMENT - 1) & ~(ALIGNMENT - 1); }

static chunk *first_chunk(orr_arena *arena) { return (chunk *)(void *)((char *)arena - align_up(sizeof(chunk))); }

/* Makes everything behind the arena's own struct free again. */
static void rewind_first(orr_arena *arena) {
  chunk *first = first_chunk(arena);
  arena->newest = first;
  arena->at = (char *)arena + align_up(sizeof *arena);
  arena->end = (char *)first + first->size;
  arena->latest = NULL;
  arena->used = 0;
  arena->next_size = CHUNK_MIN * 2;
}

static orr_arena *arena_begin(const orr_allocator *allocator, size_t size) {
  chunk *first = env_alloc(allocator, size);
  if (!first) return NULL;
  *first = (chunk){.size = size};
  orr_arena *arena = (orr_arena *)(void *)((char *)first + align_up(sizeof *first));
  *arena = (orr_arena){0};
  if (allocator) arena->allocator = *allocator;
  rewind_first(arena);
  return arena;
}

orr_arena *arena_new(const orr_allocator *allocator) { return arena_begin(allocator, CHUNK_MIN); }
orr_arena *arena_new_small(const orr_allocator *allocator) { return arena_begin(allocator, CHUNK_SMALL); }

void arena_reset(orr_arena *arena) {
  chunk *first = first_chunk(arena);
  for (chunk *c = arena->newest; c != first;) {
    chunk *older = c->older;
    env_free(&arena->allocator, c, c->size);
    c = older;
  }
  rewind_first(arena);
}

void arena_free(orr_arena *arena) {
  if (!arena) return;
  arena_reset(arena);
  orr_allocator allocator = arena->allocator; /* the arena goes with its chunk */
  chunk *first = first_chunk(arena);
  env_free(&allocator, first, first->size);
}

/* Opens a chunk with room for `size` bytes. */
static bool add_chunk(orr_arena *arena, size_t size) {
  size_t header = align_up(sizeof(chunk));
  size_t wanted = arena->next_size;
  if (wanted < size + header) wanted = size + header;
  chunk *c = env_alloc(&arena->allocator, wanted);
  if (!c) return false;
  *c = (chunk){.older = arena->newest, .size = wanted};
  arena->newest = c;
  arena->at = (char *)c + header;
  arena->end = (char *)c + wanted;
  if (arena->next_size < CHUNK_MAX) arena->next_size *= 2;
  return true;
}

void *arena_alloc(orr_arena *arena, size_t size) {
  if (size > SIZE_MAX / 2) return NULL;
  size_t room = align_up(size > 0 ? size : 1);
  if ((size_t)(arena->end - arena->at) < room && !add_chunk(arena, room)) return NULL;
  arena->latest = arena->at;
  arena->at += room;
  arena->used += room;
  return arena->latest;
}

void *arena_zalloc(orr_arena *arena, size_t size) {
  void *memory = arena_alloc(arena, size);
  if (memory) memset(memory, 0, size);
  return memory;
}

void *arena_grow(orr_arena *arena, void *old, size_t old_size, size_t new_size) {
  if (new_size <= old_size && old) return old;
  if (old && old == arena->latest && new_size <= SIZE_MAX / 2) {
    size_t room = align_up(new_size);
    if (room <= (size_t)(arena->end - arena->latest)) {
      arena->used += room - (size_t)(arena->at - arena->latest);
      arena->at = arena->latest + room;
      return old;
    }
  }
  void *grown = arena_alloc(arena, new_size);
  if (grown && old) memcpy(grown, old, old_size);
  return grown;
}

char *arena_strndup(orr_arena *arena, const char *text, size_t size) {
  if (size == SIZE_MAX) return NULL;
  char *copy = arena_alloc(arena, size + 1);
  if (!copy) return NULL;
  if (size > 0) memcpy(copy, text, size);
  copy[size] = '\0';
  return copy;
}

char *arena_strdup(orr_arena *arena, const char *text) { return arena_strndup(arena, text, strlen(text)); }

char *arena_vprintf(orr_arena *arena, const char *format, va_list args) {
  va_list again;
  va_copy(again, args);
  int size = vsnprintf(NULL, 0, format, args);
  char *text = size < 0 ? NULL : arena_alloc(arena, (size_t)size + 1);
  if (text) vsnprintf(text, (size_t)size + 1, format, again);
  va_end(again);
  return text;
}

char *arena_printf(orr_arena *arena, const char *format, ...) {
  va_list args;
  va_start(args, format);
  char *text = arena_vprintf(arena, format, args);
  va_end(args);
  return text;
}

size_t arena_used(const orr_arena *arena) { return arena->used; }
