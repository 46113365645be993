/* A declared value is a userdata with the value's encoding in it, so that it crosses into the core as it is. Its fields
 * (type, value, info, transient) are made when they are asked for. */
#include "bindings/typed.h"

#include <string.h>

#include "base/value.h"
#include "bindings/arguments.h"
#include "bindings/value.h"

#define CLASS "orrery.Typed"

typedef struct typed {
  orr_value value; /* its bytes follow */
  uint8_t encoded[];
} typed;

const orr_value *typed_value(lua_State *L, int index) {
  const typed *t = luaL_testudata(L, index, CLASS);
  return t ? &t->value : NULL;
}

void typed_push(lua_State *L, const orr_value *value) {
  size_t size = value_encoded_size(value);
  typed *t = lua_newuserdatauv(L, sizeof *t + size, 0);
  const uint8_t *at = t->encoded, *end = value_encode(t->encoded, value);
  if (value_decode(&at, end, &t->value)) luaL_error(L, "the value is damaged");
  luaL_setmetatable(L, CLASS);
}

/* typed(type, value, info) -> the object; raises `argument` when they do not fit */
static int function_typed(lua_State *L) {
  orrl_call c;
  orr_error err = {0};
  orr_value made;
  orrl_begin(&c, L, "orrery.typed", 3);
  orr_builder *builder = orrl_builder(&c);
  const char *type = orrl_text(&c, 1, false);
  const orr_value *value = orrl_value(&c, 2, true, "value"), *info = orrl_value(&c, 3, true, "info");
  int rc = orr_builder_typed(builder, type, value, info, &err);
  if (!rc) rc = orr_builder_value(builder, &made, &err);
  if (rc) return orrl_raise(&c, &err);
  typed_push(L, &made);
  orrl_end(&c);
  return 1;
}

/* One of what orr_builder_describe tells. */
static int typed_index(lua_State *L) {
  orrl_state *state = orrl_own_state(L);
  const typed *t = luaL_checkudata(L, 1, CLASS);
  const char *name = luaL_checkstring(L, 2);
  orr_value described, field;
  if (strcmp(name, "transient") == 0) {
    lua_pushboolean(L, t->value.transient);
    return 1;
  }
  orr_builder_reset(state->builder);
  bool told = !orr_builder_describe(state->builder, &t->value, NULL) &&
              !orr_builder_value(state->builder, &described, NULL);
  if (!told) return luaL_error(L, "out of memory");
  field = orr_map_get(&described, name);
  orrl_push_value(L, state, &field);
  return 1;
}

static int typed_equal(lua_State *L) {
  const typed *a = luaL_checkudata(L, 1, CLASS), *b = luaL_testudata(L, 2, CLASS);
  size_t size = value_encoded_size(&a->value);
  lua_pushboolean(L, b && value_encoded_size(&b->value) == size && memcmp(a->encoded, b->encoded, size) == 0);
  return 1;
}

static int typed_text(lua_State *L) {
  const typed *t = luaL_checkudata(L, 1, CLASS);
  lua_pushfstring(L, "orrery.typed(%s)", orr_value_type_name(&t->value));
  return 1;
}

/* is_typed(value) -> boolean */
static int function_is_typed(lua_State *L) {
  lua_pushboolean(L, !!typed_value(L, 1));
  return 1;
}

const luaL_Reg typed_functions[] = {{"typed", function_typed}, {"is_typed", function_is_typed}, {NULL, NULL}};

void typed_open(lua_State *L, orrl_state *state) {
  static const luaL_Reg metamethods[] = {
      {"__index", typed_index}, {"__eq", typed_equal}, {"__tostring", typed_text}, {NULL, NULL}};
  luaL_newmetatable(L, CLASS);
  lua_pushlightuserdata(L, state);
  luaL_setfuncs(L, metamethods, 1);
  lua_pushboolean(L, 0);
  lua_setfield(L, -2, "__metatable");
  lua_pop(L, 1);
}
