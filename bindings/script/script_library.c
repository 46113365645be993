/* Functions of the libraries table and utf8, and basic ones, as scripts have them. Lengths are
 * asked for once: a __len that would answer otherwise the second time is not asked again. */
#include "bindings/script/script_library.h"

#include <math.h>

#include "bindings/script/budget.h"

enum {
  ELEMENTS_MAX = 100 * 1000 * 1000, /* that one call may go through, whatever the budget: seconds */
  PARSING_STEPS_A_BYTE = 8,         /* to read a number or Lua */
};

int script_original(lua_State *L) {
  lua_pushvalue(L, lua_upvalueindex(2));
  lua_insert(L, 1);
  lua_call(L, lua_gettop(L) - 1, LUA_MULTRET);
  return lua_gettop(L);
}

/* A call is about to go through the elements first..last. */
static void spend_range(lua_State *L, const char *name, lua_Integer first, lua_Integer last) {
  if (last < first) return;
  lua_Unsigned more = (lua_Unsigned)last - (lua_Unsigned)first;
  if (more >= ELEMENTS_MAX) luaL_error(L, "%s: too many elements", name);
  budget_spend(L, orrl_own_state(L), last - first + 1);
}

/* ---- table ----------------------------------------------------------------------------------- */

static int table_move(lua_State *L) {
  spend_range(L, "table.move", luaL_checkinteger(L, 2), luaL_checkinteger(L, 3));
  return script_original(L);
}

static lua_Integer table_size(lua_State *L) {
  luaL_checktype(L, 1, LUA_TTABLE);
  return luaL_len(L, 1);
}

/* concat(t, separator, i, j) */
static int table_concat(lua_State *L) {
  lua_settop(L, 4);
  lua_Integer first = luaL_optinteger(L, 3, 1);
  lua_Integer last = lua_isnil(L, 4) ? table_size(L) : luaL_checkinteger(L, 4);
  spend_range(L, "table.concat", first, last);
  lua_pushinteger(L, last);
  lua_replace(L, 4);
  return script_original(L);
}

/* unpack(t, i, j) */
static int table_unpack(lua_State *L) {
  lua_settop(L, 3);
  lua_Integer first = luaL_optinteger(L, 2, 1);
  lua_Integer last = lua_isnil(L, 3) ? table_size(L) : luaL_checkinteger(L, 3);
  spend_range(L, "table.unpack", first, last);
  lua_pushinteger(L, last);
  lua_replace(L, 3);
  return script_original(L);
}

/* The elements from..to move one place up (or down, to..from). */
static void shift(lua_State *L, lua_Integer from, lua_Integer to, int by) {
  for (lua_Integer i = from; by > 0 ? i >= to : i <= to; i -= by) {
    lua_geti(L, 1, i);
    lua_seti(L, 1, i + by);
  }
}

/* insert(t, value), insert(t, position, value) */
static int table_insert(lua_State *L) {
  int arguments = lua_gettop(L);
  lua_Integer size = table_size(L), end = (lua_Integer)((lua_Unsigned)size + 1), at = end;
  if (arguments == 3) {
    at = luaL_checkinteger(L, 2);
    luaL_argcheck(L, (lua_Unsigned)at - 1u < (lua_Unsigned)end, 2, "position out of bounds");
    spend_range(L, "table.insert", at, size);
    shift(L, size, at, 1);
  } else if (arguments != 2) {
    return luaL_error(L, "wrong number of arguments to 'insert'");
  }
  lua_seti(L, 1, at);
  return 0;
}

/* remove(t), remove(t, position) */
static int script_table_remove(lua_State *L) {
  lua_Integer size = table_size(L), at = luaL_optinteger(L, 2, size);
  bool within = at == size || (lua_Unsigned)at - 1u <= (lua_Unsigned)size;
  luaL_argcheck(L, within, 2, "position out of bounds");
  lua_settop(L, 1);
  lua_geti(L, 1, at);
  spend_range(L, "table.remove", at, size);
  shift(L, at + 1, size, -1);
  lua_pushnil(L);
  lua_seti(L, 1, size > at ? size : at);
  return 1;
}

static int table_sort(lua_State *L) {
  luaL_checktype(L, 1, LUA_TTABLE);
  if (luaL_getmetafield(L, 1, "__len") != LUA_TNIL) luaL_error(L, "table.sort: a script sorts no table with __len");
  lua_Integer size = (lua_Integer)lua_rawlen(L, 1);
  spend_range(L, "table.sort", 1, size);
  if (size > 1) budget_spend(L, orrl_own_state(L), (int64_t)((double)size * log2((double)size)));
  return script_original(L);
}

/* ---- utf8, and basic functions --------------------------------------------------------------- */

static int spend_text(lua_State *L, int steps_a_byte) {
  size_t size = 0;
  if (lua_type(L, 1) == LUA_TSTRING) lua_tolstring(L, 1, &size);
  budget_spend(L, orrl_own_state(L), (int64_t)size * steps_a_byte);
  return script_original(L);
}

static int through_text(lua_State *L) { return spend_text(L, 1); }
static int parse_script_text(lua_State *L) { return spend_text(L, PARSING_STEPS_A_BYTE); }

/* A table that the program raised is seen as a view. */
static int script_pcall_ends(lua_State *L, int status, lua_KContext before) {
  if (status == LUA_OK || status == LUA_YIELD) return lua_gettop(L) - (int)before;
  if (lua_istable(L, -1)) {
    orrl_push_hook(L, orrl_own_state(L), "caught");
    lua_insert(L, -2);
    lua_call(L, 1, 1);
  }
  lua_pushboolean(L, 0);
  lua_insert(L, -2);
  return 2;
}

/* pcall(f, …): as Lua's. In C, since results may be too many to go through Lua once more. */
static int script_pcall(lua_State *L) {
  luaL_checkany(L, 1);
  lua_pushboolean(L, 1);
  lua_insert(L, 1);
  int status = lua_pcallk(L, lua_gettop(L) - 2, LUA_MULTRET, 0, 0, script_pcall_ends);
  return script_pcall_ends(L, status, 0);
}

static const script_function tables[] = {
    {"move", table_move},     {"concat", table_concat}, {"unpack", table_unpack},
    {"insert", table_insert}, {"remove", script_table_remove}, {"sort", table_sort}, {NULL, NULL}};
static const script_function utf8[] = {
    {"len", through_text}, {"codepoint", through_text}, {"offset", through_text}, {NULL, NULL}};
static const script_function basic[] = {
    {"tonumber", parse_script_text}, {"load", parse_script_text}, {"pcall", script_pcall}, {NULL, NULL}};

static const struct { const char *name; const script_function *functions; } libraries[] = {
    {"string", script_strings}, {"table", tables}, {"utf8", utf8}, {"basic", basic}, {"math", script_numbers}};

/* The table of one library's functions; its own are on top of the stack. */
static void push_library(lua_State *L, orrl_state *state, const script_function *functions) {
  int own = lua_gettop(L);
  lua_newtable(L);
  for (; functions->name; functions++) {
    lua_pushlightuserdata(L, state);
    lua_getfield(L, own, functions->name);
    lua_pushcclosure(L, functions->function, 2);
    lua_setfield(L, -2, functions->name);
  }
}

int script_library(lua_State *L) {
  luaL_checktype(L, 1, LUA_TTABLE);
  lua_newtable(L);
  for (size_t i = 0; i < sizeof libraries / sizeof *libraries; i++) {
    if (lua_getfield(L, 1, libraries[i].name) == LUA_TTABLE) {
      push_library(L, orrl_own_state(L), libraries[i].functions);
      lua_setfield(L, 2, libraries[i].name);
    }
    lua_pop(L, 1);
  }
  return 1;
}

int script_spend(lua_State *L) {
  budget_spend(L, orrl_own_state(L), luaL_checkinteger(L, 1));
  return 0;
}
