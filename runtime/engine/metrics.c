/* Counters, and the gauges that go with them. */
#include "engine/metrics.h"

#include <stdatomic.h>
#include <string.h>

#include "base/builder.h"
#include "base/value.h"
#include "engine/engine.h"
#include "executor/executor.h"

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

int orr_engine_metrics(orr_engine *engine, orr_builder *out, orr_error *err) {
  (void)err;
  orr_builder_map(out);
#define METRIC_X(field, name, help) builder_put(out, name, orr_int((int64_t)metrics_get(engine, METRIC_##field)));
  METRIC_MAP(METRIC_X)
#undef METRIC_X
  builder_put(out, "jobs-in-flight", orr_int(engine->executor ? (int64_t)executor_in_flight(engine->executor, engine) : 0));
  orr_builder_end(out);
  return 0;
}
