/* JSON read into Lua values, and written from them, in the order of their keys.
 *
 * A null is orrery.null, an array has orrery.array's mark. Whole numbers beyond 64 bits become floats. What nests deeper
 * than a variable may is refused, and so is what JSON has no word for. */
#include "bindings/json.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "base/json_text.h"
#include "base/limits.h"
#include "bindings/script/budget.h"
#include "bindings/value.h"

/* ---- Reading --------------------------------------------------------------------------------- */

typedef struct reading {
  lua_State *L;
  orrl_state *state;
  const char *text;
  size_t size;
  char *scratch;
  json_problem problem;
  int rc, depth;
  lua_Integer counts[ORR_VALUE_DEPTH_MAX + 1]; /* items of the arrays around; -1: an object */
} reading;

/* A value is whole, on top of the stack: it goes to where it belongs. */
static void json_settle(reading *r) {
  if (!r->depth) return;
  lua_Integer *count = &r->counts[r->depth];
  if (*count < 0) lua_rawset(r->L, -3);
  else lua_rawseti(r->L, -2, ++*count);
}

static void push_open(void *to, bool map) {
  reading *r = to;
  luaL_checkstack(r->L, 6, "the JSON text nests too deep");
  lua_newtable(r->L);
  r->counts[++r->depth] = map ? -1 : 0;
}

static void push_close(void *to, bool map) {
  reading *r = to;
  r->depth--;
  if (!map) {
    lua_rawgeti(r->L, LUA_REGISTRYINDEX, r->state->array_ref);
    lua_setmetatable(r->L, -2);
  }
  json_settle(r);
}

static void push_key(void *to, const char *text, size_t size) {
  lua_pushlstring(((reading *)to)->L, text, size);
}

static void push_scalar(void *to, const orr_value *value) {
  reading *r = to;
  switch ((orr_type)value->type) {
    case ORR_BOOL: lua_pushboolean(r->L, value->as.boolean); break;
    case ORR_INT: lua_pushinteger(r->L, value->as.integer); break;
    case ORR_FLOAT: lua_pushnumber(r->L, value->as.number); break;
    case ORR_STRING: lua_pushlstring(r->L, value->as.bytes, value->size); break;
    default: orrl_push_null(r->L, r->state); break;
  }
  json_settle(r);
}

/* Protected, since Lua's memory may be out and the scratch is not Lua's. */
static int push_root(lua_State *L) {
  static const json_visitor visitor = {.open = push_open, .close = push_close, .key = push_key, .scalar = push_scalar};
  reading *r = lua_touserdata(L, 1);
  r->rc = json_visit(r->text, r->size, r->scratch, &visitor, r, &r->problem);
  return r->rc ? 0 : 1;
}

/* Pushes what is wrong, with its place in lines and characters. */
static void push_problem(lua_State *L, const reading *r) {
  lua_Integer line = 1, column = 1;
  if (!r->problem.expected) {
    lua_pushfstring(L, "the JSON text nests more than %d deep", ORR_VALUE_DEPTH_MAX);
    return;
  }
  for (size_t i = 0; i < r->problem.at; i++) {
    unsigned char c = (unsigned char)r->text[i];
    column = c == '\n' ? 1 : column + ((c & 0xC0) != 0x80);
    line += c == '\n';
  }
  lua_pushfstring(L, "line %I, column %I: %s expected", (LUAI_UACINT)line, (LUAI_UACINT)column,
                  r->problem.expected);
}

/* The value and true; or what is wrong and false. */
static bool json_push_or_say(lua_State *L, orrl_state *state, const char *text, size_t size) {
  reading r = {.L = L, .state = state, .text = text, .size = size, .scratch = malloc(size + 1)};
  if (!r.scratch) {
    lua_pushstring(L, "out of memory");
    return false;
  }
  lua_pushcfunction(L, push_root);
  lua_pushlightuserdata(L, &r);
  int status = lua_pcall(L, 1, 1, 0);
  free(r.scratch);
  if (status != LUA_OK || !r.rc) return status == LUA_OK;
  lua_pop(L, 1);
  push_problem(L, &r);
  return false;
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
  budget_spend(L, orrl_own_state(L), (int64_t)size);
  if (json_push_or_say(L, orrl_own_state(L), text, size)) return 1;
  lua_pushnil(L);
  lua_insert(L, -2);
  return 2;
}

/* ---- Writing --------------------------------------------------------------------------------- */

typedef struct writing {
  orrl_state *state;
  int out;    /* the array of pieces */
  bool lossy; /* what JSON has no word for is told as well as it can be: for programs that read the command's lines */
} writing;

static bool is_marked_array(lua_State *L, const orrl_state *state, int index) {
  if (!lua_getmetatable(L, index)) return false;
  lua_rawgeti(L, LUA_REGISTRYINDEX, state->array_ref);
  bool marked = lua_rawequal(L, -1, -2);
  lua_pop(L, 2);
  return marked;
}

static bool is_empty_plain(lua_State *L, int index) {
  if (lua_getmetatable(L, index)) {
    lua_pop(L, 1);
    return false;
  }
  lua_pushnil(L);
  if (!lua_next(L, index)) return true;
  lua_pop(L, 2);
  return false;
}

/* An empty table may be either: an object, but for the command, most of whose tables are lists. */
static bool is_array(lua_State *L, const writing *w, int index) {
  if (lua_rawlen(L, index) > 0 || is_marked_array(L, w->state, index)) return true;
  return w->lossy && is_empty_plain(L, index);
}

static int compare_keys(lua_State *L) {
  lua_pushboolean(L, lua_compare(L, 1, 2, LUA_OPLT));
  return 1;
}

/* Pushes an array of the table's keys, sorted, so that equal values have equal texts. */
static lua_Integer push_keys(lua_State *L, const writing *w, int index) {
  lua_Integer count = 0;
  lua_newtable(L);
  for (lua_pushnil(L); lua_next(L, index);) {
    lua_pop(L, 1);
    bool text = lua_type(L, -1) == LUA_TSTRING;
    if (!text && !w->lossy) luaL_error(L, "a key of a JSON object is a text, not a %s", luaL_typename(L, -1));
    if (!text) continue;
    lua_pushvalue(L, -1);
    lua_rawseti(L, -3, ++count);
  }
  lua_getglobal(L, "table");
  lua_getfield(L, -1, "sort");
  lua_remove(L, -2);
  lua_pushvalue(L, -2);
  lua_pushcfunction(L, compare_keys);
  if (count > 1) budget_spend(L, w->state, (int64_t)((double)count * log2((double)count)));
  lua_call(L, 2, 0);
  return count;
}

/* Adds the text of the value at `index` to the pieces. */
static void write_value(lua_State *L, const writing *w, int index, int depth);

static void add_piece(lua_State *L, const writing *w) { lua_rawseti(L, w->out, (lua_Integer)lua_rawlen(L, w->out) + 1); }

static void add_to_buffer(void *out, const char *text, size_t size) { luaL_addlstring(out, text, size); }

static void add_json_literal(lua_State *L, const writing *w, const char *text) {
  lua_pushstring(L, text);
  add_piece(L, w);
}

static void write_array(lua_State *L, const writing *w, int index, int depth) {
  lua_Integer count = (lua_Integer)lua_rawlen(L, index);
  add_json_literal(L, w, "[");
  for (lua_Integer i = 1; i <= count; i++) {
    if (i > 1) add_json_literal(L, w, ",");
    lua_rawgeti(L, index, i);
    write_value(L, w, lua_gettop(L), depth + 1);
    lua_pop(L, 1);
  }
  add_json_literal(L, w, "]");
}

static void add_string(lua_State *L, const writing *w, int index) {
  luaL_Buffer b;
  size_t size;
  const char *text = lua_tolstring(L, index, &size);
  luaL_buffinit(L, &b);
  json_put_string(&(json_sink){add_to_buffer, &b}, text, size, w->lossy ? JSON_BYTES_LATIN : JSON_BYTES_KEPT);
  luaL_pushresult(&b);
  add_piece(L, w);
}

static void write_object(lua_State *L, const writing *w, int index, int depth) {
  lua_Integer count = push_keys(L, w, index);
  int keys = lua_gettop(L);
  add_json_literal(L, w, "{");
  for (lua_Integer i = 1; i <= count; i++) {
    if (i > 1) add_json_literal(L, w, ",");
    lua_rawgeti(L, keys, i);
    add_string(L, w, keys + 1);
    add_json_literal(L, w, ":");
    lua_rawget(L, index);
    write_value(L, w, keys + 1, depth + 1);
    lua_pop(L, 1);
  }
  add_json_literal(L, w, "}");
  lua_pop(L, 1);
}

static void add_number(lua_State *L, const writing *w, int index) {
  char text[JSON_NUMBER_SIZE];
  double n = lua_tonumber(L, index);
  if (lua_isinteger(L, index)) {
    lua_pushfstring(L, "%I", (LUAI_UACINT)lua_tointeger(L, index));
  } else {
    if (!isfinite(n) && !w->lossy) luaL_error(L, "JSON has no word for %f", n);
    json_number_text(n, text);
    lua_pushstring(L, text);
  }
  add_piece(L, w);
}

static void write_table(lua_State *L, const writing *w, int index, int depth) {
  if (is_array(L, w, index)) write_array(L, w, index, depth);
  else write_object(L, w, index, depth);
}

/* What has no word of its own. */
static void write_other(lua_State *L, const writing *w, int index) {
  if (lua_touserdata(L, index) == w->state->null) {
    add_json_literal(L, w, "null");
    return;
  }
  if (!w->lossy) luaL_error(L, "JSON has no word for a %s", luaL_typename(L, index));
  luaL_tolstring(L, index, NULL);
  add_string(L, w, lua_gettop(L));
  lua_pop(L, 1);
}

static void write_value(lua_State *L, const writing *w, int index, int depth) {
  if (depth > ORR_VALUE_DEPTH_MAX) luaL_error(L, "the value nests more than %d deep, or contains itself", ORR_VALUE_DEPTH_MAX);
  luaL_checkstack(L, 10, "the value nests too deep");
  budget_spend(L, w->state, 1);
  if (lua_istable(L, index)) orrl_real(L, w->state, index);
  switch (lua_type(L, index)) {
    case LUA_TNIL: add_json_literal(L, w, "null"); return;
    case LUA_TBOOLEAN: add_json_literal(L, w, lua_toboolean(L, index) ? "true" : "false"); return;
    case LUA_TNUMBER: add_number(L, w, index); return;
    case LUA_TSTRING: add_string(L, w, index); return;
    case LUA_TTABLE: write_table(L, w, index, depth); return;
    default: write_other(L, w, index); return;
  }
}

/* json_encode(value, [lossy]) -> text; raises on what JSON has no word for, unless `lossy`: then texts that are no UTF-8 are
 * taken for Latin-1, numbers that are none for null, keys that are no texts are left out, and an empty table is an array. */
static int encode(lua_State *L) {
  luaL_checkany(L, 1);
  lua_settop(L, 2);
  lua_newtable(L);
  writing w = {orrl_own_state(L), 3, lua_toboolean(L, 2)};
  write_value(L, &w, 1, 1);
  lua_getglobal(L, "table");
  lua_getfield(L, -1, "concat");
  lua_pushvalue(L, 3);
  lua_call(L, 1, 1);
  return 1;
}

const luaL_Reg json_functions[] = {{"json_decode", decode}, {"json_encode", encode}, {NULL, NULL}};
