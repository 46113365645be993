/* Transient variables as one hash table of a context, made when the first is set. */
#include "state/transient.h"

#include <string.h>

#include "base/hash.h"
#include "base/value.h"

/* A hash table with chains: a multi-instance may give each of its instances some. */
struct transient {
  struct entry **buckets;
  uint32_t count, capacity; /* capacity: a power of two */
};

typedef struct entry {
  struct entry *next;
  orr_id scope;
  const char *name;
  size_t size;
  uint32_t hash;
  bool removed;    /* a stored variable of this name was removed in this context */
  bool past;       /* there was a transient one; it may be removed */
  orr_value value; /* ORR_NIL: none */
} entry;

enum { TRANSIENTS_FIRST = 16 };

static uint32_t hash_of_transient(orr_id scope, const char *name, size_t size) {
  return hash_more(HASH_BEGIN ^ (uint32_t)scope ^ (uint32_t)(scope >> 32), name, size);
}

static entry **find_transient(const context *c, orr_id scope, const char *name, size_t size, uint32_t hash) {
  entry **at = &c->lists.transients->buckets[hash & (c->lists.transients->capacity - 1)];
  while (*at && ((*at)->hash != hash || (*at)->scope != scope || (*at)->size != size || memcmp((*at)->name, name, size) != 0))
    at = &(*at)->next;
  return at;
}

static const entry *look_up(const context *c, orr_id scope, const char *name, size_t size) {
  if (!c->lists.transients || !c->lists.transients->count) return NULL;
  return *find_transient(c, scope, name, size, hash_of_transient(scope, name, size));
}

bool transient_get(const context *c, orr_id scope, const char *name, size_t size, orr_value *out) {
  const entry *found = look_up(c, scope, name, size);
  if (!found || found->value.type == ORR_NIL) return false;
  *out = found->value;
  return true;
}

bool transient_was_removed(const context *c, orr_id scope, const char *name, size_t size) {
  const entry *found = look_up(c, scope, name, size);
  return found && found->removed;
}

bool transient_was_there(const context *c, orr_id scope, const char *name, size_t size) {
  const entry *found = look_up(c, scope, name, size);
  return found && found->past;
}

static int table_grow(context *c) {
  if (!c->lists.transients) {
    c->lists.transients = ARENA_NEW(c->arena, struct transient);
    if (!c->lists.transients) return context_memory(c);
  }
  struct transient *table = c->lists.transients;
  if (table->count < table->capacity) return 0;
  uint32_t capacity = table->capacity ? table->capacity * 2 : TRANSIENTS_FIRST;
  entry **buckets = ARENA_ARRAY(c->arena, entry *, capacity);
  if (!buckets) return context_memory(c);
  for (uint32_t i = 0; i < table->capacity; i++) {
    for (entry *e = table->buckets[i], *next; e; e = next) {
      next = e->next;
      e->next = buckets[e->hash & (capacity - 1)];
      buckets[e->hash & (capacity - 1)] = e;
    }
  }
  table->buckets = buckets;
  table->capacity = capacity;
  return 0;
}

static entry *take_transient(context *c, orr_id scope, const char *name, size_t size) {
  if (table_grow(c)) return NULL;
  uint32_t hash = hash_of_transient(scope, name, size);
  entry **at = find_transient(c, scope, name, size, hash);
  if (!*at) {
    entry *made = ARENA_NEW(c->arena, entry);
    if (made) *made = (entry){.scope = scope, .name = arena_strndup(c->arena, name, size), .size = size, .hash = hash};
    if (!made || !made->name) {
      context_memory(c);
      return NULL;
    }
    *at = made;
    c->lists.transients->count++;
  }
  return *at;
}

int transient_set(context *c, orr_id scope, const char *name, size_t size, const orr_value *value) {
  if (value->type == ORR_NIL) {
    transient_remove(c, scope, name, size);
    return 0;
  }
  orr_value copy;
  if (value_copy(c->arena, value, &copy)) return context_memory(c);
  entry *e = take_transient(c, scope, name, size);
  if (!e) return c->error.code;
  e->value = value_settled(copy);
  e->past = true;
  return 0;
}

int transient_note_removed(context *c, orr_id scope, const char *name, size_t size) {
  entry *e = take_transient(c, scope, name, size);
  if (!e) return c->error.code;
  e->removed = true;
  return 0;
}

bool transient_remove(context *c, orr_id scope, const char *name, size_t size) {
  if (!c->lists.transients || !c->lists.transients->count) return false;
  entry **at = find_transient(c, scope, name, size, hash_of_transient(scope, name, size));
  if (!*at || (*at)->value.type == ORR_NIL) return false;
  (*at)->value = (orr_value){0};
  return true;
}

void transient_drop_scope(context *c, orr_id scope, char first, bool others) {
  if (!c->lists.transients || !c->lists.transients->count) return;
  for (uint32_t i = 0; i < c->lists.transients->capacity; i++) {
    for (entry **at = &c->lists.transients->buckets[i]; *at;) {
      if ((*at)->scope != scope || ((*at)->name[0] == first) == others) {
        at = &(*at)->next;
        continue;
      }
      *at = (*at)->next;
      c->lists.transients->count--;
    }
  }
}

int transient_each(context *c, orr_id scope, int (*each)(void *ud, const char *name, size_t size, const orr_value *value),
                   void *ud) {
  if (!c->lists.transients || !c->lists.transients->count) return 0;
  for (uint32_t i = 0; i < c->lists.transients->capacity; i++) {
    for (const entry *e = c->lists.transients->buckets[i]; e; e = e->next) {
      int rc = e->scope == scope && e->value.type != ORR_NIL ? each(ud, e->name, e->size, &e->value) : 0;
      if (rc) return rc;
    }
  }
  return 0;
}
