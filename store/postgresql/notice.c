/* The thread of notices. */
#include "store/postgresql/notice.h"

#include <errno.h>
#include <inttypes.h>
#include <poll.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "store/postgresql/postgresql_internal.h"

#define NS_OF_MS INT64_C(1000000)
#define MEASURE_MS 1000   /* between two looks at the server's clock */
#define RECONNECT_MS 1000 /* between two tries to have a session */
#define LANE_TEXT_BYTES 24

struct postgres_notice {
  postgres_store *s;
  int wake; /* an eventfd: something is to be told, or the thread is to end */
  atomic_bool pending, stop, listens;
  atomic_bool wanted; /* others' commits are to be counted */
  pthread_mutex_t mutex; /* guards the rest, and is held through a call of `fn` */
  store_foreign_commit_fn fn;
  void *ud;
  postgres_question_fn question;
  void *question_ud;
  atomic_bool started;
  pthread_t thread;
  postgres_connection *c; /* the thread's own, as is: */
  char channel[LANE_TEXT_BYTES + 8];
  postgres_company company;
  int64_t told_ns, measured_ns;
  int64_t connect_ns, count_ns; /* not before: after a failure it rests */
};

static int64_t notice_now(const postgres_notice *n) { return n->s->env.mono_ns(n->s->env.ud); }

static void wake_thread(postgres_notice *n) {
  uint64_t one = 1;
  ssize_t written;
  do written = write(n->wake, &one, sizeof one);
  while (written < 0 && errno == EINTR);
}

/* ---- The session ----------------------------------------------------------------------------- */

static void drop_session(postgres_notice *n) {
  atomic_store(&n->listens, false);
  postgres_disconnect(&n->s->env.allocator, n->c, false);
  n->c = NULL;
}

int postgres_notice_channel(postgres_connection *c, const char *name, char *out, size_t size) {
  PGresult *found = NULL;
  int rc = postgres_ask_text(c, "SELECT 'orrery_' || 'orrery_entry'::regclass::oid", 0, NULL, name,
                             &found, NULL);
  if (!rc) snprintf(out, size, "%s", pq.getvalue(found, 0, 0));
  pq.clear(found);
  return rc;
}

static int listen_to(const postgres_notice *n, const char *more) {
  char sql[sizeof n->channel + POSTGRES_CHANNEL_BYTES];
  PGresult *none = NULL;
  snprintf(sql, sizeof sql, "LISTEN %s%s", n->channel, more);
  int rc = postgres_ask_text(n->c, sql, 0, NULL, n->s->name, &none, NULL);
  pq.clear(none);
  return rc;
}

static int begin_listening(postgres_notice *n) {
  int rc = postgres_notice_channel(n->c, n->s->name, n->channel, sizeof n->channel);
  if (!rc) rc = listen_to(n, "");
  return rc ? rc : listen_to(n, POSTGRES_QUESTIONS);
}

static void call_taker(postgres_notice *n, const char *answer_to) {
  pthread_mutex_lock(&n->mutex);
  if (n->question) n->question(n->question_ud, answer_to);
  pthread_mutex_unlock(&n->mutex);
}

static void call_hearer(postgres_notice *n) {
  pthread_mutex_lock(&n->mutex);
  if (n->fn) n->fn(n->ud);
  pthread_mutex_unlock(&n->mutex);
}

/* Who hears of commits is told of a jump of the clock as well, and of its end. */
static int measure(postgres_notice *n) {
  postgres_store *s = n->s;
  int64_t jump = atomic_load(&s->clock.jump_ms);
  n->measured_ns = notice_now(n);
  int rc = postgres_clock_measure(&s->clock, &s->env, n->c, atomic_load(&s->lane), s->name,
                                  &n->company, NULL);
  if (!rc) atomic_store(&s->level, n->company.level);
  if (atomic_load(&s->clock.jump_ms) != jump) call_hearer(n);
  return rc;
}

/* A notice is no promise, so its session's commits need not be flushed. */
static bool have_session(postgres_notice *n) {
  bool transient;
  if (n->c) return true;
  if (notice_now(n) < n->connect_ns) return false;
  n->connect_ns = notice_now(n) + RECONNECT_MS * NS_OF_MS;
  if (postgres_connect(&n->s->env.allocator, n->s->url, n->s->name, true, &n->c, &transient, NULL))
    return false;
  if (begin_listening(n) || measure(n)) {
    drop_session(n);
    return false;
  }
  atomic_store(&n->listens, true);
  n->connect_ns = INT64_MIN / 2;
  postgres_reached(n->s);
  return true;
}

/* ---- Telling and hearing --------------------------------------------------------------------- */

/* One that was lost with its session is owed by the next. */
static int send_notice(postgres_notice *n) {
  char lane[LANE_TEXT_BYTES];
  const char *values[] = {n->channel, lane};
  PGresult *none = NULL;
  atomic_store(&n->pending, false);
  n->told_ns = notice_now(n);
  if (n->company.others == 0) return 0;
  snprintf(lane, sizeof lane, "%" PRId64, atomic_load(&n->s->lane));
  int rc = postgres_ask_text(n->c, "SELECT pg_notify($1, $2)", 2, values, n->s->name, &none, NULL);
  pq.clear(none);
  if (rc) atomic_store(&n->pending, true);
  return rc;
}

/* Own notices come back, too. False: the session is lost. */
static bool read_notices(postgres_notice *n) {
  bool news = false;
  if (!postgres_is_alive(n->c)) return false;
  for (PGnotify *notice; (notice = pq.notifies(n->c->pg));) {
    if (strcmp(notice->relname, n->channel) != 0) call_taker(n, notice->extra);
    else news = news || strtoll(notice->extra, NULL, 10) != atomic_load(&n->s->lane);
    pq.freemem(notice);
  }
  if (news) atomic_store(&n->s->news, true);
  if (news) call_hearer(n);
  return true;
}

/* In a session of another's, so that it depends on nothing here. */
static void count_others(postgres_notice *n) {
  if (!atomic_load(&n->wanted) || notice_now(n) < n->count_ns) return;
  if (postgres_count_news(n->s)) n->count_ns = notice_now(n) + RECONNECT_MS * NS_OF_MS;
  atomic_store(&n->wanted, false);
}

/* ---- The loop -------------------------------------------------------------------------------- */

static void rest_until(postgres_notice *n, int64_t at) {
  struct pollfd fds[] = {{.fd = n->wake, .events = POLLIN},
                         {.fd = n->c ? pq.socket(n->c->pg) : -1, .events = POLLIN}};
  int64_t left_ms = (at - notice_now(n)) / NS_OF_MS + 1;
  uint64_t count;
  if (left_ms > 0) (void)poll(fds, 2, (int)left_ms);
  if (fds[0].revents & POLLIN) (void)!read(n->wake, &count, sizeof count);
}

static int64_t next_ns(const postgres_notice *n) {
  int64_t at = n->measured_ns + MEASURE_MS * NS_OF_MS;
  int64_t tell = n->told_ns + POSTGRES_NOTICE_MS * NS_OF_MS;
  if (!n->c) at = n->connect_ns;
  if (n->c && atomic_load(&n->pending) && tell < at) at = tell;
  return atomic_load(&n->wanted) && n->count_ns < at ? n->count_ns : at;
}

/* False: the session is lost. Notices are read last, since they come with the answers, too. */
static bool serve_session(postgres_notice *n) {
  int64_t now = notice_now(n);
  int rc = 0;
  if (atomic_load(&n->pending) && now - n->told_ns >= POSTGRES_NOTICE_MS * NS_OF_MS)
    rc = send_notice(n);
  if (!rc && now - n->measured_ns >= MEASURE_MS * NS_OF_MS) rc = measure(n);
  return !rc && read_notices(n);
}

static void *notice_main(void *arg) {
  postgres_notice *n = arg;
  env_name_thread("orr-notice");
  while (!atomic_load(&n->stop)) {
    count_others(n);
    if (!have_session(n) || serve_session(n)) rest_until(n, next_ns(n));
    else drop_session(n);
  }
  n->connect_ns = INT64_MIN / 2;
  if (atomic_load(&n->pending) && have_session(n)) (void)send_notice(n);
  drop_session(n);
  return NULL;
}

/* Without a thread there are no notices, which others do without. */
static void start_thread(postgres_notice *n) {
  pthread_mutex_lock(&n->mutex);
  if (!n->started) n->started = pthread_create(&n->thread, NULL, notice_main, n) == 0;
  pthread_mutex_unlock(&n->mutex);
}

/* ---- The face -------------------------------------------------------------------------------- */

postgres_notice *postgres_notice_new(postgres_store *s) {
  postgres_notice *n = env_zalloc(&s->env.allocator, sizeof *n);
  if (!n) return NULL;
  n->s = s;
  n->told_ns = n->connect_ns = n->count_ns = INT64_MIN / 2;
  n->wake = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
  if (n->wake >= 0 && pthread_mutex_init(&n->mutex, NULL) == 0) return n;
  if (n->wake >= 0) close(n->wake);
  env_free(&s->env.allocator, n, sizeof *n);
  return NULL;
}

void postgres_notice_free(postgres_notice *n, bool forked) {
  if (!n) return;
  orr_allocator allocator = n->s->env.allocator;
  if (!forked) {
    atomic_store(&n->stop, true);
    wake_thread(n);
    if (n->started) pthread_join(n->thread, NULL);
    pthread_mutex_destroy(&n->mutex);
  } else if (n->c) {
    postgres_disconnect(&allocator, n->c, true);
  }
  close(n->wake);
  env_free(&allocator, n, sizeof *n);
}

void postgres_notice_tell(postgres_notice *n) {
  if (atomic_exchange(&n->pending, true)) return;
  start_thread(n);
  wake_thread(n);
}

bool postgres_notice_count(postgres_notice *n) {
  if (!atomic_exchange(&n->wanted, true)) {
    if (!atomic_load(&n->started)) start_thread(n);
    wake_thread(n);
  }
  return atomic_load(&n->started);
}

void postgres_notice_on_commit(postgres_notice *n, store_foreign_commit_fn fn, void *ud) {
  pthread_mutex_lock(&n->mutex);
  n->fn = fn;
  n->ud = ud;
  pthread_mutex_unlock(&n->mutex);
  if (fn) start_thread(n);
}

void postgres_notice_take_questions(postgres_notice *n, postgres_question_fn fn, void *ud) {
  pthread_mutex_lock(&n->mutex);
  n->question = fn;
  n->question_ud = ud;
  pthread_mutex_unlock(&n->mutex);
  if (fn) start_thread(n);
}

bool postgres_notice_listens(const postgres_notice *n) { return atomic_load(&n->listens); }
