/* Running something in a process of its own, which may die of what it meets. */
#ifndef ORRERY_CHILD_H
#define ORRERY_CHILD_H

#include <lauxlib.h>

/* in_child(f): calls f in a child process and returns what f returns, an exit code; or nil and the
 * name of the signal that ended it. Whatever ends the caller ends the child, and signals that the
 * caller catches reach it. Only for a process that has no threads, such as the command before it
 * opens an engine. */
extern const luaL_Reg child_functions[];

#endif
