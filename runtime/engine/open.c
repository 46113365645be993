/* Putting an engine together and taking it apart: its configuration, and the rooms that it owns. The one file of this room
 * that knows the rooms above. */
#include "engine/open.h"

#include <inttypes.h>
#include <libxml/parser.h>
#include <string.h>

#include "base/limits.h"
#include "base/null.h"
#include "base/options.h"
#include "base/value.h"
#include "command/job_table.h"
#include "engine/definition_cache.h"
#include "engine/delegates.h"
#include "engine/feed.h"
#include "engine/host.h"
#include "engine/meter.h"
#include "engine/metrics.h"
#include "engine/time_zone.h"
#include "exec/exec_hooks.h"
#include "executor/absent.h"
#include "executor/executor.h"
#include "executor/handover.h"
#include "executor/job_log.h"
#include "state/definition_versions.h"
#include "store/open.h"
#include "time/cycle.h"
#include "time/iso8601.h"
#include "uow/committer.h"
#include "uow/source.h"

#define MANUAL_CLOCK_START INT64_C(1767225600000) /* 2026-01-01T00:00:00Z */
#define RETRIES_DEFAULT 3

/* ---- Configuration --------------------------------------------------------------------------- */

void orr_config_init(orr_config *config) {
  if (!config) return;
  *config = (orr_config){.size = sizeof *config};
}

static int copy_config_text(orr_engine *engine, const char **text) {
  if (!*text) return 0;
  *text = arena_strdup(engine->arena, *text);
  return *text ? 0 : ORR_E_MEMORY;
}

static int copy_value(orr_engine *engine, const orr_value **value) {
  if (!*value) return 0;
  orr_value *copy = ARENA_NEW(engine->arena, orr_value);
  if (!copy || value_copy(engine->arena, *value, copy)) return ORR_E_MEMORY;
  *value = copy;
  return 0;
}

static int copy_config_memory(orr_engine *engine) {
  orr_config *config = &engine->config;
  const char **texts[] = {&config->path, &config->name, &config->time_zone, &config->retry_time_cycle, &config->retry_strategy,
                          &config->unhandled_bpmn_error, &config->user, &engine->acquisition.owner};
  const orr_value **values[] = {&config->allow, &engine->acquisition.priority_min, &engine->acquisition.priority_max};
  for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
    if (copy_config_text(engine, texts[i])) return ORR_E_MEMORY;
  for (size_t i = 0; i < sizeof values / sizeof *values; i++)
    if (copy_value(engine, values[i])) return ORR_E_MEMORY;
  return 0;
}

static int check_config(const orr_config *config, orr_error *err) {
  if (config->now < 0 || config->now > ISO_TIME_MAX)
    return error_set(err, ORR_E_ARGUMENT, "now lies outside the years 1970 to 9999");
  if (config->retries < 0)
    return error_set(err, ORR_E_ARGUMENT, "retries is %" PRId64 "; it must be at least 1", config->retries);
  if ((unsigned)config->history > ORR_HISTORY_FULL)
    return error_set(err, ORR_E_ARGUMENT, "unknown history level %d", (int)config->history);
  if ((unsigned)config->dialect > ORR_DIALECT_ORRERY)
    return error_set(err, ORR_E_ARGUMENT, "unknown dialect %d", (int)config->dialect);
  const char *unhandled = config->unhandled_bpmn_error;
  if (unhandled && strcmp(unhandled, "end") != 0 && strcmp(unhandled, "raise") != 0)
    return error_set(err, ORR_E_ARGUMENT, "unhandled_bpmn_error is \"%s\"; it must be \"end\" or \"raise\"", unhandled);
  return 0;
}

/* A cycle in a model is one job's; this one is every job's, so it is read before anything runs. */
static int check_retry_cycle(orr_engine *engine, orr_error *err) {
  const char *text = engine->config.retry_time_cycle;
  retry_cycle cycle;
  if (!text || !retry_parse(engine->arena, text, strlen(text), &cycle, err)) return 0;
  return error_wrap(err, "retry_time_cycle");
}

static int64_t bound_or(int64_t given, int64_t standard) { return given == 0 ? standard : given < 0 ? INT64_MAX : given; }

/* `given` is as long as it is here. */
static int take_config(orr_engine *engine, const orr_config *given, orr_error *err) {
  orr_config *config = &engine->config;
  *config = *given;
  if (!options_take(&engine->acquisition, sizeof engine->acquisition, config->acquisition, err))
    return error_wrap(err, "acquisition");
  config->acquisition = &engine->acquisition;
  int rc = check_config(config, err);
  if (rc) return rc;
  if (copy_config_memory(engine)) return error_memory(err);
  rc = check_retry_cycle(engine, err);
  if (rc) return rc;
  if (!config->name) config->name = "default";
  if (config->retries == 0) config->retries = RETRIES_DEFAULT;
  config->steps_max = bound_or(config->steps_max, ORR_STEPS_MAX);
  config->memory_max = bound_or(config->memory_max, ORR_TRANSACTION_BYTES_MAX);
  config->tokens_max = bound_or(config->tokens_max, ORR_TOKENS_MAX);
  if (config->history == ORR_HISTORY_DEFAULT) config->history = ORR_HISTORY_AUDIT;
  engine->manual_now = config->now != 0 ? config->now : MANUAL_CLOCK_START;
  return 0;
}

/* ---- Opening and closing --------------------------------------------------------------------- */

/* libxml2 wants this before threads use it. It is the one initialization of the process. */
static void init_libraries(void) {
  static pthread_once_t once = PTHREAD_ONCE_INIT;
  pthread_once(&once, xmlInitParser);
}

static _Thread_local const orr_engine *told; /* whose log hears of its store, in the middle of a call of that */

bool engine_hears_of_store(const orr_engine *engine) { return engine && told == engine; }

/* Said once, however many wait for it. */
static void tell_store(void *ud, const orr_error *why, int64_t ms) {
  const orr_engine *before = told;
  told = ud;
  const event_field fields[] = {{"away_seconds", why ? (orr_value){0} : orr_int(ms / 1000)}};
  job_log(ud, ORR_LOG_WARNING, why ? "store away" : "store back", fields, 1,
          why ? why->message ? why->message : orr_strerror(why->code) : NULL);
  told = before;
}

static int open_store(orr_engine *engine, orr_error *err) {
  if (engine->store) {
    store_watch(engine->store, tell_store, engine);
    return 0;
  }
  store_options options = {
      .env = &engine->env,
      .path = engine->config.path,
      .no_sync = engine->config.volatile_commits || !engine->config.path, /* a private store goes with the engine anyway */
  };
  int rc = store_open(&options, &engine->store, err);
  if (!rc) store_watch(engine->store, tell_store, engine);
  return rc;
}

static int open_rooms(orr_engine *engine, orr_error *err) {
  int rc = time_zone_check(engine, err);
  if (!rc) rc = open_store(engine, err);
  if (rc) return rc;
  engine->units = unit_source_new(&engine->env, engine->store, NULL, err);
  if (!engine->units) return ORR_E_MEMORY;
  engine->committer = committer_new(&engine->env, engine->store, err);
  if (!engine->committer) return ORR_E_MEMORY;
  engine->definitions = definitions_new(&engine->env.allocator);
  engine->latest = latest_versions_new(&engine->env.allocator);
  engine->registry = registry_new(&engine->env.allocator);
  engine->metrics = metrics_new(&engine->env.allocator);
  engine->meter = meter_new(engine);
  engine->absences = absences_new(&engine->env);
  engine->feeds = feed_hub_new(&engine->env, engine->store);
  bool complete = engine->definitions && engine->latest && engine->registry && engine->metrics && engine->absences;
  return complete && engine->meter && engine->feeds ? time_zone_open(engine, err) : error_memory(err);
}

const char host_core = 0;

static int open_scripts(orr_engine *engine, orr_error *err) {
  const orr_scripts *scripts = engine->config.scripts;
  if (!scripts) return 0;
  if (scripts->core != &host_core)
    return error_set(err, ORR_E_ARGUMENT,
                     "the program is linked with liborrery and with liborrery-lua, which holds all of "
                     "it; link orrery-lua alone");
  return scripts->open(engine, engine->config.scripts_options, err);
}

static orr_engine *engine_make(const orr_env *env, orr_error *err) {
  orr_engine *engine = env_zalloc(&env->allocator, sizeof *engine);
  if (!engine) {
    error_memory(err);
    return NULL;
  }
  engine->env = *env;
  engine->process = env->process_id(env->ud);
  engine->hooks = &executor_hooks;
  engine->exec = &exec_table;
  engine->jobs = &job_handlers;
  engine->arena = arena_new(&env->allocator);
  if (!engine->arena) {
    error_memory(err);
    goto failed;
  }
  if (pthread_key_create(&engine->thread_key, engine_thread_exit) != 0) {
    error_set(err, ORR_E_LIMIT, "this process has no thread key left: too many engines are open");
    goto failed;
  }
  pthread_mutex_init(&engine->mutex, NULL);
  return engine;
failed:
  arena_free(engine->arena);
  env_free(&env->allocator, engine, sizeof *engine);
  return NULL;
}

int orr_engine_commits_share(orr_engine *engine, orr_error *err) {
  REQUIRE(engine);
  return committer_start(engine->committer, err);
}

void orr_engine_close(orr_engine *engine) {
  /* a child's copy is left alone: threads that are not there may hold its locks */
  if (!engine || engine_forked(engine)) return;
  if (executor_inside(engine)) {
    engine_log(engine, ORR_LOG_ERROR, NULL, "an engine cannot be closed by what it runs; it stays open");
    return;
  }
  executor_detach(engine);
  if (engine->committer) committer_stop(engine->committer);
  if (engine->meter && engine->config.path) meter_write_rest(engine);
  if (engine->store) store_watch(engine->store, NULL, NULL); /* whoever hears the log may go now */
  engine_threads_close(engine);
  if (engine->host && engine->host->methods->close) engine->host->methods->close(engine->host);
  pthread_key_delete(engine->thread_key);
  feed_hub_close(engine->feeds);
  absences_free(engine->absences);
  meter_free(engine->meter, engine);
  metrics_free(engine->metrics, &engine->env.allocator);
  registry_free(engine->registry);
  env_free(&engine->env.allocator, engine->registered, engine->registered_capacity * sizeof *engine->registered);
  latest_versions_free(engine->latest);
  definitions_free(engine->definitions);
  committer_free(engine->committer);
  unit_source_free(engine->units);
  store_close(engine->store);
  time_zone_close(engine);
  pthread_mutex_destroy(&engine->mutex);
  arena_free(engine->arena);
  orr_allocator allocator = engine->env.allocator;
  env_free(&allocator, engine, sizeof *engine);
}

int engine_open_parts(const orr_config *given, const engine_parts *parts, orr_engine **out, orr_error *err) {
  orr_env env;
  orr_config own;
  init_libraries();
  *out = NULL;
  const orr_config *config = options_take(&own, sizeof own, given, err);
  if (!config) {
    store_close(parts->store);
    return ORR_E_ARGUMENT;
  }
  if (parts->env) {
    env = *parts->env;
  } else {
    env_system(&env);
    if (config->allocator.fn) env.allocator = config->allocator;
  }
  orr_error failure = {0};
  orr_engine *engine = engine_make(&env, &failure);
  int rc = failure.code;
  if (engine) {
    engine->store = parts->store;
    rc = take_config(engine, config, &failure);
    if (!rc) rc = open_rooms(engine, &failure);
  } else {
    store_close(parts->store);
  }
  if (!rc) rc = open_scripts(engine, &failure);
  if (rc) {
    orr_engine_close(engine);
    error_move(err, &failure);
    return rc;
  }
  *out = engine;
  return 0;
}

int orr_engine_open(const orr_config *config, orr_engine **out, orr_error *err) {
  REQUIRE(config);
  REQUIRE(out);
  engine_parts parts = {0};
  return engine_open_parts(config, &parts, out, err);
}
