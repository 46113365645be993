/* Traces of an engine: who takes its spans, and which trace a thread's commands belong to. The way
 * in for whoever serves it; what execution makes of it is state/tracing.h. */
#ifndef ORR_ENGINE_TRACE_H
#define ORR_ENGINE_TRACE_H

#include "base/trace.h"

/* Before anything else uses the engine, and then for good: it keeps what it is given until it is
 * closed. NULL: no traces, which costs a look at this pointer in a command or job. */
void engine_set_tracer(orr_engine *engine, tracer *t);
/* That tracer. Any thread. */
tracer *engine_tracer(const orr_engine *engine);
/* The trace that this thread's next commands belong to, until it is set again; NULL: none. It is
 * copied; without memory, or without a tracer, there is none. */
void engine_set_trace(orr_engine *engine, const trace_context *trace);

#endif
