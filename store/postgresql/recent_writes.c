/* Marks are the numbers of commits, which may pass around: what is compared lies milliseconds apart. */
#include "store/postgresql/recent_writes.h"

#include <endian.h>
#include <stdatomic.h>
#include <string.h>

#define MARKS 65536u /* a few hundred groups are written while something fetched is in use */

struct recent_writes {
  orr_allocator allocator;
  _Atomic uint32_t commits;
  _Atomic uint32_t marks[MARKS];
};

recent_writes *recent_writes_new(const orr_allocator *allocator) {
  recent_writes *w = env_zalloc(allocator, sizeof *w);
  if (w) w->allocator = *allocator;
  return w;
}

void recent_writes_free(recent_writes *w) {
  if (!w) return;
  orr_allocator allocator = w->allocator;
  env_free(&allocator, w, sizeof *w);
}

#define ID_KEY_SIZE 9 /* a kind and an id */
#define LOCAL_BITS (64 - STORE_GROUP_BITS)

static uint64_t id_in_key(store_bytes key) {
  uint64_t id;
  memcpy(&id, (const char *)key.data + 1, sizeof id);
  return be64toh(id);
}

/* What lies in the place of an id's group, whatever it is there; keys that are too short for an id are all of one. */
static uint64_t group_of(store_bytes key) { return key.size < ID_KEY_SIZE ? 0 : id_in_key(key) >> LOCAL_BITS; }

/* Neighboring groups lie apart: a stroke of work has many of them. */
static uint32_t mark_place(store_bytes key) { return (uint32_t)(group_of(key) * 2654435769u >> 8) % MARKS; }

uint32_t recent_writes_now(const recent_writes *w) { return atomic_load(&w->commits); }

void recent_writes_mark(recent_writes *w, const store_batch *batches, size_t count) {
  uint32_t now = atomic_fetch_add(&w->commits, 1) + 1;
  for (const store_batch *b = batches; b < batches + count; b++) {
    for (size_t i = 0; i < b->count && b->status == 0; i++) {
      if (b->ops[i].kind == STORE_PUT || b->ops[i].kind == STORE_DELETE)
        atomic_store(&w->marks[mark_place(b->ops[i].key)], now);
    }
  }
}

bool recent_writes_since(const recent_writes *w, store_bytes key, uint32_t moment) {
  return (int32_t)(atomic_load(&w->marks[mark_place(key)]) - moment) > 0;
}

bool recent_writes_together(store_bytes low, store_bytes high) {
  if (low.size < ID_KEY_SIZE || high.size < ID_KEY_SIZE || *(const char *)low.data != *(const char *)high.data) return false;
  if (group_of(low) == group_of(high)) return true;
  return group_of(low) + 1 == group_of(high) && high.size == ID_KEY_SIZE && id_in_key(high) << STORE_GROUP_BITS == 0;
}
