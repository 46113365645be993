/* Every option struct of the header, as callers of other versions give it: shorter, longer, and longer with a field set
 * that is unknown. Each lies in a block of just its size, so a sanitizer sees whoever reads beyond it. */
#include <stdlib.h>
#include <string.h>

#include "inside.h"
#include "orrery.h"

typedef int (*option_call)(orr_engine *engine, const void *options, orr_error *err);

static orr_value nothing(void) { return orr_null(); }

static int forget_records(int rc, orr_records *records) {
  orr_records_free(records);
  return rc;
}

static int forget_built(int rc, orr_builder *builder) {
  orr_builder_free(builder);
  return rc;
}

static int call_deploy(orr_engine *engine, const void *options, orr_error *err) {
  orr_value none = nothing();
  orr_records *out = NULL;
  return forget_records(orr_engine_deploy(engine, &none, options, &out, err), out);
}

static int call_suspend(orr_engine *engine, const void *options, orr_error *err) {
  return orr_engine_definition_suspend(engine, options, err);
}

static int call_activate(orr_engine *engine, const void *options, orr_error *err) {
  return orr_engine_definition_activate(engine, options, err);
}

static int call_start(orr_engine *engine, const void *options, orr_error *err) {
  orr_records *out = NULL;
  return forget_records(orr_engine_instance_start(engine, options, &out, err), out);
}

static int call_message(orr_engine *engine, const void *options, orr_error *err) {
  orr_builder *out = orr_builder_new();
  return forget_built(orr_engine_message(engine, "m", options, out, err), out);
}

static int call_signal(orr_engine *engine, const void *options, orr_error *err) {
  return orr_engine_signal(engine, "s", options, err);
}

static int call_conditions(orr_engine *engine, const void *options, orr_error *err) {
  orr_records *out = NULL;
  return forget_records(orr_engine_conditions_evaluate(engine, options, &out, err), out);
}

static int call_modify(orr_engine *engine, const void *options, orr_error *err) {
  orr_value none = nothing();
  return orr_engine_instance_modify(engine, 1, &none, options, err);
}

static int call_modify_instances(orr_engine *engine, const void *options, orr_error *err) {
  orr_value none = nothing();
  int64_t count;
  return orr_engine_instances_modify(engine, &none, options, &count, err);
}

static int call_migration_plan(orr_engine *engine, const void *options, orr_error *err) {
  orr_builder *out = orr_builder_new();
  return forget_built(orr_engine_migration_plan(engine, options, out, err), out);
}

static int call_check_migration(orr_engine *engine, const void *options, orr_error *err) {
  orr_value none = nothing();
  orr_builder *out = orr_builder_new();
  return forget_built(orr_engine_migration_check(engine, &none, options, out, err), out);
}

static int call_migrate(orr_engine *engine, const void *options, orr_error *err) {
  orr_value none = nothing();
  int64_t count;
  return orr_engine_instances_migrate(engine, &none, options, &count, err);
}

static int call_restart(orr_engine *engine, const void *options, orr_error *err) {
  orr_records *out = NULL;
  return forget_records(orr_engine_instances_restart(engine, 1, options, &out, err), out);
}

static int call_delete(orr_engine *engine, const void *options, orr_error *err) {
  return orr_engine_instance_delete(engine, 1, NULL, options, err);
}

static int call_decision(orr_engine *engine, const void *options, orr_error *err) {
  orr_records *out = NULL;
  return forget_records(orr_engine_decision_find(engine, options, &out, err), out);
}

static int call_decide(orr_engine *engine, const void *options, orr_error *err) {
  orr_builder *out = orr_builder_new();
  return forget_built(orr_engine_decision_evaluate(engine, options, NULL, out, err), out);
}

static int call_executor(orr_engine *engine, const void *options, orr_error *err) {
  (void)engine;
  orr_executor *out = NULL;
  int rc = orr_executor_new(options, &out, err);
  orr_executor_free(out);
  return rc;
}

static int call_start_executor(orr_engine *engine, const void *options, orr_error *err) {
  int rc = orr_engine_executor_start(engine, options, err);
  return rc ? rc : orr_engine_executor_stop(engine, err);
}

static int call_open(orr_engine *engine, const void *options, orr_error *err) {
  (void)engine;
  orr_engine *out = NULL;
  int rc = orr_engine_open(options, &out, err);
  orr_engine_close(out);
  return rc;
}

/* To a place that is taken. */
static int call_upgrade(orr_engine *engine, const void *options, orr_error *err) {
  (void)engine;
  orr_builder *b = orr_builder_new();
  int rc = b ? orr_store_upgrade("no-such-store", options, b, err) : ORR_E_MEMORY;
  orr_builder_free(b);
  return rc;
}

static int call_copy(orr_engine *engine, const void *options, orr_error *err) {
  return orr_engine_copy_to(engine, "/", options, err); /* is there already */
}

static int call_verify(orr_engine *engine, const void *options, orr_error *err) {
  orr_builder *out = orr_builder_new();
  int rc = orr_engine_verify(engine, options, out, err);
  orr_builder_free(out);
  return rc;
}

static int call_acquisition(orr_engine *engine, const void *options, orr_error *err) {
  orr_config config;
  orr_config_init(&config);
  config.acquisition = options;
  return call_open(engine, &config, err);
}

static int call_check(orr_engine *engine, const void *options, orr_error *err) {
  static const orr_value none = {.type = ORR_MAP};
  orr_builder *out = orr_builder_new();
  int rc = out ? orr_engine_deployment_check(engine, &none, options, out, err) : ORR_E_MEMORY;
  orr_builder_free(out);
  return rc;
}

static int call_limit_target(orr_engine *engine, const void *options, orr_error *err) {
  static const orr_limit_options limit = {.size = sizeof limit, .max = 1};
  return orr_engine_limit_set(engine, options, &limit, err);
}

static int call_limit(orr_engine *engine, const void *options, orr_error *err) {
  static const orr_limit_target target = {.size = sizeof target, .topic = "any"};
  return orr_engine_limit_set(engine, &target, options, err);
}

static int call_batch(orr_engine *engine, const void *options, orr_error *err) {
  orr_records *out = NULL;
  return forget_records(orr_engine_batch_create(engine, options, &out, err), out);
}

static const struct {
  const char *name;
  option_call call;
  size_t size;
} calls[] = {
    {"deploy", call_deploy, sizeof(orr_deploy_options)},
    {"check", call_check, sizeof(orr_check_options)},
    {"suspend_definition", call_suspend, sizeof(orr_suspend_options)},
    {"activate_definition", call_activate, sizeof(orr_suspend_options)},
    {"start", call_start, sizeof(orr_start_options)},
    {"message", call_message, sizeof(orr_message_options)},
    {"signal", call_signal, sizeof(orr_signal_options)},
    {"evaluate_conditions", call_conditions, sizeof(orr_condition_options)},
    {"modify", call_modify, sizeof(orr_modify_options)},
    {"modify_instances", call_modify_instances, sizeof(orr_modify_instances_options)},
    {"migration_plan", call_migration_plan, sizeof(orr_migration_options)},
    {"check_migration", call_check_migration, sizeof(orr_migrate_options)},
    {"migrate", call_migrate, sizeof(orr_migrate_options)},
    {"restart", call_restart, sizeof(orr_restart_options)},
    {"delete", call_delete, sizeof(orr_delete_options)},
    {"decision", call_decision, sizeof(orr_decision_options)},
    {"decide", call_decide, sizeof(orr_decision_options)},
    {"copy_to", call_copy, sizeof(orr_copy_options)},
    {"verify", call_verify, sizeof(orr_verify_options)},
    {"upgrade", call_upgrade, sizeof(orr_upgrade_options)},
    {"limit_set's target", call_limit_target, sizeof(orr_limit_target)},
    {"limit_set", call_limit, sizeof(orr_limit_options)},
    {"batch_create", call_batch, sizeof(orr_batch_options)},
    {"executor_new", call_executor, sizeof(orr_executor_options)},
    {"start_executor", call_start_executor, sizeof(orr_executor_options)},
    {"open", call_open, sizeof(orr_config)},
    {"open's acquisition", call_acquisition, sizeof(orr_executor_options)},
};

/* What a call answers to options of `size` bytes, zero but for the last where `set`. */
static int answer_to(size_t i, orr_engine *engine, size_t size, bool set) {
  orr_error err = {0};
  unsigned char *block = calloc(1, size);
  uint32_t told = (uint32_t)size;
  memcpy(block, &told, size < sizeof told ? size : sizeof told);
  if (set) block[size - 1] = 1;
  int rc = calls[i].call(engine, block, &err);
  orr_error_clear(&err);
  free(block);
  return rc;
}

/* sizes() -> array of { name, whole, shorter, longer, unknown }: codes that each call answers */
static int l_option_sizes(lua_State *L) {
  orr_config config;
  orr_engine *engine = NULL;
  orr_config_init(&config);
  if (orr_engine_open(&config, &engine, NULL)) return luaL_error(L, "no engine");
  lua_newtable(L);
  for (size_t i = 0; i < sizeof calls / sizeof *calls; i++) {
    size_t size = calls[i].size;
    lua_newtable(L);
    lua_pushstring(L, calls[i].name);
    lua_setfield(L, -2, "name");
    lua_pushinteger(L, answer_to(i, engine, size, false));
    lua_setfield(L, -2, "whole");
    lua_pushinteger(L, answer_to(i, engine, sizeof(uint32_t), false));
    lua_setfield(L, -2, "shorter");
    lua_pushinteger(L, answer_to(i, engine, size + 8, false));
    lua_setfield(L, -2, "longer");
    lua_pushinteger(L, answer_to(i, engine, size + 8, true));
    lua_setfield(L, -2, "unknown");
    lua_rawseti(L, -2, (lua_Integer)i + 1);
  }
  orr_engine_close(engine);
  return 1;
}

void inside_options(lua_State *L) {
  lua_pushcfunction(L, l_option_sizes);
  lua_setfield(L, -2, "sizes");
}
