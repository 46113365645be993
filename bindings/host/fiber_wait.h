/* Lua's view of waiting: futures, sleepers, work on other threads. */
#ifndef ORRERY_HOST_FIBER_WAIT_H
#define ORRERY_HOST_FIBER_WAIT_H

#include <lauxlib.h>
#include "bindings/host/fiber.h"

extern const luaL_Reg fiber_functions[]; /* of the module orrery.core */
extern const char fiber_awaits; /* its address is what a fiber yields that awaits */
/* Wakes the sleepers on a manual clock whose time has come. With `arm` the others are woken by real
 * time, because no other thread will move the clock. */
void sleepers_check(orrl_state *state, bool arm);
/* When the first of the sleepers wakes that wait for this engine's manual clock to move; 0: there is none. */
orr_time sleepers_due(const orrl_state *state, const orr_engine *engine);
/* How long scripts and expressions of models may hold a thread by awaiting something is bounded, for
 * each transaction. Where the thread goes on with others, as an executor's does, they are not, and
 * delegates are not: their task's timeout and the executor's delegate_timeout are their bounds. The
 * time counts in which at least one script of the transaction awaits, by the clock of deadlines
 * (exec/node/call_place.h). Who awaits when it is over is woken, and raises `limit`. */

/* The fiber begins to await something, on L. Nothing unless a script or an expression with such a
 * bound runs in it. Raises when its transaction has no such time left. */
void await_guard(lua_State *L, fiber *f);
/* It goes on, or ends. Nothing when it did not await. */
void await_unguard(fiber *f);
/* Raises when it has awaited for too long. */
void await_judge(lua_State *L, fiber *f);
/* Drops the sleepers of a Lua state that closes. Their futures are never settled. */
void sleepers_close(orrl_state *state);
/* Drops the sleepers on the clock of an engine that closes. */
void sleepers_drop(orrl_state *state, const orr_engine *engine);
/* Work that still runs on other threads ends by itself. */
void deferred_orphan(orrl_state *state);
/* Has the thread's loop anything to do, now or later? Else nothing that is pending would ever go
 * on. */
bool fiber_loop_alive(orrl_state *state);

/* libuv goes on waiting when a signal interrupts it, so who waits looks as often. */
#define SIGNAL_LOOK_MS 50

#endif
