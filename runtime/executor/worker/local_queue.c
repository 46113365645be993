/* One word says which entries are left; the thread that changes it owns those that it took out. */
#include "executor/worker/local_queue.h"

#include <stddef.h>

/* Bits: 0-7 the place behind the last entry, 8-15 that of the first, above them how often it was filled, so that a word
 * that was read before another filling is none that holds now. */
static uint32_t local_queue_first(uint_fast64_t state) { return (uint32_t)(state >> 8 & 0xff); }
static uint32_t local_queue_end(uint_fast64_t state) { return (uint32_t)(state & 0xff); }
static uint32_t local_queue_count(uint_fast64_t state) { return local_queue_end(state) - local_queue_first(state); }

void local_queue_fill(local_queue *s, struct entry *const *entries, uint32_t count) {
  uint_fast64_t filled = (atomic_load_explicit(&s->state, memory_order_relaxed) >> 16) + 1;
  for (uint32_t i = 0; i < count; i++) atomic_store_explicit(&s->entries[i], entries[i], memory_order_relaxed);
  atomic_store_explicit(&s->state, filled << 16 | count, memory_order_release);
}

uint32_t local_queue_left(const local_queue *s) {
  return local_queue_count(atomic_load_explicit(&s->state, memory_order_relaxed));
}

bool local_queue_has(const local_queue *s, const struct entry *e) {
  uint_fast64_t state = atomic_load_explicit(&s->state, memory_order_acquire);
  for (uint32_t i = local_queue_first(state); i < local_queue_end(state); i++)
    if (atomic_load_explicit(&s->entries[i], memory_order_relaxed) == e) return true;
  return false;
}

/* Copies the first entries, then makes them the caller's, unless somebody was faster: then it looks again. */
static uint32_t take(local_queue *s, struct entry **out, bool half) {
  uint_fast64_t state = atomic_load_explicit(&s->state, memory_order_acquire);
  for (;;) {
    uint32_t n = local_queue_count(state), first = local_queue_first(state);
    if (n == 0) return 0;
    n = half ? (n + 1) / 2 : 1;
    for (uint32_t i = 0; i < n; i++) out[i] = atomic_load_explicit(&s->entries[first + i], memory_order_relaxed);
    uint_fast64_t left = state + ((uint_fast64_t)n << 8);
    if (atomic_compare_exchange_weak_explicit(&s->state, &state, left, memory_order_acq_rel, memory_order_acquire)) return n;
  }
}

struct entry *local_queue_next(local_queue *s) {
  struct entry *next = NULL;
  return take(s, &next, false) ? next : NULL;
}

uint32_t local_queue_steal(local_queue *s, struct entry **out) { return take(s, out, true); }
