/* The budget of a script or an expression: steps, memory and time, for what runs in a fiber once
 * that has begun.
 *
 *   steps   instructions, counted by a hook; and what one instruction can hide: the elements that
 *           a library's C function goes through, the places that a pattern tries, the memory that
 *           is asked for, the collections that a full memory forces
 *   bytes   what the Lua state grew by, garbage that can be collected apart; the allocator keeps
 *           the bound, on every thread
 *   time    that it ran, short scripts apart; what it waited for does not count
 *   waits   how long scripts and expressions of one transaction await something (fiber_wait.h)
 *
 * The hook does not see what C code works in between: so each call from a script into ours counts,
 * and looks at the clock, and what goes through many values counts those.
 *
 * Delegates have no budget and do not use up a script's: its account rests while another fiber
 * runs. A script or an expression that runs by a command of a script goes on with its caller's account,
 * so that no script has more by calling others. A budget that is spent stays spent:
 * every further instruction raises, so that no pcall of the script's own saves it, and what it left
 * to be closed is not closed by Lua code. */
#ifndef ORRERY_BUDGET_H
#define ORRERY_BUDGET_H

#include "bindings/host/state.h"

typedef struct budget {
  bool on;                     /* a script or an expression runs in the fiber */
  const char *who;             /* "script" or "expression", for messages */
  lua_State *L;                /* where it runs: the fiber's coroutine, or one that its delegate made */
  const char *spent;           /* which limit it went beyond; NULL: none so far */
  bool refused;                /* memory was, last, at its bound */
  int64_t steps, bytes, ns;    /* used in earlier spans */
  int64_t bytes_from, ns_from; /* where the present span began */
  uint64_t spans;
  int64_t unlooked;            /* what was charged since the clock was looked at */
  fiber *payer;                /* the script that called this one by a command; NULL: none did */
  uint64_t payer_serial;       /* of the payer's call */
  int64_t steps_before, bytes_before, ns_before; /* that had been used when this one began */
  bool timed;                  /* the present span has a clock, since ns_from */
} budget;

/* A script or an expression (`who`) begins in the fiber, which runs, on L. Nothing when one has begun
 * before, or when the engine's options set no limit. */
void budget_begin(fiber *f, lua_State *L, const char *who);
/* The fiber's call is over. */
void budget_end(fiber *f);
/* The expression is over, and the fiber goes on, with its delegate: without a budget. */
void budget_leave(fiber *f);
/* lua_call for one result, of an expression that a delegate asks for: within a budget of its own, which is
 * off again when its failure is raised. */
void budget_call(lua_State *L, fiber *f, int arguments);
/* The fiber goes on running: for fiber.c alone. Nothing without a script. */
void budget_run(fiber *f);
/* The fiber stops, and what it used in this span is added up: for fiber.c alone. Nothing without
 * a script. */
void budget_rest(fiber *f);
/* C code works for the running script: raises when that was too much. Nothing when no script
 * runs. */
void budget_spend(lua_State *L, orrl_state *state, int64_t steps);
/* The same for C code that cannot raise: true once that was too much; the script's next instruction
 * raises. */
bool budget_charge(const orrl_state *state, int64_t steps);
/* The running script calls what is not its own, which may take long: a look at the clock. Raises as
 * budget_spend does. */
void budget_cross(lua_State *L, orrl_state *state);
/* It calls a function of ours, mostly a short one: one look in many. Never raises; the script's
 * next instruction does. */
void budget_enter(const orrl_state *state);
/* Raises: the fiber's script has gone beyond the limit `what`, a name in the option sandbox. */
void budget_out_of(lua_State *L, fiber *f, const char *what);
/* The failure of the fiber's script or expression, which went beyond a limit. */
void budget_error(const fiber *f, const char *what, orr_error *err);
/* Puts L, which runs code in the fiber's stead (its error's __tostring), under the fiber's hook;
 * the way back. */
typedef struct budget_lent {
  lua_Hook hook;
  int mask, count;
} budget_lent;
/* What L runs from now on counts as the fiber's. `before` keeps L's own hook. Nothing without a
 * script. */
void budget_lend(fiber *f, lua_State *L, budget_lent *before);
/* Puts L's own hook back. */
void budget_take_back(fiber *f, lua_State *L, const budget_lent *before);

/* strings(metatable): what texts have for a metatable while a script runs, in place of the
 * program's own. Module function. */
int budget_strings(lua_State *L);
/* unwinds(function): a function of ours that puts right what a failure leaves, and so runs on where a
 * budget is spent. It has no loop. Module function. */
int budget_unwinds(lua_State *L);

#endif
