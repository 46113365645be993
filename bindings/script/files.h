/* What lua/orrery/files.lua cannot ask of Lua: the names in a folder. */
#ifndef ORRERY_ORRL_FILES_H
#define ORRERY_ORRL_FILES_H

#include <lauxlib.h>
#include <lua.h>

extern const luaL_Reg files_functions[];

#endif
