/* The jobs in a table by id; their names once each, so that looking for them does not grow with the jobs. */
#include "executor/absent.h"

#include <string.h>

#include "base/table.h"
#include "engine/delegates.h"
#include "executor/executor.h"
#include "executor/pool.h"

enum {
  LOOK_EVERY_MS = 500,  /* for modules that appear in the file system */
  MOMENT_MS = 1000,     /* for the commit that follows a note */
  FORGET_AFTER_S = 60,  /* a try that finds nothing changed costs two small commits */
};

typedef struct absent_name {
  struct absent_name *next;
  uint32_t jobs;
  bool here;       /* found by the look under way */
  char text[];
} absent_name;

typedef struct absent_job {
  struct absent_job *next;
  orr_id job;
  absent_name *name;
  bool elsewhere;
  int64_t noted_ns;
} absent_job;

struct absences {
  orr_env env;
  pthread_mutex_t mutex; /* guards the rest */
  table by_id;
  absent_job *jobs;
  absent_name *names;
  int64_t looked_ns;
  atomic_uint count, elsewhere; /* jobs; read without the mutex by those who mostly find none */
  atomic_bool stale;            /* names were registered since the last look */
};

absences *absences_new(const orr_env *env) {
  absences *a = env_zalloc(&env->allocator, sizeof *a);
  if (!a) return NULL;
  a->env = *env;
  pthread_mutex_init(&a->mutex, NULL);
  return a;
}

/* ---- Under the mutex ------------------------------------------------------------------------- */

static void release_name(absences *a, absent_name *name) {
  if (--name->jobs > 0) return;
  absent_name **at = &a->names;
  while (*at != name) at = &(*at)->next;
  *at = name->next;
  env_free(&a->env.allocator, name, sizeof *name + strlen(name->text) + 1);
}

/* Takes out the job at `at`. */
static void forget_job(absences *a, absent_job **at) {
  absent_job *j = *at;
  *at = j->next;
  table_remove(&a->by_id, j->job);
  atomic_fetch_sub(&a->count, 1);
  if (j->elsewhere) atomic_fetch_sub(&a->elsewhere, 1);
  release_name(a, j->name);
  env_free(&a->env.allocator, j, sizeof *j);
}

static absent_name *take_name(absences *a, const char *text) {
  for (absent_name *n = a->names; n; n = n->next)
    if (strcmp(n->text, text) == 0) return n;
  size_t size = strlen(text) + 1;
  absent_name *n = env_zalloc(&a->env.allocator, sizeof *n + size);
  if (!n) return NULL;
  memcpy(n->text, text, size);
  n->next = a->names;
  a->names = n;
  return n;
}

static int note_locked(absences *a, orr_id job, const char *text, bool elsewhere) {
  absent_job *j = table_get(&a->by_id, job);
  absent_name *name = take_name(a, text);
  if (!name) return ORR_E_MEMORY;
  name->jobs++;
  if (j) {
    release_name(a, j->name);
    if (j->elsewhere) atomic_fetch_sub(&a->elsewhere, 1);
  } else {
    j = env_zalloc(&a->env.allocator, sizeof *j);
    if (!j || table_put(&a->by_id, &a->env.allocator, job, j)) {
      env_free(&a->env.allocator, j, sizeof *j);
      release_name(a, name);
      return ORR_E_MEMORY;
    }
    j->next = a->jobs;
    a->jobs = j;
    atomic_fetch_add(&a->count, 1);
  }
  j->job = job;
  j->name = name;
  j->elsewhere = elsewhere;
  j->noted_ns = a->env.mono_ns(a->env.ud);
  if (elsewhere) atomic_fetch_add(&a->elsewhere, 1);
  return 0;
}

/* ---- For all --------------------------------------------------------------------------------- */

void absences_free(absences *a) {
  if (!a) return;
  while (a->jobs) forget_job(a, &a->jobs);
  table_free(&a->by_id, &a->env.allocator);
  pthread_mutex_destroy(&a->mutex);
  orr_allocator allocator = a->env.allocator;
  env_free(&allocator, a, sizeof *a);
}

int absent_note(orr_engine *engine, orr_id job, const char *name, bool elsewhere) {
  absences *a = engine->absences;
  pthread_mutex_lock(&a->mutex);
  int rc = note_locked(a, job, name, elsewhere);
  pthread_mutex_unlock(&a->mutex);
  if (!rc && elsewhere && engine->executor) executor_calls_home(engine->executor);
  return rc;
}

void absent_drop(orr_engine *engine, orr_id job) {
  absences *a = engine->absences;
  if (atomic_load(&a->count) == 0) return;
  pthread_mutex_lock(&a->mutex);
  absent_job **at = &a->jobs;
  while (*at && (*at)->job != job) at = &(*at)->next;
  if (*at) forget_job(a, at);
  pthread_mutex_unlock(&a->mutex);
}

absent_kind absent_of(orr_engine *engine, orr_id job) {
  absences *a = engine->absences;
  if (atomic_load(&a->count) == 0) return ABSENT_NOT;
  pthread_mutex_lock(&a->mutex);
  const absent_job *j = table_get(&a->by_id, job);
  absent_kind kind = !j ? ABSENT_NOT : j->elsewhere ? ABSENT_ELSEWHERE : ABSENT_MISSING;
  pthread_mutex_unlock(&a->mutex);
  return kind;
}

bool absent_allows(orr_engine *engine, absent_taker taker, orr_id job) {
  absent_kind kind = absent_of(engine, job);
  if (taker == ABSENT_HOME_ONLY) return kind == ABSENT_ELSEWHERE;
  return kind == ABSENT_NOT || (kind == ABSENT_ELSEWHERE && taker == ABSENT_HOME);
}

bool absent_is_here(orr_engine *engine, const char *name) {
  orr_delegate_fn fn;
  void *ud;
  if (registry_get(engine->registry, name, &fn, &ud)) return true;
  return engine->host && engine->host->methods->available(engine->host, name);
}

uint32_t absent_elsewhere(orr_engine *engine) { return atomic_load(&engine->absences->elsewhere); }

bool absent_waits(orr_engine *engine) {
  return atomic_load(&engine->absences->count) > absent_elsewhere(engine);
}

void absent_look_again(orr_engine *engine) {
  atomic_store(&engine->absences->stale, true);
  if (absent_waits(engine) && engine->executor) executor_wake(engine->executor);
}

absent_taker absent_taker_of(const engine_thread *thread) {
  return !thread->host || thread->host->home ? ABSENT_HOME : ABSENT_AWAY;
}

/* ---- Letting go ------------------------------------------------------------------------------ */

/* Forgets those of whom `gone` says so. */
static void forget_where(absences *a, bool (*gone)(const absences *a, const absent_job *j)) {
  for (absent_job **at = &a->jobs; *at;) {
    if (gone(a, *at)) forget_job(a, at);
    else at = &(*at)->next;
  }
}

/* A job is noted a moment before it can be taken. */
static bool is_stale_elsewhere(const absences *a, const absent_job *j) {
  return j->elsewhere && a->env.mono_ns(a->env.ud) - j->noted_ns > (int64_t)MOMENT_MS * 1000000;
}

static bool may_be_here(const absences *a, const absent_job *j) {
  if (j->elsewhere) return false;
  return j->name->here || a->looked_ns - j->noted_ns > (int64_t)FORGET_AFTER_S * 1000000000;
}

void absent_forget_elsewhere(orr_engine *engine) {
  absences *a = engine->absences;
  pthread_mutex_lock(&a->mutex);
  forget_where(a, is_stale_elsewhere);
  pthread_mutex_unlock(&a->mutex);
}

void absent_refresh(orr_engine *engine) {
  absences *a = engine->absences;
  if (atomic_load(&a->count) == 0) return;
  pthread_mutex_lock(&a->mutex);
  int64_t now = a->env.mono_ns(a->env.ud);
  if (atomic_exchange(&a->stale, false) || now - a->looked_ns >= (int64_t)LOOK_EVERY_MS * 1000000) {
    a->looked_ns = now;
    for (absent_name *n = a->names; n; n = n->next) n->here = absent_is_here(engine, n->text);
    forget_where(a, may_be_here);
  }
  pthread_mutex_unlock(&a->mutex);
}
