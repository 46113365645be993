/* A host in C on libuv: it watches a folder, starts an instance for each file that comes, and lets a flaky tool convert it.
 * Everything happens on one loop and one thread. The engine gets a slice of each turn; tools are child processes.
 *
 *   automation FOLDER      with FOLDER/in to watch, and FOLDER/done, FOLDER/aside, FOLDER/store made if absent
 *
 * A file stays in in/ until its process has put it away, and the store knows what runs: whenever this is killed, the next
 * start goes on. Files should come by a rename, so that none is seen half written. SIGTERM and SIGINT drain: no further
 * file and no further tool, and an end once the tools that run have ended. */
#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <orrery.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <uv.h>

enum {
  TICK_MS = 50,     /* from one turn of the engine to the next */
  TOOLS_MAX = 4,    /* child processes at once */
  TRIES = 4,        /* of a tool that fails */
  LOCK_MS = 60000,  /* after which a tool whose host died is started again */
  RETRY_MS = 200,   /* until a tool that failed is started again */
  BAD_FILE_EXIT = 2 /* the tool says that no further try will help */
};
static const double ENGINE_BUDGET_MS = 10;
static const char WORKER[] = "automation";

typedef struct host {
  uv_loop_t loop;
  uv_fs_event_t watch;
  uv_timer_t tick;
  uv_signal_t terminate, interrupt;
  orr_engine *engine;
  orr_builder *builder;
  char folder[PATH_MAX / 2];
  const char *tool;
  int tools; /* that run */
  bool draining, failed;
} host;

/* A child process and the external task that it works on. */
typedef struct tool_run {
  uv_process_t process;
  host *host;
  orr_id task;
  int64_t tries_left;
} tool_run;

/* Prints what went wrong and lets the host end; true when rc is an error. */
static bool wrong(host *h, int rc, const char *doing, orr_error *err) {
  if (!rc) return false;
  fprintf(stderr, "automation: %s: %s\n", doing, err && err->message ? err->message : orr_strerror(rc));
  orr_error_clear(err);
  h->failed = h->draining = true;
  return true;
}

static void path_of(const host *h, char *out, size_t size, const char *room, const char *name) {
  snprintf(out, size, "%s/%s/%.255s", h->folder, room, name);
}

/* ---- Delegates: a file goes where it belongs ----------------------------------------------------------------------------- */

/* Moves in/x to another room. That it is gone from in/ already means that this was done before a crash. */
static int move_file(host *h, orr_execution *execution, const char *room, orr_error *err) {
  char from[PATH_MAX], to[PATH_MAX], name[256];
  orr_value file;
  int rc = orr_execution_get(execution, "file", ORR_VISIBLE, &file, err);
  if (rc) return rc;
  snprintf(name, sizeof name, "%.*s", (int)file.size, file.as.bytes);
  path_of(h, from, sizeof from, "in", name);
  path_of(h, to, sizeof to, room, name);
  if (rename(from, to) != 0 && errno != ENOENT) return orr_execution_bpmn_error(execution, "MOVE", strerror(errno), err);
  printf("%s: %s\n", room, name);
  return 0;
}

static int put_away(void *ud, orr_execution *execution, orr_builder *result, orr_error *err) {
  (void)result;
  return move_file(ud, execution, "done", err);
}

static int set_aside(void *ud, orr_execution *execution, orr_builder *result, orr_error *err) {
  (void)result;
  return move_file(ud, execution, "aside", err);
}

/* ---- Files become instances ---------------------------------------------------------------------------------------------- */

/* One text under a key, as the map that options and filters are. */
static int one_text(host *h, const char *key, const char *text, orr_value *out, orr_error *err) {
  orr_builder_reset(h->builder);
  orr_builder_map(h->builder);
  orr_builder_put(h->builder, key, orr_string(text));
  orr_builder_end(h->builder);
  return orr_builder_value(h->builder, out, err);
}

static bool is_running(host *h, const char *name) {
  orr_error err = {0};
  orr_value filter;
  int64_t count = 1;
  int rc = one_text(h, "business_key", name, &filter, &err);
  if (!rc) rc = orr_engine_count(h->engine, "instances", &filter, &count, &err);
  wrong(h, rc, "counting instances", &err);
  return count > 0;
}

static void start(host *h, const char *name) {
  orr_error err = {0};
  orr_records *made = NULL;
  orr_value variables;
  int rc = one_text(h, "file", name, &variables, &err);
  orr_start_options options = {.size = sizeof options, .key = "automation", .business_key = name, .variables = &variables};
  if (!rc) rc = orr_engine_instance_start(h->engine, &options, &made, &err);
  wrong(h, rc, "starting", &err);
  orr_records_free(made);
}

static void scan(host *h) {
  char path[PATH_MAX];
  struct dirent *entry;
  path_of(h, path, sizeof path, "in", "");
  DIR *folder = opendir(path);
  while (!h->draining && folder && (entry = readdir(folder)))
    if (entry->d_name[0] != '.' && !is_running(h, entry->d_name)) start(h, entry->d_name);
  if (folder) closedir(folder);
}

static void on_change(uv_fs_event_t *watch, const char *name, int events, int status) {
  (void)name, (void)events, (void)status;
  scan(watch->data);
}

/* ---- External tasks become tools ----------------------------------------------------------------------------------------- */

static int fail_task(host *h, const tool_run *run, int64_t exit_status, orr_error *err) {
  char message[64];
  orr_value failure;
  snprintf(message, sizeof message, "the tool ended with %" PRId64, exit_status);
  orr_builder_reset(h->builder);
  orr_builder_map(h->builder);
  orr_builder_put(h->builder, "message", orr_string(message));
  orr_builder_put(h->builder, "retries", orr_int(run->tries_left - 1));
  orr_builder_put(h->builder, "retry_timeout", orr_seconds(RETRY_MS));
  orr_builder_end(h->builder);
  int rc = orr_builder_value(h->builder, &failure, err);
  return rc ? rc : orr_engine_external_fail(h->engine, run->task, WORKER, &failure, err);
}

static void free_run(uv_handle_t *process) { free(process->data); }

static void tool_ended(uv_process_t *process, int64_t exit_status, int signal) {
  tool_run *run = process->data;
  host *h = run->host;
  orr_error err = {0};
  int rc;
  if (exit_status == 0 && signal == 0) rc = orr_engine_external_complete(h->engine, run->task, WORKER, NULL, NULL, &err);
  else if (exit_status == BAD_FILE_EXIT)
    rc = orr_engine_external_bpmn_error(h->engine, run->task, WORKER, "BAD_FILE", NULL, NULL, &err);
  else rc = fail_task(h, run, signal ? 128 + signal : exit_status, &err);
  wrong(h, rc, "telling how a tool ended", &err);
  h->tools--;
  uv_close((uv_handle_t *)process, free_run);
}

static void run_tool(host *h, const orr_records *tasks, size_t i) {
  char from[PATH_MAX], to[PATH_MAX];
  orr_value name = orr_records_get(tasks, i, "business_key"), retries = orr_records_get(tasks, i, "retries");
  tool_run *run = calloc(1, sizeof *run);
  if (!run) {
    wrong(h, ORR_E_MEMORY, "starting a tool", NULL);
    return;
  }
  *run = (tool_run){.host = h, .task = orr_records_id(tasks, i)};
  run->tries_left = retries.type == ORR_INT ? retries.as.integer : TRIES;
  run->process.data = run;
  char file[256];
  snprintf(file, sizeof file, "%.*s", (int)name.size, name.as.bytes);
  path_of(h, from, sizeof from, "in", file);
  path_of(h, to, sizeof to, "done", file);
  strncat(to, ".converted", sizeof to - strlen(to) - 1);
  char *words[] = {"sh", (char *)h->tool, from, to, NULL};
  uv_process_options_t options = {.file = "sh", .args = words, .exit_cb = tool_ended};
  h->tools++;
  int rc = uv_spawn(&h->loop, &run->process, &options);
  if (rc) tool_ended(&run->process, 127, 0); /* it could not be started: as a shell says it */
}

/* { worker = WORKER, max = free, topics = { { name = "convert", lock = LOCK_S } } } */
static int request_of(host *h, orr_value *out, orr_error *err) {
  orr_builder *b = h->builder;
  orr_builder_reset(b);
  orr_builder_map(b);
  orr_builder_put(b, "worker", orr_string(WORKER));
  orr_builder_put(b, "max", orr_int(TOOLS_MAX - h->tools));
  orr_builder_key(b, "topics", strlen("topics"));
  orr_builder_array(b);
  orr_builder_map(b);
  orr_builder_put(b, "name", orr_string("convert"));
  orr_builder_put(b, "lock", orr_seconds(LOCK_MS));
  orr_builder_put(b, "business_key", orr_null());
  orr_builder_end(b);
  orr_builder_end(b);
  orr_builder_end(b);
  return orr_builder_value(b, out, err);
}

static void take_tasks(host *h) {
  orr_error err = {0};
  orr_records *tasks = NULL;
  orr_value request;
  int rc = request_of(h, &request, &err);
  if (!rc) rc = orr_engine_externals_fetch_and_lock(h->engine, &request, &tasks, &err);
  if (!wrong(h, rc, "fetching tasks", &err))
    for (size_t i = 0; i < orr_records_count(tasks); i++) run_tool(h, tasks, i);
  orr_records_free(tasks);
}

/* ---- The loop ------------------------------------------------------------------------------------------------------------ */

static void close_handle(uv_handle_t *handle, void *arg) {
  (void)arg;
  if (!uv_is_closing(handle)) uv_close(handle, NULL);
}

static void on_tick(uv_timer_t *tick) {
  host *h = tick->data;
  orr_error err = {0};
  int64_t ran;
  wrong(h, orr_engine_poll(h->engine, ENGINE_BUDGET_MS, &ran, &err), "running jobs", &err);
  if (!h->draining && h->tools < TOOLS_MAX) take_tasks(h);
  fflush(stdout);
  if (h->draining && h->tools == 0) uv_walk(&h->loop, close_handle, NULL); /* an empty loop ends */
}

static void on_signal(uv_signal_t *handle, int number) {
  host *h = handle->data;
  (void)number;
  if (!h->draining) puts("draining");
  fflush(stdout);
  h->draining = true;
}

static int open_engine(host *h, const char *model, orr_error *err) {
  char store[PATH_MAX];
  orr_records *deployment = NULL;
  orr_value resources;
  orr_config config;
  orr_config_init(&config);
  path_of(h, store, sizeof store, "store", "");
  config.path = store;
  int rc = orr_engine_open(&config, &h->engine, err);
  if (!rc) rc = orr_engine_delegate_register(h->engine, "put_away", put_away, h, err);
  if (!rc) rc = orr_engine_delegate_register(h->engine, "set_aside", set_aside, h, err);
  if (!rc) rc = orr_builder_resources(h->builder, model, err);
  if (!rc) rc = orr_builder_value(h->builder, &resources, err);
  orr_deploy_options options = {.size = sizeof options, .name = "automation", .filter_duplicates = "true"};
  if (!rc) rc = orr_engine_deploy(h->engine, &resources, &options, &deployment, err);
  orr_records_free(deployment);
  return rc;
}

static int start_loop(host *h) {
  char in[PATH_MAX];
  path_of(h, in, sizeof in, "in", "");
  h->watch.data = h->tick.data = h->terminate.data = h->interrupt.data = h;
  int rc = uv_fs_event_init(&h->loop, &h->watch);
  if (!rc) rc = uv_timer_init(&h->loop, &h->tick);
  if (!rc) rc = uv_signal_init(&h->loop, &h->terminate);
  if (!rc) rc = uv_signal_init(&h->loop, &h->interrupt);
  if (!rc) rc = uv_signal_start(&h->terminate, on_signal, SIGTERM);
  if (!rc) rc = uv_signal_start(&h->interrupt, on_signal, SIGINT);
  if (!rc) rc = uv_fs_event_start(&h->watch, on_change, in, 0);
  if (!rc) rc = uv_timer_start(&h->tick, on_tick, 0, TICK_MS);
  return rc;
}

static bool make_rooms(const host *h) {
  static const char *const rooms[] = {"", "in", "done", "aside"};
  char path[PATH_MAX];
  for (size_t i = 0; i < sizeof rooms / sizeof rooms[0]; i++) {
    path_of(h, path, sizeof path, rooms[i], "");
    if (mkdir(path, 0777) == 0 || errno == EEXIST) continue;
    fprintf(stderr, "automation: %s: %s\n", path, strerror(errno));
    return false;
  }
  return true;
}

static bool set_up(host *h, const char *model) {
  orr_error err = {0};
  if (!make_rooms(h) || wrong(h, open_engine(h, model, &err), "opening", &err)) return false;
  int rc = start_loop(h);
  if (rc) fprintf(stderr, "automation: %s\n", uv_strerror(rc));
  return !rc;
}

int main(int argc, char **argv) {
  host h = {.builder = orr_builder_new(), .tool = argc > 2 ? argv[2] : "./tool.sh"};
  if (argc < 2 || !h.builder || uv_loop_init(&h.loop) != 0) {
    fprintf(stderr, "usage: automation FOLDER [TOOL [MODEL]]\n");
    return 2;
  }
  snprintf(h.folder, sizeof h.folder, "%s", argv[1]);
  if (set_up(&h, argc > 3 ? argv[3] : "automation.bpmn")) {
    puts("watching");
    scan(&h); /* what came while this did not run */
  } else {
    h.failed = true;
    uv_walk(&h.loop, close_handle, NULL);
  }
  uv_run(&h.loop, UV_RUN_DEFAULT);
  uv_loop_close(&h.loop);
  orr_engine_close(h.engine);
  orr_builder_free(h.builder);
  puts(h.failed ? "failed" : "drained");
  return h.failed ? 1 : 0;
}
