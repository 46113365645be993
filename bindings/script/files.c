/* What Lua's own library cannot do with files: folders, kinds, real paths. */
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <uv.h>

#include "bindings/script/files.h"

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

/* file_type(path) -> "file", "directory", "fifo", … or nil when there is nothing */
static int files_type(lua_State *L) {
  static const struct {
    mode_t mode;
    const char *name;
  } known[] = {{S_IFREG, "file"}, {S_IFDIR, "directory"}, {S_IFIFO, "fifo"}, {S_IFSOCK, "socket"}, {0, "device"}};
  struct stat status;
  if (stat(luaL_checkstring(L, 1), &status) != 0) return 0;
  size_t i = 0;
  while (known[i].mode && known[i].mode != (status.st_mode & S_IFMT)) i++;
  lua_pushstring(L, known[i].name);
  return 1;
}

/* 0 or an errno; a folder that is there is fine. */
static int make_one_folder(const char *path) {
  struct stat status;
  if (mkdir(path, 0777) == 0) return 0;
  if (errno != EEXIST) return errno;
  if (stat(path, &status) != 0) return errno;
  return S_ISDIR(status.st_mode) ? 0 : ENOTDIR;
}

/* Makes a folder and those around it; `path` is changed on the way and then as before. 0 or an errno. */
static int make_folders(char *path) {
  int rc = 0;
  for (char *at = strchr(path + 1, '/'); at && !rc; at = strchr(at + 1, '/')) {
    *at = '\0';
    rc = make_one_folder(path);
    *at = '/';
  }
  return rc ? rc : make_one_folder(path);
}

/* make_folder(path) -> true, also when it was there; or nil and what is wrong */
static int files_make_folder(lua_State *L) {
  size_t size;
  const char *given = luaL_checklstring(L, 1, &size);
  char path[PATH_MAX];
  int rc = size == 0 ? ENOENT : size < sizeof path ? 0 : ENAMETOOLONG;
  if (!rc) rc = make_folders(memcpy(path, given, size + 1));
  if (!rc) {
    lua_pushboolean(L, 1);
    return 1;
  }
  lua_pushnil(L);
  lua_pushfstring(L, "%s: %s", given, strerror(rc));
  return 2;
}

const luaL_Reg files_functions[] = {{"file_type", files_type}, {"real_path", files_real_path}, {"folder", files_folder},
                                    {"make_folder", files_make_folder},
                                    {NULL, NULL}};
