/* Values to Lua tables and back. */
#include "values.h"

static void push_tree(lua_State *L, const orr_value *value) {
  orr_value key, element;
  luaL_checkstack(L, 8, "deep value");
  lua_newtable(L);
  orr_iterator iterator = orr_iterate(value);
  for (lua_Integer i = 1; orr_next(&iterator, &key, &element); i++) {
    if (value->type == ORR_MAP) {
      lua_pushlstring(L, key.as.bytes, key.size);
    } else {
      lua_pushinteger(L, i);
    }
    inside_push_value(L, &element);
    lua_settable(L, -3);
  }
}

void inside_push_value(lua_State *L, const orr_value *value) {
  switch (value->type) {
    case ORR_NIL: lua_pushnil(L); break;
    case ORR_NULL: lua_pushlightuserdata(L, NULL); break;
    case ORR_BOOL: lua_pushboolean(L, value->as.boolean); break;
    case ORR_INT: lua_pushinteger(L, value->as.integer); break;
    case ORR_FLOAT: lua_pushnumber(L, value->as.number); break;
    case ORR_STRING: lua_pushlstring(L, value->as.bytes, value->size); break;
    default: push_tree(L, value);
  }
}

static void build_array(lua_State *L, int at, orr_builder *b) {
  orr_builder_array(b);
  for (lua_Integer i = 1, n = luaL_len(L, at); i <= n; i++) {
    lua_geti(L, at, i);
    inside_build_value(L, lua_gettop(L), b);
    lua_pop(L, 1);
  }
  orr_builder_end(b);
}

static void build_map(lua_State *L, int at, orr_builder *b) {
  orr_builder_map(b);
  for (lua_pushnil(L); lua_next(L, at); lua_pop(L, 1)) {
    size_t size;
    const char *key = lua_type(L, -2) == LUA_TSTRING ? lua_tolstring(L, -2, &size) : NULL;
    if (!key) luaL_error(L, "a map's keys are strings");
    orr_builder_key(b, key, size);
    inside_build_value(L, lua_gettop(L), b);
  }
  orr_builder_end(b);
}

static void build_table(lua_State *L, int at, orr_builder *b) {
  luaL_checkstack(L, 8, "deep value");
  lua_pushnil(L);
  bool empty = lua_next(L, at) == 0;
  if (!empty) lua_pop(L, 2);
  if (empty || luaL_len(L, at) > 0) build_array(L, at, b);
  else build_map(L, at, b);
}

void inside_build_value(lua_State *L, int at, orr_builder *b) {
  orr_value value = {0};
  size_t size;
  switch (lua_type(L, at)) {
    case LUA_TTABLE: build_table(L, at, b); return;
    case LUA_TBOOLEAN: value = orr_bool(lua_toboolean(L, at)); break;
    case LUA_TNUMBER: value = lua_isinteger(L, at) ? orr_int(lua_tointeger(L, at)) : orr_float(lua_tonumber(L, at)); break;
    case LUA_TSTRING: {
      const char *text = lua_tolstring(L, at, &size);
      value = orr_bytes(text, size);
      break;
    }
    case LUA_TLIGHTUSERDATA: value = orr_null(); break;
    default: luaL_error(L, "a %s is no value", luaL_typename(L, at));
  }
  orr_builder_add(b, &value);
}
