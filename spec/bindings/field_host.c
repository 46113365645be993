/* A host in C whose delegate and listener tell what they read: the model's fields, the job and the
 * task. Each call prints a line: where it is, then a name and what it gave, and so on. */
#include <orrery.h>
#include <stdio.h>

static const char model[] =
    "<definitions xmlns='http://www.omg.org/spec/BPMN/20100524/MODEL' targetNamespace='spec'"
    " xmlns:camunda='http://camunda.org/schema/1.0/bpmn'>"
    "<process id='p' isExecutable='true' camunda:historyTimeToLive='P1D'><startEvent id='s'/>"
    "<sequenceFlow id='a' sourceRef='s' targetRef='t'/>"
    "<serviceTask id='t' camunda:asyncBefore='true' camunda:class='tells'><extensionElements>"
    "<camunda:field name='bank' stringValue='north'/>"
    "<camunda:field name='sum'><camunda:expression>${cents}</camunda:expression></camunda:field>"
    "<camunda:field name='lost'><camunda:expression>${missing}</camunda:expression></camunda:field>"
    "</extensionElements></serviceTask>"
    "<sequenceFlow id='b' sourceRef='t' targetRef='u'/>"
    "<userTask id='u'><extensionElements><camunda:taskListener event='create' class='tells'>"
    "<camunda:field name='bank'><camunda:string>south</camunda:string></camunda:field>"
    "</camunda:taskListener></extensionElements></userTask></process></definitions>";

static void print_value(const char *name, orr_value value) {
  if (value.type == ORR_STRING) printf(" %s=%.*s", name, (int)value.size, value.as.bytes);
  else if (value.type == ORR_INT) printf(" %s=%d", name, (int)value.as.integer);
  else printf(" %s=(%d)", name, (int)value.type);
}

static void print_field(orr_execution *execution, const char *name) {
  orr_value value;
  orr_error err = {0};
  if (orr_execution_field(execution, name, &value, &err)) printf(" %s: %s;", name, err.message);
  else print_value(name, value);
  orr_error_clear(&err);
}

/* The activity that the record of this id is about. */
static void print_found(orr_execution *execution, const char *verb, const char *fact,
                        const char *field) {
  orr_records *found = NULL;
  orr_value id = orr_execution_info(execution, fact);
  if (id.type == ORR_INT)
    orr_engine_find(orr_execution_engine(execution), verb, (orr_id)id.as.integer, &found, NULL);
  print_value(fact, found ? orr_records_get(found, 0, field) : id);
  orr_records_free(found);
}

static int tells(void *ud, orr_execution *execution, orr_builder *result, orr_error *err) {
  (void)ud, (void)result;
  orr_value cents = orr_int(500);
  int rc = orr_execution_set(execution, "cents", &cents, ORR_VISIBLE, err);
  print_value("at", orr_execution_info(execution, "activity_id"));
  print_field(execution, "bank");
  print_field(execution, "sum");
  print_field(execution, "lost");
  print_field(execution, "none");
  print_found(execution, "jobs", "job_id", "activity_id");
  print_found(execution, "tasks", "task_id", "key");
  printf("\n");
  return rc;
}

static int deploy(orr_engine *engine, orr_error *err) {
  orr_value files;
  orr_builder *b = orr_builder_new();
  orr_builder_map(b);
  orr_builder_put(b, "p.bpmn", orr_string(model));
  orr_builder_end(b);
  int rc = orr_builder_value(b, &files, err);
  if (!rc) rc = orr_engine_deploy(engine, &files, NULL, NULL, err);
  orr_builder_free(b);
  return rc;
}

int main(void) {
  orr_engine *engine = NULL;
  orr_error err = {0};
  orr_config config;
  orr_start_options options = {.size = sizeof options, .key = "p"};
  orr_config_init(&config);
  config.log_level = ORR_LOG_ERROR;
  config.volatile_commits = config.manual_clock = true;
  int rc = orr_engine_open(&config, &engine, &err);
  if (!rc) rc = orr_engine_delegate_register(engine, "tells", tells, NULL, &err);
  if (!rc) rc = deploy(engine, &err);
  if (!rc) rc = orr_engine_instance_start(engine, &options, NULL, &err);
  if (!rc) rc = orr_engine_jobs_run(engine, 0, NULL, &err);
  if (rc) printf("%s\n", err.message);
  orr_engine_close(engine);
  orr_error_clear(&err);
  return rc ? 1 : 0;
}
