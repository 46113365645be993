/* The cache of definition graphs, and which version of a key is the latest. */
#ifndef ORR_DEFINITIONS_H
#define ORR_DEFINITIONS_H

#include "engine.h"

/* NULL when memory is out. */
definitions *definitions_new(const orr_allocator *allocator);
/* Graphs that somebody still holds live on until they are released. */
void definitions_free(definitions *all);

#endif
