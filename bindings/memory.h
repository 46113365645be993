/* The memory of a Lua state that the host makes: the engine's allocator serves it, and while a script runs there is a bound. The host
 * program's own state has an allocator already; there only the budget's hook looks (host_code.c). */
#ifndef ORRERY_MEMORY_H
#define ORRERY_MEMORY_H

#include <stdbool.h>
#include <stddef.h>

#include "orrery.h"

typedef struct lua_memory {
  orr_allocator allocator;
  size_t used;
  size_t most;  /* of `used`; 0: no bound */
  bool refused; /* the last growth, because of the bound: Lua collects its garbage then, and tries once more */
} lua_memory;

/* A lua_Alloc; `ud`: the lua_memory, which outlives the state. */
void *memory_allocate(void *ud, void *ptr, size_t old_size, size_t new_size);

#endif
