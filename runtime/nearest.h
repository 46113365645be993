/* The known name nearest to a wrong one, for "did you mean". */
#ifndef ORR_NEAREST_H
#define ORR_NEAREST_H

#include <stddef.h>

typedef struct nearest {
  const char *wrong;
  size_t size, distance;
  const char *name; /* the best so far; "" before the first */
} nearest;

nearest nearest_to(const char *wrong, size_t size);
void nearest_offer(nearest *best, const char *name);

#endif
