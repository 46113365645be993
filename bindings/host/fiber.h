/* Fibers: the coroutines that run what a model names. A fiber is taken for one call and given back; its Lua coroutine is
 * used again.
 *
 *   idle -> running (on the C stack) -> done, back to idle
 *              |  ^
 *              v  | resumed by the loop when what it awaits is there
 *           pending
 *
 * Everything that may raise runs inside the coroutine, so that no error jumps over the core's frames. */
#ifndef ORRERY_FIBER_H
#define ORRERY_FIBER_H

#include "bindings/script/budget.h"
#include "state/context.h"
#include "bindings/host/state.h"

typedef struct lua_thread lua_thread;

/* A script's own random numbers: bindings/script/script_random.c. */
typedef struct script_random {
  uint64_t state[4];
  bool seeded;
} script_random;

enum { FIBER_STRAYED = 100 }; /* beside Lua's own statuses */
enum { FIBER_DEPTH_MAX = 150 }; /* calls nested on one C stack: each takes some 5 kB of it */

struct fiber {
  host_pending waiting;      /* first, so that its address gives the fiber; while it is pending */
  fiber *next_free, *next_all, *next_ready, *outer;
  orrl_state *state;
  lua_State *co;
  coroutine_run run;         /* of co, while it is entered */
  int ref, env_ref, scope_ref;
  int object_ref, script_object_ref; /* of the execution, as delegates and as scripts have it */
  int extra_ref;             /* names that expressions see before all others; mostly LUA_NOREF */
  uint64_t serial;           /* of its present call; 0: none. Execution objects remember it */
  bool resumable;            /* it may yield: no evaluation that must answer at once */
  bool waits;                /* it runs the loop, and calls of others with it */
  bool awaits_too_long;      /* its script: see fiber_wait.h */
  sleeper *guard;            /* wakes it when it has; NULL: it does not await */
  script_waits *counted_by;  /* whose time runs meanwhile; NULL: it does not await */
  script_waits waits_alone;  /* of an evaluation without a context */
  bool abandoned;            /* its pending <close> handlers run, and may await nothing */
  bool pending, has_object, has_script_object, env_used;
  lua_thread *thread;
  context *context;
  orr_execution *view;       /* may be NULL in evaluations */
  host_call kept;            /* what is called; zero in evaluations */
  const expr *expr;          /* evaluations */
  const orr_value *variables;/* seen before those of the view */
  bool missing_is_nil;
  bool pure;                 /* it sees variables alone: a customer wrote it */
  orr_arena *arena;          /* for what goes back */
  host_result result;
  budget budget;             /* of its script */
  script_random random;      /* of its script */
};

/* NULL when memory is out. */
fiber *fiber_take(orrl_state *state, lua_thread *thread);
/* Ends the fiber's call and puts the fiber back for the next one. Objects that the call gave to
 * scripts are dead from here on. */
void fiber_give(fiber *f);
/* Runs `body` (one argument: the fiber) as the coroutine's function. LUA_OK, LUA_YIELD, an error, whose object is on its
 * stack, or FIBER_STRAYED: it yielded without awaiting anything, and nothing would ever resume it. */
int fiber_start(fiber *f, lua_CFunction body);
/* Goes on where fiber_start or the last resume answered LUA_YIELD; answers as fiber_start does. */
int fiber_resume(fiber *f);
/* The same without the right to yield. */
int fiber_protect(fiber *f, lua_CFunction body);
/* Calls, protected, the function on another stack of the same Lua state, as a part of the fiber's
 * call and within its budget; host_error.c describes a raised object so. The function gives no
 * results; an error object stays on the stack. */
int fiber_call_beside(fiber *f, lua_State *L, int arguments);
/* Cleans up behind a call that ended in the middle: runs its pending <close> handlers within what
 * is left of its budget, and none once the budget is spent. */
void fiber_unwind(fiber *f);
/* The fiber whose script this thread runs; NULL: it runs none. Signal handlers may call it. */
const fiber *fiber_here(void);
/* Has the loop resume the fiber's call. */
void fiber_wake(fiber *f);
/* Gives up a pending call: its end is reported to nobody. */
void fiber_abandon(fiber *f);
/* Frees the fibers of a Lua state that closes. No call may be pending. */
void fibers_close(orrl_state *state);
/* Gives up the pending calls of a thread that closes. */
void fibers_abandon(lua_thread *thread);

#endif
