/* Two commands, step by step: what decides a race is the order of their reads and commits, so a spec goes through all of them.
 *
 *   read         begins the unit and runs the command in it
 *   validate     makes the batch with the revisions that it relies on
 *   commit       the store checks and writes
 *   acknowledge  the unit ends, whoever asked is told
 *
 * Runs over an engine on a memory store, with a C delegate "work" that counts itself in the variable "n". */
#include <stdlib.h>
#include <string.h>

#include "../../runtime/job/acquire.h"
#include "../../runtime/job/run.h"
#include "engine.h"
#include "inside.h"

#define ENGINE_BOX "orrery_inside.races.engine"
#define COMMAND_BOX "orrery_inside.races.command"

typedef struct engine_box {
  orr_engine *engine;
  int64_t runs; /* of the delegate, committed or not */
} engine_box;

typedef struct race_command race_command;
typedef int (*command_fn)(orr_engine *engine, const race_command *command, orr_error *err);

struct race_command {
  command_fn run; /* NULL: runs a job */
  orr_id id;
  int64_t number;
  char text[64];
  context *c;
  store_batch *batch;
  int status; /* an orr error code */
  bool over;
};

static orr_engine *check_engine(lua_State *L, int i) {
  const engine_box *box = luaL_checkudata(L, i, ENGINE_BOX);
  luaL_argcheck(L, box->engine != NULL, i, "closed");
  return box->engine;
}

static int raise(lua_State *L, orr_error *err) {
  lua_pushfstring(L, "%s: %s", orr_error_kind(err->code), err->message ? err->message : orr_strerror(err->code));
  orr_error_clear(err);
  return lua_error(L);
}

/* ---- The engine --------------------------------------------------------------------------------------------------------------- */

static int work(void *ud, orr_execution *execution, orr_builder *result, orr_error *err) {
  engine_box *box = ud;
  orr_value n = {0};
  (void)result;
  box->runs++;
  int rc = orr_execution_get(execution, "n", false, &n, err);
  n = orr_int(n.type == ORR_INT ? n.as.integer + 1 : 1);
  return rc ? rc : orr_execution_set(execution, "n", &n, false, false, err);
}

static void no_log(void *ud, orr_log_level level, const char *message, const orr_value *fields) {
  (void)ud, (void)level, (void)message, (void)fields;
}

static int l_open(lua_State *L) {
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
  engine_parts parts = {.env = &env};
  orr_error err = {0};
  int rc = store_open_memory(&options, &parts.store, &err);
  if (!rc) rc = engine_open_parts(&config, &parts, &box->engine, &err);
  if (!rc) rc = orr_engine_register(box->engine, "work", work, box, &err);
  return rc ? raise(L, &err) : 1;
}

static int l_close(lua_State *L) {
  engine_box *box = luaL_checkudata(L, 1, ENGINE_BOX);
  orr_engine_close(box->engine);
  box->engine = NULL;
  return 0;
}

static int l_deploy(lua_State *L) {
  orr_engine *engine = check_engine(L, 1);
  orr_value xml = orr_string(luaL_checkstring(L, 2)), resources;
  orr_builder *b = orr_builder_new();
  orr_error err = {0};
  orr_records *out = NULL;
  orr_builder_map(b);
  orr_builder_key(b, "p.bpmn", 6);
  orr_builder_add(b, &xml);
  orr_builder_end(b);
  int rc = orr_builder_value(b, &resources, &err);
  if (!rc) rc = orr_engine_deploy(engine, &resources, NULL, &out, &err);
  orr_records_free(out);
  orr_builder_free(b);
  return rc ? raise(L, &err) : 0;
}

static void push_value(lua_State *L, const orr_value *value) {
  switch (value->type) {
    case ORR_BOOL: lua_pushboolean(L, value->as.boolean); break;
    case ORR_INT: lua_pushinteger(L, value->as.integer); break;
    case ORR_FLOAT: lua_pushnumber(L, value->as.number); break;
    case ORR_STRING: lua_pushlstring(L, value->as.bytes, value->size); break;
    default: lua_pushnil(L);
  }
}

/* list(verb) -> records with their scalar fields */
static int l_list(lua_State *L) {
  orr_engine *engine = check_engine(L, 1);
  orr_error err = {0};
  orr_records *records = NULL;
  if (orr_engine_list(engine, luaL_checkstring(L, 2), NULL, &records, &err)) return raise(L, &err);
  lua_newtable(L);
  for (size_t i = 0; i < orr_records_count(records); i++) {
    const char *name;
    orr_value value;
    lua_newtable(L);
    for (size_t n = 0; orr_records_field(records, i, n, &name, &value); n++) {
      push_value(L, &value);
      lua_setfield(L, -2, name);
    }
    lua_seti(L, -2, (lua_Integer)i + 1);
  }
  orr_records_free(records);
  return 1;
}

/* verify() -> how many findings */
static int l_verify(lua_State *L) {
  orr_builder *b = orr_builder_new();
  orr_error err = {0};
  orr_value findings;
  int rc = orr_engine_verify(check_engine(L, 1), b, &err);
  if (!rc) rc = orr_builder_value(b, &findings, &err);
  if (!rc) lua_pushinteger(L, (lua_Integer)orr_count(&findings));
  orr_builder_free(b);
  return rc ? raise(L, &err) : 1;
}

static int l_advance(lua_State *L) {
  orr_engine *engine = check_engine(L, 1);
  orr_error err = {0};
  return orr_engine_set_time(engine, orr_engine_now(engine) + luaL_checkinteger(L, 2), &err) ? raise(L, &err) : 0;
}

static int l_run_jobs(lua_State *L) {
  int64_t ran;
  orr_error err = {0};
  if (orr_engine_run_jobs(check_engine(L, 1), 0, &ran, &err)) return raise(L, &err);
  lua_pushinteger(L, ran);
  return 1;
}

static int l_runs(lua_State *L) {
  lua_pushinteger(L, ((engine_box *)luaL_checkudata(L, 1, ENGINE_BOX))->runs);
  return 1;
}

/* ---- Commands ----------------------------------------------------------------------------------------------------------------- */

static int variable_map(orr_builder *b, const char *name, int64_t number, orr_value *out, orr_error *err) {
  orr_value value = orr_int(number);
  orr_builder_map(b);
  orr_builder_key(b, name, strlen(name));
  orr_builder_add(b, &value);
  orr_builder_end(b);
  return orr_builder_value(b, out, err);
}

static int set_variable(orr_engine *engine, const race_command *k, orr_error *err) {
  orr_builder *b = orr_builder_new();
  orr_value map;
  int rc = variable_map(b, k->text, k->number, &map, err);
  if (!rc) rc = orr_engine_set_variables(engine, k->id, &map, false, err);
  orr_builder_free(b);
  return rc;
}

static int suspend_instance(orr_engine *engine, const race_command *k, orr_error *err) {
  orr_builder *b = orr_builder_new();
  orr_value map;
  int rc = variable_map(b, "id", (int64_t)k->id, &map, err);
  if (!rc) rc = orr_engine_suspend_instances(engine, &map, k->number != 0, err);
  orr_builder_free(b);
  return rc;
}

static int message(orr_engine *engine, const race_command *k, orr_error *err) {
  orr_message_options options = {.size = sizeof options, .instance = k->id};
  orr_builder *b = orr_builder_new();
  int rc = orr_engine_message(engine, k->text, &options, b, err);
  orr_builder_free(b);
  return rc;
}

static int start(orr_engine *engine, const race_command *k, orr_error *err) {
  orr_start_options options = {.size = sizeof options, .key = k->text};
  orr_records *out = NULL;
  int rc = orr_engine_start(engine, &options, &out, err);
  orr_records_free(out);
  return rc;
}

static int suspend_definition(orr_engine *engine, const race_command *k, orr_error *err) {
  orr_suspend_options options = {.size = sizeof options, .key = k->text};
  return orr_engine_suspend_definition(engine, &options, k->number != 0, err);
}

/* Acquisition's second phase for one job; taken by another already: nothing to do. */
static int lock_job(orr_engine *engine, const race_command *k, orr_error *err) {
  context *c = engine_thread_get(engine, err)->current;
  acquire_rules rules = {.owner = k->text, .lock_ms = 300 * 1000};
  rec_job *job = unit_job(c->u, k->id, err);
  bool taken = false;
  return job && job->state == ORR_JOB_READY ? acquire_lock(c, &rules, job, &taken) : err->code;
}

#define ONE_CALL(name, call) \
  static int name(orr_engine *engine, const race_command *k, orr_error *err) { return call; }
ONE_CALL(suspend_job, orr_engine_job_suspend(engine, k->id, k->number != 0, err))
ONE_CALL(delete_job, orr_engine_job_delete(engine, k->id, err))
ONE_CALL(set_priority, orr_engine_job_set_priority(engine, k->id, k->number, err))
ONE_CALL(set_retries, orr_engine_job_set_retries(engine, k->id, k->number, 0, err))
ONE_CALL(complete, orr_engine_task_complete(engine, k->id, NULL, NULL, NULL, err))
ONE_CALL(claim, orr_engine_task_claim(engine, k->id, k->text, err))
ONE_CALL(signal_all, orr_engine_signal(engine, k->text, NULL, err))
ONE_CALL(trigger, orr_engine_trigger(engine, k->id, NULL, NULL, err))
ONE_CALL(drop_instance, orr_engine_delete_instance(engine, k->id, "race", err))
ONE_CALL(external_lock, orr_engine_external_lock(engine, k->id, k->text, 60000, false, err))
ONE_CALL(external_complete, orr_engine_external_complete(engine, k->id, k->text, NULL, NULL, err))

static const struct command_name {
  const char *name;
  command_fn run;
} command_names[] = {
    {"run_job", NULL}, {"lock_job", lock_job}, {"suspend_job", suspend_job}, {"delete_job", delete_job}, {"set_priority", set_priority},
    {"set_retries", set_retries}, {"set_variable", set_variable}, {"suspend_instance", suspend_instance}, {"message", message},
    {"start", start}, {"suspend_definition", suspend_definition}, {"complete", complete}, {"claim", claim}, {"signal", signal_all},
    {"trigger", trigger}, {"delete_instance", drop_instance}, {"external_lock", external_lock}, {"external_complete", external_complete},
};

/* command(name, { id, number, text }) */
static int l_command(lua_State *L) {
  check_engine(L, 1);
  const char *name = luaL_checkstring(L, 2);
  race_command *k = lua_newuserdatauv(L, sizeof *k, 1);
  memset(k, 0, sizeof *k);
  luaL_setmetatable(L, COMMAND_BOX);
  lua_pushvalue(L, 1);
  lua_setiuservalue(L, -2, 1);
  size_t i = 0, n = sizeof command_names / sizeof *command_names;
  while (i < n && strcmp(command_names[i].name, name) != 0) i++;
  luaL_argcheck(L, i < n, 2, "no such command");
  k->run = command_names[i].run;
  lua_getfield(L, 3, "id");
  k->id = lua_isstring(L, -1) ? strtoull(lua_tostring(L, -1), NULL, 10) : 0;
  lua_getfield(L, 3, "number");
  k->number = lua_tointeger(L, -1);
  lua_getfield(L, 3, "text");
  strncpy(k->text, luaL_optstring(L, -1, ""), sizeof k->text - 1);
  lua_pop(L, 3);
  return 1;
}

/* ---- Steps -------------------------------------------------------------------------------------------------------------------- */

static race_command *check_command(lua_State *L, orr_engine **engine) {
  race_command *k = luaL_checkudata(L, 1, COMMAND_BOX);
  lua_getiuservalue(L, 1, 1);
  *engine = check_engine(L, -1);
  return k;
}

static void end(race_command *k, int status) {
  k->status = status;
  k->over = true;
  if (k->c) context_end(k->c);
  k->c = NULL;
}

static int read_job(orr_engine *engine, race_command *k, orr_error *err) {
  const char *owner = k->text[0] ? k->text : NULL;
  int rc = run_begin(engine, NULL, k->id, owner, &k->c, err);
  if (rc || !k->c) return rc ? rc : ORR_E_NOT_FOUND;
  rc = k->c->state == CONTEXT_FAILED ? k->c->error.code : context_run(k->c);
  return rc ? rc : run_complete(k->c);
}

static int read_command(orr_engine *engine, race_command *k, orr_error *err) {
  int rc = orr_engine_begin(engine, err);
  if (rc) return rc;
  rc = k->run(engine, k, err);
  engine_thread *thread = engine_thread_get(engine, NULL);
  k->c = thread->current;
  thread->current = NULL;
  return rc;
}

static int l_read(lua_State *L) {
  orr_engine *engine;
  race_command *k = check_command(L, &engine);
  orr_error err = {0};
  int rc = k->run ? read_command(engine, k, &err) : read_job(engine, k, &err);
  orr_error_clear(&err);
  if (rc) end(k, rc);
  else unit_pause(k->c->u); /* as a waiting unit would be: no view stays open */
  return 0;
}

static int l_validate(lua_State *L) {
  orr_engine *engine;
  race_command *k = check_command(L, &engine);
  orr_error err = {0};
  int rc = k->over ? 0 : context_flush(k->c, &k->batch, &err);
  orr_error_clear(&err);
  if (rc) end(k, rc);
  return 0;
}

static int l_commit(lua_State *L) {
  orr_engine *engine;
  race_command *k = check_command(L, &engine);
  orr_error err = {0};
  if (k->over || k->batch->count == 0) return 0;
  int rc = store_commit(engine->store, k->batch, 1, &err);
  k->status = rc ? rc : k->batch->status;
  orr_error_clear(&err);
  return 0;
}

/* "ok" or the kind of error */
static int l_acknowledge(lua_State *L) {
  orr_engine *engine;
  race_command *k = check_command(L, &engine);
  if (!k->over) {
    context_committed(k->c, k->status);
    k->c = NULL;
    k->over = true;
  }
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
  static const luaL_Reg of_engine[] = {{"deploy", l_deploy}, {"list", l_list}, {"verify", l_verify}, {"advance", l_advance},
                                       {"runs", l_runs},
                                       {"run_jobs", l_run_jobs}, {"command", l_command}, {"close", l_close}, {"__gc", l_close},
                                       {"__close", l_close}, {NULL, NULL}};
  static const luaL_Reg of_command[] = {
      {"read", l_read}, {"validate", l_validate}, {"commit", l_commit}, {"acknowledge", l_acknowledge}, {NULL, NULL}};
  metatable(L, ENGINE_BOX, of_engine);
  metatable(L, COMMAND_BOX, of_command);
  luaL_setfuncs(L, functions, 0);
}
