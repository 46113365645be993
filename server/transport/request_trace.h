/* A request's trace: what came with its head, its span, and what the engine is told of it. */
#ifndef SERVER_REQUEST_TRACE_H
#define SERVER_REQUEST_TRACE_H

#include <microhttpd.h>

#include "server/transport/request.h"

/* The head is read and the operation known: reads traceparent and tracestate; begins the span when
 * there is a tracer. */
void request_trace_begin(request *q, struct MHD_Connection *mhd);
/* Its answer is with the client, or lost. */
void request_trace_end(request *q, bool delivered);
/* Has this thread's commands in the request's engine belong to its trace; NULL for `q`: to none. */
void request_trace_enter(orr_engine *engine, const request *q);

#endif
