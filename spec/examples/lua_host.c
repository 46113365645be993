/* A host in C that runs Lua: it deploys a folder, runs its process "all" on threads, and prints the variables that are left.
 *   lua_host FOLDER PACKAGE_PATH SETTINGS */
#include <orrery/lua.h>
#include <stdio.h>

enum { PATIENCE_MS = 60000 };

static int charge(void *ud, orr_execution *execution, orr_builder *result, orr_error *err) {
  orr_value doubled, charged;
  (void)ud, (void)result;
  int rc = orr_execution_get(execution, "doubled", ORR_VISIBLE, &doubled, err);
  charged = orr_int(doubled.as.integer + 1);
  return rc ? rc : orr_execution_set(execution, "charged", &charged, ORR_VISIBLE, err);
}

static int start(orr_engine *engine, const char *folder, orr_builder *b, orr_error *err) {
  orr_value resources, variables;
  orr_builder_reset(b);
  int rc = orr_builder_resources(b, folder, err);
  if (!rc) rc = orr_builder_value(b, &resources, err);
  if (!rc) rc = orr_engine_deploy(engine, &resources, NULL, NULL, err);
  orr_builder_reset(b);
  if (!rc) rc = orr_builder_json(b, "{\"n\": 7}", err);
  if (!rc) rc = orr_builder_value(b, &variables, err);
  orr_start_options options = {.size = sizeof options, .key = "all", .variables = &variables};
  return rc ? rc : orr_engine_instance_start(engine, &options, NULL, err);
}

static int print(orr_engine *engine, const char *verb, orr_builder *b, orr_error *err) {
  orr_records *found = NULL;
  orr_value text;
  orr_builder_reset(b);
  int rc = orr_engine_list(engine, verb, NULL, &found, err);
  if (!rc) rc = orr_records_json(found, b, err);
  if (!rc) rc = orr_builder_value(b, &text, err);
  if (!rc) printf("%s\t%.*s\n", verb, (int)text.size, text.as.bytes);
  orr_records_free(found);
  return rc;
}

int main(int argc, char **argv) {
  orr_error err = {0};
  orr_config config;
  orr_engine *engine = NULL;
  orr_value settings = {0};
  bool idle = false;
  if (argc < 4) return 2;
  orr_builder *kept = orr_builder_new(), *b = orr_builder_new();
  orr_executor_options executor = {.size = sizeof executor, .threads = 2};
  int rc = orr_builder_json(kept, argv[3], &err);
  if (!rc) rc = orr_builder_value(kept, &settings, &err);
  orr_lua_options options = {.size = sizeof options, .package_path = argv[2], .settings = &settings};
  orr_config_init(&config);
  orr_lua_use(&config, &options);
  if (!rc) rc = orr_engine_open(&config, &engine, &err);
  if (!rc) rc = orr_engine_delegate_register(engine, "charge", charge, NULL, &err);
  if (!rc) rc = orr_engine_executor_start(engine, &executor, &err);
  if (!rc) rc = start(engine, argv[1], b, &err);
  if (!rc) rc = orr_engine_wait_idle(engine, PATIENCE_MS, &idle, &err);
  if (!rc) rc = print(engine, "history_variables", b, &err);
  if (!rc) rc = print(engine, "incidents", b, &err);
  if (rc) printf("failed: %s\n", err.message ? err.message : orr_strerror(rc));
  orr_error_clear(&err);
  orr_builder_free(b);
  orr_builder_free(kept);
  orr_engine_close(engine);
  return rc ? 1 : 0;
}
