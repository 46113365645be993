/* A whole store as calls of a function, or as one number. */
#include "dump.h"

int store_dump(store_snapshot *snapshot, store_dump_fn fn, void *ud, orr_error *err) {
  store_cursor *cursor;
  int rc = store_scan(snapshot, &(store_range){0}, &cursor, err);
  if (rc) return rc;
  store_bytes key, value;
  int answer = 0;
  while (answer == 0 && (rc = store_next(cursor, &key, &value, err)) == 0) answer = fn(ud, key, value);
  store_cursor_close(cursor);
  if (answer != 0) return answer;
  return rc == ORR_E_NOT_FOUND ? 0 : rc;
}

/* FNV-1a over size and bytes, so that moving a byte from a key to its value is a difference. */
static uint64_t add_bytes(uint64_t hash, store_bytes bytes) {
  const uint64_t prime = UINT64_C(0x100000001B3);
  const unsigned char *at = bytes.data;
  for (size_t size = bytes.size; size > 0; size >>= 8) hash = (hash ^ (size & 0xFF)) * prime;
  hash = (hash ^ 0xFF) * prime;
  for (size_t i = 0; i < bytes.size; i++) hash = (hash ^ at[i]) * prime;
  return hash;
}

static int add_entry(void *ud, store_bytes key, store_bytes value) {
  uint64_t *hash = ud;
  *hash = add_bytes(add_bytes(*hash, key), value);
  return 0;
}

int store_digest(store_snapshot *snapshot, uint64_t *out, orr_error *err) {
  *out = UINT64_C(0xCBF29CE484222325);
  return store_dump(snapshot, add_entry, out, err);
}
