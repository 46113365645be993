/* C functions registered under the names that models use. */
#ifndef ORR_REGISTRY_H
#define ORR_REGISTRY_H

#include "base/env.h"
#include "base/error.h"

typedef struct registry registry;

/* NULL when memory is out. */
registry *registry_new(const orr_allocator *allocator);
/* Frees it; NULL is fine. */
void registry_free(registry *r);
/* False when nothing is registered under the name. Any thread. */
bool registry_get(registry *r, const char *name, orr_delegate_fn *fn, void **ud);

#endif
