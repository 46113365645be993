/* A C program that embeds Orrery: one header, one library, no Lua. Its process charges a card by a function of ours.
 *   cc main.c $(pkg-config --cflags --libs orrery) && ./a.out purchase.bpmn 4200 */
#include <orrery.h>
#include <stdio.h>
#include <stdlib.h>

/* The delegate: reads a variable and adds to the till, or raises a BPMN error that the boundary event catches. */
static int charge_card(void *till, orr_execution *execution, orr_builder *result, orr_error *err) {
  (void)result;
  orr_value cents;
  int rc = orr_execution_get(execution, "cents", ORR_VISIBLE, &cents, err);
  if (!rc && cents.as.integer > 100000) rc = orr_execution_bpmn_error(execution, "DECLINED", "too much", err);
  if (!rc) *(int64_t *)till += cents.as.integer;
  return rc;
}

int main(int argc, char **argv) {
  int64_t till = 0, ran;
  orr_error err = {0};
  orr_config config;
  orr_engine *engine = NULL;
  orr_records *deployed = NULL, *started = NULL;
  orr_value resources, variables;
  orr_builder *b = orr_builder_new();
  orr_config_init(&config); /* no path: a private store that goes with the engine */
  int rc = argc == 3 ? orr_engine_open(&config, &engine, &err) : ORR_E_ARGUMENT;
  if (!rc) rc = orr_engine_register(engine, "charge_card", charge_card, &till, &err);
  if (!rc) rc = orr_builder_resources(b, argv[1], &err);
  if (!rc) rc = orr_builder_value(b, &resources, &err);
  if (!rc) rc = orr_engine_deploy(engine, &resources, NULL, &deployed, &err);
  if (!rc) orr_builder_reset(b), orr_builder_map(b), orr_builder_put(b, "cents", orr_int(atoll(argv[2]))), orr_builder_end(b);
  if (!rc) rc = orr_builder_value(b, &variables, &err);
  orr_start_options options = {.size = sizeof options, .key = "purchase", .variables = &variables};
  if (!rc) rc = orr_engine_start(engine, &options, &started, &err);
  if (!rc) rc = orr_engine_run_jobs(engine, 0, &ran, &err);
  if (!rc) printf("in the till: %lld cents\n", (long long)till);
  else fprintf(stderr, "embed MODEL CENTS: %s\n", err.message ? err.message : orr_strerror(rc));
  orr_error_clear(&err), orr_records_free(started), orr_records_free(deployed), orr_builder_free(b), orr_engine_close(engine);
  return rc ? 1 : 0;
}
