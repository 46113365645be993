/* Views by way of lua/orrery/view.lua; executions have a side for scripts of their own. */
#include "bindings/host/host_view.h"

#include <string.h>

#include "bindings/host/host_execution.h"
#include "bindings/host/host_names.h"
#include "bindings/host/host_types.h"
#include "bindings/value.h"

void view_show(lua_State *L, const fiber *f) {
  int type = lua_type(L, -1);
  if (type != LUA_TTABLE && type != LUA_TFUNCTION && type != LUA_TUSERDATA) return;
  orrl_push_hook(L, f->state, "view");
  lua_insert(L, -2);
  lua_call(L, 1, 1);
}

void view_reveal(lua_State *L, const fiber *f) {
  luaL_checkstack(L, 3, NULL);
  if (lua_type(L, -1) == LUA_TUSERDATA) execution_host_side(L);
  else orrl_real(L, f->state, lua_gettop(L));
}

/* ---- Registered names ------------------------------------------------------------------------ */

bool view_reserved(const char *name) {
  static const char *const prefixes[] = {"type:",      "connector:",    "endpoint:", "soap-endpoint:", "soap-headers:",
                                         "secrets of:", "groups of user:", "route:",    "route-query:"};
  if (!strchr(name, ':')) return false;
  for (size_t i = 0; i < sizeof prefixes / sizeof *prefixes; i++) {
    if (strncmp(name, prefixes[i], strlen(prefixes[i])) == 0) return true;
  }
  return false;
}

bool view_push_named(lua_State *L, fiber *f, const char *name) {
  if (view_reserved(name)) return false;
  if (names_push_view(L, f->thread, name)) return true;
  if (!names_push(L, f->thread, name)) return false;
  view_show(L, f);
  names_keep_view(L, f->thread, name);
  return true;
}

/* ---- Calls across ---------------------------------------------------------------------------- */

enum { CALLED = 1, INWARD, OUTWARD, STATE }; /* upvalues of a function as the other side calls it */

/* Each value from the stack index `first` on, as far as it is no scalar, becomes what the function at
 * the upvalue makes of it. */
static void convert_values(lua_State *L, int first, int converter) {
  luaL_checkstack(L, 3, NULL);
  for (int i = first, top = lua_gettop(L); i <= top; i++) {
    int type = lua_type(L, i);
    if (type != LUA_TTABLE && type != LUA_TFUNCTION && type != LUA_TUSERDATA) continue;
    lua_pushvalue(L, lua_upvalueindex(converter));
    lua_pushvalue(L, i);
    lua_call(L, 1, 1);
    lua_replace(L, i);
  }
}

static int called_across(lua_State *L, int status, lua_KContext ud) {
  (void)status;
  (void)ud;
  convert_values(L, 1, OUTWARD);
  return lua_gettop(L);
}

static int call_across(lua_State *L) {
  budget_cross(L, lua_touserdata(L, lua_upvalueindex(STATE)));
  convert_values(L, 1, INWARD);
  lua_pushvalue(L, lua_upvalueindex(CALLED));
  lua_insert(L, 1);
  lua_callk(L, lua_gettop(L) - 1, LUA_MULTRET, 0, called_across);
  return called_across(L, LUA_OK, 0);
}

/* across(f, inward, outward) -> f as the other side calls it: arguments go through inward(value), results through
 * outward(value), scalars as they are. f may wait. */
static int module_across(lua_State *L) {
  lua_settop(L, 3);
  lua_pushlightuserdata(L, orrl_own_state(L));
  lua_pushcclosure(L, call_across, 4);
  return 1;
}

/* ---- Module functions ------------------------------------------------------------------------ */

/* views() -> what views show, by view: the one table of this Lua state */
static int module_views(lua_State *L) {
  lua_rawgeti(L, LUA_REGISTRYINDEX, orrl_own_state(L)->views_ref);
  return 1;
}

/* pure(f, …) -> f(…), its first result: evaluations in it see variables and the language's own functions alone */
static int module_pure(lua_State *L) {
  orrl_state *state = orrl_own_state(L);
  bool before = state->pure;
  state->pure = true;
  int status = lua_pcall(L, lua_gettop(L) - 1, 1, 0);
  state->pure = before;
  return status == LUA_OK ? 1 : lua_error(L);
}

/* behind(value) -> the table that a view shows, or nil */
static int module_behind(lua_State *L) {
  lua_settop(L, 1);
  return lua_istable(L, 1) && orrl_real(L, orrl_own_state(L), 1) && lua_istable(L, 1);
}

/* Objects of ours that a script may hold as they are: nothing can be set in them, and they lead nowhere. */
static bool harmless(const char *name) {
  static const char *const names[] = {"orrery.null", "orrery.Typed", "orrery.Secret", "orrery.Decimal", "orrery.Method"};
  for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
    if (strcmp(name, names[i]) == 0) return true;
  }
  return false;
}

/* script_side(userdata) -> what a script gets of it, true; nothing for what is not Orrery's. The core's own objects are nil. */
static int module_script_side(lua_State *L) {
  lua_settop(L, 1);
  if (execution_script_side(L)) {
    lua_pushboolean(L, 1);
    return 2;
  }
  if (luaL_getmetafield(L, 1, "__name") != LUA_TSTRING) return 0;
  const char *name = lua_tostring(L, -1);
  if (strncmp(name, "orrery.", 7) != 0) return 0;
  if (harmless(name)) lua_pushvalue(L, 1);
  else lua_pushnil(L);
  lua_pushboolean(L, 1);
  return 2;
}

/* host_side(userdata) -> an execution as delegates get it; others as they are */
static int module_host_side(lua_State *L) {
  lua_settop(L, 1);
  execution_host_side(L);
  return 1;
}

const luaL_Reg view_functions[] = {{"views", module_views},
                                   {"behind", module_behind},
                                   {"pure", module_pure},
                                   {"texts_compute", execution_texts_compute},
                                   {"across", module_across},
                                   {"script_side", module_script_side},
                                   {"host_side", module_host_side},
                                   {NULL, NULL}};
