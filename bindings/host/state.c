/* What one lua_State keeps for Orrery, found by its registry key; closed when the lua_State closes. */
#include "bindings/host/state.h"

#include <stdlib.h>

#include "bindings/host/fiber.h"
#include "bindings/host/fiber_wait.h"

static const char state_key; /* its address is the registry key */

static void free_scratch(orrl_state *state) {
  for (orrl_scratch *s = state->all, *next; s; s = next) {
    next = s->next_all;
    for (size_t i = 0; i < s->builder_capacity; i++) orr_builder_free(s->builders[i]);
    free(s->builders);
    free(s->values);
    orr_records_free(s->records);
    free(s);
  }
  state->all = state->free = NULL;
}

static void close_any(uv_handle_t *handle, void *ud) {
  (void)ud;
  if (!uv_is_closing(handle)) uv_close(handle, NULL);
}

/* Our handles go with the state, also from a loop that is another's: it lets go of them at its next turn. */
static void close_loop(orrl_state *state) {
  sleepers_close(state);
  deferred_orphan(state);
  if (state->kick) uv_close((uv_handle_t *)state->kick, (uv_close_cb)free);
  state->kick = NULL;
  if (state->own_loop) {
    uv_walk(state->loop, close_any, NULL);
    uv_run(state->loop, UV_RUN_DEFAULT);
    uv_loop_close(state->loop);
    free(state->loop);
  }
  state->loop = NULL;
  state->own_loop = false;
}

static int state_close(lua_State *L) {
  orrl_state *state = lua_touserdata(L, 1);
  fibers_close(state);
  close_loop(state);
  orr_builder_free(state->builder);
  state->builder = NULL;
  free_scratch(state);
  return 0;
}

static int null_text(lua_State *L) {
  lua_pushliteral(L, "orrery.null");
  return 1;
}

static void make_null(lua_State *L, orrl_state *state) {
  state->null = lua_newuserdatauv(L, 1, 0);
  lua_createtable(L, 0, 2);
  lua_pushcfunction(L, null_text);
  lua_setfield(L, -2, "__tostring");
  lua_pushliteral(L, "orrery.null");
  lua_setfield(L, -2, "__name");
  lua_setmetatable(L, -2);
  state->null_ref = luaL_ref(L, LUA_REGISTRYINDEX);
}

static int new_table(lua_State *L) {
  lua_newtable(L);
  return luaL_ref(L, LUA_REGISTRYINDEX);
}

static int new_weak_table(lua_State *L) {
  lua_newtable(L);
  lua_createtable(L, 0, 1);
  lua_pushliteral(L, "k");
  lua_setfield(L, -2, "__mode");
  lua_setmetatable(L, -2);
  return luaL_ref(L, LUA_REGISTRYINDEX);
}

orrl_state *orrl_state_of(lua_State *L) {
  lua_rawgetp(L, LUA_REGISTRYINDEX, &state_key);
  orrl_state *state = lua_touserdata(L, -1);
  lua_pop(L, 1);
  if (state) return state;
  state = lua_newuserdatauv(L, sizeof *state, 0);
  *state = (orrl_state){0};
  state->ready_end = &state->ready;
  state->memory = &state->borrowed;
  state->moment_ref = LUA_NOREF;
  lua_rawgeti(L, LUA_REGISTRYINDEX, LUA_RIDX_MAINTHREAD);
  state->L = lua_tothread(L, -1);
  lua_pop(L, 1);
  lua_createtable(L, 0, 1);
  lua_pushcfunction(L, state_close);
  lua_setfield(L, -2, "__gc");
  lua_setmetatable(L, -2);
  lua_rawsetp(L, LUA_REGISTRYINDEX, &state_key);
  state->builder = orr_builder_new();
  if (!state->builder) luaL_error(L, "out of memory");
  make_null(L, state);
  state->array_ref = new_table(L);
  state->error_ref = new_table(L);
  state->wait_ref = new_table(L);
  state->hooks_ref = new_table(L);
  state->views_ref = new_weak_table(L);
  return state;
}

void orrl_push_null(lua_State *L, orrl_state *state) { lua_rawgeti(L, LUA_REGISTRYINDEX, state->null_ref); }

uv_loop_t *orrl_loop(orrl_state *state) {
  if (state->loop) return state->loop;
  uv_loop_t *loop = malloc(sizeof *loop);
  if (!loop || uv_loop_init(loop) != 0) {
    free(loop);
    return NULL;
  }
  state->loop = loop;
  state->own_loop = true;
  return loop;
}

void orrl_adopt_loop(orrl_state *state, uv_loop_t *loop) {
  if (!state->loop) state->loop = loop;
}

void orrl_push_hook(lua_State *L, orrl_state *state, const char *name) {
  lua_rawgeti(L, LUA_REGISTRYINDEX, state->hooks_ref);
  lua_getfield(L, -1, name);
  lua_remove(L, -2);
}
