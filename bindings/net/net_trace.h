/* Spans of calls over HTTP. */
#ifndef ORRERY_NET_NET_TRACE_H
#define ORRERY_NET_NET_TRACE_H

#include "bindings/net/net_glue.h"
#include "net/http.h"

/* Begins the span of a request that code of an engine with a tracer makes, and adds its traceparent to the headers, which
 * may lie on Lua's stack from then on. NULL: the call is no part of a trace that is recorded. */
trace_span *net_trace_request(lua_State *L, net_http_request *r);
/* How it went: a status, or the name of an error. */
void net_trace_answer(trace_span *s, int status, const char *error);

#endif
