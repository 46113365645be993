/* A host of the installed library: a condition, a script in Lua, a decision and a delegate in C.
 * It prints the variables that the process leaves. */
#include <orrery/lua.h>
#include <stdio.h>

static int ship(void *shipped, orr_execution *execution, orr_builder *result, orr_error *err) {
  orr_value carrier;
  (void)result;
  int rc = orr_execution_get(execution, "carrier", ORR_VISIBLE, &carrier, err);
  if (!rc) printf("shipped by %.*s\n", (int)carrier.size, carrier.as.bytes), *(int *)shipped += 1;
  return rc;
}

static int deploy(orr_engine *engine, const char *folder, orr_builder *b, orr_error *err) {
  orr_value resources;
  int rc = orr_builder_resources(b, folder, err);
  if (!rc) rc = orr_builder_value(b, &resources, err);
  if (!rc) rc = orr_engine_deploy(engine, &resources, NULL, NULL, err);
  return rc;
}

static int start(orr_engine *engine, const char *json, orr_builder *b, orr_error *err) {
  orr_value variables;
  int rc = orr_builder_json(b, json, err);
  if (!rc) rc = orr_builder_value(b, &variables, err);
  orr_start_options options = {.size = sizeof options, .key = "parcel", .variables = &variables};
  if (!rc) rc = orr_engine_instance_start(engine, &options, NULL, err);
  if (!rc) rc = orr_engine_jobs_run(engine, 0, NULL, err);
  return rc;
}

static int print_variables(orr_engine *engine, orr_error *err) {
  orr_records *left = NULL;
  int rc = orr_engine_list(engine, "history_variables", NULL, &left, err);
  for (size_t i = 0; !rc && i < orr_records_count(left); i++) {
    orr_value name = orr_records_get(left, i, "name"), value = orr_records_get(left, i, "value");
    printf("%.*s = ", (int)name.size, name.as.bytes);
    if (value.type == ORR_INT) printf("%lld\n", (long long)value.as.integer);
    else printf("%.*s\n", (int)value.size, value.as.bytes);
  }
  orr_records_free(left);
  return rc;
}

int main(int argc, char **argv) {
  int shipped = 0;
  orr_error err = {0};
  orr_config config;
  orr_engine *engine = NULL;
  orr_builder *b = orr_builder_new();
  orr_config_init(&config);
  orr_lua_use(&config, NULL);
  int rc = argc == 3 ? orr_engine_open(&config, &engine, &err) : ORR_E_ARGUMENT;
  if (!rc) rc = orr_engine_delegate_register(engine, "ship", ship, &shipped, &err);
  if (!rc) rc = deploy(engine, argv[1], b, &err);
  orr_builder_reset(b);
  if (!rc) rc = start(engine, argv[2], b, &err);
  if (!rc) rc = print_variables(engine, &err);
  if (rc)
    fprintf(stderr, "host FOLDER VARIABLES: %s\n", err.message ? err.message : orr_strerror(rc));
  orr_error_clear(&err), orr_builder_free(b), orr_engine_close(engine);
  return rc || shipped != 1;
}
