/* A binary heap: the children of the one at `n` (from 1) are at 2n and 2n + 1. */
#include "server/transport/deadline.h"

#include <stdlib.h>

static deadline **heap_at(const deadlines *all, size_t place) { return &all->items[place - 1]; }

static void heap_put(const deadlines *all, deadline *d, size_t place) {
  *heap_at(all, place) = d;
  d->place = place;
}

static void heap_up(const deadlines *all, deadline *d) {
  while (d->place > 1) {
    deadline *parent = *heap_at(all, d->place / 2);
    if (parent->at_ns <= d->at_ns) return;
    size_t place = d->place;
    heap_put(all, d, parent->place);
    heap_put(all, parent, place);
  }
}

static void heap_down(const deadlines *all, deadline *d) {
  for (;;) {
    size_t child = d->place * 2;
    if (child > all->count) return;
    if (child < all->count && (*heap_at(all, child + 1))->at_ns < (*heap_at(all, child))->at_ns) child++;
    deadline *sooner = *heap_at(all, child);
    if (d->at_ns <= sooner->at_ns) return;
    size_t place = d->place;
    heap_put(all, d, child);
    heap_put(all, sooner, place);
  }
}

bool deadlines_set(deadlines *all, deadline *d, int64_t at_ns) {
  if (!d->place && all->count == all->capacity) {
    size_t capacity = all->capacity ? all->capacity * 2 : 16;
    deadline **more = realloc(all->items, capacity * sizeof *more);
    if (!more) return false;
    all->items = more;
    all->capacity = capacity;
  }
  d->at_ns = at_ns;
  if (!d->place) heap_put(all, d, ++all->count);
  heap_up(all, d);
  heap_down(all, d);
  return true;
}

void deadlines_remove(deadlines *all, deadline *d) {
  if (!d->place) return;
  deadline *last = *heap_at(all, all->count--);
  size_t place = d->place;
  d->place = 0;
  if (last == d) return;
  heap_put(all, last, place);
  heap_up(all, last);
  heap_down(all, last);
}

deadline *deadlines_first(const deadlines *all) { return all->count > 0 ? all->items[0] : NULL; }

void deadlines_free(deadlines *all) {
  free(all->items);
  *all = (deadlines){0};
}
