/* Finding Orrery's Lua files from where its binary lies: in the project, or installed. */
#ifndef ORR_LUA_FILES_H
#define ORR_LUA_FILES_H

#include <lua.h>

/* Puts this folder before all others on package.path. */
void lua_files_use(lua_State *L, const char *folder);
/* Puts the folder with our Lua files before all others on package.path, so that a binary never runs another version's.
 * `here` is the binary's own folder. Leaves the folder's name on the stack. Raises when there is none. */
const char *lua_files_set_path(lua_State *L, const char *here);
/* require "orrery" where only the library is on Lua's path. */
__attribute__((visibility("default"))) int luaopen_orrery(lua_State *L);

#endif
