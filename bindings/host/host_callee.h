/* Calling what a model names. */
#ifndef ORRERY_HOST_CALLEE_H
#define ORRERY_HOST_CALLEE_H

#include <lua.h>

/* Runs what the fiber at index 1 (a light userdata) was asked to call, in its coroutine. It may yield; the fiber has the
 * result. */
int callee_call(lua_State *L);

#endif
