/* Asking by notifications, and answering. */
#include "store/postgresql/questions.h"

#include <errno.h>
#include <inttypes.h>
#include <poll.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "base/error.h"
#include "store/postgresql/notice.h"
#include "store/postgresql/postgresql_internal.h"

#define NS_OF_MS INT64_C(1000000)
#define PART_BYTES 3500    /* of an answer; as hexadecimal digits it fits into a notification, which holds 7,999 bytes */
#define PARTS_MAX (STORE_ANSWER_MAX / PART_BYTES + 1)
#define WAITING_MAX 16     /* questions that wait to be answered; who asks more gets no answer */
#define ANSWERERS_MAX 256

/* ---- Answering ------------------------------------------------------------------------------- */

typedef struct postgres_questions {
  store_questions base;
  postgres_store *store;
  int wake;              /* an eventfd: a question has come, or the end */
  pthread_mutex_t mutex; /* guards the rest */
  bool ended;
  char waiting[WAITING_MAX][POSTGRES_CHANNEL_BYTES]; /* where answers are wanted, the oldest first */
  uint32_t count;
  char asker[POSTGRES_CHANNEL_BYTES]; /* of the question that came last; "": none */
} postgres_questions;

static void wake_taker(const postgres_questions *q) {
  uint64_t one = 1;
  ssize_t written;
  do written = write(q->wake, &one, sizeof one);
  while (written < 0 && errno == EINTR);
}

/* By the thread of notices. */
static void hear_question(void *ud, const char *answer_to) {
  postgres_questions *q = ud;
  pthread_mutex_lock(&q->mutex);
  if (q->count < WAITING_MAX && strlen(answer_to) < POSTGRES_CHANNEL_BYTES)
    strcpy(q->waiting[q->count++], answer_to);
  pthread_mutex_unlock(&q->mutex);
  wake_taker(q);
}

store_questions *postgres_questions_open(store *base, const char *name, orr_error *err) {
  postgres_store *s = (postgres_store *)base;
  (void)name;
  if (postgres_check_usable(s, err)) return NULL;
  postgres_questions *q = env_zalloc(&s->env.allocator, sizeof *q);
  if (q) q->wake = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
  if (!q || q->wake < 0) {
    env_free(&s->env.allocator, q, sizeof *q);
    error_memory(err);
    return NULL;
  }
  q->base.methods = &postgres_methods;
  q->store = s;
  pthread_mutex_init(&q->mutex, NULL);
  postgres_notice_take_questions(s->notice, hear_question, q);
  return &q->base;
}

static bool next_question(postgres_questions *q, bool *ended) {
  pthread_mutex_lock(&q->mutex);
  bool any = q->count > 0;
  if (any) {
    strcpy(q->asker, q->waiting[0]);
    memmove(q->waiting[0], q->waiting[1], --q->count * sizeof q->waiting[0]);
  }
  *ended = q->ended;
  pthread_mutex_unlock(&q->mutex);
  return any;
}

bool postgres_questions_wait(store_questions *base) {
  postgres_questions *q = (postgres_questions *)base;
  struct pollfd wake = {.fd = q->wake, .events = POLLIN};
  uint64_t count;
  for (bool ended;;) {
    bool any = next_question(q, &ended);
    if (ended || any) return !ended;
    (void)poll(&wake, 1, -1);
    (void)!read(q->wake, &count, sizeof count);
  }
}

static int send_part(const postgres_questions *q, postgres_connection *c, const uint8_t *bytes, size_t size, uint32_t part,
                     uint32_t parts) {
  char text[2 * PART_BYTES + 64];
  const char *values[] = {q->asker, text};
  PGresult *none = NULL;
  int n = snprintf(text, sizeof text, "%" PRId64 " %" PRIu32 " %" PRIu32 " ", atomic_load(&q->store->lane), part, parts);
  for (size_t i = 0; i < size; i++) snprintf(text + n + 2 * i, 3, "%02x", bytes[i]);
  int rc = postgres_ask_text(c, "SELECT pg_notify($1, $2)", 2, values, q->store->name, &none, NULL);
  pq.clear(none);
  return rc;
}

void postgres_questions_answer(store_questions *base, const void *bytes, size_t size) {
  postgres_questions *q = (postgres_questions *)base;
  postgres_connection *c = NULL;
  uint32_t parts = (uint32_t)((size + PART_BYTES - 1) / PART_BYTES);
  int rc = q->asker[0] ? postgres_take(q->store, &c, NULL) : ORR_E_STATE;
  for (uint32_t i = 0; !rc && i < parts; i++) {
    size_t from = (size_t)i * PART_BYTES, left = size - from;
    rc = send_part(q, c, (const uint8_t *)bytes + from, left < PART_BYTES ? left : PART_BYTES, i, parts);
  }
  postgres_give(q->store, c);
  q->asker[0] = '\0';
}

void postgres_questions_end(store_questions *base) {
  postgres_questions *q = (postgres_questions *)base;
  pthread_mutex_lock(&q->mutex);
  q->ended = true;
  pthread_mutex_unlock(&q->mutex);
  wake_taker(q);
}

void postgres_questions_close(store_questions *base) {
  postgres_questions *q = (postgres_questions *)base;
  orr_allocator allocator = q->store->env.allocator;
  postgres_notice_take_questions(q->store->notice, NULL, NULL);
  pthread_mutex_destroy(&q->mutex);
  close(q->wake);
  env_free(&allocator, q, sizeof *q);
}

/* ---- Asking ---------------------------------------------------------------------------------- */

/* An answer whose parts are coming. */
typedef struct answering {
  int64_t lane;
  uint8_t *bytes;
  uint32_t parts, got;
  size_t size;
} answering;

typedef struct asking {
  postgres_store *s;
  postgres_connection *c;
  char questions[POSTGRES_CHANNEL_BYTES], own[POSTGRES_CHANNEL_BYTES];
  answering *items;
  uint32_t count;
  store_answer_fn take;
  void *ud;
  bool done;
} asking;

static int run_sql(const asking *a, const char *sql, int count, const char *const *values, orr_error *err) {
  PGresult *none = NULL;
  int rc = postgres_ask_text(a->c, sql, count, values, a->s->name, &none, err);
  pq.clear(none);
  return rc > 0 ? error_set(err, ORR_E_STORE, "the session with %s was lost", a->s->name) : rc;
}

static int name_channels(asking *a, orr_error *err) {
  char channel[POSTGRES_CHANNEL_BYTES / 2];
  int rc = postgres_notice_channel(a->c, a->s->name, channel, sizeof channel);
  if (rc) return error_set(err, ORR_E_STORE, "%s does not say which channel is its own", a->s->name);
  snprintf(a->questions, sizeof a->questions, "%s" POSTGRES_QUESTIONS, channel);
  snprintf(a->own, sizeof a->own, "%s_%016" PRIx64, channel, a->s->env.random(a->s->env.ud));
  return 0;
}

static int send_question(asking *a, orr_error *err) {
  char sql[POSTGRES_CHANNEL_BYTES + 16];
  const char *values[] = {a->questions, a->own};
  int rc = name_channels(a, err);
  snprintf(sql, sizeof sql, "LISTEN %s", a->own);
  if (!rc) rc = run_sql(a, sql, 0, NULL, err);
  return rc ? rc : run_sql(a, "SELECT pg_notify($1, $2)", 2, values, err);
}

static answering *answer_of(asking *a, int64_t lane, uint32_t parts) {
  for (uint32_t i = 0; i < a->count; i++)
    if (a->items[i].lane == lane) return a->items[i].parts == parts ? &a->items[i] : NULL;
  if (a->count == ANSWERERS_MAX) return NULL;
  uint8_t *bytes = env_alloc(&a->s->env.allocator, (size_t)parts * PART_BYTES);
  if (!bytes) return NULL;
  a->items[a->count] = (answering){.lane = lane, .bytes = bytes, .parts = parts};
  return &a->items[a->count++];
}

static int part_digit(char c) { return c >= '0' && c <= '9' ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1; }

/* How many bytes; -1: these are none. */
static int read_digits(const char *text, uint8_t *out) {
  int n = 0;
  for (; text[0] && text[1]; text += 2, n++) {
    int high = part_digit(text[0]), low = part_digit(text[1]);
    if (high < 0 || low < 0 || n == PART_BYTES) return -1;
    out[n] = (uint8_t)(high << 4 | low);
  }
  return text[0] ? -1 : n;
}

/* Parts come in their order, as one session sends them; anything else is no answer. */
static void take_part(asking *a, const char *text) {
  int64_t lane;
  uint32_t part, parts;
  int used = 0;
  if (sscanf(text, "%" SCNd64 " %" SCNu32 " %" SCNu32 " %n", &lane, &part, &parts, &used) != 3 || !used) return;
  if (parts == 0 || parts > PARTS_MAX) return;
  answering *x = answer_of(a, lane, parts);
  int n = x && part == x->got && part < parts ? read_digits(text + used, x->bytes + x->size) : -1;
  if (n < 0 || (part + 1 < parts && n != PART_BYTES)) return;
  x->got++;
  x->size += (size_t)n;
  if (x->got == parts) a->done = a->take(a->ud, x->bytes, x->size) || a->done;
}

/* False: the session is lost. */
static bool hear_parts(asking *a) {
  bool alive = postgres_is_alive(a->c);
  for (PGnotify *notice; (notice = pq.notifies(a->c->pg));) {
    if (!a->done && strcmp(notice->relname, a->own) == 0) take_part(a, notice->extra);
    pq.freemem(notice);
  }
  return alive;
}

static void collect_part_by_part(asking *a, int64_t until_ns) {
  const orr_env *env = &a->s->env;
  for (int64_t left; hear_parts(a) && !a->done && (left = until_ns - env->mono_ns(env->ud)) > 0;) {
    struct pollfd p = {.fd = pq.socket(a->c->pg), .events = POLLIN};
    (void)poll(&p, 1, (int)(left / NS_OF_MS) + 1);
  }
}

/* What still comes on the channel is nobody's. */
static void end_asking(asking *a) {
  char sql[POSTGRES_CHANNEL_BYTES + 16];
  snprintf(sql, sizeof sql, "UNLISTEN %s", a->own);
  if (a->own[0]) (void)run_sql(a, sql, 0, NULL, NULL);
  a->done = true;
  (void)hear_parts(a);
}

int postgres_ask_others(store *base, int64_t wait_ms, store_answer_fn take, void *ud, orr_error *err) {
  postgres_store *s = (postgres_store *)base;
  const orr_allocator *allocator = &s->env.allocator;
  int64_t until = s->env.mono_ns(s->env.ud) + wait_ms * NS_OF_MS;
  asking a = {.s = s, .take = take, .ud = ud, .items = env_alloc(allocator, ANSWERERS_MAX * sizeof *a.items)};
  if (!a.items) return error_memory(err);
  int rc = postgres_take(s, &a.c, err);
  if (!rc) {
    rc = send_question(&a, err);
    if (!rc) collect_part_by_part(&a, until);
    end_asking(&a);
  }
  postgres_give(s, a.c);
  for (uint32_t i = 0; i < a.count; i++) env_free(allocator, a.items[i].bytes, (size_t)a.items[i].parts * PART_BYTES);
  env_free(allocator, a.items, ANSWERERS_MAX * sizeof *a.items);
  return rc;
}
