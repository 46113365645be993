/* SIGTERM and SIGINT as a wish to end in good order: the first one is noted, the second one ends the process as it would
 * without us.
 *
 * Handlers are the whole process's, so only who asks for them gets them: engine:serve { signals = true }, and the command. */
#ifndef ORRERY_SIGNALS_H
#define ORRERY_SIGNALS_H

#include <lauxlib.h>
#include <lua.h>
#include <stdbool.h>
#include <sys/types.h>

/* What comes from here on goes to a child as well, also what came before and was noted; 0: to none. */
void signals_pass_on(pid_t to);
/* In a child: signals are as they were before they were asked for, and one that was noted ends it. */
void signals_end(void);
/* The command's script is to be interrupted by the signal that came; false: none came, or nothing is interrupted by one. */
bool signals_interrupting(void);
/* Raises the error then, once. */
void signals_raise(lua_State *L);
/* It would be: who waits must look now and then. */
bool signals_interrupt_waits(void);

/* signals_catch() -> release, a function that gives the handlers back; signals_caught() -> "SIGTERM", "SIGINT" or nil, and
 * its number; signals_interrupt(): from here on the first signal raises an error in this script, which is the process's;
 * signals_check() raises it where the script waits. signals_listen(): from here on SIGQUIT ends nothing; signals_asked() -> has
 * it come since that was asked last? */
extern const luaL_Reg signals_functions[];

#endif
