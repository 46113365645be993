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
#include "exec/context.h"
#include "bindings/host/state.h"

typedef struct lua_thread lua_thread;

enum { FIBER_STRAYED = 100 }; /* beside Lua's own statuses */
enum { FIBER_DEPTH_MAX = 150 }; /* calls nested on one C stack: each takes some 5 kB of it */

struct fiber {
  host_pending waiting;      /* first, so that it tells the fiber; while it is pending */
  fiber *next_free, *next_all, *next_ready, *outer;
  orrl_state *state;
  lua_State *co;
  int ref, env_ref, scope_ref, object_ref;
  int extra_ref;             /* names that expressions see before all others; mostly LUA_NOREF */
  uint64_t serial;           /* of its present call; 0: none. Execution objects remember it */
  bool resumable;            /* it may yield: no evaluation that must answer at once */
  bool pending, has_object, env_used;
  lua_thread *thread;
  context *context;
  orr_execution *view;       /* may be NULL in evaluations */
  host_call kept;            /* what is called; zero in evaluations */
  const expr *expr;          /* evaluations */
  const orr_value *variables;/* seen before those of the view */
  bool missing_is_nil;
  orr_arena *arena;          /* for what goes back */
  host_result result;
  budget budget;             /* of its script */
};

/* NULL when memory is out. */
fiber *fiber_take(orrl_state *state, lua_thread *thread);
/* Ends its call: objects that it gave to scripts are dead from now on. */
void fiber_give(fiber *f);
/* Runs `body` (one argument: the fiber) as the coroutine's function. LUA_OK, LUA_YIELD, an error, whose object is on its
 * stack, or FIBER_STRAYED: it yielded without awaiting anything, and nothing would ever resume it. */
int fiber_start(fiber *f, lua_CFunction body);
/* Goes on where fiber_start or the last resume answered LUA_YIELD; answers as fiber_start does. */
int fiber_resume(fiber *f);
/* The same without the right to yield. */
int fiber_protect(fiber *f, lua_CFunction body);
/* A protected call of what lies on another stack of the state, as a part of the fiber's call and within its budget: what
 * its error says of itself. No results; an error object stays on the stack. */
int fiber_call_beside(fiber *f, lua_State *L, int arguments);
/* Its call ended in the middle: closes what it left to be closed, within what is left of its budget; nothing once that is
 * spent. */
void fiber_unwind(fiber *f);
/* The fiber's call goes on from the loop. */
void fiber_wake(fiber *f);
/* The fiber's call is pending, and nobody wants to know its end. */
void fiber_abandon(fiber *f);
/* The Lua state closes: frees its fibers. No call is pending any more. */
void fibers_close(orrl_state *state);
/* Ends pending calls of a thread that closes. */
void fibers_abandon(lua_thread *thread);

/* fiber_wait.c: Lua's view of waiting, added to the module. */
extern const luaL_Reg fiber_functions[];
extern const char fiber_awaits; /* its address is what a fiber yields that awaits */
/* Lets sleepers on a manual clock go whose time has come; with `arm` the others go by real time, because nobody else will
 * move it. */
void sleepers_check(orrl_state *state, bool arm);
/* The Lua state closes: its sleepers go, and their futures are never settled. */
void sleepers_close(orrl_state *state);
/* The engine closes: nobody will ask its clock any more. */
void sleepers_drop(orrl_state *state, const orr_engine *engine);
/* Work that still runs on other threads ends by itself. */
void deferred_orphan(orrl_state *state);
/* Has the thread's loop anything to do, now or later? Else nothing that is pending would ever go
 * on. */
bool fiber_loop_alive(orrl_state *state);

#endif
