/* What of a model's expressions may be a module: beans of orrery.core. */
#ifndef ORRERY_BEANS_H
#define ORRERY_BEANS_H

#include <lauxlib.h>

extern const luaL_Reg beans_functions[];

#endif
