/* Bringing a store of an older format to this one, from Lua. */
#ifndef ORRERY_BINDINGS_UPGRADE_H
#define ORRERY_BINDINGS_UPGRADE_H

#include <lauxlib.h>

/* upgrade(path, keep, force, progress): orr_upgrade; progress(done, total) is called now and then, nil: never. What it
 * raises is raised when the upgrade has ended. Module function, with the state as its upvalue. */
extern const luaL_Reg upgrade_functions[];

#endif
