/* Bytes that come in pieces, up to a bound. */
#ifndef ORR_NET_BUFFER_H
#define ORR_NET_BUFFER_H

#include "net/client.h"

typedef struct buffer {
  char *bytes; /* NUL-terminated; NULL while empty */
  size_t size, capacity;
} buffer;

/* False when memory is out; the caller looks at its own bound first. */
bool buffer_add(const orr_allocator *allocator, buffer *b, const void *bytes, size_t size);
/* It is empty then, and may be used again. */
void buffer_free(const orr_allocator *allocator, buffer *b);

static inline net_text buffer_text(const buffer *b) { return (net_text){b->bytes ? b->bytes : "", b->size}; }

#endif
