/* What require "orrery.core" finds in orrery.so. */
#ifndef ORRERY_ORRL_MODULE_H
#define ORRERY_ORRL_MODULE_H

#include <lua.h>

/* Pushes the module's table, as `require` wants it; raises when the state's own objects cannot be
 * made. */
__attribute__((visibility("default"))) int luaopen_orrery_core(lua_State *L);

#endif
