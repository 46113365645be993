/* A whole engine for the specs of faults: over the memory store, with an allocator and a store that fail at the n-th call.
 *
 * Every verb takes one table of arguments and gives its answer, or nil, message, code. There is no script host: delegates are C. */
#include <string.h>

#include "../../store/dump.h"
#include "../../store/fault.h"
#include "allocator.h"
#include "engine.h"
#include "values.h"

#define ENGINE_BOX "orrery_inside.engine"
#define VALUES_MAX 6 /* values that one call takes */
#define DELEGATES_MAX 4

typedef struct delegate {
  enum { SETS_VARIABLE, RAISES, RAISES_BPMN_ERROR } kind;
} delegate;

typedef struct engine_box {
  orr_engine *engine;
  store *store; /* the engine's: the one that fails */
  struct store *inner;
  failing_allocator allocator;
  orr_env env;
  delegate delegates[DELEGATES_MAX];
} engine_box;

static engine_box *check_box(lua_State *L) {
  engine_box *box = luaL_checkudata(L, 1, ENGINE_BOX);
  luaL_argcheck(L, box->engine != NULL, 1, "closed engine");
  return box;
}

static int push_failure(lua_State *L, int rc, orr_error *err) {
  lua_pushnil(L);
  lua_pushstring(L, err->message);
  lua_pushinteger(L, err->code == rc ? rc : 0); /* an answer and an error that differ are a finding too */
  orr_error_clear(err);
  return 3;
}

/* ---- Delegates ---------------------------------------------------------------------------------------------------------------- */

static int run_delegate(void *ud, orr_execution *execution, orr_builder *result, orr_error *err) {
  const delegate *d = ud;
  orr_value seen;
  int rc = orr_execution_get(execution, "amount", false, &seen, err);
  if (rc != 0) return rc;
  if (d->kind == RAISES_BPMN_ERROR) return orr_execution_bpmn_error(execution, "DECLINED", "too much", err);
  if (d->kind == RAISES) {
    err->code = ORR_E_SCRIPT;
    return ORR_E_SCRIPT;
  }
  orr_value done = orr_bool(true);
  orr_builder_add(result, &done);
  return orr_execution_set(execution, "charged", &done, false, false, err);
}

static int register_delegates(engine_box *box, orr_error *err) {
  static const struct { const char *name; delegate d; } known[] = {
      {"charge", {SETS_VARIABLE}}, {"broken", {RAISES}}, {"declined", {RAISES_BPMN_ERROR}}};
  int rc = 0;
  for (size_t i = 0; rc == 0 && i < sizeof known / sizeof *known; i++) {
    box->delegates[i] = known[i].d;
    rc = orr_engine_register(box->engine, known[i].name, run_delegate, &box->delegates[i], err);
  }
  return rc;
}

/* ---- Life --------------------------------------------------------------------------------------------------------------------- */

static void arm(engine_box *box, lua_State *L, int at) {
  static const char *const calls[] = {"any", "snapshot", "get", "scan", "next", "commit", NULL};
  lua_getfield(L, at, "memory");
  lua_getfield(L, at, "store");
  lua_getfield(L, at, "call");
  lua_getfield(L, at, "forever");
  bool forever = lua_toboolean(L, -1);
  failing_allocator_arm(&box->allocator, (size_t)luaL_optinteger(L, -4, 0), forever);
  if (box->store != NULL)
    fault_arm(box->store, (fault_call)luaL_checkoption(L, -2, "any", calls), (uint64_t)luaL_optinteger(L, -3, 0), forever);
  lua_pop(L, 4);
}

static void quiet(void *ud, orr_log_level level, const char *message, const orr_value *fields) {
  (void)ud, (void)level, (void)message, (void)fields;
}

static int open_engine(engine_box *box, orr_error *err) {
  store_options options = {.env = &box->env};
  int rc = store_open_memory(&options, &box->inner, err);
  if (rc != 0) return rc;
  rc = store_open_fault(box->inner, &box->env.allocator, &box->store, err);
  if (rc != 0) {
    store_close(box->inner);
    return rc;
  }
  orr_config config;
  orr_config_init(&config);
  config.manual_clock = true;
  config.log = quiet;
  engine_parts parts = {.env = &box->env, .store = box->store};
  rc = engine_open_parts(&config, &parts, &box->engine, err);
  if (rc != 0) box->store = NULL;
  return rc;
}

/* open{memory = n, forever = bool}: armed before opening. A failed open must have given everything back. */
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
  int rc = open_engine(box, &err);
  if (rc == 0) rc = register_delegates(box, &err);
  if (rc == 0) return 1;
  orr_engine_close(box->engine);
  box->engine = NULL;
  if (box->allocator.live != 0) return luaL_error(L, "a failed open leaked %d bytes", (int)box->allocator.live);
  return push_failure(L, rc, &err);
}

/* The bytes that are left over. */
static int l_close(lua_State *L) {
  engine_box *box = luaL_checkudata(L, 1, ENGINE_BOX);
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

/* Everything in the store but the counter of ids, which only moves on, also for commands that fail. */
static int add_to_digest(void *ud, store_bytes key, store_bytes value) {
  static const char counter[] = "groups";
  const size_t n = sizeof counter - 1;
  uint64_t *digest = ud;
  if (key.size > n && memmem(key.data, key.size, counter, n) != NULL) return 0;
  *digest = (*digest ^ store_crc32c(key.data, key.size)) * UINT64_C(0x100000001B3);
  *digest = (*digest ^ store_crc32c(value.data, value.size)) * UINT64_C(0x100000001B3);
  return 0;
}

/* Looks behind the faults, and counts for none. */
static int l_digest(lua_State *L) {
  engine_box *box = check_box(L);
  size_t requests = box->allocator.requests, fail_at = box->allocator.fail_at;
  bool forever = box->allocator.forever;
  store_snapshot *snapshot = NULL;
  uint64_t digest = 0;
  orr_error err = {0};
  failing_allocator_arm(&box->allocator, 0, false);
  int rc = store_snapshot_open(box->inner, &snapshot, &err);
  if (rc == 0) rc = store_dump(snapshot, add_to_digest, &digest, &err);
  if (snapshot != NULL) store_snapshot_close(snapshot);
  failing_allocator_arm(&box->allocator, fail_at, forever);
  box->allocator.requests = requests;
  if (rc != 0) return push_failure(L, rc, &err);
  lua_pushinteger(L, (lua_Integer)digest);
  return 1;
}

/* ---- Arguments ---------------------------------------------------------------------------------------------------------------- */

typedef struct call {
  lua_State *L; /* argument 2 is the table of arguments */
  orr_engine *engine;
  orr_error err;
  orr_builder *out;     /* an answer that is a value */
  orr_records *records; /* an answer that is records */
  int64_t count;        /* an answer that is a number */
  enum { ANSWERS_NOTHING, ANSWERS_VALUE, ANSWERS_RECORDS, ANSWERS_COUNT } answer;
  orr_builder *builders[VALUES_MAX];
  orr_value values[VALUES_MAX];
  int n_values;
} call;

/* Fields stay on the stack until the call ends, so that texts stay where they are. */
static int push_argument(call *k, const char *name) {
  luaL_checkstack(k->L, 4, "arguments");
  return lua_getfield(k->L, 2, name);
}

static const char *text(call *k, const char *name) {
  push_argument(k, name);
  return lua_tostring(k->L, -1);
}

static int64_t number(call *k, const char *name) {
  push_argument(k, name);
  return luaL_optinteger(k->L, -1, 0);
}

static orr_id id(call *k, const char *name) { return (orr_id)number(k, name); }

static bool flag(call *k, const char *name) {
  push_argument(k, name);
  return lua_toboolean(k->L, -1);
}

static const orr_value *value(call *k, const char *name) {
  if (push_argument(k, name) == LUA_TNIL) return NULL;
  if (k->n_values == VALUES_MAX) luaL_error(k->L, "too many values");
  orr_builder *b = orr_builder_new();
  orr_value *out = &k->values[k->n_values];
  k->builders[k->n_values++] = b;
  inside_build_value(k->L, lua_gettop(k->L), b);
  if (orr_builder_value(b, out, NULL) != 0) luaL_error(k->L, "'%s' is no value", name);
  return out;
}

/* ---- Verbs -------------------------------------------------------------------------------------------------------------------- */

static int verb_deploy(call *k) {
  orr_deploy_options options = {.size = sizeof options, .name = text(k, "name")};
  return orr_engine_deploy(k->engine, value(k, "resources"), &options, &k->records, &k->err);
}

static int verb_undeploy(call *k) { return orr_engine_undeploy(k->engine, id(k, "deployment"), flag(k, "cascade"), &k->err); }

static int verb_suspend_definition(call *k) {
  orr_suspend_options options = {.size = sizeof options, .key = text(k, "key"), .instances = flag(k, "instances")};
  return orr_engine_suspend_definition(k->engine, &options, flag(k, "suspended"), &k->err);
}

static int verb_start(call *k) {
  orr_start_options options = {.size = sizeof options,
                               .key = text(k, "key"),
                               .message = text(k, "message"),
                               .business_key = text(k, "business_key"),
                               .variables = value(k, "variables"),
                               .transient = value(k, "transient"),
                               .async = flag(k, "async")};
  return orr_engine_start(k->engine, &options, &k->records, &k->err);
}

static int verb_message(call *k) {
  orr_message_options options = {.size = sizeof options, .business_key = text(k, "business_key"), .variables = value(k, "variables"),
                                 .match = value(k, "match"), .all = flag(k, "all"), .async = flag(k, "async"), .return_variables = true};
  return orr_engine_message(k->engine, text(k, "name"), &options, k->out, &k->err);
}

static int verb_signal(call *k) {
  orr_signal_options options = {.size = sizeof options, .variables = value(k, "variables"), .async = flag(k, "async")};
  return orr_engine_signal(k->engine, text(k, "name"), &options, &k->err);
}

static int verb_trigger(call *k) { return orr_engine_trigger(k->engine, id(k, "execution"), value(k, "variables"), NULL, &k->err); }

static int verb_modify(call *k) { return orr_engine_modify(k->engine, id(k, "instance"), value(k, "instructions"), NULL, &k->err); }

static int verb_delete_instance(call *k) { return orr_engine_delete_instance(k->engine, id(k, "instance"), text(k, "reason"), &k->err); }

static int verb_active(call *k) { return orr_engine_active(k->engine, id(k, "instance"), k->out, &k->err); }

static int verb_tree(call *k) { return orr_engine_tree(k->engine, id(k, "instance"), k->out, &k->err); }

static int verb_get_variables(call *k) {
  return orr_engine_get_variables(k->engine, id(k, "scope"), flag(k, "local"), k->out, &k->err);
}

static int verb_set_variables(call *k) {
  return orr_engine_set_variables(k->engine, id(k, "scope"), value(k, "variables"), flag(k, "local"), &k->err);
}

static int verb_remove_variable(call *k) {
  return orr_engine_remove_variable(k->engine, id(k, "scope"), text(k, "name"), flag(k, "local"), &k->err);
}

static int verb_task_complete(call *k) {
  return orr_engine_task_complete(k->engine, id(k, "task"), value(k, "variables"), value(k, "local_variables"), NULL, &k->err);
}

static int verb_task_claim(call *k) { return orr_engine_task_claim(k->engine, id(k, "task"), text(k, "user"), &k->err); }

static int verb_task_update(call *k) { return orr_engine_task_update(k->engine, id(k, "task"), value(k, "changes"), &k->err); }

static int verb_task_add_link(call *k) {
  return orr_engine_task_add_link(k->engine, id(k, "task"), text(k, "type"), text(k, "user"), text(k, "group"), &k->err);
}

static int verb_task_links(call *k) { return orr_engine_task_links(k->engine, id(k, "task"), k->out, &k->err); }

static int verb_list(call *k) { return orr_engine_list(k->engine, text(k, "verb"), value(k, "filter"), &k->records, &k->err); }

static int verb_count(call *k) { return orr_engine_count(k->engine, text(k, "verb"), value(k, "filter"), &k->count, &k->err); }

static int verb_find(call *k) { return orr_engine_find(k->engine, text(k, "verb"), id(k, "id"), &k->records, &k->err); }

static int verb_set_time(call *k) { return orr_engine_set_time(k->engine, number(k, "time"), &k->err); }

static int verb_run_jobs(call *k) { return orr_engine_run_jobs(k->engine, number(k, "limit"), &k->count, &k->err); }

static int verb_job_execute(call *k) { return orr_engine_job_execute(k->engine, id(k, "job"), &k->err); }

static int verb_job_set_retries(call *k) {
  return orr_engine_job_set_retries(k->engine, id(k, "job"), number(k, "retries"), 0, &k->err);
}

static int verb_why(call *k) { return orr_engine_why(k->engine, id(k, "job"), k->out, &k->err); }

static int verb_fetch_and_lock(call *k) { return orr_engine_fetch_and_lock(k->engine, value(k, "request"), &k->records, &k->err); }

static int verb_external_complete(call *k) {
  return orr_engine_external_complete(k->engine, id(k, "task"), text(k, "worker"), value(k, "variables"), NULL, &k->err);
}

static int verb_external_fail(call *k) {
  return orr_engine_external_fail(k->engine, id(k, "task"), text(k, "worker"), value(k, "failure"), &k->err);
}

static int verb_clean_history(call *k) { return orr_engine_clean_history(k->engine, number(k, "ended_before"), &k->count, &k->err); }

static int verb_verify(call *k) { return orr_engine_verify(k->engine, k->out, &k->err); }

static int verb_begin(call *k) { return orr_engine_begin(k->engine, &k->err); }

static int verb_commit(call *k) { return orr_engine_commit(k->engine, &k->err); }

static int verb_rollback(call *k) {
  orr_engine_rollback(k->engine);
  return 0;
}

/* ---- Calling ------------------------------------------------------------------------------------------------------------------ */

static void push_records(lua_State *L, const orr_records *records) {
  lua_newtable(L);
  for (size_t i = 0; i < orr_records_count(records); i++) {
    const char *name;
    orr_value item;
    lua_newtable(L);
    for (size_t n = 0; orr_records_field(records, i, n, &name, &item); n++) {
      inside_push_value(L, &item);
      lua_setfield(L, -2, name);
    }
    lua_seti(L, -2, (lua_Integer)i + 1);
  }
}

static int push_answer(call *k, int rc) {
  orr_value answer;
  if (rc == 0 && k->answer == ANSWERS_VALUE) rc = orr_builder_value(k->out, &answer, &k->err);
  if (rc != 0) return push_failure(k->L, rc, &k->err);
  if (k->err.code != 0) return luaL_error(k->L, "success with an error: %s", k->err.message);
  switch (k->answer) {
    case ANSWERS_VALUE: inside_push_value(k->L, &answer); break;
    case ANSWERS_RECORDS: push_records(k->L, k->records); break;
    case ANSWERS_COUNT: lua_pushinteger(k->L, k->count); break;
    case ANSWERS_NOTHING: lua_pushboolean(k->L, true); break;
  }
  return 1;
}

typedef struct verb {
  const char *name;
  int (*run)(call *k);
  int answer;
} verb;

static int l_verb(lua_State *L) {
  const verb *v = lua_touserdata(L, lua_upvalueindex(1));
  engine_box *box = check_box(L);
  lua_settop(L, 2);
  if (lua_isnil(L, 2)) {
    lua_newtable(L);
    lua_replace(L, 2);
  }
  call k = {.L = L, .engine = box->engine, .out = orr_builder_new(), .answer = v->answer};
  int rc = v->run(&k);
  int results = push_answer(&k, rc);
  orr_records_free(k.records);
  orr_builder_free(k.out);
  for (int i = 0; i < k.n_values; i++) orr_builder_free(k.builders[i]);
  return results;
}

static const verb verbs[] = {
#define VERB(name, answer) {#name, verb_##name, answer}
    VERB(deploy, ANSWERS_RECORDS), VERB(undeploy, ANSWERS_NOTHING), VERB(suspend_definition, ANSWERS_NOTHING), VERB(start, ANSWERS_RECORDS),
    VERB(message, ANSWERS_VALUE), VERB(signal, ANSWERS_NOTHING), VERB(trigger, ANSWERS_NOTHING), VERB(modify, ANSWERS_NOTHING),
    VERB(delete_instance, ANSWERS_NOTHING), VERB(active, ANSWERS_VALUE), VERB(tree, ANSWERS_VALUE), VERB(get_variables, ANSWERS_VALUE),
    VERB(set_variables, ANSWERS_NOTHING), VERB(remove_variable, ANSWERS_NOTHING), VERB(task_complete, ANSWERS_NOTHING),
    VERB(task_claim, ANSWERS_NOTHING), VERB(task_update, ANSWERS_NOTHING), VERB(task_add_link, ANSWERS_NOTHING),
    VERB(task_links, ANSWERS_VALUE),
    VERB(list, ANSWERS_RECORDS), VERB(count, ANSWERS_COUNT), VERB(find, ANSWERS_RECORDS), VERB(set_time, ANSWERS_NOTHING),
    VERB(run_jobs, ANSWERS_COUNT), VERB(job_execute, ANSWERS_NOTHING), VERB(job_set_retries, ANSWERS_NOTHING), VERB(why, ANSWERS_VALUE),
    VERB(fetch_and_lock, ANSWERS_RECORDS), VERB(external_complete, ANSWERS_NOTHING), VERB(external_fail, ANSWERS_NOTHING),
    VERB(clean_history, ANSWERS_COUNT), VERB(verify, ANSWERS_VALUE), VERB(begin, ANSWERS_NOTHING), VERB(commit, ANSWERS_NOTHING),
    VERB(rollback, ANSWERS_NOTHING),
#undef VERB
};

void inside_scenario(lua_State *L) {
  static const luaL_Reg methods[] = {{"close", l_close}, {"arm", l_arm}, {"counts", l_counts}, {"digest", l_digest}, {NULL, NULL}};
  luaL_newmetatable(L, ENGINE_BOX);
  luaL_newlib(L, methods);
  for (size_t i = 0; i < sizeof verbs / sizeof *verbs; i++) {
    lua_pushlightuserdata(L, (void *)&verbs[i]);
    lua_pushcclosure(L, l_verb, 1);
    lua_setfield(L, -2, verbs[i].name);
  }
  lua_setfield(L, -2, "__index");
  lua_pushcfunction(L, l_close);
  lua_setfield(L, -2, "__gc");
  lua_pop(L, 1);
  lua_pushcfunction(L, l_open);
  lua_setfield(L, -2, "open");
}
