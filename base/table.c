/* A key is found at its home, which its bits are spread over, or in the slots behind it. */
#include "base/table.h"

#define TABLE_FIRST 64u

static uint32_t home(const table *t, orr_id key) { return (uint32_t)(key * UINT64_C(0x9E3779B97F4A7C15) >> 32) & t->mask; }

static uint32_t table_find(const table *t, orr_id key) {
  uint32_t at = home(t, key);
  while (t->slots[at].key && t->slots[at].key != key) at = (at + 1) & t->mask;
  return at;
}

void *table_get(const table *t, orr_id key) { return t->slots ? t->slots[table_find(t, key)].value : NULL; }

static int grow_table(table *t, const orr_allocator *allocator) {
  uint32_t size = t->slots ? (t->mask + 1) * 2 : TABLE_FIRST;
  table bigger = {.slots = env_zalloc(allocator, size * sizeof *bigger.slots), .mask = size - 1, .count = t->count};
  if (!bigger.slots) return ORR_E_MEMORY;
  for (uint32_t i = 0; t->slots && i <= t->mask; i++)
    if (t->slots[i].key) bigger.slots[table_find(&bigger, t->slots[i].key)] = t->slots[i];
  table_free(t, allocator);
  *t = bigger;
  return 0;
}

int table_put(table *t, const orr_allocator *allocator, orr_id key, void *value) {
  if (!t->slots || (t->count + 1) * 2 > t->mask) {
    int rc = grow_table(t, allocator);
    if (rc) return rc;
  }
  uint32_t at = table_find(t, key);
  if (!t->slots[at].key) t->count++;
  t->slots[at] = (struct table_slot){key, value};
  return 0;
}

/* Entries behind the hole move up if their home allows it, so that a search may still stop at the first empty slot. */
void table_remove(table *t, orr_id key) {
  if (!t->slots) return;
  uint32_t hole = table_find(t, key);
  if (!t->slots[hole].key) return;
  t->count--;
  for (uint32_t at = (hole + 1) & t->mask; t->slots[at].key; at = (at + 1) & t->mask) {
    if (((at - home(t, t->slots[at].key)) & t->mask) < ((at - hole) & t->mask)) continue;
    t->slots[hole] = t->slots[at];
    hole = at;
  }
  t->slots[hole] = (struct table_slot){0};
}

void table_free(table *t, const orr_allocator *allocator) {
  if (t->slots) env_free(allocator, t->slots, (t->mask + 1) * sizeof *t->slots);
  *t = (table){0};
}
