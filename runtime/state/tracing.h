/* Traces of what runs. An instance keeps the trace that it was started in, and so do its jobs and
 * external tasks: hours later, and in another process, they go on in it.
 *
 *   request -> command (start) -> job -> job -> call over HTTP
 *                    instance.trace  job.trace
 *
 * A command that meets an instance with a trace of its own (a message, an external task's
 * completion) adds a span there, with a link to the trace that it came in. Spans end with the
 * commit of what they tell; all of this is skipped where the engine has no tracer. */
#ifndef ORR_TRACING_H
#define ORR_TRACING_H

#include "state/context.h"

/* The context belongs to this trace; without memory, to none. */
void tracing_open(context *c, const trace_context *trace);
/* A command's own context begins; `function` is the name of its entry point. */
void tracing_command(context *c, const char *function);
/* A job's begins. */
void tracing_job(context *c, const rec_job *job);
/* What the context does from here on is this instance's: a span "`what` `name`" (NULL: without one)
 * in the trace that was kept with a record of it or, else, with the instance. Nothing when neither
 * has one, or it runs in that trace already. */
void tracing_join(context *c, const char *what, const char *name, rec_text kept, orr_id instance);
/* A moment in an external task's life that the caller's own trace goes past: a span of that, and no
 * more. */
void tracing_touch(context *c, const char *what, const rec_external_task *t);
/* What a new record of an instance (0: of none) keeps; without data: nothing. */
rec_text tracing_kept(context *c, orr_id instance);
/* The open spans, which are the caller's then. */
trace_span *tracing_take(context *c);
/* Ends them; `failure` (NULL: none) is the kind of what went wrong. */
void tracing_end(trace_span *spans, const char *failure);

#endif
