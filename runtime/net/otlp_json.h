/* Spans as the JSON of OTLP: keys in lowerCamelCase, ids in hex, 64-bit numbers as texts,
 * enumerations as numbers. */
#ifndef ORR_NET_OTLP_JSON_H
#define ORR_NET_OTLP_JSON_H

#include "base/trace.h"
#include "net/buffer.h"

/* What stands before the spans of every request: resource and scope. False: memory is out. */
bool otlp_json_begin(const orr_allocator *allocator, buffer *out, const char *const *resource,
                     size_t texts);
/* The spans of a list, and the end. */
bool otlp_json_spans(const orr_allocator *allocator, buffer *out, const trace_span *spans);
/* How many spans an answer (a partial success) says were rejected; 0: none, or it does not say. */
uint64_t otlp_json_rejected(net_text answer);

#endif
