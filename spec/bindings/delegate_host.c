/* A host in C whose delegate fails in every way that C allows. For each way it prints a line: its
 * name, how often the job ran, how many incidents there are, and the failure's text as the job has
 * it. */
#include <orrery.h>
#include <stdio.h>
#include <string.h>

static const char model[] =
    "<definitions xmlns='http://www.omg.org/spec/BPMN/20100524/MODEL' targetNamespace='spec'"
    " xmlns:camunda='http://camunda.org/schema/1.0/bpmn'>"
    "<process id='p' isExecutable='true' camunda:historyTimeToLive='P1D'><startEvent id='s'/>"
    "<sequenceFlow id='a' sourceRef='s' targetRef='t'/>"
    "<serviceTask id='t' camunda:asyncBefore='true' camunda:class='delegate'/>"
    "<sequenceFlow id='b' sourceRef='t' targetRef='e'/><endEvent id='e'/></process></definitions>";

static int runs, number, code;
static orr_value value;
static orr_engine *engine;
static orr_builder *builder;
static orr_error err;

static int answers_number(void *ud, orr_execution *execution, orr_builder *result, orr_error *why) {
  (void)ud, (void)execution, (void)result, (void)why;
  runs++;
  return number;
}

static int says_why(void *ud, orr_execution *execution, orr_builder *result, orr_error *why) {
  (void)ud, (void)execution, (void)result;
  runs++;
  return orr_error_set(why, code, "the bank answers %d", 503);
}

/* It has said why, and returns a number of its own. */
static int says_more(void *ud, orr_execution *execution, orr_builder *result, orr_error *why) {
  says_why(ud, execution, result, why);
  return number;
}

/* What failed inside is of no account. */
static int says_done(void *ud, orr_execution *execution, orr_builder *result, orr_error *why) {
  says_why(ud, execution, result, why);
  return 0;
}

static int sets(void *ud, orr_execution *execution, orr_builder *result, orr_error *why) {
  (void)ud, (void)result;
  runs++;
  return orr_execution_set(execution, "v", &value, ORR_VISIBLE, why);
}

static int sets_local(void *ud, orr_execution *execution, orr_builder *result, orr_error *why) {
  (void)ud, (void)result;
  runs++;
  return orr_execution_set(execution, "v", &value, ORR_LOCAL, why);
}

static int sets_transient(void *ud, orr_execution *execution, orr_builder *result, orr_error *why) {
  (void)ud, (void)result;
  runs++;
  return orr_execution_set_transient(execution, "v", &value, ORR_VISIBLE, why);
}

static int deploy(void) {
  orr_value files;
  orr_builder_reset(builder);
  orr_builder_map(builder);
  orr_builder_put(builder, "p.bpmn", orr_string(model));
  orr_builder_end(builder);
  int rc = orr_builder_value(builder, &files, &err);
  return rc ? rc : orr_engine_deploy(engine, &files, NULL, NULL, &err);
}

/* An engine of its own, so that each way begins anew. */
static int play(const char *name, orr_delegate_fn delegate) {
  orr_config config;
  orr_start_options options = {.size = sizeof options, .key = "p"};
  orr_records *jobs = NULL;
  int64_t incidents = 0;
  orr_config_init(&config);
  config.log_level = ORR_LOG_ERROR;
  config.volatile_commits = config.manual_clock = true;
  runs = 0;
  builder = orr_builder_new();
  int rc = orr_engine_open(&config, &engine, &err);
  if (!rc) rc = orr_engine_register(engine, "delegate", delegate, NULL, &err);
  if (!rc) rc = deploy();
  if (!rc) rc = orr_engine_start(engine, &options, NULL, &err);
  if (!rc) rc = orr_engine_run_jobs(engine, 0, NULL, &err);
  if (!rc) rc = orr_engine_count(engine, "incidents", NULL, &incidents, &err);
  if (!rc) rc = orr_engine_list(engine, "jobs", NULL, &jobs, &err);
  orr_value text = orr_records_get(jobs, 0, "error");
  if (rc) printf("%s\t%s\n", name, err.message);
  else
    printf("%s\t%d\t%d\t%.*s\n", name, runs, (int)incidents, (int)text.size,
           text.type == ORR_STRING ? text.as.bytes : "");
  orr_records_free(jobs);
  orr_engine_close(engine);
  orr_builder_free(builder);
  orr_error_clear(&err);
  engine = NULL;
  return rc;
}

static int failures(void) {
  static const int numbers[] = {1, 2, 12345, -99, ORR_E_SCRIPT};
  char name[32];
  int rc = 0;
  for (size_t i = 0; !rc && i < sizeof numbers / sizeof *numbers; i++) {
    number = numbers[i];
    snprintf(name, sizeof name, "returns %d", number);
    rc = play(name, answers_number);
  }
  code = ORR_E_SCRIPT;
  if (!rc) rc = play("says why", says_why);
  code = 1, number = 1;
  if (!rc) rc = play("says why, with a number", says_why);
  if (!rc) rc = play("says why, returns a number", says_more);
  return rc ? rc : play("is done all the same", says_done);
}

int main(void) {
  int rc = failures();
  memset(&value, 0xA5, sizeof value);
  value.type = 99;
  if (!rc) rc = play("sets an unknown type", sets);
  if (!rc) rc = play("sets an unknown type locally", sets_local);
  if (!rc) rc = play("sets an unknown type until the end", sets_transient);
  value = orr_int(1);
  value.declared = 77;
  if (!rc) rc = play("sets an unknown declaration", sets);
  value = orr_int(1);
  if (!rc) rc = play("sets 1", sets);
  puts("end");
  return rc ? 1 : 0;
}
