/* A binary heap over an array that its owner keeps: the first of all is items[0], the children of items[n] are at 2n + 1 and
 * 2n + 2. */
#ifndef ORR_BASE_HEAP_H
#define ORR_BASE_HEAP_H

#include <stdbool.h>
#include <stddef.h>

typedef struct heap_order {
  bool (*before)(const void *a, const void *b, const void *ud);
  void (*placed)(void *item, size_t place); /* is told of each place that an item gets; NULL: nobody asks */
  const void *ud;
} heap_order;

/* Puts an item into the hole at `at`, or further up, where it belongs. */
void heap_up(const heap_order *order, void **items, size_t at, void *item);
/* The same, or further down, among `count` items. */
void heap_down(const heap_order *order, void **items, size_t count, size_t at, void *item);
/* The same, either way: the hole lies anywhere. */
void heap_settle(const heap_order *order, void **items, size_t count, size_t at, void *item);

#endif
