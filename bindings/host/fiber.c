/* Taking, starting, waking and giving back fibers. The waiting itself is in fiber_wait.c. */
#include "bindings/host/fiber.h"

#include <stdlib.h>

#include "bindings/host/host_code.h"
#include "bindings/net/net_glue.h"
#include "exec/awaiting.h"
#include "bindings/host/fiber_wait.h"

/* Runs protected: making a coroutine needs memory. */
static int make_coroutine(lua_State *L) {
  fiber *f = lua_touserdata(L, 1);
  f->co = lua_newthread(L);
  f->ref = luaL_ref(L, LUA_REGISTRYINDEX);
  lua_pushboolean(L, 0);
  f->object_ref = luaL_ref(L, LUA_REGISTRYINDEX);
  lua_pushboolean(L, 0);
  f->script_object_ref = luaL_ref(L, LUA_REGISTRYINDEX);
  code_prepare(L, f);
  return 0;
}

static int replace_coroutine(lua_State *L) {
  fiber *f = lua_touserdata(L, 1);
  lua_State *co = lua_newthread(L);
  int ref = luaL_ref(L, LUA_REGISTRYINDEX);
  luaL_unref(L, LUA_REGISTRYINDEX, f->ref);
  f->co = co;
  f->ref = ref;
  return 0;
}

/* Calls `body` with the fiber, on the stack that is free to be used now. False when memory is out. */
static bool protect_fiber(fiber *f, lua_CFunction body) {
  lua_State *L = f->state->running ? f->state->running->co : f->state->L;
  if (!lua_checkstack(L, 4)) return false;
  lua_pushcfunction(L, body);
  lua_pushlightuserdata(L, f);
  if (lua_pcall(L, 1, 0, 0) == LUA_OK) return true;
  lua_pop(L, 1);
  return false;
}

static fiber *fiber_new(orrl_state *state) {
  fiber *f = calloc(1, sizeof *f);
  if (!f) return NULL;
  f->state = state;
  f->ref = f->env_ref = f->scope_ref = f->extra_ref = LUA_NOREF;
  f->object_ref = f->script_object_ref = LUA_NOREF;
  if (!protect_fiber(f, make_coroutine)) {
    const int refs[] = {f->ref, f->env_ref, f->scope_ref, f->object_ref, f->script_object_ref};
    for (size_t i = 0; i < sizeof refs / sizeof *refs; i++) luaL_unref(state->L, LUA_REGISTRYINDEX, refs[i]);
    free(f);
    return NULL;
  }
  f->next_all = state->fibers;
  state->fibers = f;
  return f;
}

fiber *fiber_take(orrl_state *state, lua_thread *thread) {
  fiber *f = state->idle;
  if (f) state->idle = f->next_free;
  else f = fiber_new(state);
  if (!f) return NULL;
  f->thread = thread;
  f->serial = ++state->serial;
  return f;
}

void fiber_give(fiber *f) {
  /* An error out of a hook leaves Lua's hooks off on this coroutine for good: nothing would stop its next script, nor what
   * this one left to be closed. */
  bool spent = f->budget.spent, usable = !spent || protect_fiber(f, replace_coroutine);
  if (!spent) lua_settop(f->co, 0);
  await_unguard(f);
  budget_end(f);
  f->awaits_too_long = f->abandoned = false;
  f->waits_alone = (script_waits){0};
  f->serial = 0;
  f->pending = f->has_object = f->has_script_object = false;
  f->random.seeded = false;
  f->context = NULL;
  f->view = NULL;
  f->variables = NULL;
  luaL_unref(f->state->L, LUA_REGISTRYINDEX, f->extra_ref);
  f->extra_ref = LUA_NOREF;
  if (!usable) return;
  f->next_free = f->state->idle;
  f->state->idle = f;
}

static _Thread_local const fiber *volatile here;

const fiber *fiber_here(void) { return here; }

/* The fiber is the running one, within its own budget, until it leaves. */
static void enter(fiber *f) {
  orrl_state *state = f->state;
  f->outer = state->running;
  if (f->outer) budget_rest(f->outer);
  coroutine_enter(state, &f->run, f->co);
  state->running = f;
  here = f;
  state->depth++;
  budget_run(f);
}

static void leave_fiber(fiber *f) {
  orrl_state *state = f->state;
  budget_rest(f);
  state->depth--;
  state->running = f->outer;
  here = f->outer;
  coroutine_leave(state, &f->run);
  if (f->outer) budget_run(f->outer);
}

static int run_fiber(fiber *f, int arguments) {
  int results = 0;
  enter(f);
  int status = lua_resume(f->co, f->outer ? f->outer->co : f->state->L, arguments, &results);
  leave_fiber(f);
  if (status != LUA_YIELD) return status;
  bool awaits = results == 1 && lua_touserdata(f->co, -1) == &fiber_awaits;
  lua_pop(f->co, results);
  if (awaits) return status;
  return FIBER_STRAYED;
}

int fiber_start(fiber *f, lua_CFunction body) {
  f->resumable = true;
  lua_pushcfunction(f->co, body);
  lua_pushlightuserdata(f->co, f);
  return run_fiber(f, 1);
}

int fiber_resume(fiber *f) { return run_fiber(f, 0); }

int fiber_protect(fiber *f, lua_CFunction body) {
  f->resumable = false;
  enter(f);
  lua_pushcfunction(f->co, body);
  lua_pushlightuserdata(f->co, f);
  int status = lua_pcall(f->co, 1, 0, 0);
  leave_fiber(f);
  return status;
}

int fiber_call_beside(fiber *f, lua_State *L, int arguments) {
  budget_lent before;
  enter(f);
  budget_lend(f, L, &before);
  int status = lua_pcall(L, arguments, 0, 0);
  budget_take_back(f, L, &before);
  leave_fiber(f);
  return status;
}

void fiber_unwind(fiber *f) {
  if (f->budget.spent) return;
  enter(f);
  lua_resetthread(f->co);
  leave_fiber(f);
}

/* In a phase of its own: from a timer, one whose time is over at once would keep the loop from anything else for ever. */
static void resume_ready(uv_idle_t *kick) {
  orrl_state *state = kick->data;
  while (state->ready) {
    fiber *f = state->ready;
    state->ready = f->next_ready;
    if (!state->ready) state->ready_end = &state->ready;
    await_wake(&f->waiting);
  }
  uv_idle_stop(kick);
}

void fiber_wake(fiber *f) {
  orrl_state *state = f->state;
  if (!f->pending) return;
  f->pending = false;
  f->next_ready = NULL;
  *state->ready_end = f;
  state->ready_end = &f->next_ready;
  uv_loop_t *loop = orrl_loop(state);
  if (!loop) return; /* it had one to wait on */
  if (!state->kick) {
    uv_idle_t *kick = calloc(1, sizeof *kick);
    if (!kick || uv_idle_init(loop, kick) != 0) {
      free(kick);
      return;
    }
    kick->data = state;
    state->kick = kick;
  }
  uv_idle_start(state->kick, resume_ready);
}

/* Takes it from those that the loop is about to wake. */
static void forget_ready(fiber *f) {
  orrl_state *state = f->state;
  fiber **at = &state->ready;
  while (*at && *at != f) at = &(*at)->next_ready;
  if (!*at) return;
  *at = f->next_ready;
  if (!*at) state->ready_end = at;
}

void fiber_abandon(fiber *f) {
  f->pending = false; /* what closes with it may settle what it awaits, which is to wake it no more */
  forget_ready(f);
  await_unguard(f);
  net_abandon(f->state, f);
  f->abandoned = true;
  fiber_unwind(f);
  fiber_give(f);
}

void fibers_abandon(lua_thread *thread) {
  orrl_state *state = thread->state;
  for (fiber *f = state->fibers; f; f = f->next_all) {
    if (f->thread == thread && f->serial != 0) fiber_abandon(f);
    if (f->thread == thread) f->thread = NULL;
  }
}

void fibers_close(orrl_state *state) {
  for (fiber *f = state->fibers, *next; f; f = next) {
    next = f->next_all;
    free(f);
  }
  state->fibers = state->idle = state->ready = NULL;
}
