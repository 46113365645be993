/* Counters of an engine: one relaxed atomic each. */
#include "engine/metrics.h"

#include <stdatomic.h>
#include <string.h>

#include "engine/engine.h"

struct metrics {
  atomic_uint_fast64_t counts[METRICS];
};

metrics *metrics_new(const orr_allocator *allocator) { return env_zalloc(allocator, sizeof(metrics)); }

void metrics_free(metrics *m, const orr_allocator *allocator) {
  if (m) env_free(allocator, m, sizeof *m);
}

void metrics_count(orr_engine *engine, metric which, uint64_t n) {
  atomic_fetch_add_explicit(&engine->metrics->counts[which], n, memory_order_relaxed);
}

uint64_t metrics_get(orr_engine *engine, metric which) {
  return atomic_load_explicit(&engine->metrics->counts[which], memory_order_relaxed);
}
