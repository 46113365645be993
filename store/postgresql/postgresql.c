/* Opening and closing, the sessions, and what the store tells of itself. */
#include "store/postgresql/postgresql.h"

#include <endian.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/error.h"
#include "store/postgresql/questions.h"
#include "store/postgresql/url.h"
#include "store/postgresql/postgresql_internal.h"
#include "store/postgresql/schema.h"

#define IDLE_SESSIONS_MAX 16
#define FIRST_WAIT_MS 20 /* between tries to reach the server; doubled up to the longest */
#define LONGEST_WAIT_MS 500
#define NS_OF_MS INT64_C(1000000)
#define LOOK_NS 10000000 /* so often at most others' commits are counted */

/* ---- Sessions -------------------------------------------------------------------------------- */

int postgres_check_usable(const postgres_store *s, orr_error *err) {
  if (fork_check_in_child(&s->fork))
    return error_set(err, ORR_E_STATE,
                     "the store in %s belongs to the process that forked this one", s->name);
  return 0;
}

static void disconnect(postgres_store *s, postgres_connection *c) {
  postgres_disconnect(&s->env.allocator, c, fork_check_in_child(&s->fork));
}

static void drop_idle(postgres_store *s) {
  pthread_mutex_lock(&s->pool);
  postgres_connection *c = s->idle;
  s->idle = NULL;
  s->idle_count = 0;
  pthread_mutex_unlock(&s->pool);
  while (c) {
    postgres_connection *next = c->next;
    disconnect(s, c);
    c = next;
  }
}

static int connect_once(postgres_store *s, postgres_connection **out, bool *transient,
                        orr_error *err) {
  int rc = postgres_connect(&s->env.allocator, s->url, s->name, s->volatile_commits, out, transient,
                            err);
  if (rc) return rc;
  (*out)->questions = &s->questions;
  rc = postgres_prepare(*out, s->name, err);
  if (!rc) return 0;
  *transient = rc == POSTGRES_LOST; /* which has marked the error */
  disconnect(s, *out);
  *out = NULL;
  return ORR_E_STORE;
}

void postgres_wait_ms(int64_t ms) {
  struct timespec rest = {ms / 1000, ms % 1000 * 1000000};
  nanosleep(&rest, NULL);
}

/* ---- A server that is away -------------------------------------------------------------------- */

static int64_t store_ns(const postgres_store *s) { return s->env.mono_ns(s->env.ud); }

static void tell_watcher(postgres_store *s, const orr_error *why, int64_t ns) {
  if (s->base.watcher) s->base.watcher(s->base.watcher_ud, why, ns / NS_OF_MS);
}

/* Nobody waits for it any more. Of those who notice at once, one tells. */
static void stays_away(postgres_store *s, const orr_error *why, int64_t since_ns) {
  pthread_mutex_lock(&s->reach);
  bool first = !atomic_exchange(&s->away, true);
  if (first) s->away_since_ns = since_ns;
  snprintf(s->why, sizeof s->why, "%s", why->message ? why->message : orr_strerror(why->code));
  s->next_try_ns = store_ns(s) + LONGEST_WAIT_MS * NS_OF_MS;
  pthread_mutex_unlock(&s->reach);
  if (first) tell_watcher(s, why, 0);
}

void postgres_reached(postgres_store *s) {
  if (!atomic_load(&s->away)) return;
  pthread_mutex_lock(&s->reach);
  bool was = atomic_exchange(&s->away, false);
  int64_t ns = store_ns(s) - s->away_since_ns;
  pthread_mutex_unlock(&s->reach);
  if (was) tell_watcher(s, NULL, ns);
}

/* One at a time tries, and not all the time. */
static bool may_try(postgres_store *s, orr_error *err) {
  int64_t now = store_ns(s);
  pthread_mutex_lock(&s->reach);
  bool may = now >= s->next_try_ns;
  if (may) s->next_try_ns = now + LONGEST_WAIT_MS * NS_OF_MS;
  else postgres_away(err, "%s", s->why);
  pthread_mutex_unlock(&s->reach);
  return may;
}

static int connect_now_and_then(postgres_store *s, postgres_connection **out, orr_error *err) {
  bool transient = false;
  if (!may_try(s, err)) return ORR_E_STORE;
  int rc = connect_once(s, out, &transient, err);
  if (!rc) postgres_reached(s);
  return rc;
}

/* A server that was there is expected to come back. */
static int connect_patiently(postgres_store *s, postgres_connection **out, orr_error *err) {
  int64_t began = store_ns(s), pause = FIRST_WAIT_MS;
  while (!atomic_load(&s->away)) {
    orr_error failure = {0};
    bool transient = false;
    int rc = connect_once(s, out, &transient, &failure);
    bool patient = store_ns(s) - began < POSTGRES_PATIENCE_MS * NS_OF_MS;
    if (rc && transient && !patient) stays_away(s, &failure, began);
    if (!rc || !transient || !patient) {
      error_move(err, &failure);
      return rc;
    }
    orr_error_clear(&failure);
    postgres_wait_ms(pause);
    pause = pause * 2 < LONGEST_WAIT_MS ? pause * 2 : LONGEST_WAIT_MS;
  }
  return connect_now_and_then(s, out, err);
}

static postgres_connection *pop_idle(postgres_store *s) {
  pthread_mutex_lock(&s->pool);
  postgres_connection *c = s->idle;
  if (c) {
    s->idle = c->next;
    s->idle_count--;
  }
  pthread_mutex_unlock(&s->pool);
  return c;
}

int postgres_take(postgres_store *s, postgres_connection **out, orr_error *err) {
  while ((*out = pop_idle(s))) {
    if (postgres_is_alive(*out)) return 0;
    disconnect(s, *out);
  }
  return connect_patiently(s, out, err);
}

int postgres_take_at_once(postgres_store *s, postgres_connection **out) {
  bool transient;
  while ((*out = pop_idle(s))) {
    if (postgres_is_alive(*out)) return 0;
    disconnect(s, *out);
  }
  if (atomic_load(&s->away)) return connect_now_and_then(s, out, NULL);
  return connect_once(s, out, &transient, NULL);
}

int postgres_take_fresh(postgres_store *s, postgres_connection **c, orr_error *err) {
  disconnect(s, *c);
  *c = NULL;
  drop_idle(s);
  return connect_patiently(s, c, err);
}

void postgres_give(postgres_store *s, postgres_connection *c) {
  if (!c) return;
  bool kept = false;
  pthread_mutex_lock(&s->pool);
  if (!postgres_is_lost(c) && !c->in_transaction && s->idle_count < IDLE_SESSIONS_MAX) {
    c->next = s->idle;
    s->idle = c;
    s->idle_count++;
    kept = true;
  }
  pthread_mutex_unlock(&s->pool);
  if (!kept) disconnect(s, c);
}

/* ---- Others' commits ------------------------------------------------------------------------- */

int postgres_count_foreign(postgres_store *s, postgres_connection *c, uint64_t *out,
                           orr_error *err) {
  uint64_t lane = htobe64((uint64_t)s->lane), sum = 0;
  postgres_parameters p = {.count = 1, .values = {(const char *)&lane}, .sizes = {sizeof lane}};
  PGresult *found = NULL;
  int rc = postgres_ask(c, POSTGRES_FOREIGN, &p, s->name, &found, err);
  if (rc) return rc;
  memcpy(&sum, pq.getvalue(found, 0, 0), sizeof sum);
  pq.clear(found);
  int64_t foreign = (int64_t)be64toh(sum) - atomic_load(&s->own_before);
  *out = foreign > 0 ? (uint64_t)foreign : 0;
  return 0;
}

/* It never goes back, whichever thread has counted it. */
static void note_foreign(postgres_store *s, uint64_t counted) {
  uint64_t known = atomic_load(&s->foreign);
  while (counted > known && !atomic_compare_exchange_weak(&s->foreign, &known, counted)) {}
}

/* With `take` for a session, which may wait for the server or not. */
static int count_news(postgres_store *s,
                      int (*take)(postgres_store *s, postgres_connection **out)) {
  postgres_connection *c = NULL;
  uint64_t counted = 0;
  atomic_store(&s->news, false);
  int rc = take(s, &c);
  if (!rc) rc = postgres_count_foreign(s, c, &counted, NULL);
  if (!rc) note_foreign(s, counted);
  postgres_give(s, c);
  atomic_store(&s->looked_ns, store_ns(s));
  return rc;
}

static int take_patiently(postgres_store *s, postgres_connection **out) {
  return postgres_take(s, out, NULL);
}

int postgres_count_news(postgres_store *s) { return count_news(s, postgres_take_at_once); }

/* Others have said something: then a look that is under way is waited for, as it may be too early. */
static bool may_look(postgres_store *s) {
  if (atomic_load(&s->news)) return pthread_mutex_lock(&s->looking) == 0;
  int64_t now = s->env.mono_ns(s->env.ud);
  return now - atomic_load(&s->looked_ns) >= LOOK_NS && pthread_mutex_trylock(&s->looking) == 0;
}

/* Asked by who waits for news: who comes while another thread looks, or soon after, hears what was
 * known before. */
static uint64_t postgres_foreign(store *base) {
  postgres_store *s = (postgres_store *)base;
  if (postgres_check_usable(s, NULL)) return 0;
  if (may_look(s)) {
    (void)count_news(s, take_patiently);
    pthread_mutex_unlock(&s->looking);
  }
  return atomic_load(&s->foreign);
}

/* The first count is waited for: what was there before is no news. From then on the thread of news
 * counts. */
static uint64_t postgres_foreign_known(store *base) {
  postgres_store *s = (postgres_store *)base;
  if (postgres_check_usable(s, NULL)) return 0;
  if (!atomic_exchange(&s->followed, true)) return postgres_foreign(base);
  int64_t now = s->env.mono_ns(s->env.ud);
  bool old = atomic_load(&s->news) || now - atomic_load(&s->looked_ns) >= LOOK_NS;
  if (old && !postgres_notice_count(s->notice)) return postgres_foreign(base);
  return atomic_load(&s->foreign);
}

static uint64_t postgres_own(const postgres_store *s) {
  return (uint64_t)(atomic_load(&s->own_before) + atomic_load(&s->sequence));
}

static uint64_t postgres_changed(store *base) {
  postgres_store *s = (postgres_store *)base;
  if (postgres_check_usable(s, NULL)) return 0;
  uint64_t own = postgres_own(s);
  return own + postgres_foreign(base);
}

static uint64_t postgres_changed_known(store *base) {
  const postgres_store *s = (const postgres_store *)base;
  if (postgres_check_usable(s, NULL)) return 0;
  uint64_t own = postgres_own(s);
  return own + postgres_foreign_known(base);
}

static void postgres_on_foreign_commit(store *base, store_foreign_commit_fn fn, void *ud) {
  postgres_store *s = (postgres_store *)base;
  if (!fork_check_in_child(&s->fork)) postgres_notice_on_commit(s->notice, fn, ud);
}

static bool postgres_hears(const store *base) {
  return postgres_notice_listens(((const postgres_store *)base)->notice);
}

static int64_t postgres_now(const store *base) {
  const postgres_store *s = (const postgres_store *)base;
  return postgres_clock_now(&s->clock, s->env.mono_ns(s->env.ud));
}

static int64_t postgres_clock_jump(const store *base) {
  return atomic_load(&((const postgres_store *)base)->clock.jump_ms);
}

static store_state postgres_state(store *base) {
  return atomic_load(&((postgres_store *)base)->away) ? STORE_STAYS_AWAY : STORE_WELL;
}

static int postgres_level_written(const store *base) {
  const postgres_store *s = (const postgres_store *)base;
  int level = atomic_load(&s->level);
  return level < s->known ? level : s->known;
}

static int postgres_stats(store *base, store_stats *out, orr_error *err) {
  postgres_store *s = (postgres_store *)base;
  postgres_connection *c = NULL;
  PGresult *found = NULL;
  int rc = postgres_check_usable(s, err);
  if (!rc) rc = postgres_take(s, &c, err);
  if (rc) return rc;
  static const char sql[] =
      "SELECT (SELECT count(*) FROM orrery_entry) + (SELECT coalesce(sum(n), 0) FROM orrery_page),"
      " pg_total_relation_size('orrery_entry') + pg_total_relation_size('orrery_page'),"
      " (SELECT coalesce(sum(sequence), 0) FROM orrery_lane)";
  rc = postgres_ask_text(c, sql, 0, NULL, s->name, &found, err);
  if (!rc) {
    out->entries = strtoull(pq.getvalue(found, 0, 0), NULL, 10);
    out->bytes_used = out->bytes_mapped = strtoull(pq.getvalue(found, 0, 1), NULL, 10);
    out->commits = strtoull(pq.getvalue(found, 0, 2), NULL, 10);
    out->questions = atomic_load(&s->questions);
  }
  pq.clear(found);
  postgres_give(s, c);
  return rc > 0 ? ORR_E_STORE : rc;
}

/* ---- Opening and closing --------------------------------------------------------------------- */

static void free_name(const orr_allocator *allocator, char *text) {
  if (text) env_free(allocator, text, strlen(text) + 1);
}

static void postgres_close(store *base) {
  postgres_store *s = (postgres_store *)base;
  orr_allocator allocator = s->env.allocator;
  postgres_notice_free(s->notice, fork_check_in_child(&s->fork));
  if (!fork_check_in_child(&s->fork) && s->lane) postgres_lane_close(s);
  if (s->writer) disconnect(s, s->writer);
  if (!fork_check_in_child(&s->fork) || s->idle) drop_idle(s);
  merge_free(s->merge);
  page_images_free(s->images);
  array_free(&allocator, &s->missing);
  recent_writes_free(s->recent_writes);
  hot_keys_free(s->hot_keys);
  env_free(&allocator, s->lost, s->lost_capacity * sizeof *s->lost);
  fork_check_stop(&s->fork);
  pthread_mutex_destroy(&s->looking);
  pthread_mutex_destroy(&s->writing);
  pthread_mutex_destroy(&s->pool);
  pthread_mutex_destroy(&s->reach);
  free_name(&allocator, s->name);
  free_name(&allocator, s->url);
  env_free(&allocator, s, sizeof *s);
}

static long backend_of(postgres_connection *c, const char *name, orr_error *err) {
  PGresult *found = NULL;
  if (postgres_ask_text(c, "SELECT pg_backend_pid()", 0, NULL, name, &found, err)) return -1;
  long pid = strtol(pq.getvalue(found, 0, 0), NULL, 10);
  pq.clear(found);
  return pid;
}

/* What the server says its session is, a pooler does not know. One that gives sessions away between
 * transactions gives another client the one that we have just used, or us another one while that
 * client keeps it. */
static int check_pooler(postgres_store *s, postgres_connection *c, orr_error *err) {
  long mine = backend_of(c, s->name, err);
  if (mine < 0 || mine == pq.backendPID(c->pg)) return mine < 0 ? ORR_E_STORE : 0;
  postgres_connection *other = NULL;
  bool transient;
  int rc = postgres_connect(&s->env.allocator, s->url, s->name, false, &other, &transient, err);
  if (!rc && postgres_begin(other, false)) rc = ORR_E_STORE;
  long taken = rc ? -1 : backend_of(other, s->name, err);
  if (!rc && taken < 0) rc = ORR_E_STORE;
  if (!rc && (taken == mine || backend_of(c, s->name, err) != mine))
    rc = error_set(
        err, ORR_E_STORE,
        "%s is a pooler that pools transactions: Orrery needs sessions; connect to the server itself, "
        "or set pool_mode = session",
        s->name);
  disconnect(s, other);
  return rc;
}

static int open_sessions(postgres_store *s, orr_error *err) {
  bool transient;
  int rc = postgres_connect(&s->env.allocator, s->url, s->name, s->volatile_commits, &s->writer,
                            &transient, err);
  if (!rc) s->writer->questions = &s->questions;
  if (!rc) rc = check_pooler(s, s->writer, err);
  if (!rc) rc = postgres_schema_check(s->writer, s->name, s->known, err);
  if (!rc) rc = postgres_prepare(s->writer, s->name, err);
  if (!rc) rc = postgres_lane_open(s, s->writer, err);
  postgres_company company;
  if (!rc)
    rc = postgres_clock_measure(&s->clock, &s->env, s->writer, s->lane, s->name, &company, err);
  return rc > 0 ? ORR_E_STORE : rc;
}

static void make_locks(postgres_store *s) {
  pthread_mutex_init(&s->reach, NULL);
  pthread_mutex_init(&s->pool, NULL);
  pthread_mutex_init(&s->writing, NULL);
  pthread_mutex_init(&s->looking, NULL);
  fork_check_start(&s->fork);
}

int store_open_postgresql(const store_options *options, store **out, orr_error *err) {
  *out = NULL;
  int rc = check_standard_streams(err);
  if (rc) return rc;
  const orr_allocator *allocator = &options->env->allocator;
  postgres_store *s = env_zalloc(allocator, sizeof *s);
  if (!s) return error_memory(err);
  s->base.methods = &postgres_methods;
  s->env = *options->env;
  s->volatile_commits = options->no_sync;
  s->known = options->level ? options->level : STORE_LEVEL;
  make_locks(s);
  orr_error failure = {0};
  s->url = env_strdup(allocator, options->path);
  s->images = page_images_new(allocator);
  s->merge = merge_new(allocator, s->images);
  s->recent_writes = recent_writes_new(allocator);
  s->hot_keys = hot_keys_new(allocator);
  s->notice = postgres_notice_new(s);
  if (!s->url || !s->images || !s->merge || !s->recent_writes || !s->hot_keys || !s->notice)
    rc = error_memory(&failure);
  if (!rc) s->name = postgres_describe_url(allocator, s->url, &failure);
  if (!rc && !s->name) rc = failure.code;
  if (!rc) rc = open_sessions(s, &failure);
  if (rc) {
    postgres_close(&s->base);
    error_move(err, &failure);
    return rc;
  }
  *out = &s->base;
  return 0;
}

/* There is no folder: nothing of an engine lies beside the store. */
static const char *postgres_path(const store *base) {
  (void)base;
  return "";
}

static int postgres_copy(store *base, const char *target, bool compact, const store_progress *progress, orr_error *err) {
  (void)target, (void)compact, (void)progress;
  postgres_store *s = (postgres_store *)base;
  int rc = postgres_check_usable(s, err);
  return rc ? rc
            : error_set(
                  err, ORR_E_UNSUPPORTED,
                  "%s is copied by the server's own means: pg_dump, or pg_basebackup with its log",
                  s->name);
}

const store_methods postgres_methods = {
    .close = postgres_close,
    .path = postgres_path,
    .snapshot_open = postgres_view_open,
    .snapshot_renew = postgres_view_renew,
    .snapshot_release = postgres_view_release,
    .snapshot_close = postgres_view_close,
    .get = postgres_view_get,
    .scan = postgres_view_scan,
    .next = postgres_view_next,
    .cursor_close = postgres_cursor_close,
    .commit = postgres_commit,
    .changed = postgres_changed,
    .foreign = postgres_foreign,
    .foreign_known = postgres_foreign_known,
    .changed_known = postgres_changed_known,
    .foreign_seen = postgres_view_foreign,
    .stats = postgres_stats,
    .copy = postgres_copy,
    .readers = postgres_readers,
    .read_ahead = postgres_view_read_ahead,
    .prefetch = postgres_prefetch,
    .prefetched_young = postgres_prefetched_young,
    .prefetched_release = postgres_prefetched_release,
    .snapshot_use = postgres_view_use,
    .hear = postgres_on_foreign_commit,
    .hears = postgres_hears,
    .ask = postgres_ask_others,
    .questions_open = postgres_questions_open,
    .questions_wait = postgres_questions_wait,
    .questions_answer = postgres_questions_answer,
    .questions_end = postgres_questions_end,
    .questions_close = postgres_questions_close,
    .now = postgres_now,
    .clock_jump = postgres_clock_jump,
    .level = postgres_level_written,
    .state = postgres_state,
};
