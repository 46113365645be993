/* Code of the model: scripts and expressions, compiled once a thread. */
#ifndef ORRERY_HOST_HOST_CODE_H
#define ORRERY_HOST_HOST_CODE_H

#include "bindings/host/host_types.h"

void code_prepare(lua_State *L, fiber *f); /* its environment and scope */
/* The thread leaves the engine: drops the chunks that it has compiled. */
void code_forget(lua_thread *t);
/* Calls it and leaves one value; `k` continues after a yield (NULL: it must not). */
void code_call(lua_State *L, fiber *f, const expr *e, lua_KContext ud, lua_KFunction k);
/* Hands a script's assignments to the variables of its execution. */
void code_store_assignments(lua_State *L, fiber *f);
/* Empties the environment for the next script. */
void code_clear(lua_State *L, fiber *f);
/* Does it compile, in a Lua state of its own? Else ORR_E_EXPRESSION or ORR_E_LIMIT, with the line
 * within the script in `line` (0: none is known). Any thread. */
int host_check_script(host *self, const char *code, size_t size, int *line, orr_error *err);

#endif
