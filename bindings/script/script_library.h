/* Those functions of Lua's libraries that scripts do not have as they are, because one call of them
 * may work for minutes, where no hook looks: each says first what it is about to do (budget_spend),
 * and then does it. */
#ifndef ORRERY_SCRIPT_LIBRARY_H
#define ORRERY_SCRIPT_LIBRARY_H

#include <lauxlib.h>
#include <lua.h>

#include "bindings/host/state.h"

typedef struct script_function {
  const char *name;
  lua_CFunction function; /* upvalues: the state, the library's own function */
} script_function;

extern const script_function script_strings[]; /* script_strings.c */
extern const script_function script_numbers[]; /* script_random.c */

/* Calls the library's own function with the same arguments and returns what it returns. */
int script_original(lua_State *L);

/* library({ string =, table =, … }): the same tables' functions for scripts, where they differ.
 * Module function. */
int script_library(lua_State *L);
/* spend(steps): Lua code works for the script. Module function. */
int script_spend(lua_State *L);

#endif
