/* Lua values to the core's and back. What cannot be stored is refused with the path at which it stands: "order.lines[3]". */
#include "bindings/value.h"
#include "bindings/json.h"
#include "bindings/net/secret.h"
#include "bindings/script/budget.h"
#include "bindings/typed.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/builder.h"
#include "base/limits.h"

/* The tables that enclose the value being built: for cycles, and for the path of what is refused. */
typedef struct place {
  const struct place *outer;
  const char *key;     /* a map's key, or the name at the root; NULL: `index` */
  lua_Integer index;
  const void *table;
  int depth;
} place;

typedef struct build {
  lua_State *L;
  orrl_state *state;
  orr_builder *builder;
  bool lenient;
  char *refusal;
} build;

static size_t write_path(const place *at, char *out, size_t size) {
  size_t used = at->outer ? write_path(at->outer, out, size) : 0;
  int n;
  if (!at->key) n = snprintf(out + used, size - used, "[" LUA_INTEGER_FMT "]", at->index);
  else n = snprintf(out + used, size - used, "%s%s", used > 0 ? "." : "", at->key);
  if (n < 0) return used;
  return used + (size_t)n < size ? used + (size_t)n : size - 1;
}

static bool refuse_value(const build *b, const place *at, const char *what, const char *why) {
  size_t used = write_path(at, b->refusal, ORRL_REFUSAL);
  snprintf(b->refusal + used, ORRL_REFUSAL - used, "%s%s %s", used > 0 ? ": " : "", what, why);
  return false;
}

bool orrl_moment(lua_State *L, const orrl_state *state, int index, int64_t *ms) {
  if (state->moment_ref == LUA_NOREF || !lua_istable(L, index)) return false;
  if (!lua_checkstack(L, 3) || !lua_getmetatable(L, index)) return false;
  lua_rawgeti(L, LUA_REGISTRYINDEX, state->moment_ref);
  lua_insert(L, -2);
  lua_rawget(L, -2);
  bool is_moment = lua_toboolean(L, -1);
  lua_pop(L, 2);
  if (!is_moment) return false;
  lua_pushliteral(L, "ms");
  lua_rawget(L, index < 0 ? index - 1 : index);
  *ms = lua_tointeger(L, -1);
  lua_pop(L, 1);
  return true;
}

/* What dateTime() and now() give is a Date. */
static bool moment_value(lua_State *L, const orrl_state *state, int index, orr_value *out) {
  int64_t ms;
  if (!orrl_moment(L, state, index, &ms)) return false;
  *out = ms % 1000 == 0 ? orr_int(ms / 1000) : orr_float((double)ms / 1000);
  out->declared = ORR_DECLARED_DATE;
  return true;
}

static bool userdata_value(lua_State *L, const orrl_state *state, int index, orr_value *out) {
  bool null = lua_touserdata(L, index) == state->null;
  const orr_value *typed = null ? NULL : typed_value(L, index);
  if (typed) *out = *typed;
  else if (null) *out = orr_null();
  return typed || null;
}

bool orrl_scalar(lua_State *L, orrl_state *state, int index, orr_value *out) {
  size_t size;
  const char *bytes;
  switch (lua_type(L, index)) {
    case LUA_TNIL: *out = (orr_value){0}; return true;
    case LUA_TBOOLEAN: *out = orr_bool(lua_toboolean(L, index)); return true;
    case LUA_TNUMBER:
      *out = lua_isinteger(L, index) ? orr_int(lua_tointeger(L, index)) : orr_float(lua_tonumber(L, index));
      return true;
    case LUA_TSTRING:
      bytes = lua_tolstring(L, index, &size);
      if (size > ORR_VALUE_BYTES_MAX) return false;
      *out = orr_bytes(bytes, size);
      return true;
    case LUA_TTABLE: return moment_value(L, state, index, out);
    case LUA_TUSERDATA: return userdata_value(L, state, index, out);
    default: return false;
  }
}

static bool marked_array(build *b, int index) {
  if (!lua_getmetatable(b->L, index)) return false;
  lua_rawgeti(b->L, LUA_REGISTRYINDEX, b->state->array_ref);
  bool marked = lua_rawequal(b->L, -1, -2);
  lua_pop(b->L, 2);
  return marked;
}

static bool build_value(build *b, int index, const place *at);

static bool build_array(build *b, int index, const place *at) {
  lua_Integer count = (lua_Integer)lua_rawlen(b->L, index), seen = 0;
  for (lua_pushnil(b->L); lua_next(b->L, index); lua_pop(b->L, 1)) {
    seen++;
    if (lua_isinteger(b->L, -2) && lua_tointeger(b->L, -2) >= 1 && lua_tointeger(b->L, -2) <= count) continue;
    if (b->lenient) continue;
    lua_pop(b->L, 2);
    return refuse_value(b, at, "an array", "has keys that are not 1..n");
  }
  (void)budget_charge(b->state, seen);
  if (seen < count && !b->lenient) return refuse_value(b, at, "an array", "has holes");
  orr_builder_array(b->builder);
  for (lua_Integer i = 1; i <= count; i++) {
    place inside = {.outer = at, .index = i, .depth = at->depth + 1};
    lua_rawgeti(b->L, index, i);
    bool fine = build_value(b, lua_gettop(b->L), &inside);
    lua_pop(b->L, 1);
    if (!fine) return false;
  }
  orr_builder_end(b->builder);
  return true;
}

static bool storable(build *b, int index, const place *at) {
  orr_value ignored;
  if (orrl_scalar(b->L, b->state, index, &ignored)) return true;
  if (!lua_istable(b->L, index) || at->depth >= ORR_VALUE_DEPTH_MAX) return false;
  for (const place *p = at; p; p = p->outer) {
    if (p->table == lua_topointer(b->L, index)) return false;
  }
  return true;
}

static bool build_map(build *b, int index, const place *at) {
  orr_builder_map(b->builder);
  for (lua_pushnil(b->L); lua_next(b->L, index); lua_pop(b->L, 1)) {
    size_t size;
    bool text = lua_type(b->L, -2) == LUA_TSTRING;
    if (b->lenient && (!text || !storable(b, lua_gettop(b->L), at))) continue;
    if (!text) {
      bool mixed = lua_type(b->L, -2) == LUA_TNUMBER;
      lua_pop(b->L, 2);
      return refuse_value(b, at, "a map",
                          mixed ? "has number keys; arrays have nothing but 1..n" : "has keys that are not strings");
    }
    const char *key = lua_tolstring(b->L, -2, &size);
    place inside = {.outer = at, .key = key, .depth = at->depth + 1};
    orr_builder_key(b->builder, key, size);
    if (!build_value(b, lua_gettop(b->L), &inside)) {
      lua_pop(b->L, 2);
      return false;
    }
  }
  orr_builder_end(b->builder);
  return true;
}

bool orrl_real(lua_State *L, const orrl_state *state, int index) {
  if (lua_istable(L, index) ? !lua_getmetatable(L, index) : !lua_isfunction(L, index)) return false;
  if (lua_istable(L, index)) lua_pop(L, 1);
  lua_rawgeti(L, LUA_REGISTRYINDEX, state->views_ref);
  lua_pushvalue(L, index);
  bool view = lua_rawget(L, -2) != LUA_TNIL;
  if (view) lua_replace(L, index);
  lua_pop(L, view ? 1 : 2);
  return view;
}

static bool build_table(build *b, int index, const place *at) {
  place here = *at;
  if (!lua_checkstack(b->L, 8)) return refuse_value(b, at, "the value", "needs more stack than there is");
  if (orrl_real(b->L, b->state, index)) return build_value(b, index, at);
  here.table = lua_topointer(b->L, index);
  for (const place *p = at->outer; p; p = p->outer) {
    if (p->table == here.table) return refuse_value(b, at, "the table", "contains itself");
  }
  if (at->depth >= ORR_VALUE_DEPTH_MAX) return refuse_value(b, at, "the value", "nests too deep");
  if (lua_rawlen(b->L, index) > 0 || marked_array(b, index)) return build_array(b, index, &here);
  return build_map(b, index, &here);
}

/* Of what is too large the rest is not looked at: tables that share tables stand for more than anyone could walk. */
static bool build_value(build *b, int index, const place *at) {
  orr_value scalar;
  if (builder_failed(b->builder)) return true;
  if (budget_charge(b->state, 1)) {
    return refuse_value(b, at, "the value", "used up the script's budget");
  }
  if (orrl_scalar(b->L, b->state, index, &scalar)) {
    orr_builder_add(b->builder, &scalar);
    return true;
  }
  if (lua_istable(b->L, index) && (!b->lenient || storable(b, index, at))) return build_table(b, index, at);
  if (b->lenient) {
    scalar = orr_null();
    orr_builder_add(b->builder, &scalar);
    return true;
  }
  char what[64];
  const char *type = luaL_typename(b->L, index);
  if (secret_is(b->L, index)) type = "secret";
  snprintf(what, sizeof what, "a %s", type);
  return refuse_value(b, at, what, lua_type(b->L, index) == LUA_TSTRING ? "of this size cannot be stored" : "cannot be stored");
}

bool orrl_build(lua_State *L, orrl_state *state, int index, orr_builder *builder, const char *name, bool lenient,
                char refusal[ORRL_REFUSAL]) {
  build b = {.L = L, .state = state, .builder = builder, .lenient = lenient, .refusal = refusal};
  place root = {.key = name ? name : ""};
  refusal[0] = '\0';
  return build_value(&b, lua_absindex(L, index), &root);
}

static void push_tree(lua_State *L, orrl_state *state, const orr_value *value) {
  orr_value key, item;
  orr_iterator it = orr_iterate(value);
  luaL_checkstack(L, 6, "the value nests too deep");
  lua_createtable(L, value->type == ORR_ARRAY ? (int)(orr_count(value) & 0xffffff) : 0, 0);
  if (value->type == ORR_ARRAY) {
    for (lua_Integer i = 1; orr_next(&it, NULL, &item); i++) {
      (void)budget_charge(state, 1);
      orrl_push_stored(L, state, &item);
      lua_rawseti(L, -2, i);
    }
    lua_rawgeti(L, LUA_REGISTRYINDEX, state->array_ref);
    lua_setmetatable(L, -2);
    return;
  }
  while (orr_next(&it, &key, &item)) {
    (void)budget_charge(state, 1);
    lua_pushlstring(L, key.as.bytes, key.size);
    orrl_push_stored(L, state, &item);
    lua_rawset(L, -3);
  }
}

/* What a script sees of a value that is more than its plain form: of a File its bytes, of an Object its text, of a Json text
 * what it says. False: its plain form will do. */
static bool push_declared(lua_State *L, orrl_state *state, const orr_value *value) {
  bool described = value->declared == ORR_DECLARED_FILE || value->declared == ORR_DECLARED_OBJECT;
  if (described && value->type == ORR_MAP) {
    orr_value plain = orr_map_get(value, "value");
    if (plain.type == ORR_NIL) orrl_push_null(L, state);
    else orrl_push_stored(L, state, &plain);
    return true;
  }
  if (value->declared != ORR_DECLARED_JSON || value->type != ORR_STRING) return false;
  luaL_checkstack(L, 6, "the value nests too deep");
  return json_push(L, state, value->as.bytes, value->size);
}

void orrl_push_stored(lua_State *L, orrl_state *state, const orr_value *value) {
  if (value->declared && push_declared(L, state, value)) return;
  switch ((orr_type)value->type) {
    case ORR_NIL: lua_pushnil(L); return;
    case ORR_NULL: orrl_push_null(L, state); return;
    case ORR_BOOL: lua_pushboolean(L, value->as.boolean); return;
    case ORR_INT: lua_pushinteger(L, value->as.integer); return;
    case ORR_FLOAT: lua_pushnumber(L, value->as.number); return;
    case ORR_STRING: lua_pushlstring(L, value->as.bytes, value->size); return;
    case ORR_ARRAY:
    case ORR_MAP: push_tree(L, state, value); return;
  }
  lua_pushnil(L);
}

void orrl_push_value(lua_State *L, orrl_state *state, const orr_value *value) {
  orrl_push_stored(L, state, value);
  if (lua_touserdata(L, -1) != state->null) return;
  lua_pop(L, 1);
  lua_pushnil(L);
}

static bool is_date(const orr_value *value) { return value->declared == ORR_DECLARED_DATE && value->type != ORR_NULL; }

void orrl_push_dated(lua_State *L, orrl_state *state, const orr_value *value) {
  orr_value key, item;
  luaL_checkstack(L, 4, "too many values");
  if (is_date(value)) {
    typed_push(L, value);
    return;
  }
  orrl_push_value(L, state, value);
  orr_iterator it = orr_iterate(value);
  if (value->type != ORR_MAP || !lua_istable(L, -1)) return;
  while (orr_next(&it, &key, &item)) {
    if (!is_date(&item)) continue;
    lua_pushlstring(L, key.as.bytes, key.size);
    typed_push(L, &item);
    lua_rawset(L, -3);
  }
}
