/* The account of a script's budget, and the three places that look at it: the hook, the allocator's
 * alarm, and C code that says what it is about to do. */
#include "bindings/script/budget.h"

#include "bindings/host/fiber_ask.h"
#include "bindings/host/host_types.h"
#include "executor/worker/inspect.h"

enum {
  HOOK_INSTRUCTIONS = 1000, /* some five microseconds: a look at the clock does not show */
  CROSSING_STEPS = 8,       /* of a call of ours, beside what it works */
  CROSSINGS_A_LOOK = 16,    /* of short ones: the clock takes as long as one of them */
  NESTED_STEPS = HOOK_INSTRUCTIONS / 2, /* of a script that a script called, what no hook saw */
  ROOM_SHARE = 16,          /* of its memory that a collection must give back */
  SPANS_UNTIMED = 64,       /* of a script, each of which may be without a clock for HOOK_INSTRUCTIONS at most */
};

static const char unwinding_key; /* the same of the functions of budget_unwinds */
static const char strings_key; /* its address is the registry key of state->strings */

static int64_t budget_now_ns(const fiber *f) {
  const orr_env *env = &f->thread->host->base.engine->env;
  return env->mono_ns(env->ud);
}

/* ---- The account ----------------------------------------------------------------------------- */

static void arm_budget(const fiber *f) {
  const lua_host *h = f->thread->host;
  lua_memory *m = f->state->memory;
  int64_t left = h->instructions - f->budget.steps;
  m->steps_most = h->instructions == 0 ? 0 : left > 0 ? left : 1;
}

/* Most scripts are over before the hook first looks, and reading the clock twice would take as long as they do. So the
 * clock of a span starts with its first look, unless the script has had so many spans that this would add up. */
static void start_clock(fiber *f) {
  budget *b = &f->budget;
  if (b->timed || f->thread->host->script_ns == 0) return;
  b->timed = true;
  b->ns_from = budget_now_ns(f);
}

static void take_time(fiber *f) {
  budget *b = &f->budget;
  if (!b->timed) return;
  int64_t now = budget_now_ns(f);
  b->ns += now - b->ns_from;
  b->ns_from = now;
}

static void add_steps(budget *b, int64_t steps) {
  int64_t room = INT64_MAX - b->steps;
  b->steps += steps < room ? steps : room;
}

/* What the present span has used goes into the account, and the span begins anew. */
static void take_budget(fiber *f) {
  budget *b = &f->budget;
  lua_memory *m = f->state->memory;
  take_time(f);
  add_steps(b, m->steps);
  b->bytes += m->used - b->bytes_from;
  m->steps = 0;
  b->bytes_from = m->used;
}

/* Only what is no garbage counts, which is worth a look only where it matters. What leaves little
 * room would be looked at again and again, so it counts as too much. */
static bool out_of_memory(lua_State *L, lua_memory *m) {
  if (!m->over) return false;
  lua_gc(L, LUA_GCCOLLECT, 0);
  m->steps += m->used / MEMORY_COLLECTED_A_STEP;
  m->over = false;
  return m->used > m->most - m->spare / ROOM_SHARE;
}

static const char *beyond(const fiber *f) {
  const lua_host *h = f->thread->host;
  if (h->instructions > 0 && f->budget.steps > h->instructions) return "instructions";
  if (h->script_ns > 0 && f->budget.ns > h->script_ns) return "seconds";
  return NULL;
}

void budget_error(const fiber *f, const char *what, orr_error *err) {
  error_set(err, ORR_E_LIMIT,
            "the %s used up its %s; the engine's option sandbox.%s sets how many it may use",
            f->budget.who, what, what);
}

static void raise_spent(lua_State *L, const fiber *f, const char *what) {
  orr_error err = {0};
  budget_error(f, what, &err);
  orrl_push_error(L, f->state, &err);
  lua_error(L);
}

static void check(lua_State *L, lua_Debug *where);

/* From now on the script is stopped at every instruction, and what that takes has no bound. */
static void budget_stop(lua_State *L, fiber *f, const char *what) {
  f->budget.spent = what;
  f->state->memory->most = f->state->memory->steps_most = 0;
  lua_sethook(L, check, LUA_MASKCOUNT, 1);
  if (L != f->budget.L) lua_sethook(f->budget.L, check, LUA_MASKCOUNT, 1);
  raise_spent(L, f, what);
}

/* Is it one of those of budget_unwinds that runs? */
static bool unwinds(lua_State *L, lua_Debug *where) {
  if (!lua_checkstack(L, 3) || !lua_getinfo(L, "f", where)) return false;
  lua_rawgetp(L, LUA_REGISTRYINDEX, &unwinding_key);
  bool known = lua_istable(L, -1);
  if (known) {
    lua_pushvalue(L, -2);
    known = lua_rawget(L, -2) != LUA_TNIL;
    lua_pop(L, 1);
  }
  lua_pop(L, 2);
  return known;
}

/* What runs on L works in the stead of a fiber without a budget: the script below is looked at as
 * soon as that goes on. */
static void check_later(lua_State *L, const fiber *f) {
  for (; f; f = f->outer)
    if (f->budget.on && f->budget.L == L) lua_sethook(L, check, LUA_MASKCOUNT, 1);
}

static void check(lua_State *L, lua_Debug *where) {
  fiber *f = orrl_state_of(L)->running;
  if (!f || !f->budget.on) check_later(L, f);
  if (!f || !f->budget.on || (f->budget.spent && unwinds(L, where))) return;
  if (inspect_safe_point(f->context)) fiber_over(L);
  add_steps(&f->budget, HOOK_INSTRUCTIONS);
  f->budget.unlooked = 0;
  bool full = !f->budget.spent && out_of_memory(L, f->state->memory);
  take_budget(f);
  start_clock(f);
  const char *what = f->budget.spent ? f->budget.spent : full ? "memory" : beyond(f);
  if (what) budget_stop(L, f, what);
  arm_budget(f);
  lua_sethook(L, check, LUA_MASKCOUNT, HOOK_INSTRUCTIONS);
}

/* The allocator cannot raise; the next instruction does. */
static void ring(lua_memory *m) { lua_sethook(m->running, check, LUA_MASKCOUNT, 1); }

/* Adds to the account. True: it went beyond. The clock is asked once in HOOK_INSTRUCTIONS of
 * `weight`. */
static bool charge_steps(fiber *f, int64_t steps, int64_t weight) {
  budget *b = &f->budget;
  add_steps(b, steps);
  b->unlooked += weight;
  if (b->unlooked >= HOOK_INSTRUCTIONS) {
    b->unlooked = 0;
    take_budget(f);
    start_clock(f);
    if (!b->spent) arm_budget(f);
  }
  return b->spent || beyond(f);
}

static bool is_charged(const fiber *f) { return f && f->budget.on; }

void budget_spend(lua_State *L, orrl_state *state, int64_t steps) {
  fiber *f = state->running;
  if (!is_charged(f) || !charge_steps(f, steps, steps)) return;
  budget_stop(L, f, f->budget.spent ? f->budget.spent : beyond(f));
}

bool budget_charge(const orrl_state *state, int64_t steps) {
  fiber *f = state->running;
  if (!is_charged(f) || !charge_steps(f, steps, steps)) return false;
  lua_sethook(f->budget.L, check, LUA_MASKCOUNT, 1);
  return true;
}

void budget_cross(lua_State *L, orrl_state *state) {
  fiber *f = state->running;
  if (!is_charged(f) || !charge_steps(f, CROSSING_STEPS, HOOK_INSTRUCTIONS)) return;
  budget_stop(L, f, f->budget.spent ? f->budget.spent : beyond(f));
}

void budget_enter(const orrl_state *state) {
  fiber *f = state->running;
  int64_t weight = HOOK_INSTRUCTIONS / CROSSINGS_A_LOOK;
  if (!is_charged(f) || !charge_steps(f, CROSSING_STEPS, weight)) return;
  lua_sethook(f->budget.L, check, LUA_MASKCOUNT, 1);
}

void budget_out_of(lua_State *L, fiber *f, const char *what) { budget_stop(L, f, what); }

/* ---- Spans ----------------------------------------------------------------------------------- */

/* Texts have the metatable that budget_strings was given while a script runs, so that
 * `text:find(…)` is the script's find. That happens twice a script, so what it takes lies ready on
 * the stack of a coroutine of its own (state->strings): a text, the scripts' metatable and, while a
 * script runs, the program's. Nothing here takes memory or raises. */
enum { STRINGS_TEXT = 1, STRINGS_SCRIPT = 2 };

static void strings_enter(const orrl_state *state) {
  lua_State *strings = state->strings;
  if (!strings) return;
  if (!lua_getmetatable(strings, STRINGS_TEXT)) lua_pushnil(strings);
  lua_pushvalue(strings, STRINGS_SCRIPT);
  lua_setmetatable(strings, STRINGS_TEXT);
}

static void strings_leave(const orrl_state *state) {
  lua_State *strings = state->strings;
  if (strings && lua_gettop(strings) > STRINGS_SCRIPT) lua_setmetatable(strings, STRINGS_TEXT);
}

/* A state of the host program's gets the bounded allocator for the span, around its own. */
static void borrow_allocator(orrl_state *state) {
  lua_memory *m = state->memory;
  if (m != &state->borrowed) return;
  m->borrowed = lua_getallocf(state->L, &m->borrowed_ud);
  m->used = (int64_t)lua_gc(state->L, LUA_GCCOUNT) * 1024; /* in whole KiB: its growth counts */
  lua_setallocf(state->L, memory_allocate, m);
}

static void return_allocator(orrl_state *state) {
  lua_memory *m = state->memory;
  if (m == &state->borrowed) lua_setallocf(state->L, m->borrowed, m->borrowed_ud);
}

void budget_run(fiber *f) {
  budget *b = &f->budget;
  lua_memory *m = f->state->memory;
  if (!b->on) return;
  borrow_allocator(f->state);
  strings_enter(f->state);
  m->over = m->refused = false;
  m->steps = 0;
  m->running = b->L;
  m->alarm = ring;
  b->bytes_from = m->used;
  b->timed = false;
  if (b->spans++ >= SPANS_UNTIMED || b->payer) start_clock(f);
  if (b->spent) return;
  int64_t limit = f->thread->host->memory_bytes, left = limit - b->bytes;
  m->most = limit == 0 ? 0 : m->used + (left > 0 ? left : 0);
  m->spare = limit;
  arm_budget(f);
}

void budget_rest(fiber *f) {
  lua_memory *m = f->state->memory;
  if (!f->budget.on) return;
  take_budget(f);
  f->budget.refused = m->refused;
  m->most = m->steps_most = 0;
  strings_leave(f->state);
  return_allocator(f->state);
}

/* ---- Scripts --------------------------------------------------------------------------------- */

/* The script that called what begins in the fiber, by a command. What another transaction runs
 * while that one waits is not its. */
static fiber *find_payer(const fiber *f) {
  for (fiber *outer = f->outer; outer; outer = outer->outer) {
    if (outer->waits && outer->context != f->context) return NULL;
    if (outer->budget.on) return outer->thread->host == f->thread->host ? outer : NULL;
  }
  return NULL;
}

/* It goes on with what its payer has used. */
static void open_account(fiber *f) {
  budget *b = &f->budget;
  fiber *payer = find_payer(f);
  if (!payer) return;
  b->payer = payer;
  b->payer_serial = payer->serial;
  b->steps = b->steps_before = payer->budget.steps;
  b->bytes = b->bytes_before = payer->budget.bytes;
  b->ns = b->ns_before = payer->budget.ns;
  b->spent = payer->budget.spent;
}

/* What it used is its payer's, whose clock runs from here on. */
static void close_account(const fiber *f) {
  const budget *b = &f->budget;
  fiber *payer = b->payer;
  if (!payer || payer->serial != b->payer_serial || !payer->budget.on) return;
  add_steps(&payer->budget, b->steps - b->steps_before);
  add_steps(&payer->budget, NESTED_STEPS);
  payer->budget.bytes += b->bytes - b->bytes_before;
  payer->budget.ns += b->ns - b->ns_before;
  if (f->state->running != payer) return;
  start_clock(payer);
  if (payer->budget.spent) return;
  arm_budget(payer);
  if (beyond(payer)) lua_sethook(payer->budget.L, check, LUA_MASKCOUNT, 1);
}

void budget_begin(fiber *f, lua_State *L, const char *who) {
  const lua_host *h = f->thread->host;
  bool bounded = h->instructions || h->memory_bytes || h->script_ns || h->await_ns;
  if (f->budget.on || !bounded) return;
  f->budget = (budget){.on = true, .who = who, .L = L};
  open_account(f);
  lua_sethook(L, check, LUA_MASKCOUNT, f->budget.spent || beyond(f) ? 1 : HOOK_INSTRUCTIONS);
  budget_run(f);
}

void budget_end(fiber *f) {
  if (f->budget.on) lua_sethook(f->budget.L, NULL, 0, 0);
  if (f->budget.on) close_account(f);
  f->budget = (budget){0};
}

void budget_leave(fiber *f) {
  budget_rest(f);
  budget_end(f);
}

void budget_call(lua_State *L, fiber *f, int arguments) {
  if (f->budget.on) {
    lua_call(L, arguments, 1);
    return;
  }
  budget_lent before = {lua_gethook(L), lua_gethookmask(L), lua_gethookcount(L)};
  budget_begin(f, L, "expression");
  int status = lua_pcall(L, arguments, 1, 0);
  if (f->budget.on) {
    budget_rest(f);
    if (status == LUA_ERRMEM && f->budget.refused) {
      orr_error err = {0};
      budget_error(f, "memory", &err);
      lua_pop(L, 1);
      orrl_push_error(L, f->state, &err);
    }
    budget_end(f);
    lua_sethook(L, before.hook, before.mask, before.count);
  }
  if (status != LUA_OK) lua_error(L);
}

void budget_lend(fiber *f, lua_State *L, budget_lent *before) {
  if (!f->budget.on) return;
  *before = (budget_lent){lua_gethook(L), lua_gethookmask(L), lua_gethookcount(L)};
  lua_sethook(L, check, LUA_MASKCOUNT, f->budget.spent ? 1 : HOOK_INSTRUCTIONS);
}

/* The count of a hook begins anew when it is set: a script's looks at once, or it would never look
 * if that came often. */
void budget_take_back(fiber *f, lua_State *L, const budget_lent *before) {
  int count = before->hook == check ? 1 : before->count;
  if (f->budget.on) lua_sethook(L, before->hook, before->mask, count);
}

int budget_strings(lua_State *L) {
  orrl_state *state = lua_touserdata(L, lua_upvalueindex(1));
  luaL_checktype(L, 1, LUA_TTABLE);
  lua_settop(L, 1);
  if (!state->strings) {
    lua_State *strings = lua_newthread(L);
    lua_pushliteral(L, ""); /* here, where an error is caught: no call of Lua runs on the other */
    lua_pushnil(L);
    lua_xmove(L, strings, 2);
    lua_rawsetp(L, LUA_REGISTRYINDEX, &strings_key);
    state->strings = strings;
  }
  lua_xmove(L, state->strings, 1);
  lua_replace(state->strings, STRINGS_SCRIPT);
  return 0;
}

int budget_unwinds(lua_State *L) {
  luaL_checktype(L, 1, LUA_TFUNCTION);
  lua_settop(L, 1);
  if (lua_rawgetp(L, LUA_REGISTRYINDEX, &unwinding_key) == LUA_TNIL) {
    lua_newtable(L);
    lua_createtable(L, 0, 1);
    lua_pushliteral(L, "k");
    lua_setfield(L, -2, "__mode");
    lua_setmetatable(L, -2);
    lua_pushvalue(L, -1);
    lua_rawsetp(L, LUA_REGISTRYINDEX, &unwinding_key);
  }
  lua_pushvalue(L, 1);
  lua_pushboolean(L, 1);
  lua_rawset(L, -3);
  return 0;
}
