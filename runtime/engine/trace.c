/* The tracer of an engine and the traces of its threads. */
#include "engine/trace.h"

#include "engine/engine.h"

void engine_set_tracer(orr_engine *engine, tracer *t) { engine->tracer = t; }

tracer *engine_tracer(const orr_engine *engine) { return engine->tracer; }

void engine_set_trace(orr_engine *engine, const trace_context *trace) {
  const orr_allocator *allocator = &engine->env.allocator;
  engine_thread *thread = engine->tracer ? engine_thread_get(engine, NULL) : NULL;
  if (!thread) return;
  if (!trace) {
    env_free(allocator, thread->trace, sizeof *thread->trace);
    thread->trace = NULL;
    return;
  }
  if (!thread->trace) thread->trace = env_alloc(allocator, sizeof *thread->trace);
  if (thread->trace) *thread->trace = *trace;
}
