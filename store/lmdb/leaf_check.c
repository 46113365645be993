/* A leaf is told by the key that LMDB has found on it. */
#include "store/lmdb/leaf_check.h"

#include <inttypes.h>
#include <stdio.h>
#include <unistd.h>

#include "base/error.h"
#include "store/lmdb/pages.h"

static size_t bytes_for(uint64_t pages) { return (size_t)(pages / 8 + 1); }

int leaf_check_start(leaf_check *c, uint64_t pages, const orr_allocator *allocator, orr_error *err) {
  c->sound = env_zalloc(allocator, bytes_for(pages));
  if (!c->sound) return error_memory(err);
  c->pages = pages;
  return 0;
}

void leaf_check_stop(leaf_check *c, const orr_allocator *allocator) {
  if (c->sound) env_free(allocator, c->sound, bytes_for(c->pages));
  *c = (leaf_check){0};
}

static void keep_finding(void *ud, const char *sentence) {
  snprintf(ud, LEAF_FINDING_BYTES, "%s", sentence);
}

/* A page that was written since the store was opened comes from LMDB, which writes sound ones. */
static bool is_known(leaf_check *c, uint64_t number) {
  return number >= c->pages || (atomic_load(&c->sound[number / 8]) & 1u << number % 8);
}

bool leaf_check_key(leaf_check *c, const uint8_t *map, size_t size, const void *key,
                    char why[LEAF_FINDING_BYTES]) {
  const uint8_t *at = key;
  uint32_t page_size = (uint32_t)sysconf(_SC_PAGESIZE);
  if (!map || at < map || at >= map + size / page_size * page_size) return true;
  uint64_t number = (uint64_t)(at - map) / page_size;
  const pages_image image = {.map = map, .size = size};
  const store_page_listener told = {.ud = why, .finding = keep_finding};
  if (!is_known(c, number)) {
    if (!pages_check_leaf(&image, page_size, number, &told)) return false;
    atomic_fetch_or(&c->sound[number / 8], (unsigned char)(1u << number % 8));
  }
  if (pages_leaf_has(&image, page_size, number, key)) return true;
  snprintf(why, LEAF_FINDING_BYTES, "an entry leads into the middle of page %" PRIu64, number);
  return false;
}
