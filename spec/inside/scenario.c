/* A whole engine for the specs of faults: over the memory store, with an allocator and a store that fail at the n-th call,
 * or a store whose map moves all the time. Its methods are the verbs of verbs.h. There is no script host: delegates are C. */
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <string.h>

#include "allocator.h"
#include "engine/metrics.h"
#include "engine/open.h"
#include "executor/executor.h"
#include "executor/pool.h"
#include "store/dump.h"
#include "store/fault.h"
#include "store/memory.h"
#include "store/moving.h"
#include "verbs.h"

#define ENGINE_BOX "orrery_inside.engine"
#define DELEGATES_MAX 5

typedef struct delegate {
  enum { SETS_VARIABLE, RAISES, RAISES_BPMN_ERROR, WAITS_FOR_RENEWAL, IS_HELD } kind;
  const struct engine_box *box;
} delegate;

typedef struct engine_box {
  orr_engine *engine;
  store *store; /* the engine's: the one that fails */
  struct store *inner;
  struct store *moving; /* NULL: this engine's map stays where it is */
  failing_allocator allocator;
  orr_env env;
  delegate delegates[DELEGATES_MAX];
  atomic_bool released; /* what is held may go on */
} engine_box;

static engine_box *check_box(lua_State *L) {
  engine_box *box = luaL_checkudata(L, 1, ENGINE_BOX);
  luaL_argcheck(L, box->engine, 1, "closed engine");
  return box;
}

/* ---- Delegates ------------------------------------------------------------------------------- */

static uint64_t stuck(const engine_box *box) { return box->moving ? moving_stuck(box->moving) : 0; }

/* Returns once this process has prolonged its locks, which the executor must do while a delegate keeps its thread; or
 * cannot. */
static void wait_for_renewal(const engine_box *box) {
  uint64_t before = metrics_get(box->engine, METRIC_LOCK_RENEWED);
  while (metrics_get(box->engine, METRIC_LOCK_RENEWED) == before && stuck(box) == 0) sched_yield();
}

static int run_delegate(void *ud, orr_execution *execution, orr_builder *result, orr_error *err) {
  const delegate *d = ud;
  orr_value seen;
  if (d->kind == WAITS_FOR_RENEWAL) wait_for_renewal(d->box); /* once before it has asked for anything, and once after */
  int rc = orr_execution_get(execution, "amount", ORR_VISIBLE, &seen, err);
  if (rc) return rc;
  if (d->kind == RAISES_BPMN_ERROR) return orr_execution_bpmn_error(execution, "DECLINED", "too much", err);
  if (d->kind == RAISES) {
    err->code = ORR_E_SCRIPT;
    return ORR_E_SCRIPT;
  }
  while (d->kind == IS_HELD && !atomic_load(&d->box->released)) sched_yield();
  if (d->kind == WAITS_FOR_RENEWAL || d->kind == IS_HELD) wait_for_renewal(d->box);
  orr_value done = orr_bool(true);
  orr_builder_add(result, &done);
  return orr_execution_set(execution, "charged", &done, ORR_VISIBLE, err);
}

static int register_delegates(engine_box *box, orr_error *err) {
  static const struct { const char *name; delegate d; } known[] = {
      {"charge", {.kind = SETS_VARIABLE}}, {"broken", {.kind = RAISES}}, {"declined", {.kind = RAISES_BPMN_ERROR}},
      {"patient", {.kind = WAITS_FOR_RENEWAL}}, {"held", {.kind = IS_HELD}}};
  int rc = 0;
  for (size_t i = 0; !rc && i < sizeof known / sizeof *known; i++) {
    box->delegates[i] = known[i].d;
    box->delegates[i].box = box;
    rc = orr_engine_delegate_register(box->engine, known[i].name, run_delegate, &box->delegates[i],
        err);
  }
  return rc;
}

/* ---- Life ------------------------------------------------------------------------------------ */

static void arm(engine_box *box, lua_State *L, int at) {
  static const char *const calls[] = {"any", "snapshot", "get", "scan", "next", "commit", "race", NULL};
  lua_getfield(L, at, "memory");
  lua_getfield(L, at, "store");
  lua_getfield(L, at, "call");
  lua_getfield(L, at, "forever");
  lua_getfield(L, at, "away");
  bool away = lua_toboolean(L, -1), forever = lua_toboolean(L, -2);
  failing_allocator_arm(&box->allocator, (size_t)luaL_optinteger(L, -5, 0), forever);
  if (box->store) {
    fault_arm(box->store, (fault_call)luaL_checkoption(L, -3, "any", calls), (uint64_t)luaL_optinteger(L, -4, 0), forever);
    fault_away(box->store, away);
  }
  lua_pop(L, 5);
}

static void quiet(void *ud, orr_log_level level, const char *message, const orr_value *fields) {
  (void)ud, (void)level, (void)message, (void)fields;
}

static int open_stores(engine_box *box, bool moving, orr_error *err) {
  store_options options = {.env = &box->env};
  int rc = store_open_memory(&options, &box->inner, err);
  if (!rc && moving) rc = store_open_moving(box->inner, &box->env.allocator, &box->moving, err);
  if (!rc) rc = store_open_fault(moving ? box->moving : box->inner, &box->env.allocator, &box->store, err);
  if (rc) store_close(box->moving ? box->moving : box->inner);
  return rc;
}

static int open_engine(engine_box *box, bool moving, orr_error *err) {
  int rc = open_stores(box, moving, err);
  if (rc) return rc;
  orr_config config;
  orr_config_init(&config);
  config.manual_clock = true;
  config.log = quiet;
  config.history = ORR_HISTORY_FULL; /* which writes the most */
  engine_parts parts = {.env = &box->env, .store = box->store};
  rc = engine_open_parts(&config, &parts, &box->engine, err);
  if (rc) box->store = NULL;
  return rc;
}

/* open{memory = n, forever = bool, moving = bool}: armed before opening. A failed open must have given everything back. */
static int l_open(lua_State *L) {
  luaL_checktype(L, 1, LUA_TTABLE);
  lua_settop(L, 1);
  engine_box *box = lua_newuserdatauv(L, sizeof *box, 0);
  *box = (engine_box){0};
  failing_allocator_init(&box->allocator);
  env_system(&box->env);
  box->env.allocator = failing_allocator_hook(&box->allocator);
  luaL_setmetatable(L, ENGINE_BOX);
  arm(box, L, 1);
  orr_error err = {0};
  lua_getfield(L, 1, "moving");
  bool moving = lua_toboolean(L, -1);
  lua_pop(L, 1);
  int rc = open_engine(box, moving, &err);
  if (!rc) rc = register_delegates(box, &err);
  if (!rc) return 1;
  orr_engine_close(box->engine);
  box->engine = NULL;
  if (box->allocator.live != 0) return luaL_error(L, "a failed open leaked %d bytes", (int)box->allocator.live);
  return verb_push_failure(L, rc, &err);
}

/* The bytes that are left over. */
static int l_close(lua_State *L) {
  engine_box *box = luaL_checkudata(L, 1, ENGINE_BOX);
  atomic_store(&box->released, true); /* a spec that failed has not */
  orr_engine_close(box->engine);
  box->engine = NULL;
  lua_pushinteger(L, (lua_Integer)box->allocator.live);
  return 1;
}

static int l_arm(lua_State *L) {
  engine_box *box = check_box(L);
  luaL_checktype(L, 2, LUA_TTABLE);
  arm(box, L, 2);
  return 0;
}

/* Allocations and store calls since the last arming. */
static int l_counts(lua_State *L) {
  engine_box *box = check_box(L);
  lua_pushinteger(L, (lua_Integer)box->allocator.requests);
  lua_pushinteger(L, (lua_Integer)fault_count(box->store, FAULT_ANY));
  return 2;
}

/* hand_over_late(job): as a hand-over does whose commit took longer than the lock that it gave, so that acquisition came
 * first. */
static int l_hand_over_late(lua_State *L) {
  engine_box *box = check_box(L);
  orr_id job = (orr_id)luaL_checkinteger(L, 2);
  rec_job any = {.id = job};
  executor_terms terms;
  executor *x = box->engine->executor;
  luaL_argcheck(L, executor_reserve(x, box->engine, &any, false, &terms), 2, "the executor has no room");
  executor_enqueue(x, box->engine, &(placed_job){.id = job});
  lua_pushinteger(L, executor_in_flight(x, box->engine));
  return 1;
}

/* Lets go of the jobs that run the delegate "held". */
static int l_release(lua_State *L) {
  atomic_store(&check_box(L)->released, true);
  return 0;
}

/* How often this engine did what the metric counts. */
static int l_metric(lua_State *L) {
  static const char *const names[] = {"job-started", "job-conflict", "job-successful", NULL};
  static const metric which[] = {METRIC_JOB_STARTED, METRIC_JOB_CONFLICT, METRIC_JOB_SUCCESSFUL};
  lua_pushinteger(L, (lua_Integer)metrics_get(check_box(L)->engine, which[luaL_checkoption(L, 2, NULL, names)]));
  return 1;
}

/* How often the map has moved, and how often it could not. */
static int l_moves(lua_State *L) {
  engine_box *box = check_box(L);
  luaL_argcheck(L, box->moving, 1, "its map stays where it is");
  lua_pushinteger(L, (lua_Integer)moving_moves(box->moving));
  lua_pushinteger(L, (lua_Integer)moving_stuck(box->moving));
  return 2;
}

/* Everything in the store but the counter of ids, which only moves on, also for commands that fail. */
static int add_to_digest(void *ud, store_bytes key, store_bytes value) {
  static const char counter[] = "groups";
  const size_t n = sizeof counter - 1;
  uint64_t *digest = ud;
  if (key.size > n && memmem(key.data, key.size, counter, n)) return 0;
  *digest = (*digest ^ store_crc32c(key.data, key.size)) * UINT64_C(0x100000001B3);
  *digest = (*digest ^ store_crc32c(value.data, value.size)) * UINT64_C(0x100000001B3);
  return 0;
}

/* Looks behind the faults, and counts for none. */
static int l_digest(lua_State *L) {
  engine_box *box = check_box(L);
  failing_allocator_state state = failing_allocator_pause(&box->allocator);
  store_snapshot *snapshot = NULL;
  uint64_t digest = 0;
  orr_error err = {0};
  int rc = store_snapshot_open(box->inner, &snapshot, &err);
  if (!rc) rc = store_dump(snapshot, add_to_digest, &digest, &err);
  if (snapshot) store_snapshot_close(snapshot);
  failing_allocator_resume(&box->allocator, state);
  if (rc) return verb_push_failure(L, rc, &err);
  lua_pushinteger(L, (lua_Integer)digest);
  return 1;
}

/* ---- Threads --------------------------------------------------------------------------------- */

typedef struct elsewhere {
  engine_box *box;
  lua_State *L;
  int status;
} elsewhere;

/* Calls the function at 2 with the box; the verbs that it calls are this thread's. */
static void *run_elsewhere(void *ud) {
  elsewhere *e = ud;
  lua_pushvalue(e->L, 2);
  lua_pushvalue(e->L, 1);
  e->status = lua_pcall(e->L, 1, 1, 0);
  return NULL;
}

/* elsewhere(f): what f(engine) gives on a thread of its own, which ends behind it. */
static int l_elsewhere(lua_State *L) {
  elsewhere e = {.box = check_box(L), .L = L};
  pthread_t thread;
  luaL_checktype(L, 2, LUA_TFUNCTION);
  if (pthread_create(&thread, NULL, run_elsewhere, &e) != 0) return luaL_error(L, "no thread");
  pthread_join(thread, NULL);
  return e.status == LUA_OK ? 1 : lua_error(L);
}

/* ---- Verbs ----------------------------------------------------------------------------------- */

static int l_verb(lua_State *L) {
  const verb *v = lua_touserdata(L, lua_upvalueindex(1));
  return verb_call(L, v, check_box(L)->engine);
}

void inside_scenario(lua_State *L) {
  static const luaL_Reg methods[] = {{"close", l_close}, {"arm", l_arm}, {"counts", l_counts}, {"digest", l_digest},
                                     {"moves", l_moves}, {"hand_over_late", l_hand_over_late}, {"release", l_release},
                                     {"metric", l_metric}, {"elsewhere", l_elsewhere}, {NULL, NULL}};
  luaL_newmetatable(L, ENGINE_BOX);
  luaL_newlib(L, methods);
  const verb *v;
  for (size_t i = 0; (v = verb_at(i)); i++) {
    lua_pushlightuserdata(L, (void *)(uintptr_t)v);
    lua_pushcclosure(L, l_verb, 1);
    lua_setfield(L, -2, verb_name(v));
  }
  lua_setfield(L, -2, "__index");
  lua_pushcfunction(L, l_close);
  lua_setfield(L, -2, "__gc");
  lua_pop(L, 1);
  lua_pushcfunction(L, l_open);
  lua_setfield(L, -2, "open");
}
