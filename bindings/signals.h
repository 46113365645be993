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

#include "bindings/host/state.h"

/* What comes from here on goes to a child as well, also what came before and was noted; 0: to none. */
void signals_pass_on(pid_t to);
/* In a child: signals are as they were before they were asked for, and one that was noted ends it. */
void signals_end(void);
/* Looks whether a signal came that ends what the thread of `state` waits for: one that interrupts
 * its script, or has set a hook that was not there before, as the program lua does it. */
bool signals_stop(orrl_state *state);
/* The same for a wait of the program's own, which no time for draining ends. */
bool signals_interrupt_script(orrl_state *state);
/* Was that found, and not told yet? Then what runs has not failed by itself. */
bool signals_stopped(const orrl_state *state);
/* What to answer then. */
int signals_error(orr_error *err);
/* It is raised in the script now: what closes on the way out is not interrupted. */
void signals_told(orrl_state *state);
/* Raises where the command's script is to be interrupted, once. */
void signals_raise(lua_State *L);

/* signals_catch(grace) -> release, a function that gives the handlers back; `grace`: for so many
 * seconds after the signal what runs on this thread may wait, otherwise for ever; signals_caught()
 * -> "SIGTERM", "SIGINT" or nil, and its number; signals_last(file, head, tail, seconds): before
 * the second signal ends the process, head, the time (`seconds`: as a number, since 1970) and tail
 * are written to that descriptor;
 * signals_interrupt(): from here on the first signal raises an error in this script, the process's;
 * signals_check() raises it where that waits. signals_listen(): from here on SIGQUIT ends nothing;
 * signals_asked() -> has it come since that was asked last? */
extern const luaL_Reg signals_functions[];

#endif
