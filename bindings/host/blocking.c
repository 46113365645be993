/* Wrapping: the function in its table gives way to a closure over it. */
#include "bindings/host/blocking.h"

#include <errno.h>
#include <lauxlib.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include "bindings/host/fiber.h"
#include "executor/worker/inspect.h"

static int call_noted(lua_State *L) {
  const fiber *f = orrl_state_of(L)->running;
  lua_Debug at;
  if (f && inspect_wants_notes(f->context) && lua_getstack(L, 1, &at) && lua_getinfo(L, "Sl", &at))
    inspect_note(f->context, at.short_src, at.currentline);
  return lua_tocfunction(L, lua_upvalueindex(1))(L);
}

/* os.execute, which by way of system(3) has the whole process ignore SIGINT and SIGQUIT meanwhile: an operator's would be
 * lost, as long as any delegate waits for a program. */
static int run_command(lua_State *L) {
  const char *command = luaL_optstring(L, 1, NULL);
  char *const words[] = {(char *)"sh", (char *)"-c", (char *)command, NULL};
  pid_t child;
  int status = 0;
  if (!command) {
    lua_pushboolean(L, access("/bin/sh", X_OK) == 0);
    return 1;
  }
  errno = posix_spawn(&child, "/bin/sh", NULL, NULL, words, environ);
  if (errno) return luaL_fileresult(L, 0, NULL);
  while (waitpid(child, &status, 0) < 0)
    if (errno != EINTR) return luaL_fileresult(L, 0, NULL);
  return luaL_execresult(L, status);
}

/* Of the table on top. */
static void wrap_functions(lua_State *L, const char *const *names) {
  for (; *names; names++) {
    if (lua_getfield(L, -1, *names) == LUA_TFUNCTION) {
      lua_pushcclosure(L, call_noted, 1);
      lua_setfield(L, -2, *names);
    } else {
      lua_pop(L, 1);
    }
  }
}

void blocking_wrap(lua_State *L) {
  static const char *const of_os[] = {"execute", "remove", "rename", NULL},
                    *const of_io[] = {"open", "popen", "read", "write", "lines", "close", NULL},
                    *const of_files[] = {"read", "write", "lines", "close", "flush", "seek", NULL};
  lua_getglobal(L, "os");
  lua_pushcfunction(L, run_command);
  lua_setfield(L, -2, "execute");
  wrap_functions(L, of_os);
  lua_getglobal(L, "io");
  wrap_functions(L, of_io);
  luaL_getmetatable(L, LUA_FILEHANDLE);
  if (lua_getfield(L, -1, "__index") == LUA_TTABLE) wrap_functions(L, of_files);
  lua_pop(L, 4);
}
