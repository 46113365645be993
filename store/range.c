/* From a range to the key where its scan begins. */
#include "store/range.h"

#include <string.h>

bool range_valid(const store_range *range) { return range->prefix.size <= STORE_KEY_MAX && range->from.size <= STORE_KEY_MAX; }

bool range_has_prefix(store_bytes key, store_bytes prefix) {
  if (prefix.size == 0) return true;
  return key.size >= prefix.size && memcmp(key.data, prefix.data, prefix.size) == 0;
}

size_t range_end(store_bytes prefix, unsigned char out[STORE_KEY_MAX + 1]) {
  size_t size = prefix.size;
  if (size > 0) memcpy(out, prefix.data, size);
  while (size > 0 && out[size - 1] == 0xFF) size--;
  if (size > 0) {
    out[size - 1]++;
    return size;
  }
  memset(out, 0xFF, STORE_KEY_MAX + 1);
  return STORE_KEY_MAX + 1;
}

static void set_key(range_start *out, range_seek seek, store_bytes key) {
  out->seek = seek;
  out->size = key.size;
  if (key.size > 0) memcpy(out->key, key.data, key.size);
}

/* The least key above all that begin with the prefix: its last byte that is not 255, plus one. None when there is no such
 * byte. */
static void begin_at_end(store_bytes prefix, range_start *out) {
  set_key(out, RANGE_BEFORE, prefix);
  while (out->size > 0 && out->key[out->size - 1] == 0xFF) out->size--;
  if (out->size == 0) {
    out->seek = RANGE_LAST;
  } else {
    out->key[out->size - 1]++;
  }
}

/* Where `from` lies: <0 before every key with the prefix, >0 behind them, 0 among them. */
static int place_start(store_bytes from, store_bytes prefix) {
  size_t common = from.size < prefix.size ? from.size : prefix.size;
  int order = common > 0 ? memcmp(from.data, prefix.data, common) : 0;
  if (order != 0) return order;
  return from.size < prefix.size ? -1 : 0;
}

void range_begin(const store_range *range, range_start *out) {
  if (range->from.size == 0) {
    if (range->backwards) {
      begin_at_end(range->prefix, out);
    } else {
      set_key(out, RANGE_AT_OR_AFTER, range->prefix);
    }
    return;
  }
  int where = place_start(range->from, range->prefix);
  if (range->backwards && where > 0) {
    begin_at_end(range->prefix, out);
  } else if (!range->backwards && where < 0) {
    set_key(out, RANGE_AT_OR_AFTER, range->prefix);
  } else {
    set_key(out, range->backwards ? RANGE_AT_OR_BEFORE : RANGE_AT_OR_AFTER, range->from);
  }
}
