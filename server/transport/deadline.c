/* A deadline knows its place in the heap, so that it is moved and taken out without a search. */
#include "server/transport/deadline.h"

#include <stdlib.h>

#include "base/heap.h"

static bool deadline_before(const void *a, const void *b, const void *ud) {
  (void)ud;
  return ((const deadline *)a)->at_ns < ((const deadline *)b)->at_ns;
}

static void deadline_placed(void *d, size_t place) { ((deadline *)d)->place = place + 1; }

static const heap_order sooner = {deadline_before, deadline_placed, NULL};

bool deadlines_set(deadlines *all, deadline *d, int64_t at_ns) {
  if (!d->place && all->count == all->capacity) {
    size_t capacity = all->capacity ? all->capacity * 2 : 16;
    void **more = realloc(all->items, capacity * sizeof *more);
    if (!more) return false;
    all->items = more;
    all->capacity = capacity;
  }
  d->at_ns = at_ns;
  size_t place = d->place ? d->place - 1 : all->count++;
  heap_settle(&sooner, all->items, all->count, place, d);
  return true;
}

void deadlines_remove(deadlines *all, deadline *d) {
  if (!d->place) return;
  deadline *last = all->items[--all->count];
  size_t place = d->place - 1;
  d->place = 0;
  if (last != d) heap_settle(&sooner, all->items, all->count, place, last);
}

deadline *deadlines_first(const deadlines *all) { return all->count > 0 ? all->items[0] : NULL; }

void deadlines_free(deadlines *all) {
  free(all->items);
  *all = (deadlines){0};
}
