/* JSON for delegates and tasks: json_decode and json_encode of orrery.core. */
#ifndef ORRERY_JSON_H
#define ORRERY_JSON_H

#include <lauxlib.h>

extern const luaL_Reg json_functions[];

#endif
