/* Two commands, step by step: what decides a race is the order of their reads and commits, so a spec goes through all of them.
 *
 *   read         begins the unit and runs the command in it
 *   validate     makes the batch with the revisions that it relies on
 *   commit       the store checks and writes
 *   acknowledge  the unit ends, whoever asked is told
 *
 * A command is a verb of verbs.h, or what a worker or the acquisition does with a job. Those that commit by themselves do
 * all of it when it is their turn to commit. Runs over an engine on a memory store, with C delegates. */
#include <string.h>

#include "engine/open.h"
#include "exec/context_run.h"
#include "exec/assumption.h"
#include "executor/acquire.h"
#include "executor/owner/reclaim.h"
#include "executor/run.h"
#include "executor/throttle.h"
#include "job/limit.h"
#include "store/memory.h"
#include "uow/find.h"
#include "verbs.h"

#define ENGINE_BOX "orrery_inside.races.engine"
#define COMMAND_BOX "orrery_inside.races.command"
#define LOCK_MS (300 * 1000)

#define OWNERS_MAX 8

typedef struct engine_box {
  orr_engine *engine;
  int64_t runs; /* of delegates, committed or not */
  lock_owner owners[OWNERS_MAX];
  int n_owners;
} engine_box;

typedef struct race_command race_command;

/* What is done at each step; all but `read` may be NULL. Each gives 0 or an error, which ends the command. */
typedef struct command_kind {
  const char *name;
  int (*read)(orr_engine *engine, race_command *k, orr_error *err);
  int (*validate)(race_command *k, orr_error *err);
  int (*commit)(orr_engine *engine, race_command *k, orr_error *err); /* instead of the batch's */
} command_kind;

struct race_command {
  const command_kind *kind;
  const verb *verb; /* NULL: one about a job */
  orr_id job;
  char owner[64];
  bool looks;       /* the run looks at its job again before it commits, as one that took a while does */
  bool beside;      /* the run takes part with its siblings, as a worker's does */
  bool rests;       /* until theirs are acknowledged */
  bool quiet;       /* they are */
  siblings_waiter waiter;
  siblings *published;
  lua_State *L;     /* during a step */
  context *c;
  lock_owner *locker;
  store_batch *batch;
  int status; /* an orr error code */
  bool over;
};

static orr_engine *check_engine(lua_State *L, int i) {
  const engine_box *box = luaL_checkudata(L, i, ENGINE_BOX);
  luaL_argcheck(L, box->engine, i, "closed");
  return box->engine;
}

static int raise(lua_State *L, orr_error *err) {
  lua_pushfstring(L, "%s: %s", orr_error_kind(err->code), err->message ? err->message : orr_strerror(err->code));
  orr_error_clear(err);
  return lua_error(L);
}

/* ---- Delegates ------------------------------------------------------------------------------- */

/* Counts itself in the variable "n". */
static int work(void *ud, orr_execution *execution, orr_builder *result, orr_error *err) {
  engine_box *box = ud;
  orr_value n = {0};
  (void)result;
  box->runs++;
  int rc = orr_execution_get(execution, "n", ORR_VISIBLE, &n, err);
  n = orr_int(n.type == ORR_INT ? n.as.integer + 1 : 1);
  return rc ? rc : orr_execution_set(execution, "n", &n, ORR_VISIBLE, err);
}

/* Changes nothing itself. */
static int idle(void *ud, orr_execution *execution, orr_builder *result, orr_error *err) {
  (void)execution, (void)result, (void)err;
  ((engine_box *)ud)->runs++;
  return 0;
}

/* ---- The engine ------------------------------------------------------------------------------ */

static void no_log(void *ud, orr_log_level level, const char *message, const orr_value *fields) {
  (void)ud, (void)level, (void)message, (void)fields;
}

/* open(history): "default" or "none", which leaves an instance's record unwritten by much that else writes it */
static int l_open(lua_State *L) {
  static const char *const levels[] = {"default", "none", NULL};
  int level = luaL_checkoption(L, 1, "default", levels);
  engine_box *box = lua_newuserdatauv(L, sizeof *box, 0);
  *box = (engine_box){0};
  luaL_setmetatable(L, ENGINE_BOX);
  orr_env env;
  env_system(&env);
  store_options options = {.env = &env};
  orr_config config;
  orr_config_init(&config);
  config.manual_clock = true;
  config.log = no_log;
  config.history = (orr_history_level)level;
  engine_parts parts = {.env = &env};
  orr_error err = {0};
  int rc = store_open_memory(&options, &parts.store, &err);
  if (!rc) rc = engine_open_parts(&config, &parts, &box->engine, &err);
  if (!rc) rc = orr_engine_delegate_register(box->engine, "work", work, box, &err);
  if (!rc) rc = orr_engine_delegate_register(box->engine, "idle", idle, box, &err);
  return rc ? raise(L, &err) : 1;
}

static int l_close(lua_State *L) {
  engine_box *box = luaL_checkudata(L, 1, ENGINE_BOX);
  orr_engine_close(box->engine);
  box->engine = NULL;
  for (int i = 0; i < box->n_owners; i++) lock_owner_destroy(&box->owners[i]);
  box->n_owners = 0;
  return 0;
}

/* call(verb, arguments) -> its answer; raises what it fails with */
static int l_call(lua_State *L) {
  orr_engine *engine = check_engine(L, 1);
  const verb *v = verb_argument(L);
  int results = verb_call(L, v, engine);
  if (!lua_isnil(L, -results)) return results;
  return results == 3 ? luaL_error(L, "%s: %s", verb_name(v), lua_tostring(L, -2)) : results;
}

static int l_advance(lua_State *L) {
  orr_engine *engine = check_engine(L, 1);
  orr_error err = {0};
  return orr_engine_set_time(engine, orr_engine_now(engine) + luaL_checkinteger(L, 2), &err) ? raise(L, &err) : 0;
}

/* start_executor(queue_size): one thread, in whose queue there is so much room, and which has come to rest. What it has
 * last seen of limits is forgotten, so that the next hand-over looks. */
static int l_start_executor(lua_State *L) {
  orr_engine *engine = check_engine(L, 1);
  orr_executor_options options = {.size = sizeof options, .threads = 1, .queue_size = (uint32_t)luaL_checkinteger(L, 2)};
  orr_error err = {0};
  bool idle = false;
  int rc = orr_engine_executor_start(engine, &options, &err);
  if (!rc) rc = orr_engine_wait_idle(engine, 60000, &idle, &err);
  atomic_store(&engine->limited_at, 0);
  return rc ? raise(L, &err) : 0;
}

/* wait_idle() -> is it at rest within a minute? */
static int l_wait_idle(lua_State *L) {
  orr_error err = {0};
  bool idle = false;
  if (orr_engine_wait_idle(check_engine(L, 1), 60000, &idle, &err)) return raise(L, &err);
  lua_pushboolean(L, idle);
  return 1;
}

static int l_runs(lua_State *L) {
  lua_pushinteger(L, ((engine_box *)luaL_checkudata(L, 1, ENGINE_BOX))->runs);
  return 1;
}

/* owners() -> those that the store knows, by expiry: { name =, fenced =, left = milliseconds of the lease } */
static int l_owners(lua_State *L) {
  orr_error err = {0};
  unit_found found;
  context *c = context_begin(check_engine(L, 1), NULL, &err);
  if (!c) return raise(L, &err);
  int rc = unit_find_index(c->u, REC_INDEX_OWNER_EXPIRES, NULL, 0, 0, &found, &err);
  lua_newtable(L);
  for (size_t i = 0; !rc && i < found.count; i++) {
    const rec_owner *o = (const rec_owner *)(const void *)found.items[i];
    lua_newtable(L);
    lua_pushlstring(L, o->name.data, o->name.size);
    lua_setfield(L, -2, "name");
    lua_pushboolean(L, o->fenced != 0);
    lua_setfield(L, -2, "fenced");
    lua_pushinteger(L, o->expires - c->now);
    lua_setfield(L, -2, "left");
    lua_rawseti(L, -2, (lua_Integer)i + 1);
  }
  context_end(c);
  return rc ? raise(L, &err) : 1;
}

/* lose(): a lock could not be given back. */
static int l_lose(lua_State *L) {
  atomic_fetch_add(&check_engine(L, 1)->locks_lost, 1);
  return 0;
}

/* ---- Reading a verb -------------------------------------------------------------------------- */

/* Begins a transaction for `run`, and takes it off this thread. */
static int in_context(orr_engine *engine, race_command *k, int (*run)(context *c, race_command *k), orr_error *err) {
  int rc = orr_engine_begin(engine, err);
  if (rc) return rc;
  engine_thread *thread = engine_thread_get(engine, NULL);
  rc = run(thread->current, k);
  k->c = thread->current;
  thread->current = NULL;
  return rc;
}

/* The command's second value holds the arguments. */
static int call_verb(race_command *k, orr_engine *engine) {
  lua_State *L = k->L;
  lua_settop(L, 1);
  lua_getiuservalue(L, 1, 2);
  int results = verb_call(L, k->verb, engine);
  bool failed = results == 3 && lua_isnil(L, -3);
  return failed ? (int)lua_tointeger(L, -1) : 0;
}

static int verb_in_context(context *c, race_command *k) { return call_verb(k, c->engine); }

static int read_verb(orr_engine *engine, race_command *k, orr_error *err) {
  return in_context(engine, k, verb_in_context, err);
}

/* ---- What is done with a job ----------------------------------------------------------------- */

/* The owner of a name, which may lock from then on; "thread": of this thread, once it has run jobs. Its lease is not prolonged
 * by what follows. */
static lock_owner *owner_named(race_command *k, orr_error *err) {
  lua_getiuservalue(k->L, 1, 1);
  engine_box *box = lua_touserdata(k->L, -1);
  lua_pop(k->L, 1);
  if (strcmp(k->owner, "thread") == 0) return engine_thread_get(box->engine, err)->owner;
  for (int i = 0; i < box->n_owners; i++)
    if (strcmp(box->owners[i].name, k->owner) == 0) return &box->owners[i];
  lock_owner *o = &box->owners[box->n_owners];
  if (box->n_owners == OWNERS_MAX || lock_owner_init(o, box->engine, k->owner, LOCK_MS, err)) return NULL;
  box->n_owners++;
  return lock_owner_keep(o, err) ? NULL : o;
}

/* 0: run by its id. */
static uint64_t number_of(race_command *k) {
  orr_error err = {0};
  const lock_owner *o = k->owner[0] ? owner_named(k, &err) : NULL;
  orr_error_clear(&err);
  return o ? atomic_load(&o->number) : 0;
}

static int read_run(orr_engine *engine, race_command *k, orr_error *err) {
  run_start start = {.job = k->job, .owner = number_of(k)};
  if (k->beside) start.place = siblings_join(engine->units, orr_id_group(k->job));
  int rc = run_begin(engine, NULL, &start, &k->c, err);
  if (rc || !k->c) return rc ? rc : ORR_E_NOT_FOUND;
  return k->c->state == CONTEXT_FAILED ? k->c->error.code : context_run(k->c);
}

static void hear_quiet(siblings_waiter *waiter) {
  race_command *k = (race_command *)(void *)((char *)waiter - offsetof(race_command, waiter));
  k->quiet = true;
}

static int run_on(race_command *k) {
  unit_catch_up(k->c->u);
  int rc = assumptions_follow(k->c);
  return rc ? rc : context_run(k->c);
}

/* As a worker: what siblings have done may leave more to do, once it is acknowledged. */
static int settle_run(race_command *k) {
  int rc = 0;
  for (unit_settle(k->c->u); !rc && assumptions_broken(k->c); unit_settle(k->c->u)) {
    unit_unsettle(k->c->u);
    k->waiter = (siblings_waiter){.quiet = hear_quiet};
    k->rests = unit_await_siblings(k->c->u, &k->waiter);
    if (k->rests) return 0;
    rc = run_on(k);
  }
  return rc;
}

static int validate_run(race_command *k, orr_error *err) {
  (void)err;
  int rc = k->looks ? run_refresh(k->c, number_of(k)) : 0;
  if (!rc && k->beside) rc = settle_run(k);
  return rc || k->rests ? rc : run_complete(k->c);
}

/* The run failed: that is what is to be told. */
static int read_failure(orr_engine *engine, race_command *k, orr_error *err) {
  run_failure failure = {0};
  error_set(&failure.error, ORR_E_SCRIPT, "it failed");
  int rc = run_fail_begin(engine, NULL, k->job, number_of(k), &failure, false, &k->c, err);
  orr_error_clear(&failure.error);
  return rc || k->c ? rc : ORR_E_NOT_FOUND;
}

/* Acquisition's second phase for one job; taken by another already: nothing to do. */
static int lock(context *c, race_command *k) {
  acquire_rules rules = {.locker = k->locker, .lock_ms = LOCK_MS};
  limit_rooms gates = {0};
  job_limits limits;
  limit_room *full;
  rec_job *job = unit_job(c->u, k->job, &c->error);
  if (!job || job->state != ORR_JOB_READY) return c->error.code;
  int rc = limit_rooms_for_job(c, &gates, job, &limits, &full);
  if (rc || full) return rc ? rc : throttle_park(c, job, full);
  bool taken = false;
  rc = acquire_lock(c, &rules, job, &taken);
  return rc || !taken ? rc : limit_take(c, &limits, job);
}

static int read_lock(orr_engine *engine, race_command *k, orr_error *err) {
  k->locker = owner_named(k, err);
  return k->locker ? in_context(engine, k, lock, err) : err->code;
}

/* ---- What commits by itself ------------------------------------------------------------------ */

static int read_nothing(orr_engine *engine, race_command *k, orr_error *err) {
  (void)engine, (void)k, (void)err;
  return 0;
}

static int renew(orr_engine *engine, race_command *k, orr_error *err) {
  (void)engine;
  lock_owner *o = owner_named(k, err);
  return o ? lock_owner_keep(o, err) : err->code;
}

static int reclaim(orr_engine *engine, race_command *k, orr_error *err) {
  uint32_t count;
  return reclaim_expired(engine, number_of(k), &count, err);
}

static int whole_verb(orr_engine *engine, race_command *k, orr_error *err) {
  (void)err;
  return call_verb(k, engine);
}

static const command_kind of_verb = {"", read_verb, NULL, NULL}, of_whole_verb = {"", read_nothing, NULL, whole_verb};
static const command_kind of_job[] = {
    {"run_job", read_run, validate_run, NULL}, {"fail_job", read_failure, NULL, NULL},  {"lock_job", read_lock, NULL, NULL},
    {"renew_owner", read_nothing, NULL, renew},  {"reclaim_jobs", read_nothing, NULL, reclaim},
};

/* ---- Commands -------------------------------------------------------------------------------- */

static void read_job_arguments(lua_State *L, int at, race_command *k) {
  lua_getfield(L, at, "job");
  k->job = (orr_id)luaL_optinteger(L, -1, 0);
  lua_getfield(L, at, "owner");
  strncpy(k->owner, luaL_optstring(L, -1, ""), sizeof k->owner - 1);
  lua_getfield(L, at, "looks");
  k->looks = lua_toboolean(L, -1);
  lua_getfield(L, at, "beside");
  k->beside = lua_toboolean(L, -1);
  lua_pop(L, 4);
}

/* command(name, arguments): a verb, or one of the names above; `whole` among a verb's arguments: it commits by itself */
static int l_command(lua_State *L) {
  check_engine(L, 1);
  const char *name = luaL_checkstring(L, 2);
  luaL_checktype(L, 3, LUA_TTABLE);
  race_command *k = lua_newuserdatauv(L, sizeof *k, 2);
  memset(k, 0, sizeof *k);
  luaL_setmetatable(L, COMMAND_BOX);
  for (int i = 0; i < 2; i++) {
    lua_pushvalue(L, i == 0 ? 1 : 3);
    lua_setiuservalue(L, -2, i + 1);
  }
  for (size_t i = 0; i < sizeof of_job / sizeof *of_job; i++)
    if (strcmp(of_job[i].name, name) == 0) k->kind = &of_job[i];
  if (k->kind) {
    read_job_arguments(L, 3, k);
    return 1;
  }
  k->verb = verb_named(name);
  luaL_argcheck(L, k->verb, 2, "no such command");
  lua_getfield(L, 3, "whole");
  k->kind = lua_toboolean(L, -1) ? &of_whole_verb : &of_verb;
  lua_pop(L, 1);
  return 1;
}

/* ---- Steps ----------------------------------------------------------------------------------- */

static race_command *check_command(lua_State *L, orr_engine **engine) {
  race_command *k = luaL_checkudata(L, 1, COMMAND_BOX);
  lua_settop(L, 1);
  lua_getiuservalue(L, 1, 1);
  *engine = check_engine(L, -1);
  k->L = L;
  return k;
}

static void end(race_command *k, int status) {
  k->status = status;
  k->over = true;
  if (k->c) context_end(k->c);
  k->c = NULL;
}

static int l_read(lua_State *L) {
  orr_engine *engine;
  race_command *k = check_command(L, &engine);
  orr_error err = {0};
  int rc = k->kind->read(engine, k, &err);
  orr_error_clear(&err);
  if (rc) end(k, rc);
  else if (k->c) unit_pause(k->c->u); /* as a waiting unit would be: no view stays open */
  return 0;
}

static void make_batch(race_command *k) {
  orr_error err = {0};
  int rc = k->kind->validate ? k->kind->validate(k, &err) : 0;
  if (!rc && !k->rests) rc = context_flush(k->c, &k->batch, &err);
  if (!rc && !k->rests) k->published = unit_publish(k->c->u, k->batch);
  if (k->published) siblings_submitted(k->published);
  orr_error_clear(&err);
  if (rc) end(k, rc);
}

static int l_validate(lua_State *L) {
  orr_engine *engine;
  race_command *k = check_command(L, &engine);
  if (!k->over && k->c) make_batch(k);
  return 0;
}

static int commit_batch(orr_engine *engine, race_command *k, orr_error *err) {
  if (k->batch->count == 0) return 0;
  int rc = store_commit(engine->store, k->batch, 1, err);
  return rc ? rc : k->batch->status;
}

static int l_commit(lua_State *L) {
  orr_engine *engine;
  race_command *k = check_command(L, &engine);
  orr_error err = {0};
  if (k->rests && k->quiet) {
    k->rests = false;
    if (run_on(k)) end(k, ORR_E_CONFLICT);
    else make_batch(k);
  }
  if (k->rests) end(k, ORR_E_CONFLICT); /* a worker would wait */
  if (k->over) return 0;
  k->status = (k->kind->commit ? k->kind->commit : commit_batch)(engine, k, &err);
  orr_error_clear(&err);
  return 0;
}

/* "ok" or the kind of error */
static int l_acknowledge(lua_State *L) {
  orr_engine *engine;
  race_command *k = check_command(L, &engine);
  if (k->published) siblings_answered(k->published, k->status);
  k->published = NULL;
  if (k->c) context_committed(k->c, k->status);
  k->c = NULL;
  k->over = true;
  lua_pushstring(L, k->status ? orr_error_kind(k->status) : "ok");
  return 1;
}

static void metatable(lua_State *L, const char *name, const luaL_Reg *methods) {
  luaL_newmetatable(L, name);
  luaL_setfuncs(L, methods, 0);
  lua_pushvalue(L, -1);
  lua_setfield(L, -2, "__index");
  lua_pop(L, 1);
}

void inside_races(lua_State *L) {
  static const luaL_Reg functions[] = {{"open", l_open}, {NULL, NULL}};
  static const luaL_Reg of_engine[] = {{"call", l_call}, {"advance", l_advance}, {"runs", l_runs}, {"command", l_command},
                                       {"owners", l_owners}, {"lose", l_lose},
                                       {"start_executor", l_start_executor}, {"wait_idle", l_wait_idle},
                                       {"close", l_close}, {"__gc", l_close}, {NULL, NULL}};
  static const luaL_Reg of_command[] = {
      {"read", l_read}, {"validate", l_validate}, {"commit", l_commit}, {"acknowledge", l_acknowledge}, {NULL, NULL}};
  metatable(L, ENGINE_BOX, of_engine);
  metatable(L, COMMAND_BOX, of_command);
  luaL_setfuncs(L, functions, 0);
}
