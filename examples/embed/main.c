/* A C program that embeds Orrery: one header, one library, no Lua. Its process charges a card; the charging is a function of ours.
 *
 *   cc main.c $(pkg-config --cflags --libs orrery)
 */
#include <orrery.h>
#include <stdio.h>
#include <string.h>

static const char model[] =
    "<definitions xmlns='http://www.omg.org/spec/BPMN/20100524/MODEL' xmlns:orrery='urn:orrery:bpmn' targetNamespace='embed'>"
    "  <process id='purchase' isExecutable='true'>"
    "    <startEvent id='ordered'/>"
    "    <sequenceFlow id='to_charge' sourceRef='ordered' targetRef='charge'/>"
    "    <serviceTask id='charge' name='Charge the card' orrery:class='charge_card' orrery:asyncBefore='true'/>"
    "    <sequenceFlow id='to_paid' sourceRef='charge' targetRef='paid'/>"
    "    <endEvent id='paid'/>"
    "    <boundaryEvent id='declined' attachedToRef='charge'><errorEventDefinition errorRef='DECLINED'/></boundaryEvent>"
    "    <sequenceFlow id='to_refused' sourceRef='declined' targetRef='refused'/>"
    "    <endEvent id='refused'/>"
    "  </process>"
    "</definitions>";

typedef struct till {
  int64_t cents;
  int charges;
} till;

/* The delegate: reads a variable, sets another, or raises a BPMN error that the boundary event catches. */
static int charge_card(void *ud, orr_execution *execution, orr_builder *result, orr_error *err) {
  till *t = ud;
  orr_value amount, receipt;
  (void)result;
  int rc = orr_execution_get(execution, "amount", false, &amount, err);
  if (rc) return rc;
  if (amount.type != ORR_INT || amount.as.integer > 100000) return orr_execution_bpmn_error(execution, "DECLINED", "too much", err);
  t->cents += amount.as.integer;
  receipt = orr_int(++t->charges);
  return orr_execution_set(execution, "receipt", &receipt, false, false, err);
}

static int deploy(orr_engine *engine, orr_error *err) {
  orr_builder *b = orr_builder_new();
  orr_records *deployment = NULL;
  orr_value resources, xml = orr_string(model);
  orr_builder_map(b);
  orr_builder_key(b, "purchase.bpmn", strlen("purchase.bpmn"));
  orr_builder_add(b, &xml);
  orr_builder_end(b);
  int rc = orr_builder_value(b, &resources, err);
  if (!rc) rc = orr_engine_deploy(engine, &resources, NULL, &deployment, err);
  orr_records_free(deployment);
  orr_builder_free(b);
  return rc;
}

/* Starts a purchase, runs its job, and tells where it ended. */
static int purchase(orr_engine *engine, int64_t cents, orr_error *err) {
  orr_builder *b = orr_builder_new();
  orr_records *instances = NULL, *history = NULL;
  orr_start_options options = {.size = sizeof options, .key = "purchase"};
  orr_value variables, amount = orr_int(cents);
  int64_t ran = 0;
  orr_builder_map(b);
  orr_builder_key(b, "amount", strlen("amount"));
  orr_builder_add(b, &amount);
  orr_builder_end(b);
  int rc = orr_builder_value(b, &variables, err);
  if (rc) goto out;
  options.variables = &variables;
  rc = orr_engine_start(engine, &options, &instances, err);
  if (rc) goto out;
  orr_id id = (orr_id)orr_records_get(instances, 0, "id").as.integer;
  rc = orr_engine_run_jobs(engine, 0, &ran, err);
  if (!rc) rc = orr_engine_find(engine, "history_instances", id, &history, err);
  if (rc) goto out;
  orr_value end = orr_records_get(history, 0, "end_activity");
  printf("%lld cents: %.*s\n", (long long)cents, (int)end.size, end.as.bytes);
out:
  orr_records_free(history);
  orr_records_free(instances);
  orr_builder_free(b);
  return rc;
}

int main(void) {
  orr_config config;
  orr_error err = {0};
  orr_engine *engine = NULL;
  till t = {0};
  orr_config_init(&config); /* no path: a private store that goes with the engine */
  int rc = orr_engine_open(&config, &engine, &err);
  if (!rc) rc = orr_engine_register(engine, "charge_card", charge_card, &t, &err);
  if (!rc) rc = deploy(engine, &err);
  if (!rc) rc = purchase(engine, 4200, &err);
  if (!rc) rc = purchase(engine, 10000000, &err);
  if (!rc) printf("in the till: %lld cents from %d charge(s)\n", (long long)t.cents, t.charges);
  else fprintf(stderr, "embed: %s\n", err.message ? err.message : orr_strerror(rc));
  orr_error_clear(&err);
  orr_engine_close(engine);
  return rc ? 1 : 0;
}
