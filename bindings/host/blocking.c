/* Wrapping: the function in its table gives way to a closure over it. */
#include "bindings/host/blocking.h"

#include <lauxlib.h>

#include "bindings/host/fiber.h"
#include "executor/worker/inspect.h"

static int call_noted(lua_State *L) {
  const fiber *f = orrl_state_of(L)->running;
  lua_Debug at;
  if (f && inspect_wants_notes(f->context) && lua_getstack(L, 1, &at) && lua_getinfo(L, "Sl", &at))
    inspect_note(f->context, at.short_src, at.currentline);
  return lua_tocfunction(L, lua_upvalueindex(1))(L);
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
  wrap_functions(L, of_os);
  lua_getglobal(L, "io");
  wrap_functions(L, of_io);
  luaL_getmetatable(L, LUA_FILEHANDLE);
  if (lua_getfield(L, -1, "__index") == LUA_TTABLE) wrap_functions(L, of_files);
  lua_pop(L, 4);
}
