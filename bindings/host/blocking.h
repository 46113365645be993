/* Functions of Lua's that may block in C: os.execute, io's, and the methods of files. Each notes
 * first where it is called, for who asks what the thread is at (executor/worker/inspect.h).
 * os.execute does besides what Lua's own does not: it leaves the process's signals alone. */
#ifndef ORRERY_BLOCKING_H
#define ORRERY_BLOCKING_H

#include <lua.h>

/* Wraps them in a state whose libraries are open. May raise. */
void blocking_wrap(lua_State *L);

#endif
