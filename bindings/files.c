/* The names in a folder, which Lua's own library cannot list. */
#include <stdlib.h>
#include <uv.h>

#include "files.h"

/* folder(path) -> sorted array of names, or nil when it is no folder */
static int files_folder(lua_State *L) {
  uv_fs_t request;
  uv_dirent_t entry;
  const char *path = luaL_checkstring(L, 1);
  lua_newtable(L);
  int rc = uv_fs_scandir(NULL, &request, path, 0, NULL);
  if (rc >= 0) {
    for (lua_Integer i = 1; uv_fs_scandir_next(&request, &entry) == 0; i++) {
      lua_pushstring(L, entry.name);
      lua_rawseti(L, -2, i);
    }
  } else {
    lua_pushnil(L);
  }
  uv_fs_req_cleanup(&request);
  return 1;
}

/* real_path(path) -> the path without links and dots, or nil when there is no such file */
static int files_real_path(lua_State *L) {
  char *path = realpath(luaL_checkstring(L, 1), NULL);
  lua_pushstring(L, path);
  free(path);
  return 1;
}

const luaL_Reg files_functions[] = {{"real_path", files_real_path}, {"folder", files_folder}, {NULL, NULL}};
