/* The known name that a wrong one was meant to be, for "did you mean":
 *
 *   nearest best = nearest_to(wrong, size);
 *   for (each known name) nearest_offer(&best, name, size);
 *   if (best.name != NULL) … */
#ifndef ORR_NEAREST_H
#define ORR_NEAREST_H

#include <stddef.h>

typedef struct nearest {
  const char *wrong;
  size_t wrong_size;
  size_t distance;  /* what a name must be nearer than */
  const char *name; /* the best so far, as it was offered, with no zero behind it; NULL: none is near enough to be meant */
  size_t size;
} nearest;

/* Texts are borrowed. */
nearest nearest_to(const char *wrong, size_t size);
/* One of the names that there are: kept when it is nearer than those before. The text is
 * borrowed. */
void nearest_offer(nearest *best, const char *name, size_t size);

#endif
