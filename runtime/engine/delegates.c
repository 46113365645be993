/* A sorted array: a host registers some names at its start, and every call of a delegate looks one up. A host that
 * registers none pays for no lock, which all workers would share. */
#include "engine/delegates.h"

#include <pthread.h>
#include <stdatomic.h>
#include <string.h>

#include "base/null.h"
#include "engine/engine.h"

typedef struct registered {
  char *name;
  orr_delegate_fn fn;
  void *ud;
} registered;

struct registry {
  orr_allocator allocator;
  pthread_rwlock_t lock;
  registered *items;
  size_t count, capacity;
  atomic_bool used; /* a name was ever registered */
};

registry *registry_new(const orr_allocator *allocator) {
  registry *r = env_zalloc(allocator, sizeof *r);
  if (!r) return NULL;
  r->allocator = *allocator;
  pthread_rwlock_init(&r->lock, NULL);
  return r;
}

static void name_free(registry *r, char *name) { env_free(&r->allocator, name, strlen(name) + 1); }

void registry_free(registry *r) {
  if (!r) return;
  for (size_t i = 0; i < r->count; i++) name_free(r, r->items[i].name);
  env_free(&r->allocator, r->items, r->capacity * sizeof *r->items);
  pthread_rwlock_destroy(&r->lock);
  orr_allocator allocator = r->allocator;
  env_free(&allocator, r, sizeof *r);
}

/* Where the name is, or belongs. */
static size_t delegate_place(const registry *r, const char *name, bool *found) {
  size_t low = 0, high = r->count;
  *found = false;
  while (low < high) {
    size_t middle = low + (high - low) / 2;
    int order = strcmp(r->items[middle].name, name);
    if (order == 0) {
      *found = true;
      return middle;
    }
    if (order < 0) low = middle + 1;
    else high = middle;
  }
  return low;
}

static int insert_at(registry *r, size_t place, const char *name) {
  if (r->count == r->capacity) {
    size_t capacity = r->capacity > 0 ? r->capacity * 2 : 8;
    registered *grown = env_realloc(&r->allocator, r->items, r->capacity * sizeof *grown, capacity * sizeof *grown);
    if (!grown) return ORR_E_MEMORY;
    r->items = grown;
    r->capacity = capacity;
  }
  char *copy = env_strdup(&r->allocator, name);
  if (!copy) return ORR_E_MEMORY;
  memmove(r->items + place + 1, r->items + place, (r->count - place) * sizeof *r->items);
  r->items[place] = (registered){.name = copy};
  r->count++;
  return 0;
}

static void remove_at(registry *r, size_t place) {
  name_free(r, r->items[place].name);
  r->count--;
  memmove(r->items + place, r->items + place + 1, (r->count - place) * sizeof *r->items);
}

/* Replaces; fn NULL removes. */
static int registry_set(registry *r, const char *name, orr_delegate_fn fn, void *ud, orr_error *err) {
  if (!name || *name == '\0') return error_set(err, ORR_E_ARGUMENT, "a delegate needs a name");
  int rc = 0;
  bool found;
  if (fn) atomic_store(&r->used, true);
  pthread_rwlock_wrlock(&r->lock);
  size_t place = delegate_place(r, name, &found);
  if (!fn) {
    if (found) remove_at(r, place);
  } else {
    if (!found) rc = insert_at(r, place, name);
    if (!rc) {
      r->items[place].fn = fn;
      r->items[place].ud = ud;
    }
  }
  pthread_rwlock_unlock(&r->lock);
  return rc ? error_memory(err) : 0;
}

bool registry_get(registry *r, const char *name, orr_delegate_fn *fn, void **ud) {
  bool found;
  if (!atomic_load_explicit(&r->used, memory_order_acquire)) return false;
  pthread_rwlock_rdlock(&r->lock);
  size_t place = delegate_place(r, name, &found);
  if (found) {
    *fn = r->items[place].fn;
    *ud = r->items[place].ud;
  }
  pthread_rwlock_unlock(&r->lock);
  return found;
}

int orr_engine_delegate_register(orr_engine *engine, const char *name, orr_delegate_fn fn, void *ud, orr_error *err) {
  REQUIRE(engine);
  REQUIRE(name);
  int rc = registry_set(engine->registry, name, fn, ud, err);
  if (!rc) engine->hooks->names_changed(engine);
  return rc;
}
