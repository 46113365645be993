/* A C program that embeds Orrery: one header, one library, no Lua. Its process charges a card; the charging is a function
 * of ours.
 *
 *   cc main.c $(pkg-config --cflags --libs orrery) && ./a.out purchase.bpmn */
#include <inttypes.h>
#include <orrery.h>
#include <stdio.h>

/* The delegate: reads a variable, adds to the till, or raises a BPMN error that the boundary event catches. */
static int charge_card(void *till, orr_execution *execution, orr_builder *result, orr_error *err) {
  (void)result;
  orr_value amount;
  int rc = orr_execution_get(execution, "amount", ORR_VISIBLE, &amount, err);
  if (rc) return rc;
  if (amount.as.integer > 100000) return orr_execution_bpmn_error(execution, "DECLINED", "too much", err);
  *(int64_t *)till += amount.as.integer;
  return 0;
}

static int purchase(orr_engine *engine, orr_builder *b, int64_t cents, orr_error *err) {
  orr_records *made = NULL, *history = NULL;
  orr_value variables, end;
  orr_builder_reset(b);
  orr_builder_map(b);
  orr_builder_put(b, "amount", orr_int(cents));
  orr_builder_end(b);
  int rc = orr_builder_value(b, &variables, err);
  orr_start_options options = {.size = sizeof options, .key = "purchase", .variables = &variables};
  if (!rc) rc = orr_engine_start(engine, &options, &made, err);
  if (!rc) rc = orr_engine_run_jobs(engine, 0, &(int64_t){0}, err);
  if (!rc) rc = orr_engine_find(engine, "history_instances", orr_records_id(made, 0), &history, err);
  if (!rc) end = orr_records_get(history, 0, "end_activity");
  if (!rc) printf("%" PRId64 " cents: %.*s\n", cents, (int)end.size, end.as.bytes);
  orr_records_free(history);
  orr_records_free(made);
  return rc;
}

int main(int argc, char **argv) {
  int64_t till = 0;
  orr_config config;
  orr_error err = {0};
  orr_value resources;
  orr_records *deployment = NULL;
  orr_engine *engine = NULL;
  orr_builder *b = orr_builder_new();
  orr_config_init(&config); /* no path: a private store that goes with the engine */
  int rc = orr_engine_open(&config, &engine, &err);
  if (!rc) rc = orr_engine_register(engine, "charge_card", charge_card, &till, &err);
  if (!rc) rc = orr_builder_resources(b, argc > 1 ? argv[1] : "examples/embed/purchase.bpmn", &err);
  if (!rc) rc = orr_builder_value(b, &resources, &err);
  if (!rc) rc = orr_engine_deploy(engine, &resources, NULL, &deployment, &err);
  if (!rc) rc = purchase(engine, b, 4200, &err);
  if (!rc) rc = purchase(engine, b, 10000000, &err);
  if (!rc) printf("in the till: %" PRId64 " cents\n", till);
  else fprintf(stderr, "embed: %s\n", err.message ? err.message : orr_strerror(rc));
  orr_error_clear(&err);
  orr_records_free(deployment);
  orr_builder_free(b);
  orr_engine_close(engine);
  return rc ? 1 : 0;
}
