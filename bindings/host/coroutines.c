/* The three functions of Lua's library that run a coroutine, as Lua has them. */
#include "bindings/host/coroutines.h"

#include <lauxlib.h>
#include <lualib.h>
#include <stdatomic.h>

#include "bindings/host/state.h"

void coroutine_enter(orrl_state *state, coroutine_run *run, lua_State *co) {
  *run = (coroutine_run){co, state->innermost};
  atomic_signal_fence(memory_order_release);
  state->innermost = run;
}

void coroutine_leave(orrl_state *state, const coroutine_run *run) { state->innermost = run->outer; }

/* The library's function, which refuses what is no coroutine, and answers where nothing would run. */
static int call_library(lua_State *L) { return lua_tocfunction(L, lua_upvalueindex(2))(L); }

/* Runs `co` with the arguments on top of L. How many results L has then; -1: an error object. */
static int run_within(lua_State *L, lua_State *co, int arguments) {
  orrl_state *state = orrl_own_state(L);
  coroutine_run here;
  int results = 0;
  if (!lua_checkstack(co, arguments)) {
    lua_pushliteral(L, "too many arguments to resume");
    return -1;
  }
  lua_xmove(L, co, arguments);
  coroutine_enter(state, &here, co);
  int status = lua_resume(co, L, arguments, &results);
  coroutine_leave(state, &here);
  if (status != LUA_OK && status != LUA_YIELD) {
    lua_xmove(co, L, 1);
    return -1;
  }
  if (!lua_checkstack(L, results + 1)) {
    lua_pop(co, results);
    lua_pushliteral(L, "too many results to resume");
    return -1;
  }
  lua_xmove(co, L, results);
  return results;
}

static int resume_coroutine(lua_State *L) {
  lua_State *co = lua_tothread(L, 1);
  if (!co) return call_library(L);
  int results = run_within(L, co, lua_gettop(L) - 1);
  lua_pushboolean(L, results >= 0);
  lua_insert(L, results >= 0 ? -(results + 1) : -2);
  return results >= 0 ? results + 1 : 2;
}

/* Runs its pending <close> handlers. */
static int reset(lua_State *L, lua_State *co) {
  orrl_state *state = orrl_own_state(L);
  coroutine_run here;
  coroutine_enter(state, &here, co);
  int status = lua_resetthread(co);
  coroutine_leave(state, &here);
  return status;
}

/* The function that coroutine.wrap gives. */
static int call_wrapped(lua_State *L) {
  lua_State *co = lua_tothread(L, lua_upvalueindex(2));
  int results = run_within(L, co, lua_gettop(L));
  if (results >= 0) return results;
  int status = lua_status(co);
  if (status != LUA_OK && status != LUA_YIELD) {
    status = reset(L, co);
    lua_xmove(co, L, 1);
  }
  if (status != LUA_ERRMEM && lua_type(L, -1) == LUA_TSTRING) {
    luaL_where(L, 1);
    lua_insert(L, -2);
    lua_concat(L, 2);
  }
  return lua_error(L);
}

static int wrap_function(lua_State *L) {
  luaL_checktype(L, 1, LUA_TFUNCTION);
  lua_pushvalue(L, lua_upvalueindex(1));
  lua_State *co = lua_newthread(L);
  lua_pushvalue(L, 1);
  lua_xmove(L, co, 1);
  lua_pushcclosure(L, call_wrapped, 2);
  return 1;
}

/* One that has neither yielded nor failed has no handlers that would run. */
static int close_coroutine(lua_State *L) {
  lua_State *co = lua_tothread(L, 1);
  if (!co || lua_status(co) == LUA_OK) return call_library(L);
  int status = reset(L, co);
  lua_pushboolean(L, status == LUA_OK);
  if (status == LUA_OK) return 1;
  lua_xmove(co, L, 1);
  return 2;
}

/* The function of the library on top gives way to one that has it as its second upvalue. */
static void replace(lua_State *L, orrl_state *state, const char *name, lua_CFunction function) {
  lua_pushlightuserdata(L, state);
  lua_getfield(L, -2, name);
  bool is_library = lua_iscfunction(L, -1);
  lua_pushcclosure(L, function, 2);
  if (is_library) lua_setfield(L, -2, name);
  else lua_pop(L, 1);
}

void coroutines_wrap(lua_State *L, orrl_state *state) {
  if (state->coroutines_wrapped) return;
  state->coroutines_wrapped = true;
  luaL_getsubtable(L, LUA_REGISTRYINDEX, LUA_LOADED_TABLE);
  if (lua_getfield(L, -1, LUA_COLIBNAME) == LUA_TTABLE) {
    replace(L, state, "resume", resume_coroutine);
    replace(L, state, "wrap", wrap_function);
    replace(L, state, "close", close_coroutine);
  }
  lua_pop(L, 2);
}
