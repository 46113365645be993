/* JSON read by jansson, and written here from Lua values, in the order of their keys.
 *
 * A null is orrery.null, an array has orrery.array's mark. Whole numbers beyond 64 bits become floats. What nests deeper
 * than a variable may is refused, and so is what JSON has no word for. */
#include "bindings/json.h"

#include <errno.h>
#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/json_text.h"
#include "base/limits.h"
#include "bindings/script/budget.h"
#include "bindings/value.h"

/* ---- Reading --------------------------------------------------------------------------------- */

typedef struct reading {
  orrl_state *state;
  const json_t *root;
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

static void push(lua_State *L, const reading *r, const json_t *value, int depth) {
  if (depth > ORR_VALUE_DEPTH_MAX) luaL_error(L, "the JSON text nests more than %d deep", ORR_VALUE_DEPTH_MAX);
  luaL_checkstack(L, 6, "the JSON text nests too deep");
  switch (json_typeof(value)) {
    case JSON_OBJECT: push_members(L, r, value, depth); return;
    case JSON_ARRAY: push_items(L, r, value, depth); return;
    case JSON_STRING: lua_pushlstring(L, json_string_value(value), json_string_length(value)); return;
    case JSON_INTEGER: lua_pushinteger(L, json_integer_value(value)); return;
    case JSON_REAL: lua_pushnumber(L, json_real_value(value)); return;
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

/* Behind a string that begins at `at`. */
static size_t string_end(const char *text, size_t size, size_t at) {
  for (at++; at < size && text[at] != '"'; at++)
    if (text[at] == '\\') at++;
  return at < size ? at + 1 : size;
}

/* Behind a number that begins at `at`; is it a whole one beyond 64 bits? */
static size_t number_end(const char *text, size_t size, size_t at, bool *wide) {
  char digits[24];
  size_t end = at + (text[at] == '-'), first = end;
  while (end < size && text[end] >= '0' && text[end] <= '9') end++;
  bool whole = end == size || !strchr(".eE", text[end]);
  *wide = whole && end - first > 19;
  if (whole && end - first == 19) {
    memcpy(digits, text + at, end - at);
    digits[end - at] = '\0';
    errno = 0;
    (void)strtoll(digits, NULL, 10);
    *wide = errno == ERANGE;
  }
  while (end < size && text[end] && strchr("0123456789.eE+-", text[end])) end++;
  return end;
}

/* The text with ".0" behind each whole number beyond 64 bits, which makes a float of it and of no other. NULL: no memory. */
static char *widen(const char *text, size_t size, size_t *out_size) {
  char *out = malloc(size + size / 8 + 3); /* such a number has 19 digits or more, and something between it and the next */
  size_t n = 0;
  for (size_t at = 0; out && at < size;) {
    bool wide = false, number = text[at] == '-' || (text[at] >= '0' && text[at] <= '9');
    size_t end = text[at] == '"' ? string_end(text, size, at) : number ? number_end(text, size, at, &wide) : at + 1;
    memcpy(out + n, text + at, end - at);
    n += end - at;
    if (wide) out[n++] = '.';
    if (wide) out[n++] = '0';
    at = end;
  }
  *out_size = n;
  return out;
}

/* What a text with a number beyond 64 bits says. What is wrong with it is said of the text as it was given. */
static json_t *load_wide(const char *text, size_t size, size_t flags, json_error_t *problem) {
  size_t widened_size = 0;
  json_error_t as_given;
  char *widened = widen(text, size, &widened_size);
  if (!widened) {
    snprintf(problem->text, sizeof problem->text, "out of memory");
    return NULL;
  }
  json_t *root = json_loadb(widened, widened_size, flags, problem);
  free(widened);
  if (root) return root;
  json_t *other = json_loadb(text, size, flags | JSON_DECODE_INT_AS_REAL, &as_given);
  if (!other) *problem = as_given;
  json_decref(other);
  return NULL;
}

/* The value and true; or what is wrong and false. */
static bool json_push_or_say(lua_State *L, orrl_state *state, const char *text, size_t size) {
  json_error_t problem;
  reading r = {.state = state};
  size_t flags = JSON_DECODE_ANY | JSON_ALLOW_NUL;
  json_t *root = json_loadb(text, size, flags, &problem);
  if (!root && json_error_code(&problem) == json_error_numeric_overflow) root = load_wide(text, size, flags, &problem);
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
  budget_spend(L, orrl_own_state(L), (int64_t)size);
  if (json_push_or_say(L, orrl_own_state(L), text, size)) return 1;
  lua_pushnil(L);
  lua_insert(L, -2);
  return 2;
}

/* ---- Writing --------------------------------------------------------------------------------- */

typedef struct writing {
  const orrl_state *state;
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
