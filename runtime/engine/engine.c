/* An open engine: its threads, its clock, its log. How it is put together is open.c's matter. */
#include "engine/engine.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/null.h"
#include "base/shown.h"
#include "base/value.h"
#include "time/iso8601.h"

int engine_set_host(orr_engine *engine, host *h, orr_error *err) {
  if (engine->host) return error_set(err, ORR_E_STATE, "the engine has a script host already");
  h->engine = engine;
  engine->host = h;
  return 0;
}

/* ---- Threads --------------------------------------------------------------------------------- */

static void engine_thread_free(engine_thread *thread) {
  orr_engine *engine = thread->engine;
  engine->hooks->thread_ended(thread);
  if (thread->current) {
    engine_log(engine, ORR_LOG_WARNING, NULL, "a transaction is rolled back: its thread, or the engine, ended before it did");
    engine->exec->context_lost(thread->current);
  }
  if (thread->host) thread->host->methods->thread_close(thread->host);
  if (thread->user) env_free(&engine->env.allocator, thread->user, strlen(thread->user) + 1);
  env_free(&engine->env.allocator, thread->trace, sizeof *thread->trace);
  env_free(&engine->env.allocator, thread, sizeof *thread);
}

static int thread_set_user(engine_thread *thread, const char *user, orr_error *err) {
  const orr_allocator *allocator = &thread->engine->env.allocator;
  char *copy = user ? env_strdup(allocator, user) : NULL;
  if (user && !copy) return error_memory(err);
  if (thread->user) env_free(allocator, thread->user, strlen(thread->user) + 1);
  thread->user = copy;
  return 0;
}

static engine_thread *thread_make(orr_engine *engine, orr_error *err) {
  engine_thread *thread = env_zalloc(&engine->env.allocator, sizeof *thread);
  if (!thread) {
    error_memory(err);
    return NULL;
  }
  thread->engine = engine;
  if (thread_set_user(thread, engine->config.user, err)) {
    engine_thread_free(thread);
    return NULL;
  }
  if (pthread_setspecific(engine->thread_key, thread) != 0) {
    error_memory(err);
    engine_thread_free(thread);
    return NULL;
  }
  pthread_mutex_lock(&engine->mutex);
  thread->next = engine->threads;
  engine->threads = thread;
  pthread_mutex_unlock(&engine->mutex);
  return thread;
}

/* Opening a host may call back into the engine on this thread, so the thread is known before its host is. */
engine_thread *engine_thread_open(orr_engine *engine, void *loop, orr_error *err) {
  if (!engine) {
    error_null(err, "engine");
    return NULL;
  }
  engine_thread *thread = pthread_getspecific(engine->thread_key);
  if (!thread) thread = thread_make(engine, err);
  if (!thread || thread->host || !engine->host) return thread;
  thread->host = engine->host->methods->thread_open(engine->host, loop, err);
  return thread->host ? thread : NULL;
}

engine_thread *engine_thread_get(orr_engine *engine, orr_error *err) { return engine_thread_open(engine, NULL, err); }

static void engine_thread_unlink(engine_thread *thread) {
  orr_engine *engine = thread->engine;
  pthread_mutex_lock(&engine->mutex);
  engine_thread **at = &engine->threads;
  while (*at && *at != thread) at = &(*at)->next;
  if (*at) *at = thread->next;
  pthread_mutex_unlock(&engine->mutex);
}

void engine_thread_exit(void *data) {
  engine_thread_unlink(data);
  engine_thread_free(data);
}

void engine_thread_close(orr_engine *engine) {
  engine_thread *thread = pthread_getspecific(engine->thread_key);
  if (!thread) return;
  pthread_setspecific(engine->thread_key, NULL);
  engine_thread_exit(thread);
}

int orr_engine_set_user(orr_engine *engine, const char *user, orr_error *err) {
  orr_error failure = {0};
  engine_thread *thread = engine_thread_get(engine, &failure);
  int rc = failure.code;
  if (thread && thread->current) rc = engine->exec->context_user(thread->current, user, &failure);
  if (!rc && thread && !engine->exec->inside(engine)) rc = thread_set_user(thread, user, &failure);
  if (rc) {
    error_move(err, &failure);
    return rc;
  }
  return 0;
}

int orr_engine_waits_watch(orr_engine *engine, orr_wait_fn waits, void *ud, orr_error *err) {
  orr_error failure = {0};
  engine_thread *thread = engine_thread_get(engine, &failure);
  int rc = failure.code;
  if (rc) {
    error_move(err, &failure);
    return rc;
  }
  thread->waits = waits;
  thread->waits_ud = ud;
  return 0;
}

void engine_thread_waits(orr_engine *engine, bool waits) {
  const engine_thread *thread = pthread_getspecific(engine->thread_key);
  if (thread && thread->waits) thread->waits(thread->waits_ud, waits);
}

void orr_engine_waits_end(orr_engine *engine) {
  if (engine) atomic_store(&engine->waits_over, true);
}

void engine_threads_close(orr_engine *engine) {
  while (engine->threads) {
    engine_thread *thread = engine->threads;
    engine->threads = thread->next;
    engine_thread_free(thread);
  }
}

/* ---- Clock ----------------------------------------------------------------------------------- */

bool engine_forked(const orr_engine *engine) { return engine->env.process_id(engine->env.ud) != engine->process; }

orr_time engine_now(orr_engine *engine) {
  orr_time shared;
  if (!engine->config.manual_clock)
    return engine->store && store_now(engine->store, &shared) ? shared : engine->env.wall_ms(engine->env.ud);
  pthread_mutex_lock(&engine->mutex);
  orr_time now = engine->manual_now;
  pthread_mutex_unlock(&engine->mutex);
  return now;
}

orr_time orr_engine_now(orr_engine *engine) {
  if (!engine) return 0;
  return engine_now(engine);
}

int orr_engine_set_time(orr_engine *engine, orr_time time, orr_error *err) {
  REQUIRE(engine);
  if (!engine->config.manual_clock)
    return error_set(err, ORR_E_STATE, "the engine runs on the system's clock; open it with a manual one to set the time");
  if (time < 0 || time > ISO_TIME_MAX) return error_set(err, ORR_E_ARGUMENT, "the time lies outside the years 1970 to 9999");
  pthread_mutex_lock(&engine->mutex);
  engine->manual_now = time;
  pthread_mutex_unlock(&engine->mutex);
  engine->hooks->clock_moved(engine);
  return 0;
}

/* ---- Log ------------------------------------------------------------------------------------- */

bool engine_logs(const orr_engine *engine, orr_log_level level) {
  orr_log_level least = engine->config.log_level;
  if (least == 0) least = engine->config.log ? ORR_LOG_DEBUG : ORR_LOG_WARNING;
  return level <= least;
}

/* Lines of several threads and engines come in one stream, so each says when, whose and on which thread. What a message
 * quotes begins no line: it would be taken for the engine's. */
static void log_to_stderr(orr_engine *engine, orr_log_level level, const char *message) {
  static const char *const names[] = {"", "error", "warning", "info", "debug"};
  char time[ISO_TIME_TEXT], thread[ENV_THREAD_NAME_BYTES];
  iso_format_time(engine_now(engine), time);
  env_thread_name(thread);
  char shown[SHOWN_GROWTH * ORR_ERROR_MESSAGE_MAX + 1];
  shown_lines(message, shown, sizeof shown);
  fprintf(stderr, "%s orrery %s [%s] %s: %s\n", time, engine->config.name, thread, names[level],
          shown);
}

const char *orr_engine_store_state(orr_engine *engine) {
  if (!engine) return NULL;
  static const char *const names[] = {[STORE_WELL] = "well", [STORE_STAYS_AWAY] = "away", [STORE_FAILED] = "failed"};
  return names[store_state_of(engine->store)];
}

bool orr_engine_store_remote(orr_engine *engine) {
  if (!engine) return false;
  return store_is_shared(engine->store);
}

bool engine_lost_store(const orr_error *err) {
  return error_marked(err, STORE_AWAY) || error_marked(err, STORE_IN_DOUBT);
}

void engine_log(orr_engine *engine, orr_log_level level, const orr_value *fields, const char *format, ...) {
  if (!engine_logs(engine, level)) return;
  char message[ORR_ERROR_MESSAGE_MAX + 1];
  va_list args;
  va_start(args, format);
  vsnprintf(message, sizeof message, format, args);
  va_end(args);
  orr_value none = {0};
  if (engine->config.log) engine->config.log(engine->config.log_ud, level, message, fields ? fields : &none);
  else log_to_stderr(engine, level, message);
}
