#ifndef ORRERY_ORRL_MODULE_H
#define ORRERY_ORRL_MODULE_H

#include <lua.h>

__attribute__((visibility("default"))) int luaopen_orrery_core(lua_State *L);

#endif
