/* Bytes at rest: keys and values as the store takes them, and the header of every value that carries a revision. */
#ifndef ORR_STORE_BYTES_H
#define ORR_STORE_BYTES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct store_bytes {
  const void *data;
  size_t size;
} store_bytes;

typedef struct store_header {
  uint32_t checksum; /* CRC-32C of everything behind this field: the revision too */
  uint32_t revision; /* not 0; another on every change, mostly the next */
} store_header;

/* CRC-32C (Castagnoli) of `size` bytes. */
uint32_t store_crc32c(const void *data, size_t size);

/* Fills the header at the start of `value`, whose other bytes are final. `size` counts the header. */
void store_seal(void *value, size_t size, uint32_t revision);
/* Whether a value with a header is what was sealed. */
bool store_intact(store_bytes value);
/* The revision in a value's header; 0 for values too small to have one. */
uint32_t store_revision(store_bytes value);

#endif
