/* The memory of a Lua state, with a bound while a script runs. A state that the host makes is
 * served by the engine's allocator all its life; the host program's own has an allocator already,
 * which is borrowed for as long as a script runs in it (budget.c). */
#ifndef ORRERY_MEMORY_H
#define ORRERY_MEMORY_H

#include <lua.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "orrery.h"

typedef struct lua_memory {
  orr_allocator allocator;
  lua_Alloc borrowed;   /* NULL: the allocator above */
  void *borrowed_ud;
  int64_t used;         /* bytes that the state holds, garbage among them */
  int64_t most;         /* of `used`; 0: no bound. Beyond it the alarm rings, for garbage to go */
  int64_t spare;        /* how far beyond `most` one instruction may go: not every part of Lua
                         * collects garbage and tries again */
  bool over, refused;   /* it went beyond `most`; the last growth would have left the spare, too */
  int64_t steps;        /* what growing, and collecting, cost the running script (budget.c) */
  int64_t steps_most;   /* beyond it the alarm rings; 0: never */
  void (*alarm)(struct lua_memory *m);
  lua_State *running;   /* for the alarm */
} lua_memory;

enum {
  MEMORY_BYTES_A_STEP = 32,     /* to get and fill them takes about as long as an instruction */
  MEMORY_COLLECTED_A_STEP = 64, /* a collection goes through all that is there */
};

/* A lua_Alloc; `ud`: the lua_memory, which outlives the state, or its use in one. */
void *memory_allocate(void *ud, void *ptr, size_t old_size, size_t new_size);

#endif
