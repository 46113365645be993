/* Traces of what runs. An instance keeps the trace that it was started in, and so do its jobs and
 * external tasks: hours later, and in another process, they continue it.
 *
 *   request -> command (start) -> job -> job -> call over HTTP
 *                    instance.trace  job.trace
 *
 * A command that meets an instance with a trace of its own (a message, an external task's
 * completion) adds a span there, with a link to the trace that the command came in. A span ends with
 * the commit of what it shows. Without a tracer, the engine skips all of this. */
#ifndef ORR_TRACING_H
#define ORR_TRACING_H

#include "state/context.h"

/* The context belongs to this trace; if memory is out, to none. */
void tracing_open(context *c, const trace_context *trace);
/* Begins a command's own context; `function` is the name of its entry point. */
void tracing_command(context *c, const char *function);
/* Begins a job's context. */
void tracing_job(context *c, const rec_job *job);
/* From here on the context works for this instance: begins a span "`what` `name`" (`name` may be
 * NULL) in the trace `kept` with a record of it or, else, with the instance. Does nothing when
 * there is neither, or when the context is in that trace already. */
void tracing_join(context *c, const char *what, const char *name, rec_text kept, orr_id instance);
/* Adds one span to an external task's trace. The context stays in its own. */
void tracing_touch(context *c, const char *what, const rec_external_task *t);
/* The trace that a new record of an instance (0: of none) keeps; no text: none. */
rec_text tracing_kept(context *c, orr_id instance);
/* Takes the open spans, which belong to the caller then. */
trace_span *tracing_take(context *c);
/* Ends them; `failure` names the kind of the error (NULL: none). */
void tracing_end(trace_span *spans, const char *failure);

#endif
