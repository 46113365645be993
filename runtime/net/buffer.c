/* Bytes that come in pieces. */
#include "net/buffer.h"

#include <string.h>

#include "base/env.h"

bool buffer_add(const orr_allocator *allocator, buffer *b, const void *bytes, size_t size) {
  if (b->size + size + 1 > b->capacity) {
    size_t capacity = b->capacity ? b->capacity : 1024;
    while (capacity < b->size + size + 1) capacity *= 2;
    char *grown = env_realloc(allocator, b->bytes, b->capacity, capacity);
    if (!grown) return false;
    b->bytes = grown;
    b->capacity = capacity;
  }
  memcpy(b->bytes + b->size, bytes, size);
  b->size += size;
  b->bytes[b->size] = '\0';
  return true;
}

void buffer_free(const orr_allocator *allocator, buffer *b) {
  env_free(allocator, b->bytes, b->capacity);
  *b = (buffer){0};
}
