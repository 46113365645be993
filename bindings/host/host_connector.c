/* The parameters of a connector: its inputs as Lua values, so that a secret stays one, and its outputs, whose expressions
 * see what the connector gave before anything else. */
#include "bindings/host/host_connector.h"

#include "bindings/host/host_code.h"
#include "bindings/host/host_view.h"

static void push_parameter(lua_State *L, fiber *f, const parameter_value *p);

static void push_parameter_list(lua_State *L, fiber *f, const parameter_value *p) {
  lua_createtable(L, (int)p->count, 0);
  for (uint32_t i = 0; i < p->count; i++) {
    push_parameter(L, f, &p->items[i]);
    if (lua_isnil(L, -1)) {
      lua_pop(L, 1);
      orrl_push_null(L, f->state);
    }
    lua_rawseti(L, -2, (lua_Integer)i + 1);
  }
  lua_rawgeti(L, LUA_REGISTRYINDEX, f->state->array_ref);
  lua_setmetatable(L, -2);
}

static void push_parameter_map(lua_State *L, fiber *f, const parameter_value *p) {
  lua_createtable(L, 0, (int)p->count);
  for (uint32_t i = 0; i < p->count; i++) {
    code_call(L, f, &p->keys[i], 0, NULL);
    if (lua_isnil(L, -1)) luaL_error(L, "a map's key gives null");
    luaL_tolstring(L, -1, NULL);
    lua_remove(L, -2);
    push_parameter(L, f, &p->items[i]);
    lua_rawset(L, -3);
  }
}

/* Recursion is as deep as the model's elements, which the parser bounds. */
static void push_parameter(lua_State *L, fiber *f, const parameter_value *p) {
  luaL_checkstack(L, 8, "a parameter nests too deep");
  switch (p->kind) {
    case PARAMETER_LIST: push_parameter_list(L, f, p); return;
    case PARAMETER_MAP: push_parameter_map(L, f, p); return;
    case PARAMETER_EXPR: break;
  }
  if (expr_given(&p->value)) code_call(L, f, &p->value, 0, NULL);
  else lua_pushnil(L);
  view_reveal(L, f);
}

static void clear_extra(fiber *f) {
  luaL_unref(f->state->L, LUA_REGISTRYINDEX, f->extra_ref);
  f->extra_ref = LUA_NOREF;
}

void connector_push_inputs(lua_State *L, fiber *f, const implementation *run) {
  lua_createtable(L, 0, (int)run->n_inputs);
  for (uint32_t i = 0; i < run->n_inputs; i++) {
    push_parameter(L, f, &run->inputs[i].value);
    lua_setfield(L, -2, run->inputs[i].name);
  }
}

void connector_push_outputs(lua_State *L, fiber *f, const implementation *run, int names) {
  if (lua_istable(L, names)) {
    lua_pushvalue(L, names);
    f->extra_ref = luaL_ref(L, LUA_REGISTRYINDEX);
  }
  lua_createtable(L, (int)run->n_outputs, 0);
  for (uint32_t i = 0; i < run->n_outputs; i++) {
    lua_createtable(L, 2, 0);
    lua_pushstring(L, run->outputs[i].name);
    lua_rawseti(L, -2, 1);
    push_parameter(L, f, &run->outputs[i].value);
    lua_rawseti(L, -2, 2);
    lua_rawseti(L, -2, (lua_Integer)i + 1);
  }
  clear_extra(f);
}

bool connector_push_extra(lua_State *L, const fiber *f, const char *name) {
  if (f->extra_ref == LUA_NOREF) return false;
  lua_rawgeti(L, LUA_REGISTRYINDEX, f->extra_ref);
  if (lua_getfield(L, -1, name) == LUA_TNIL) {
    lua_pop(L, 2);
    return false;
  }
  lua_remove(L, -2);
  view_show(L, f);
  return true;
}
