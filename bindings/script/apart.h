/* Running something in a process of its own, which may die of what it meets. */
#ifndef ORRERY_APART_H
#define ORRERY_APART_H

#include <lauxlib.h>

/* apart(f): calls f in a child of fork and returns what f returns, an exit code; or nil and the name of the signal that ended
 * it. Only for a process that has no threads, such as the command before it opens an engine. */
extern const luaL_Reg apart_functions[];

#endif
