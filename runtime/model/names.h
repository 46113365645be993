/* A map from names to pointers, in an arena: ids of a document, nodes and flows of a definition. Filled once, then only
 * read. */
#ifndef ORR_NAMES_H
#define ORR_NAMES_H

#include <stdint.h>

#include "base/arena.h"

typedef struct names {
  orr_arena *arena;
  struct names_slot {
    const char *name; /* NULL: free */
    void *value;
  } *slots;
  uint32_t capacity, count; /* capacity is a power of two, or 0 */
} names;

/* The value that the name has; NULL when it is not in the map. */
void *names_get(const names *map, const char *name);
/* Adds a name that is not in the map. `name` is kept, not copied. False when memory is out. */
bool names_put(names *map, const char *name, void *value);

#endif
