/* Entries that a worker shares: one word says which are left, and whoever changes it owns those that it took out. */
#include "executor/worker/stroke.h"

#include <stddef.h>

/* Bits: 0-7 the place behind the last entry, 8-15 that of the first, above them how often it was filled, so that a word
 * that was read before another filling is none that holds now. */
static uint32_t stroke_first(uint_fast64_t state) { return (uint32_t)(state >> 8 & 0xff); }
static uint32_t stroke_end(uint_fast64_t state) { return (uint32_t)(state & 0xff); }
static uint32_t stroke_count(uint_fast64_t state) { return stroke_end(state) - stroke_first(state); }

void stroke_fill(stroke *s, struct entry *const *entries, uint32_t count) {
  uint_fast64_t filled = (atomic_load_explicit(&s->state, memory_order_relaxed) >> 16) + 1;
  for (uint32_t i = 0; i < count; i++) atomic_store_explicit(&s->entries[i], entries[i], memory_order_relaxed);
  atomic_store_explicit(&s->state, filled << 16 | count, memory_order_release);
}

uint32_t stroke_left(const stroke *s) { return stroke_count(atomic_load_explicit(&s->state, memory_order_relaxed)); }

bool stroke_has(const stroke *s, const struct entry *e) {
  uint_fast64_t state = atomic_load_explicit(&s->state, memory_order_acquire);
  for (uint32_t i = stroke_first(state); i < stroke_end(state); i++)
    if (atomic_load_explicit(&s->entries[i], memory_order_relaxed) == e) return true;
  return false;
}

/* Copies the first entries, then makes them the caller's, unless somebody was faster: then it looks again. */
static uint32_t take(stroke *s, struct entry **out, bool half) {
  uint_fast64_t state = atomic_load_explicit(&s->state, memory_order_acquire);
  for (;;) {
    uint32_t n = stroke_count(state), first = stroke_first(state);
    if (n == 0) return 0;
    n = half ? (n + 1) / 2 : 1;
    for (uint32_t i = 0; i < n; i++) out[i] = atomic_load_explicit(&s->entries[first + i], memory_order_relaxed);
    uint_fast64_t left = state + ((uint_fast64_t)n << 8);
    if (atomic_compare_exchange_weak_explicit(&s->state, &state, left, memory_order_acq_rel, memory_order_acquire)) return n;
  }
}

struct entry *stroke_next(stroke *s) {
  struct entry *next = NULL;
  return take(s, &next, false) ? next : NULL;
}

uint32_t stroke_share(stroke *s, struct entry **out) { return take(s, out, true); }
