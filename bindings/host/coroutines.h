/* Which coroutines run in a Lua state. A hook belongs to one coroutine, so whoever wants to stop or
 * see what runs needs the innermost; Lua tells it nobody but the running code itself. Fibers enter
 * and leave by themselves. For what a program makes, coroutine.resume, wrap and close give way to
 * functions that do the same and note the coroutine, which costs two stores. */
#ifndef ORRERY_COROUTINES_H
#define ORRERY_COROUTINES_H

#include <lua.h>

typedef struct orrl_state orrl_state;

/* On the C stack of the function that runs it. */
typedef struct coroutine_run {
  lua_State *co;
  struct coroutine_run *outer; /* NULL: called by the state's main coroutine */
} coroutine_run;

/* The coroutine is the innermost one until it leaves. A signal handler may look in between. */
void coroutine_enter(orrl_state *state, coroutine_run *run, lua_State *co);
/* The one that it entered from is the innermost again. */
void coroutine_leave(orrl_state *state, const coroutine_run *run);
/* The library of the state gives way; nothing where the program has none. */
void coroutines_wrap(lua_State *L, orrl_state *state);

#endif
