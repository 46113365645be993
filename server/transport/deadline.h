/* Deadlines in the order in which they come: a heap of structs that their owners embed. One thread at
 * a time. */
#ifndef SERVER_DEADLINE_H
#define SERVER_DEADLINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Zero: it is in no heap. Its owner keeps it where it is while it is in one. */
typedef struct deadline {
  int64_t at_ns; /* of the monotonic clock */
  size_t place;  /* in its heap, from 1 */
} deadline;

/* Zero: empty. */
typedef struct deadlines {
  void **items; /* deadline */
  size_t count, capacity;
} deadlines;

/* Enters it, or moves the one that is there to another time. False: out of memory, nothing has changed. */
bool deadlines_set(deadlines *all, deadline *d, int64_t at_ns);
/* One that is in no heap is fine. */
void deadlines_remove(deadlines *all, deadline *d);
/* The earliest; NULL: there is none. */
deadline *deadlines_first(const deadlines *all);
/* The heap alone: what was in it is its owners'. */
void deadlines_free(deadlines *all);

#endif
