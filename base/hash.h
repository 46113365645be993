/* FNV-1a: for tables in memory, and of 64 bits for what is stored or shown, so that it never changes. Equal hashes do not make
 * equal bytes. */
#ifndef ORR_BASE_HASH_H
#define ORR_BASE_HASH_H

#include <stddef.h>
#include <stdint.h>

#define HASH_BEGIN UINT32_C(2166136261)

/* Of bytes behind what `hash` is of; HASH_BEGIN: behind nothing. */
static inline uint32_t hash_more(uint32_t hash, const void *data, size_t size) {
  const uint8_t *at = data;
  for (size_t i = 0; i < size; i++) hash = (hash ^ at[i]) * UINT32_C(16777619);
  return hash;
}

static inline uint32_t hash_bytes(const void *data, size_t size) { return hash_more(HASH_BEGIN, data, size); }

static inline uint64_t hash_bytes_wide(const void *data, size_t size) {
  const uint8_t *at = data;
  uint64_t hash = UINT64_C(0xcbf29ce484222325);
  for (size_t i = 0; i < size; i++) hash = (hash ^ at[i]) * UINT64_C(0x100000001b3);
  return hash;
}

#endif
