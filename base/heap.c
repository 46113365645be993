/* An item goes to its place by a hole that moves: what it passes is moved once. */
#include "base/heap.h"

static void heap_put(const heap_order *order, void **items, size_t at, void *item) {
  items[at] = item;
  if (order->placed) order->placed(item, at);
}

void heap_up(const heap_order *order, void **items, size_t at, void *item) {
  for (; at > 0 && order->before(item, items[(at - 1) / 2], order->ud); at = (at - 1) / 2)
    heap_put(order, items, at, items[(at - 1) / 2]);
  heap_put(order, items, at, item);
}

void heap_down(const heap_order *order, void **items, size_t count, size_t at, void *item) {
  for (size_t child; (child = 2 * at + 1) < count; at = child) {
    if (child + 1 < count && order->before(items[child + 1], items[child], order->ud)) child++;
    if (!order->before(items[child], item, order->ud)) break;
    heap_put(order, items, at, items[child]);
  }
  heap_put(order, items, at, item);
}

void heap_settle(const heap_order *order, void **items, size_t count, size_t at, void *item) {
  if (at > 0 && order->before(item, items[(at - 1) / 2], order->ud)) heap_up(order, items, at, item);
  else heap_down(order, items, count, at, item);
}
