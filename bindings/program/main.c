/* The command: a Lua state with Orrery in it that runs lua/orrery/cli.lua. */
#include <errno.h>
#include <lauxlib.h>
#include <libgen.h>
#include <limits.h>
#include <lua.h>
#include <lualib.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <uv.h>

#include "base/env.h"
#include "bindings/script/lua_files.h"
#include "bindings/module.h"
#include "bindings/output.h"
#include "bindings/program/serve.h"
#include "bindings/program/terminal.h"
#include "bindings/program/traces.h"
#include "bindings/shown.h"

enum { EXIT_BROKEN = 70 }; /* EX_SOFTWARE: the command itself failed */

static void push_own_folder(lua_State *L) {
  char path[PATH_MAX];
  ssize_t size = readlink("/proc/self/exe", path, sizeof path - 1);
  if (size < 0) luaL_error(L, "cannot tell where this command lies");
  path[size] = '\0';
  lua_pushstring(L, dirname(path));
}

static void set_package_path(lua_State *L) {
  push_own_folder(L);
  lua_files_set_path(L, lua_tostring(L, -1));
  lua_settop(L, 0);
}

static void preload(lua_State *L, const char *name, lua_CFunction open) {
  luaL_getsubtable(L, LUA_REGISTRYINDEX, LUA_PRELOAD_TABLE);
  lua_pushcfunction(L, open);
  lua_setfield(L, -2, name);
  lua_pop(L, 1);
}

typedef struct command {
  int argc;
  char **argv;
} command;

/* Protected: returns the exit code. */
static int command_body(lua_State *L) {
  const command *c = lua_touserdata(L, 1);
  luaL_openlibs(L);
  preload(L, "orrery.core", luaopen_orrery_core);
  preload(L, "orrery.terminal", luaopen_orrery_terminal);
  preload(L, "orrery.server", luaopen_orrery_server);
  preload(L, "orrery.traces", luaopen_orrery_traces);
  set_package_path(L);
  lua_getglobal(L, "require");
  lua_pushliteral(L, "orrery.cli");
  lua_call(L, 1, 1);
  lua_getfield(L, -1, "main");
  lua_createtable(L, c->argc, 0);
  for (int i = 0; i < c->argc; i++) {
    lua_pushstring(L, c->argv[i]);
    lua_rawseti(L, -2, i);
  }
  lua_call(L, 1, 1);
  return 1;
}

static int with_traceback(lua_State *L) {
  luaL_traceback(L, L, luaL_tolstring(L, 1, NULL), 1);
  shown_replace(L);
  return 1;
}

/* For a script that ends by os.exit, which never comes back to main. */
static void end_output_at_exit(void) {
  if (output_end(EXIT_SUCCESS) != EXIT_SUCCESS) _exit(EXIT_FAILURE);
}

/* libuv makes a pipe for the whole process with the first loop, and aborts the process when it
 * cannot: it is made at once, while there are descriptors. */
static bool open_pipe_of_loops(void) {
  int ends[2];
  uv_loop_t loop;
  if (pipe(ends) != 0) return false;
  close(ends[0]);
  close(ends[1]);
  return uv_loop_init(&loop) == 0 && uv_loop_close(&loop) == 0;
}

int main(int argc, char **argv) {
  command c = {argc, argv};
  int code = EXIT_BROKEN;
  if (!env_fill_standard_streams()) return EXIT_BROKEN; /* before the first file is opened; there is no stream for a message */
  if (!open_pipe_of_loops()) {
    fprintf(stderr, "orrery: no event loop can be made: %s\n", strerror(errno));
    return EXIT_FAILURE;
  }
  signal(SIGXFSZ, SIG_IGN); /* a file that may not grow is an error to be told, as a full disk is */
  atexit(end_output_at_exit);
  lua_State *L = luaL_newstate();
  if (!L) {
    fputs("orrery: out of memory\n", stderr);
    return EXIT_BROKEN;
  }
  lua_pushcfunction(L, with_traceback);
  lua_pushcfunction(L, command_body);
  lua_pushlightuserdata(L, &c);
  if (lua_pcall(L, 1, 1, 1) == LUA_OK) code = (int)lua_tointeger(L, -1);
  else fprintf(stderr, "orrery: %s\n", lua_tostring(L, -1));
  lua_close(L);
  return output_end(code);
}
