/* A host in C that passes NULL wherever it can. null_spec.lua writes the calls from the public
 * header: `refused` leaves out one required argument after the other, `allowed` all at once that
 * may be left out, and passes one value after the other that is none; `neutral` leaves out each
 * pointer of the functions that cannot fail; those of an execution are called within a delegate.
 * Each call prints a line: the function, what was NULL, the answer, the error's text. A crash
 * leaves the line without its end. */
#include <orrery/lua.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static orr_engine *engine;
static orr_executor *executor;
static orr_feed *feed;
static orr_builder *builder;
static orr_error err, *to;
static orr_value value, text, items, files, dmn, none;
static const orr_value odd = {.type = 99};
static orr_records *records;
static char folder[4096];

#define CODE(fn, what, call)                                                 \
  do {                                                                       \
    printf("%s\t%s\t", fn, what);                                            \
    fflush(stdout);                                                          \
    int rc = call;                                                           \
    printf("%d\t%s\n", rc, err.message ? err.message : "");                  \
    orr_error_clear(&err);                                                   \
  } while (0)
#define ANSWER(fn, what, format, call) \
  (printf("%s\t%s\t", fn, what), fflush(stdout), printf(format "\t\n", call))

static const char *shown(const char *answer) { return answer ? answer : "NULL"; }

static void must(int rc, const char *what) {
  if (!rc) return;
  printf("%s: %s\n", what, err.message ? err.message : orr_strerror(rc));
  exit(2);
}

/* ---- What the calls are about ---------------------------------------------------------------- */

static orr_builder *fresh(void) {
  orr_builder_reset(builder);
  return builder;
}

static orr_builder *full(void) {
  orr_builder_map(fresh());
  orr_builder_put(builder, "n", orr_int(1));
  orr_builder_end(builder);
  return builder;
}

/* A map of one entry, or an array of one element when there is no key, as long as the program. */
static orr_value *one(const char *name, orr_value content) {
  static orr_value kept[512];
  static int count;
  orr_value *made = &kept[count++];
  orr_builder *b = orr_builder_new();
  if (name) orr_builder_map(b), orr_builder_put(b, name, content);
  else orr_builder_array(b), orr_builder_add(b, &content);
  orr_builder_end(b);
  must(orr_builder_value(b, made, &err), "a value");
  return made;
}

static orr_value *two(const char *name, orr_value content, const char *other, orr_value more) {
  static orr_value kept[64];
  static int count;
  orr_builder *b = orr_builder_new();
  orr_builder_map(b);
  orr_builder_put(b, name, content);
  orr_builder_put(b, other, more);
  orr_builder_end(b);
  must(orr_builder_value(b, &kept[count], &err), "a value");
  return &kept[count++];
}

static orr_id take(int rc) {
  must(rc, "what a call needs");
  orr_id id = orr_records_id(records, 0);
  orr_records_free(records);
  records = NULL;
  return id;
}

static orr_id id_of(const char *verb, const char *field, orr_id of) {
  return take(orr_engine_list(engine, verb, one(field, orr_int((int64_t)of)), &records, &err));
}

static orr_id start(const char *of) {
  orr_start_options options = {.size = sizeof options, .key = of};
  return take(orr_engine_start(engine, &options, &records, &err));
}

static orr_id the_instance(void) { return start("people"); }
static orr_id the_task(void) { return id_of("tasks", "instance_id", start("people")); }
static orr_id the_execution(void) { return id_of("executions", "instance_id", start("waits")); }
static orr_id the_job(void) { return id_of("jobs", "instance_id", start("jobs")); }
static orr_id the_external(void) {
  orr_id task = id_of("external_tasks", "instance_id", start("outside"));
  must(orr_engine_external_lock(engine, task, "x", 60000, &err), "a lock");
  return task;
}
static orr_id the_own_task(void) {
  return take(orr_engine_task_create(engine, one("name", orr_string("n")), &records, &err));
}
static orr_id the_definition(void) {
  const orr_value *filter = two("key", orr_string("people"), "latest", orr_bool(true));
  return take(orr_engine_list(engine, "definitions", filter, &records, &err));
}
static orr_id first_of(const char *verb) {
  return take(orr_engine_list(engine, verb, NULL, &records, &err));
}
static orr_id the_deployment(void) { return first_of("deployments"); }
static orr_id the_decision(void) { return first_of("decisions"); }
static orr_id the_attachment(void) {
  const orr_value *what = two("name", orr_string("a"), "content", orr_string("bytes"));
  return take(orr_engine_add_attachment(engine, the_instance(), what, &records, &err));
}
static orr_id the_incident(void) {
  orr_id at = the_execution();
  return take(orr_engine_create_incident(engine, at, "own", NULL, NULL, &records, &err));
}
static orr_id the_ended(void) {
  orr_id instance = the_instance();
  must(orr_engine_delete_instance(engine, instance, NULL, NULL, &err), "an end");
  return instance;
}
static const char *below(const char *name) {
  static char path[4200];
  snprintf(path, sizeof path, "%s/%s", folder, name);
  return path;
}

static orr_value *the_request(void) {
  static orr_value made;
  orr_builder *b = fresh();
  orr_builder_map(b);
  orr_builder_put(b, "worker", orr_string("x"));
  orr_builder_put(b, "max", orr_int(1));
  orr_builder_put(b, "topics", *one(NULL, *two("name", orr_string("x"), "lock", orr_int(60))));
  orr_builder_end(b);
  must(orr_builder_value(b, &made, &err), "a request");
  return &made;
}

static orr_value *plan(void) {
  static orr_value made;
  orr_id of = the_definition();
  orr_migration_options options = {.size = sizeof options, .source = of, .target = of};
  must(orr_engine_migration_plan(engine, &options, fresh(), &err), "a plan");
  must(orr_builder_value(builder, &made, &err), "a plan");
  return &made;
}

static void done(void *ud, const orr_error *why) { (void)ud, (void)why; }

#include "calls.h"

static int delegate(void *ud, orr_execution *execution, orr_builder *result, orr_error *failure) {
  (void)ud, (void)result, (void)failure;
  inside(execution);
  return 0;
}

/* ---- The host -------------------------------------------------------------------------------- */

static void open_all(const char *path) {
  orr_config config;
  orr_config_init(&config);
  orr_lua_use(&config, NULL);
  config.log_level = ORR_LOG_ERROR;
  config.volatile_commits = config.manual_clock = true;
  must(orr_engine_open(&config, &engine, &err), "an engine");
  builder = orr_builder_new();
  orr_builder *b = orr_builder_new();
  must(orr_builder_resources(b, path, &err), path);
  must(orr_builder_value(b, &files, &err), path);
  dmn = *one("d.dmn", orr_map_get(&files, "d.dmn"));
  text = orr_map_get(&files, "p.bpmn");
  value = *one("n", orr_int(1));
  items = *one(NULL, orr_int(1));
  must(orr_engine_register(engine, "delegate", delegate, NULL, &err), "a delegate");
  must(orr_engine_feed(engine, &feed, &err), "a feed");
  must(orr_executor_new(NULL, &executor, &err), "an executor");
  must(orr_engine_deploy(engine, &files, NULL, &records, &err), "a deployment");
  orr_records_free(records);
  must(orr_engine_list(engine, "definitions", NULL, &records, &err), "records");
}

int main(int argc, char **argv) {
  if (argc != 3) return 2;
  snprintf(folder, sizeof folder, "%s", argv[2]);
  open_all(argv[1]);
  orr_records *some = records;
  for (int i = 0; i < 2; i++) to = i ? NULL : &err, refused(some);
  to = &err;
  neutral(some);
  records = NULL;
  start("inside");
  allowed(some);
  CODE("orr_builder_value", "without memory", orr_builder_value(NULL, &none, to));
  orr_records_free(some);
  orr_executor_free(executor);
  orr_feed_close(feed);
  orr_engine_close(engine);
  puts("end");
  return 0;
}
