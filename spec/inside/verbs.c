/* The public verbs for specs: each takes one table of arguments and gives its answer, or nil, message, code. */
#include "exec/task/task_create.h"
#include "verbs.h"

#include <string.h>

#include "values.h"

#define VALUES_MAX 6 /* values that one call takes */

/* ---- Arguments ------------------------------------------------------------------------------- */

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
  if (orr_builder_value(b, out, NULL)) luaL_error(k->L, "\"%s\" is no value", name);
  return out;
}

/* ---- Verbs ----------------------------------------------------------------------------------- */

static int verb_deploy(call *k) {
  orr_deploy_options options = {
      .size = sizeof options, .name = text(k, "name"), .filter_duplicates = text(k, "filter_duplicates")};
  return orr_engine_deploy(k->engine, value(k, "resources"), &options, &k->records, &k->err);
}

static int verb_delete_definition(call *k) {
  return orr_engine_definition_delete(k->engine, id(k, "definition"), flag(k, "cascade"), &k->err);
}

static int verb_undeploy(call *k) {
  return orr_engine_deployment_delete(k->engine, id(k, "deployment"), flag(k, "cascade"), &k->err);
}

static int verb_decision(call *k) {
  orr_decision_options options = {.size = sizeof options, .key = text(k, "key"), .version = number(k, "version")};
  return orr_engine_decision_find(k->engine, &options, &k->records, &k->err);
}

static int verb_decision_table(call *k) { return orr_engine_decision_table(k->engine, id(k, "decision"), k->out, &k->err); }

static int verb_decision_code(call *k) {
  return orr_engine_decision_code(k->engine, id(k, "deployment"), text(k, "resource"), k->out, &k->err);
}

static int verb_record_decisions(call *k) {
  return orr_engine_decisions_record(k->engine, value(k, "rows"), id(k, "execution"), &k->err);
}

static int verb_set_user(call *k) { return orr_engine_set_user(k->engine, text(k, "user"), &k->err); }

static int verb_task_create(call *k) { return orr_engine_task_create(k->engine, value(k, "fields"), &k->records, &k->err); }

static int verb_task_delete(call *k) { return orr_engine_task_delete(k->engine, id(k, "task"), text(k, "reason"), &k->err); }

static int verb_add_comment(call *k) {
  return orr_engine_comment_add(k->engine, id(k, "to"), text(k, "message"), &k->records, &k->err);
}

static int verb_add_attachment(call *k) {
  return orr_engine_attachment_add(k->engine, id(k, "to"), value(k, "attachment"), &k->records, &k->err);
}

static int verb_attachment_content(call *k) {
  return orr_engine_attachment_content(k->engine, id(k, "attachment"), k->out, &k->err);
}

static int verb_delete_attachment(call *k) {
  return orr_engine_attachment_delete(k->engine, id(k, "attachment"), &k->err);
}

static int verb_get_variables_typed(call *k) {
  return orr_engine_variables_get_typed(k->engine, id(k, "scope"), ORR_VISIBLE, k->out, &k->err);
}

static int verb_delete_history(call *k) { return orr_engine_history_delete(k->engine, id(k, "instance"), &k->err); }

static int verb_delete_history_variables(call *k) {
  return orr_engine_history_delete_variables(k->engine, id(k, "of"), text(k, "name"), &k->count, &k->err);
}

static int verb_create_incident(call *k) {
  return orr_engine_incident_create(k->engine, id(k, "execution"), text(k, "type"), text(k, "configuration"),
                                    text(k, "message"), &k->records, &k->err);
}

static int verb_set_history_time_to_live(call *k) {
  return orr_engine_definition_set_time_to_live(k->engine, id(k, "definition"), text(k, "time_to_live"), &k->err);
}

static int verb_called_definitions(call *k) {
  return orr_engine_definition_calls(k->engine, id(k, "definition"), k->out, &k->err);
}

static int verb_durations(call *k) {
  return orr_engine_history_durations(k->engine, text(k, "verb"), NULL, text(k, "period"), k->out,
      &k->err);
}

static int verb_suspend_definition(call *k) {
  orr_suspend_options options = {.size = sizeof options, .key = text(k, "key"), .instances = flag(k, "instances")};
  return (flag(k, "suspended") ? orr_engine_definition_suspend : orr_engine_definition_activate)(k->engine, &options, &k->err);
}

static int verb_suspend_instance(call *k) {
  orr_builder *b = orr_builder_new();
  orr_value filter, instance = orr_int(number(k, "instance"));
  orr_builder_map(b);
  orr_builder_key(b, "id", strlen("id"));
  orr_builder_add(b, &instance);
  orr_builder_end(b);
  int rc = orr_builder_value(b, &filter, &k->err);
  if (!rc)
    rc = (flag(k, "suspended") ? orr_engine_instances_suspend : orr_engine_instances_activate)(k->engine, &filter, &k->err);
  orr_builder_free(b);
  return rc;
}

static int verb_start(call *k) {
  orr_start_options options = {.size = sizeof options,
                               .key = text(k, "key"),
                               .message = text(k, "message"),
                               .business_key = text(k, "business_key"),
                               .variables = value(k, "variables"),
                               .transient = value(k, "transient"),
                               .async = flag(k, "async")};
  return orr_engine_instance_start(k->engine, &options, &k->records, &k->err);
}

static int verb_message(call *k) {
  orr_message_options options = {.size = sizeof options, .instance = id(k, "instance"), .business_key = text(k, "business_key"),
                                 .variables = value(k, "variables"), .match = value(k, "match"),
                                 .all = flag(k, "all"), .async = flag(k, "async"), .return_variables = true};
  return orr_engine_message(k->engine, text(k, "name"), &options, k->out, &k->err);
}

static int verb_signal(call *k) {
  orr_signal_options options = {.size = sizeof options, .variables = value(k, "variables"), .async = flag(k, "async")};
  return orr_engine_signal(k->engine, text(k, "name"), &options, &k->err);
}

static int verb_trigger(call *k) {
  return orr_engine_execution_trigger(k->engine, id(k, "execution"), value(k, "variables"), NULL,
      &k->err);
}

static int verb_modify(call *k) {
  return orr_engine_instance_modify(k->engine, id(k, "instance"), value(k, "instructions"), NULL,
      &k->err);
}

static int verb_delete_instance(call *k) {
  return orr_engine_instance_delete(k->engine, id(k, "instance"), text(k, "reason"), NULL,
                                    &k->err);
}

/* Moves instances along the plan that maps what is equal. */
static int verb_migrate(call *k) {
  orr_migration_options by = {.size = sizeof by, .source = id(k, "source"), .target = id(k, "target")};
  orr_migrate_options options = {.size = sizeof options, .instances = value(k, "instances")};
  orr_builder *b = orr_builder_new();
  orr_value plan;
  int rc = orr_engine_migration_plan(k->engine, &by, b, &k->err);
  if (!rc) rc = orr_builder_value(b, &plan, &k->err);
  if (!rc) rc = orr_engine_instances_migrate(k->engine, &plan, &options, &k->count, &k->err);
  orr_builder_free(b);
  return rc;
}

static int verb_active(call *k) { return orr_engine_instance_active(k->engine, id(k, "instance"), k->out, &k->err); }

static int verb_tree(call *k) { return orr_engine_instance_tree(k->engine, id(k, "instance"), k->out, &k->err); }

static int verb_get_variables(call *k) {
  return orr_engine_variables_get(k->engine, id(k, "scope"), flag(k, "local"), k->out, &k->err);
}

static int verb_set_variables(call *k) {
  return orr_engine_variables_set(k->engine, id(k, "scope"), value(k, "variables"), flag(k, "local"), &k->err);
}

static int verb_remove_variable(call *k) {
  return orr_engine_variable_remove(k->engine, id(k, "scope"), text(k, "name"), flag(k, "local"), &k->err);
}

static int verb_task_complete(call *k) {
  return orr_engine_task_complete(k->engine, id(k, "task"), value(k, "variables"), value(k, "local_variables"), NULL, &k->err);
}

static int verb_task_claim(call *k) { return orr_engine_task_claim(k->engine, id(k, "task"), text(k, "user"), &k->err); }

static int verb_task_update(call *k) { return orr_engine_task_update(k->engine, id(k, "task"), value(k, "changes"), &k->err); }

static int verb_task_add_link(call *k) {
  return orr_engine_task_add_link(k->engine, id(k, "task"), text(k, "type"), text(k, "user"), text(k, "group"), &k->err);
}

static int verb_task_remove_link(call *k) {
  return orr_engine_task_remove_link(k->engine, id(k, "task"), text(k, "type"), text(k, "user"), text(k, "group"), &k->err);
}

static int verb_task_bpmn_error(call *k) {
  return orr_engine_task_bpmn_error(k->engine, id(k, "task"), text(k, "code"), NULL, NULL, &k->err);
}

static int verb_task_links(call *k) { return orr_engine_task_links(k->engine, id(k, "task"), k->out, &k->err); }

static int verb_list(call *k) { return orr_engine_list(k->engine, text(k, "verb"), value(k, "filter"), &k->records, &k->err); }

static int verb_count(call *k) { return orr_engine_count(k->engine, text(k, "verb"), value(k, "filter"), &k->count, &k->err); }

static int verb_find(call *k) { return orr_engine_find(k->engine, text(k, "verb"), id(k, "id"), &k->records, &k->err); }

static int verb_set_time(call *k) { return orr_engine_set_time(k->engine, number(k, "time"), &k->err); }

static int verb_run_jobs(call *k) { return orr_engine_jobs_run(k->engine, number(k, "limit"), &k->count, &k->err); }

static int verb_job_execute(call *k) { return orr_engine_job_execute(k->engine, id(k, "job"), &k->err); }

static int verb_job_set_retries(call *k) {
  return orr_engine_job_set_retries(k->engine, id(k, "job"), number(k, "retries"), 0, &k->err);
}

static int verb_job_set_priority(call *k) {
  return orr_engine_job_set_priority(k->engine, id(k, "job"), number(k, "priority"), &k->err);
}

static int verb_job_set_due(call *k) {
  return orr_engine_job_set_due(k->engine, id(k, "job"), number(k, "due"), false, &k->err);
}

static int verb_job_suspend(call *k) {
  return (flag(k, "suspended") ? orr_engine_job_suspend : orr_engine_job_activate)(k->engine, id(k, "job"), &k->err);
}

static int verb_job_definition_suspend(call *k) {
  return orr_engine_job_definition_suspend(k->engine, id(k, "job_definition"), flag(k, "jobs"), 0, &k->err);
}

static int verb_job_definition_set_priority(call *k) {
  return orr_engine_job_definition_set_priority(k->engine, id(k, "job_definition"), number(k, "priority"), flag(k, "cascade"),
                                                &k->err);
}

static int verb_job_delete(call *k) { return orr_engine_job_delete(k->engine, id(k, "job"), &k->err); }

static int verb_batch(call *k) {
  orr_batch_options options = {
      .size = sizeof options, .action = text(k, "action"), .list = text(k, "list"),
      .filter = value(k, "filter"), .job_size = number(k, "size"),
      .jobs_per_seed = number(k, "jobs_per_seed"), .retries = number(k, "retries")};
  return orr_engine_batch_create(k->engine, &options, &k->records, &k->err);
}

static int verb_batch_cancel(call *k) { return orr_engine_batch_cancel(k->engine, id(k, "batch"), &k->err); }

static int verb_batch_suspend(call *k) {
  return (flag(k, "suspended") ? orr_engine_batch_suspend : orr_engine_batch_activate)(k->engine, id(k, "batch"), &k->err);
}

static int verb_delete_batch(call *k) {
  return orr_engine_batch_delete(k->engine, id(k, "batch"), flag(k, "cascade") ? ORR_CASCADE : ORR_ALONE, &k->err);
}

static int verb_set_limit(call *k) {
  orr_limit_target target = {.size = sizeof target, .job_definition = id(k, "job_definition"),
                             .topic = text(k, "topic"), .key = text(k, "key")};
  orr_limit_options limit = {.size = sizeof limit, .max = number(k, "max")};
  return orr_engine_limit_set(k->engine, &target, &limit, &k->err);
}

static int verb_clear_limit(call *k) {
  orr_limit_target target = {.size = sizeof target, .job_definition = id(k, "job_definition"),
                             .topic = text(k, "topic"), .key = text(k, "key")};
  return orr_engine_limit_clear(k->engine, &target, &k->err);
}

static int verb_why(call *k) { return orr_engine_job_why(k->engine, id(k, "job"), k->out,
    &k->err); }

static int verb_fetch_and_lock(call *k) {
  return orr_engine_externals_fetch_and_lock(k->engine, value(k, "request"), &k->records, &k->err);
}

static int verb_external_complete(call *k) {
  return orr_engine_external_complete(k->engine, id(k, "task"), text(k, "worker"), value(k, "variables"), NULL, &k->err);
}

static int verb_external_fail(call *k) {
  return orr_engine_external_fail(k->engine, id(k, "task"), text(k, "worker"), value(k, "failure"), &k->err);
}

static int verb_external_lock(call *k) {
  return (flag(k, "extend") ? orr_engine_external_extend_lock : orr_engine_external_lock)(
      k->engine, id(k, "task"), text(k, "worker"), number(k, "duration"), &k->err);
}

static int verb_external_unlock(call *k) { return orr_engine_external_unlock(k->engine, id(k, "task"), &k->err); }

static int verb_external_bpmn_error(call *k) {
  return orr_engine_external_bpmn_error(k->engine, id(k, "task"), text(k, "worker"), text(k, "code"), NULL, NULL, &k->err);
}

static int verb_external_set_retries(call *k) {
  return orr_engine_external_set_retries(k->engine, id(k, "task"), number(k, "retries"), &k->err);
}

static int verb_schedule_clean_history(call *k) {
  return orr_engine_history_schedule_clean(k->engine, value(k, "request"), &k->err);
}

static int verb_clean_history(call *k) {
  return orr_engine_history_clean(k->engine, number(k, "ended_before"), &k->count, &k->err);
}

static int verb_verify(call *k) { return orr_engine_verify(k->engine, NULL, k->out, &k->err); }

static int verb_start_executor(call *k) {
  orr_executor_options options = {.size = sizeof options,
                                  .threads = (uint32_t)number(k, "threads"),
                                  .lock_time = number(k, "lock_ms"),
                                  .queue_size = (uint32_t)number(k, "queue_size"),
                                  .acquire_by_priority = flag(k, "by_priority") ? ORR_ON : ORR_UNSET};
  return orr_engine_executor_start(k->engine, &options, &k->err);
}

static int verb_stop_executor(call *k) { return orr_engine_executor_stop(k->engine, &k->err); }

/* Answers 1 when it became idle in time. */
static int verb_wait_idle(call *k) {
  bool idle = false;
  int rc = orr_engine_wait_idle(k->engine, 1000 * (double)number(k, "seconds"), &idle, &k->err);
  k->count = idle;
  return rc;
}

static int verb_begin(call *k) { return orr_engine_begin(k->engine, &k->err); }

static int verb_commit(call *k) { return orr_engine_commit(k->engine, &k->err); }

static int verb_rollback(call *k) {
  orr_engine_rollback(k->engine);
  return 0;
}

/* ---- Calling --------------------------------------------------------------------------------- */

int verb_push_failure(lua_State *L, int rc, orr_error *err) {
  lua_pushnil(L);
  lua_pushstring(L, err->message);
  lua_pushinteger(L, err->code == rc ? rc : 0); /* an answer and an error that differ are a finding too */
  orr_error_clear(err);
  return 3;
}

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
  if (!rc && k->answer == ANSWERS_VALUE) rc = orr_builder_value(k->out, &answer, &k->err);
  if (rc) return verb_push_failure(k->L, rc, &k->err);
  if (k->err.code != 0) return luaL_error(k->L, "success with an error: %s", k->err.message);
  switch (k->answer) {
    case ANSWERS_VALUE: inside_push_value(k->L, &answer); break;
    case ANSWERS_RECORDS: push_records(k->L, k->records); break;
    case ANSWERS_COUNT: lua_pushinteger(k->L, k->count); break;
    case ANSWERS_NOTHING: lua_pushboolean(k->L, true); break;
  }
  return 1;
}

struct verb {
  const char *name;
  int (*run)(call *k);
  int answer;
};

static const verb verbs[] = {
#define VERB(name, answer) {#name, verb_##name, answer}
    /* repository */
    VERB(deploy, ANSWERS_RECORDS),
    VERB(undeploy, ANSWERS_NOTHING),
    VERB(delete_definition, ANSWERS_NOTHING),
    VERB(suspend_definition, ANSWERS_NOTHING),
    VERB(decision, ANSWERS_RECORDS),
    VERB(decision_code, ANSWERS_VALUE),
    VERB(decision_table, ANSWERS_VALUE),
    VERB(record_decisions, ANSWERS_NOTHING),
    /* instances */
    VERB(start, ANSWERS_RECORDS),
    VERB(message, ANSWERS_VALUE),
    VERB(signal, ANSWERS_NOTHING),
    VERB(trigger, ANSWERS_NOTHING),
    VERB(modify, ANSWERS_NOTHING),
    VERB(migrate, ANSWERS_COUNT),
    VERB(suspend_instance, ANSWERS_NOTHING),
    VERB(delete_instance, ANSWERS_NOTHING),
    VERB(active, ANSWERS_VALUE),
    VERB(tree, ANSWERS_VALUE),
    VERB(get_variables, ANSWERS_VALUE),
    VERB(set_variables, ANSWERS_NOTHING),
    VERB(remove_variable, ANSWERS_NOTHING),
    /* tasks */
    VERB(task_complete, ANSWERS_NOTHING),
    VERB(task_claim, ANSWERS_NOTHING),
    VERB(task_update, ANSWERS_NOTHING),
    VERB(task_add_link, ANSWERS_NOTHING),
    VERB(task_remove_link, ANSWERS_NOTHING),
    VERB(task_links, ANSWERS_VALUE),
    VERB(task_bpmn_error, ANSWERS_NOTHING),
    VERB(task_create, ANSWERS_RECORDS),
    VERB(task_delete, ANSWERS_NOTHING),
    VERB(add_comment, ANSWERS_RECORDS),
    VERB(add_attachment, ANSWERS_RECORDS),
    VERB(attachment_content, ANSWERS_VALUE),
    VERB(delete_attachment, ANSWERS_NOTHING),
    VERB(set_user, ANSWERS_NOTHING),
    VERB(get_variables_typed, ANSWERS_VALUE),
    VERB(delete_history, ANSWERS_NOTHING),
    VERB(delete_history_variables, ANSWERS_COUNT),
    VERB(create_incident, ANSWERS_RECORDS),
    VERB(set_history_time_to_live, ANSWERS_NOTHING),
    VERB(called_definitions, ANSWERS_VALUE),
    VERB(durations, ANSWERS_VALUE),
    /* jobs */
    VERB(run_jobs, ANSWERS_COUNT),
    VERB(job_execute, ANSWERS_NOTHING),
    VERB(job_set_retries, ANSWERS_NOTHING),
    VERB(job_set_priority, ANSWERS_NOTHING),
    VERB(job_set_due, ANSWERS_NOTHING),
    VERB(job_suspend, ANSWERS_NOTHING),
    VERB(job_definition_suspend, ANSWERS_NOTHING),
    VERB(job_definition_set_priority, ANSWERS_NOTHING),
    VERB(job_delete, ANSWERS_NOTHING),
    VERB(why, ANSWERS_VALUE),
    VERB(batch, ANSWERS_RECORDS),
    VERB(batch_cancel, ANSWERS_NOTHING),
    VERB(batch_suspend, ANSWERS_NOTHING),
    VERB(delete_batch, ANSWERS_NOTHING),
    VERB(set_limit, ANSWERS_NOTHING),
    VERB(clear_limit, ANSWERS_NOTHING),
    /* external tasks */
    VERB(fetch_and_lock, ANSWERS_RECORDS),
    VERB(external_lock, ANSWERS_NOTHING),
    VERB(external_unlock, ANSWERS_NOTHING),
    VERB(external_complete, ANSWERS_NOTHING),
    VERB(external_fail, ANSWERS_NOTHING),
    VERB(external_bpmn_error, ANSWERS_NOTHING),
    VERB(external_set_retries, ANSWERS_NOTHING),
    /* everything */
    VERB(list, ANSWERS_RECORDS),
    VERB(count, ANSWERS_COUNT),
    VERB(find, ANSWERS_RECORDS),
    VERB(set_time, ANSWERS_NOTHING),
    VERB(clean_history, ANSWERS_COUNT),
    VERB(schedule_clean_history, ANSWERS_NOTHING),
    VERB(verify, ANSWERS_VALUE),
    VERB(start_executor, ANSWERS_NOTHING),
    VERB(stop_executor, ANSWERS_NOTHING),
    VERB(wait_idle, ANSWERS_COUNT),
    VERB(begin, ANSWERS_NOTHING),
    VERB(commit, ANSWERS_NOTHING),
    VERB(rollback, ANSWERS_NOTHING),
#undef VERB
};

const verb *verb_at(size_t i) { return i < sizeof verbs / sizeof *verbs ? &verbs[i] : NULL; }
const char *verb_name(const verb *v) { return v->name; }

const verb *verb_named(const char *name) {
  for (size_t i = 0; i < sizeof verbs / sizeof *verbs; i++)
    if (strcmp(verbs[i].name, name) == 0) return &verbs[i];
  return NULL;
}

const verb *verb_argument(lua_State *L) {
  const verb *v = verb_named(luaL_checkstring(L, 2));
  luaL_argcheck(L, v, 2, "no such verb");
  lua_settop(L, 3);
  lua_remove(L, 2);
  return v;
}

int verb_call(lua_State *L, const verb *v, orr_engine *engine) {
  lua_settop(L, 2);
  if (lua_isnil(L, 2)) {
    lua_newtable(L);
    lua_replace(L, 2);
  }
  call k = {.L = L, .engine = engine, .out = orr_builder_new(), .answer = v->answer};
  int rc = v->run(&k);
  int results = push_answer(&k, rc);
  orr_records_free(k.records);
  orr_builder_free(k.out);
  for (int i = 0; i < k.n_values; i++) orr_builder_free(k.builders[i]);
  return results;
}
