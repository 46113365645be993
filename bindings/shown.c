/* Text of others as Lua shows it. */
#include "bindings/shown.h"

#include "base/shown.h"

static void push_shown(lua_State *L, int index, bool lines) {
  char piece[SHOWN_CHARACTER_BYTES];
  size_t left;
  const char *at = luaL_checklstring(L, index, &left);
  luaL_Buffer out;
  luaL_buffinit(L, &out);
  while (left > 0) {
    size_t taken = shown_character(at, left, lines, piece);
    luaL_addstring(&out, piece);
    at += taken;
    left -= taken;
  }
  luaL_pushresult(&out);
}

void shown_replace(lua_State *L) {
  push_shown(L, lua_absindex(L, -1), true);
  lua_remove(L, -2);
}

static int function_shown(lua_State *L) {
  bool lines = lua_toboolean(L, 2);
  push_shown(L, 1, lines);
  return 1;
}

const luaL_Reg shown_functions[] = {{"shown", function_shown}, {NULL, NULL}};
