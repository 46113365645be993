/* What Orrery keeps in one lua_State: scratch memory, the loop, the fibers that run delegates. One full userdata in the
 * registry, made when the module is first loaded; being the oldest of our objects it is finalized last. */
#ifndef ORRERY_ORRL_STATE_H
#define ORRERY_ORRL_STATE_H

#include <uv.h>

#include "bindings/host/coroutines.h"
#include "bindings/script/memory.h"
#include "bindings/orrl.h"

typedef struct fiber fiber;
typedef struct sleeper sleeper;

struct orrl_scratch {
  orrl_scratch *next_free, *next_all;
  orr_builder **builders;
  size_t builder_count, builder_capacity;
  orr_value *values;
  size_t value_count;
  orr_records *records; /* an answer that no box holds yet */
  union { max_align_t aligned; char bytes[256]; } nested; /* an option struct that another points at */
  bool taken;
};

enum { ORRL_VALUES = 32 }; /* values that one call may take: an option struct has at most 7 */

struct orrl_state {
  lua_State *L;             /* the main coroutine */
  void *null;               /* the userdata orrery.null */
  int null_ref, array_ref, error_ref, hooks_ref, wait_ref;
  char own_files[256];      /* what the sources of our own Lua files begin with; "": not told yet */
  char written[ORRL_NAME_BYTES]; /* what messages of the next call name; "": its own name (orrl_called) */
  int moment_ref;           /* a table, by metatable: what dateTime() and now() give */
  int views_ref;            /* what views show, by view (lua/orrery/view.lua) */
  lua_State *strings;       /* the metatables that texts have in scripts and outside (budget.c); NULL: no script has been yet */
  lua_memory *memory;       /* of a state that the host made, or the next */
  lua_memory borrowed;      /* of the host program's: its allocator, while a script runs */
  orrl_scratch *free, *all;
  orr_builder *builder;     /* for conversions that call nothing in between */
  uv_loop_t *loop;          /* this OS thread's, once somebody asked for it */
  bool own_loop;
  uv_idle_t *kick;          /* resumes what is ready, from the loop */
  fiber *idle, *fibers;     /* coroutines free to run a call; all of them */
  fiber *running;           /* the innermost */
  coroutine_run *volatile innermost; /* whose coroutine may be one that the fiber's has made */
  bool coroutines_wrapped;
  fiber *ready, **ready_end;
  sleeper *sleepers;
  uint64_t sleeper_number;
  struct deferred *deferred;
  struct net_box *nets;     /* clients of the world outside */
  int depth;                /* host calls nested in each other */
  uint64_t serial;          /* numbers calls */
  int calls;                /* of ours, by the thread's program, that run */
  lua_Hook hook;            /* of L when it called us last */
  bool hooked;              /* the host program is to raise in L (signals.h) */
  bool pure;                /* evaluations see variables alone (host_view.h) */
};

/* The state's own, made when it is not there yet. */
orrl_state *orrl_state_of(lua_State *L);
/* The state that a C function was made with, as its first upvalue. */
static inline orrl_state *orrl_own_state(lua_State *L) { return lua_touserdata(L, lua_upvalueindex(1)); }
/* Pushes orrery.null. */
void orrl_push_null(lua_State *L, orrl_state *state);
/* NULL when memory is out. */
uv_loop_t *orrl_loop(orrl_state *state);
/* Before the state has a loop of its own. */
void orrl_adopt_loop(orrl_state *state, uv_loop_t *loop);
/* Pushes a function or table of lua/orrery/hooks.lua: what the host calls in Lua. */
void orrl_push_hook(lua_State *L, orrl_state *state, const char *name);

#endif
