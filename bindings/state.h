/* What Orrery keeps in one lua_State: scratch memory, the loop, the fibers that run delegates. One full userdata in the registry, made
 * when the module is first loaded; being the oldest of our objects it is finalized last. */
#ifndef ORRERY_ORRL_STATE_H
#define ORRERY_ORRL_STATE_H

#include "orrl.h"

typedef struct fiber fiber;
typedef struct orrl_loop orrl_loop;

struct orrl_scratch {
  orrl_scratch *next_free, *next_all;
  orr_builder **builders;
  size_t builder_count, builder_capacity;
  orr_value *values; /* chunks of ORRL_VALUES, linked through nothing: there is one, and a call has few values */
  size_t value_count;
  bool taken;
};

enum { ORRL_VALUES = 32 };

struct orrl_state {
  lua_State *L;     /* the main coroutine */
  void *null;       /* the userdata orrery.null */
  int array_ref, error_ref; /* metatables of marked arrays and of errors */
  int null_ref;
  orrl_scratch *free, *all;
  orrl_loop *loop;       /* this OS thread's, once something waits */
  fiber *idle, *fibers;  /* coroutines ready to run a call; all of them */
  fiber *running;        /* innermost */
  fiber *ready, **ready_end; /* woken, to be resumed by the loop */
  int depth;             /* host calls nested in each other */
  int beans_ref;         /* lua/orrery/bean.lua's resolver of JavaBean spellings */
  int await_ref;         /* lua/orrery/future.lua's functions for the host */
};

/* The state's own, made when it is not there yet. */
orrl_state *orrl_state_of(lua_State *L);
void orrl_push_null(lua_State *L, orrl_state *state);

#endif
