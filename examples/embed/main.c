/* cc main.c $(pkg-config --cflags --libs orrery-lua) && ./a.out purchase.bpmn '{"cents": 4200}' */
#include <orrery/lua.h>
#include <stdio.h>

/* The delegate: adds to the till, or fails with a message, or raises a BPMN error. */
static int charge_card(void *till, orr_execution *execution, orr_builder *result, orr_error *err) {
  (void)result;
  orr_value cents;
  int rc = orr_execution_get(execution, "cents", ORR_VISIBLE, &cents, err);
  if (!rc && cents.type != ORR_INT) rc = orr_error_set(err, ORR_E_SCRIPT, "cents is no integer");
  if (!rc && cents.as.integer <= 0) rc = orr_execution_bpmn_error(execution, "DECLINED", "nothing to charge", err);
  if (!rc) *(int64_t *)till += cents.as.integer;
  return rc;
}

int main(int argc, char **argv) {
  int64_t till = 0, waiting = 0;
  orr_error err = {0};
  orr_config config;
  orr_engine *engine = NULL;
  orr_value resources, variables;
  orr_builder *b = orr_builder_new();
  orr_config_init(&config);   /* no path: a private store that goes with the engine */
  orr_lua_use(&config, NULL); /* runs the condition */
  int rc = argc == 3 ? orr_engine_open(&config, &engine, &err) : ORR_E_ARGUMENT;
  if (!rc) rc = orr_engine_delegate_register(engine, "charge_card", charge_card, &till, &err);
  if (!rc) rc = orr_builder_resources(b, argv[1], &err);
  if (!rc) rc = orr_builder_value(b, &resources, &err);
  if (!rc) rc = orr_engine_deploy(engine, &resources, NULL, NULL, &err);
  if (!rc) orr_builder_reset(b), rc = orr_builder_json(b, argv[2], &err);
  if (!rc) rc = orr_builder_value(b, &variables, &err);
  orr_start_options options = {.size = sizeof options, .key = "purchase", .variables = &variables};
  if (!rc) rc = orr_engine_instance_start(engine, &options, NULL, &err);
  if (!rc) rc = orr_engine_jobs_run(engine, 0, NULL, &err);
  if (!rc) rc = orr_engine_count(engine, "tasks", NULL, &waiting, &err);
  if (!rc) printf("in the till: %lld cents; to be approved: %lld\n", (long long)till, (long long)waiting);
  else fprintf(stderr, "embed MODEL VARIABLES: %s\n", err.message ? err.message : orr_strerror(rc));
  orr_error_clear(&err), orr_builder_free(b), orr_engine_close(engine);
  return rc ? 1 : 0;
}
