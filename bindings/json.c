/* JSON read by jansson, and written here, because the shortest text of a float is not jansson's.
 *
 * A null is orrery.null, an array has orrery.array's mark. Whole numbers beyond 64 bits become floats. What nests deeper
 * than a variable may is refused, and so is what JSON has no word for. */
#include "bindings/json.h"

#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/limits.h"
#include "bindings/orrl_value.h"

/* ---- Reading --------------------------------------------------------------------------------- */

typedef struct reading {
  orrl_state *state;
  const json_t *root;
  bool wide; /* every number came as a float, because one of them is larger than 64 bits */
} reading;

static void push(lua_State *L, const reading *r, const json_t *value, int depth);

static void push_items(lua_State *L, const reading *r, const json_t *value, int depth) {
  size_t count = json_array_size(value);
  lua_createtable(L, (int)(count & 0xffffff), 0);
  for (size_t i = 0; i < count; i++) {
    push(L, r, json_array_get(value, i), depth + 1);
    lua_rawseti(L, -2, (lua_Integer)i + 1);
  }
  lua_rawgeti(L, LUA_REGISTRYINDEX, r->state->array_ref);
  lua_setmetatable(L, -2);
}

static void push_members(lua_State *L, const reading *r, const json_t *value, int depth) {
  lua_newtable(L);
  json_t *object = (json_t *)(uintptr_t)value;
  for (void *it = json_object_iter(object); it; it = json_object_iter_next(object, it)) {
    lua_pushstring(L, json_object_iter_key(it));
    push(L, r, json_object_iter_value(it), depth + 1);
    lua_rawset(L, -3);
  }
}

static void push_real(lua_State *L, const reading *r, double n) {
  lua_Integer whole;
  if (r->wide && lua_numbertointeger(n, &whole) && (double)whole == n) lua_pushinteger(L, whole);
  else lua_pushnumber(L, n);
}

static void push(lua_State *L, const reading *r, const json_t *value, int depth) {
  if (depth > ORR_VALUE_DEPTH_MAX) luaL_error(L, "the JSON text nests more than %d deep", ORR_VALUE_DEPTH_MAX);
  luaL_checkstack(L, 6, "the JSON text nests too deep");
  switch (json_typeof(value)) {
    case JSON_OBJECT: push_members(L, r, value, depth); return;
    case JSON_ARRAY: push_items(L, r, value, depth); return;
    case JSON_STRING: lua_pushlstring(L, json_string_value(value), json_string_length(value)); return;
    case JSON_INTEGER: lua_pushinteger(L, json_integer_value(value)); return;
    case JSON_REAL: push_real(L, r, json_real_value(value)); return;
    case JSON_TRUE: lua_pushboolean(L, 1); return;
    case JSON_FALSE: lua_pushboolean(L, 0); return;
    case JSON_NULL: orrl_push_null(L, r->state); return;
  }
}

/* Protected, since Lua's memory may be out and the tree is jansson's. */
static int push_root(lua_State *L) {
  const reading *r = lua_touserdata(L, 1);
  push(L, r, r->root, 1);
  return 1;
}

/* The value and true; or what is wrong and false. */
static bool json_push_or_say(lua_State *L, orrl_state *state, const char *text, size_t size) {
  json_error_t problem;
  reading r = {.state = state};
  size_t flags = JSON_DECODE_ANY | JSON_ALLOW_NUL;
  json_t *root = json_loadb(text, size, flags, &problem);
  if (!root && json_error_code(&problem) == json_error_numeric_overflow) {
    r.wide = true;
    root = json_loadb(text, size, flags | JSON_DECODE_INT_AS_REAL, &problem);
  }
  if (!root) {
    lua_pushfstring(L, "line %d, column %d: %s", problem.line, problem.column, problem.text);
    return false;
  }
  r.root = root;
  lua_pushcfunction(L, push_root);
  lua_pushlightuserdata(L, &r);
  int status = lua_pcall(L, 1, 1, 0);
  json_decref(root);
  return status == LUA_OK;
}

bool json_push(lua_State *L, orrl_state *state, const char *text, size_t size) {
  bool read = json_push_or_say(L, state, text, size);
  if (!read) lua_pop(L, 1);
  return read;
}

/* json_decode(text) -> value, or nil and what is wrong */
static int decode(lua_State *L) {
  size_t size;
  const char *text = luaL_checklstring(L, 1, &size);
  if (json_push_or_say(L, orrl_own_state(L), text, size)) return 1;
  lua_pushnil(L);
  lua_insert(L, -2);
  return 2;
}

/* ---- Writing --------------------------------------------------------------------------------- */

static void write_string(luaL_Buffer *out, const char *text, size_t size) {
  char escape[8];
  luaL_addchar(out, '"');
  for (size_t i = 0; i < size; i++) {
    unsigned char c = (unsigned char)text[i];
    const char *at = c != 0 ? strchr("\nn\rr\tt", c) : NULL;
    if (c == '"' || c == '\\') {
      luaL_addchar(out, '\\');
      luaL_addchar(out, text[i]);
    } else if (c >= 0x20 && c != 0x7f) {
      luaL_addchar(out, text[i]);
    } else if (at) {
      luaL_addchar(out, '\\');
      luaL_addchar(out, at[1]);
    } else {
      snprintf(escape, sizeof escape, "\\u%04x", c);
      luaL_addstring(out, escape);
    }
  }
  luaL_addchar(out, '"');
}

/* The shortest text that reads back as the same number. */
static void write_float(lua_State *L, luaL_Buffer *out, double n) {
  char text[40];
  if (!isfinite(n)) luaL_error(L, "JSON has no word for %f", n);
  for (int digits = 15; digits <= 17; digits++) {
    snprintf(text, sizeof text, "%.*g", digits, n);
    if (strtod(text, NULL) == n) break;
  }
  if (text[strcspn(text, ".e")] == '\0') strcat(text, ".0");
  luaL_addstring(out, text);
}

static bool is_array(lua_State *L, const orrl_state *state, int index) {
  if (lua_rawlen(L, index) > 0) return true;
  if (!lua_getmetatable(L, index)) return false;
  lua_rawgeti(L, LUA_REGISTRYINDEX, state->array_ref);
  bool marked = lua_rawequal(L, -1, -2);
  lua_pop(L, 2);
  return marked;
}

static int compare_keys(lua_State *L) {
  lua_pushboolean(L, lua_compare(L, 1, 2, LUA_OPLT));
  return 1;
}

/* Pushes an array of the table's keys, sorted, so that equal values have equal texts. */
static lua_Integer push_keys(lua_State *L, int index) {
  lua_Integer count = 0;
  lua_newtable(L);
  for (lua_pushnil(L); lua_next(L, index);) {
    lua_pop(L, 1);
    if (lua_type(L, -1) != LUA_TSTRING) luaL_error(L, "a key of a JSON object is a text, not a %s", luaL_typename(L, -1));
    lua_pushvalue(L, -1);
    lua_rawseti(L, -3, ++count);
  }
  lua_getglobal(L, "table");
  lua_getfield(L, -1, "sort");
  lua_remove(L, -2);
  lua_pushvalue(L, -2);
  lua_pushcfunction(L, compare_keys);
  lua_call(L, 2, 0);
  return count;
}

/* Adds the text of the value at `index` to the array of pieces at `out`. */
static void write_value(lua_State *L, const orrl_state *state, int index, int out, int depth);

static void add_piece(lua_State *L, int out) { lua_rawseti(L, out, (lua_Integer)lua_rawlen(L, out) + 1); }

static void add_json_literal(lua_State *L, int out, const char *text) {
  lua_pushstring(L, text);
  add_piece(L, out);
}

static void write_array(lua_State *L, const orrl_state *state, int index, int out, int depth) {
  lua_Integer count = (lua_Integer)lua_rawlen(L, index);
  add_json_literal(L, out, "[");
  for (lua_Integer i = 1; i <= count; i++) {
    if (i > 1) add_json_literal(L, out, ",");
    lua_rawgeti(L, index, i);
    write_value(L, state, lua_gettop(L), out, depth + 1);
    lua_pop(L, 1);
  }
  add_json_literal(L, out, "]");
}

static void add_string(lua_State *L, int out, int index) {
  luaL_Buffer b;
  size_t size;
  const char *text = lua_tolstring(L, index, &size);
  luaL_buffinit(L, &b);
  write_string(&b, text, size);
  luaL_pushresult(&b);
  add_piece(L, out);
}

static void write_object(lua_State *L, const orrl_state *state, int index, int out, int depth) {
  lua_Integer count = push_keys(L, index);
  int keys = lua_gettop(L);
  add_json_literal(L, out, "{");
  for (lua_Integer i = 1; i <= count; i++) {
    if (i > 1) add_json_literal(L, out, ",");
    lua_rawgeti(L, keys, i);
    add_string(L, out, keys + 1);
    add_json_literal(L, out, ":");
    lua_rawget(L, index);
    write_value(L, state, keys + 1, out, depth + 1);
    lua_pop(L, 1);
  }
  add_json_literal(L, out, "}");
  lua_pop(L, 1);
}

static void add_number(lua_State *L, int out, int index) {
  luaL_Buffer b;
  if (lua_isinteger(L, index)) {
    lua_pushfstring(L, "%I", (LUAI_UACINT)lua_tointeger(L, index));
  } else {
    luaL_buffinit(L, &b);
    write_float(L, &b, lua_tonumber(L, index));
    luaL_pushresult(&b);
  }
  add_piece(L, out);
}

static void write_value(lua_State *L, const orrl_state *state, int index, int out, int depth) {
  if (depth > ORR_VALUE_DEPTH_MAX) luaL_error(L, "the value nests more than %d deep, or contains itself", ORR_VALUE_DEPTH_MAX);
  luaL_checkstack(L, 10, "the value nests too deep");
  switch (lua_type(L, index)) {
    case LUA_TNIL: add_json_literal(L, out, "null"); return;
    case LUA_TBOOLEAN: add_json_literal(L, out, lua_toboolean(L, index) ? "true" : "false"); return;
    case LUA_TNUMBER: add_number(L, out, index); return;
    case LUA_TSTRING: add_string(L, out, index); return;
    case LUA_TTABLE:
      if (is_array(L, state, index)) write_array(L, state, index, out, depth);
      else write_object(L, state, index, out, depth);
      return;
    default: break;
  }
  if (lua_touserdata(L, index) != state->null) luaL_error(L, "JSON has no word for a %s", luaL_typename(L, index));
  add_json_literal(L, out, "null");
}

/* json_encode(value) -> text; raises on what JSON has no word for */
static int encode(lua_State *L) {
  luaL_checkany(L, 1);
  lua_settop(L, 1);
  lua_newtable(L);
  write_value(L, orrl_own_state(L), 1, 2, 1);
  lua_getglobal(L, "table");
  lua_getfield(L, -1, "concat");
  lua_pushvalue(L, 2);
  lua_call(L, 1, 1);
  return 1;
}

const luaL_Reg json_functions[] = {{"json_decode", decode}, {"json_encode", encode}, {NULL, NULL}};
