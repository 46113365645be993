/* Where the Lua files lie. */
#include "bindings/script/lua_files.h"

#include <dlfcn.h>
#include <lauxlib.h>
#include <libgen.h>
#include <stdbool.h>
#include <stdlib.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>


/* Seen from the binary's folder: the project's, the installed command's, the installed module's, the installed library's. */
static const char *const lua_folders[] = {ORRERY_LUA_BESIDE_BUILD, ORRERY_LUA_BESIDE_INSTALLED, ORRERY_LUA_BESIDE_MODULE,
                                          ORRERY_LUA_BESIDE_LIBRARY};

void lua_files_use(lua_State *L, const char *folder) {
  lua_getglobal(L, "package");
  lua_getfield(L, -1, "path");
  lua_pushfstring(L, "%s/?.lua;%s/?/init.lua;%s", folder, folder, lua_tostring(L, -1));
  lua_setfield(L, -3, "path");
  lua_pop(L, 2);
}

const char *lua_files_set_path(lua_State *L, const char *here) {
  for (size_t i = 0; i < sizeof lua_folders / sizeof *lua_folders; i++) {
    const char *folder = lua_pushfstring(L, "%s/%s", here, lua_folders[i]);
    bool found = access(lua_pushfstring(L, "%s/orrery/init.lua", folder), R_OK) == 0;
    lua_pop(L, 1);
    if (!found) {
      lua_pop(L, 1);
      continue;
    }
    lua_files_use(L, folder);
    return folder;
  }
  luaL_error(L, "the folder lua/orrery is neither in the project nor installed beside %s", here);
  return NULL;
}

/* require "orrery" that found this library first, because only LUA_CPATH is set: the Lua face is loaded from beside it. */
int luaopen_orrery(lua_State *L) {
  Dl_info info;
  char *path = dladdr((const void *)(uintptr_t)&luaopen_orrery, &info) != 0 ? realpath(info.dli_fname, NULL) : NULL;
  if (!path) return luaL_error(L, "cannot tell where this library lies");
  lua_pushstring(L, dirname(path));
  free(path);
  const char *folder = lua_files_set_path(L, lua_tostring(L, -1));
  const char *file = lua_pushfstring(L, "%s/orrery/init.lua", folder);
  if (luaL_loadfilex(L, file, "t") != LUA_OK) return lua_error(L);
  lua_pushliteral(L, "orrery");
  lua_pushstring(L, file);
  lua_call(L, 2, 1);
  return 1;
}
