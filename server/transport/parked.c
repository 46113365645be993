/* Polls that wait. */
#include "server/transport/parked.h"

#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "base/hash.h"
#include "server/server_internal.h"
#include "server/transport/deadline.h"
#include "server/transport/topic_look.h"

#define PARKED_MS 1000000LL
enum { PARKED_BUCKETS = 1024, OTHERS_MS = 20, ROUND_MS = 5, REST_FACTOR = 4, ATTEMPTS_MAX = 64 };

typedef struct parked_topic parked_topic;

/* One poll in one topic's list. */
typedef struct parked_place {
  parked_topic *topic;
  struct parked *of;
  struct parked_place *prev, *next;
} parked_place;

/* Watched by the room's feed from the first poll that waits for it to the last one. */
struct parked_topic {
  deadline look;       /* when to look at it although nothing was told; first, so that it is found by it */
  char *name;
  parked_place *first, *last;
  size_t waiting;
  uint64_t changed;    /* the generation in which something was told of it last */
  bool queued, looked; /* the room's thread knows it: it must not go */
  parked_topic *next_queued;
  parked_topic *next;  /* of the bucket */
};

struct parked {
  deadline end;        /* first, so that it is found by it */
  request *q;
  parked_room *room;
  void (*again)(request *q);
  uint64_t generation; /* in which it looked last */
  size_t n_places;
  parked_place places[];
};

struct parked_room {
  server *server;
  orr_engine *engine;
  orr_feed *feed;
  int alarm;             /* an eventfd: there is something for the thread that the feed does not tell */
  pthread_t thread;
  pthread_mutex_t mutex;
  bool started, ending, draining;
  deadlines ends, looks; /* of polls, of topics */
  parked_topic *buckets[PARKED_BUCKETS];
  parked_topic *queue, **queue_end; /* to be looked at */
  int64_t rest_until_ns;
  atomic_ullong generation;
};

static void room_alarm(parked_room *room) {
  uint64_t one = 1;
  while (write(room->alarm, &one, sizeof one) < 0 && errno == EINTR) {}
}

/* ---- Topics; with the mutex held -------------------------------------------------------------- */

static parked_topic **topic_place(parked_room *room, const char *name, size_t size) {
  parked_topic **at = &room->buckets[hash_bytes(name, size) % PARKED_BUCKETS];
  while (*at && (strncmp((*at)->name, name, size) != 0 || (*at)->name[size])) at = &(*at)->next;
  return at;
}

/* Has the room's feed watch a topic, or not any more. False: out of memory. */
static bool topic_watch(parked_room *room, const char *name, int (*watch)(orr_feed *, const orr_value *, orr_error *)) {
  orr_builder *b = orr_builder_new();
  orr_value what;
  if (!b) return false;
  orr_builder_map(b);
  orr_builder_put(b, "topic", orr_string(name));
  orr_builder_end(b);
  bool done = !orr_builder_value(b, &what, NULL) && !watch(room->feed, &what, NULL);
  orr_builder_free(b);
  return done;
}

static void topic_free(parked_topic *t) {
  free(t->name);
  free(t);
}

/* What was committed before it is watched is not told, so that it counts as changed. */
static parked_topic *topic_get(parked_room *room, const char *name) {
  parked_topic **place = topic_place(room, name, strlen(name)), *t = *place;
  if (t) return t;
  t = calloc(1, sizeof *t);
  if (!t) return NULL;
  t->name = strdup(name);
  if (!t->name || !topic_watch(room, name, orr_feed_watch)) {
    topic_free(t);
    return NULL;
  }
  t->changed = atomic_fetch_add(&room->generation, 1) + 1;
  return *place = t;
}

/* Lets go of one that no poll waits for. */
static void topic_settle(parked_room *room, parked_topic *t) {
  if (t->waiting > 0 || t->queued || t->looked) return;
  parked_topic **place = topic_place(room, t->name, strlen(t->name));
  *place = t->next;
  deadlines_remove(&room->looks, &t->look);
  topic_watch(room, t->name, orr_feed_unwatch); /* fails for memory alone: it is then told what nobody waits for */
  topic_free(t);
}

static void topic_queue(parked_room *room, parked_topic *t) {
  if (t->queued) return;
  t->queued = true;
  t->next_queued = NULL;
  *room->queue_end = t;
  room->queue_end = &t->next_queued;
}

static parked_topic *topic_dequeue(parked_room *room) {
  parked_topic *t = room->queue;
  room->queue = t->next_queued;
  if (!room->queue) room->queue_end = &room->queue;
  t->queued = false;
  return t;
}

/* Its polls have not seen what it is from here on. */
static void topic_changed(parked_room *room, parked_topic *t) {
  t->changed = atomic_load(&room->generation);
  topic_queue(room, t);
}

/* ---- Polls; with the mutex held --------------------------------------------------------------- */

static void place_enter(parked_place *place) {
  parked_topic *t = place->topic;
  place->prev = t->last;
  place->next = NULL;
  if (t->last) t->last->next = place;
  else t->first = place;
  t->last = place;
  t->waiting++;
}

static void place_leave(parked_room *room, parked_place *place) {
  parked_topic *t = place->topic;
  if (place->prev) place->prev->next = place->next;
  else t->first = place->next;
  if (place->next) place->next->prev = place->prev;
  else t->last = place->prev;
  t->waiting--;
  topic_settle(room, t);
}

static void parked_free(struct parked *p) {
  parked_room *room = p->room;
  for (size_t i = 0; i < p->n_places; i++) place_leave(room, &p->places[i]);
  deadlines_remove(&room->ends, &p->end);
  free(p);
}

/* It waits no more. */
static void parked_leave(struct parked *p) {
  p->q->parked = NULL;
  atomic_fetch_sub(&p->room->server->stats.parked, 1);
  parked_free(p);
}

/* In the lists of its topics. NULL: out of memory. */
static struct parked *parked_make(parked_room *room, request *q, const char **topics, size_t n_topics,
                                  int64_t deadline_ns) {
  struct parked *p = calloc(1, sizeof *p + n_topics * sizeof p->places[0]);
  if (!p) return NULL;
  *p = (struct parked){.q = q, .room = room};
  bool made = deadlines_set(&room->ends, &p->end, deadline_ns);
  while (made && p->n_places < n_topics) {
    parked_topic *t = topic_get(room, topics[p->n_places]);
    made = t;
    if (!t) break;
    parked_place *place = &p->places[p->n_places++];
    *place = (parked_place){.topic = t, .of = p};
    place_enter(place);
  }
  if (made) return p;
  parked_free(p);
  return NULL;
}

/* One that was woken and got nothing has the next one try; one that looked before the last change is tried itself. */
static void parked_enter(struct parked *p) {
  parked_room *room = p->room;
  bool first = room->ends.count == 1;
  for (size_t i = 0; i < p->n_places; i++) {
    parked_topic *t = p->places[i].topic;
    if (p->q->woken || p->generation < t->changed) topic_queue(room, t);
  }
  p->q->parked = p;
  atomic_fetch_add(&room->server->stats.parked, 1);
  if (first || room->queue) room_alarm(room);
}

static void parked_answer_empty(struct parked *p) {
  request *q = p->q;
  parked_leave(p);
  out_open(&q->out, '[');
  out_close(&q->out, ']');
  request_done(q);
  loop_finished(q);
}

/* False: its client has gone, and it gets no task. */
static bool parked_retry(struct parked *p) {
  request *q = p->q;
  if (connection_gone(q->connection)) {
    parked_answer_empty(p);
    return false;
  }
  void (*again)(request *) = p->again;
  q->woken = true;
  parked_leave(p);
  if (pool_submit(q->engine->pool, q, again)) return true; /* another thread's now */
  out_rawf(&q->out, "[]");
  request_done(q);
  loop_finished(q);
  return false;
}

/* Has up to `n` polls of a topic try, of those that have not since it changed. The topic is the caller's: it does not go. */
static void topic_wake(const parked_topic *t, size_t n) {
  for (parked_place *place = t->first, *next; place && n > 0; place = next) {
    next = place->next;
    if (place->of->generation < t->changed && parked_retry(place->of)) n--;
  }
}

/* ---- Looking ---------------------------------------------------------------------------------- */

/* Locks end by themselves, and a free task may be held back by a limit or another task of its instance: where there are
 * tasks, it is looked again when the next lock ends, or in a second. */
static void topic_look_later(parked_room *room, parked_topic *t, const topic_state *state, int64_t now) {
  int64_t pause = TOPIC_LOCK_FAR_MS * PARKED_MS, least = PARKED_MS;
  if (state->left_ms < TOPIC_LOCK_FAR_MS) pause = state->left_ms * PARKED_MS + least;
  if (pause < least) pause = least;
  bool later = state->waits && t->waiting > 0;
  if (!later || !deadlines_set(&room->looks, &t->look, now + pause)) deadlines_remove(&room->looks, &t->look);
}

/* Looks at the topics that are queued, for some milliseconds. With the mutex held, which it lets go of meanwhile. */
static void parked_look(parked_room *room, int64_t begun) {
  int64_t now = begun;
  while (room->queue && !room->ending && !room->draining && now - begun < ROUND_MS * PARKED_MS) {
    parked_topic *t = topic_dequeue(room);
    size_t most = t->waiting < ATTEMPTS_MAX ? t->waiting : ATTEMPTS_MAX;
    t->looked = true;
    pthread_mutex_unlock(&room->mutex);
    topic_state state = {0};
    if (most > 0) {
      state = topic_look(room->engine, t->name, most);
      atomic_fetch_add(&room->server->stats.looks, 1);
    }
    pthread_mutex_lock(&room->mutex);
    now = server_now_ns();
    topic_wake(t, state.free);
    topic_look_later(room, t, &state, now);
    t->looked = false;
    topic_settle(room, t);
  }
  room->rest_until_ns = now + (now - begun) * REST_FACTOR;
}

/* ---- The thread; with the mutex held ---------------------------------------------------------- */

/* Topics that the feed names, or all where it cannot be told which. */
static void parked_hear(parked_room *room) {
  orr_builder *b = orr_builder_new();
  orr_value changes, change;
  bool taken = b && !orr_feed_take(room->feed, b, NULL) && !orr_builder_value(b, &changes, NULL);
  orr_iterator i = taken ? orr_iterate(&changes) : (orr_iterator){0};
  if (!taken || orr_count(&changes) > 0) atomic_fetch_add(&room->generation, 1);
  while (taken && orr_next(&i, NULL, &change)) {
    orr_value topic = orr_map_get(&change, "topic");
    parked_topic *t = topic.type == ORR_STRING ? *topic_place(room, topic.as.bytes, topic.size) : NULL;
    if (t) topic_changed(room, t);
  }
  for (size_t k = 0; !taken && k < PARKED_BUCKETS; k++)
    for (parked_topic *t = room->buckets[k]; t; t = t->next) topic_changed(room, t);
  orr_builder_free(b);
}

static void parked_expire(parked_room *room, int64_t now) {
  for (deadline *d; (d = deadlines_first(&room->ends)) && (room->draining || d->at_ns <= now);)
    parked_answer_empty((struct parked *)d);
}

static void parked_tick(parked_room *room, int64_t now) {
  deadline *d = deadlines_first(&room->looks);
  if (d && d->at_ns <= now) atomic_fetch_add(&room->generation, 1);
  for (; d && d->at_ns <= now; d = deadlines_first(&room->looks)) {
    deadlines_remove(&room->looks, d);
    topic_changed(room, (parked_topic *)d);
  }
}

static int64_t sooner(int64_t at_ns, const deadline *d) { return d && d->at_ns < at_ns ? d->at_ns : at_ns; }

/* When the thread has something to do although nothing wakes it. INT64_MAX: never, no poll waits. */
static int64_t parked_until(const parked_room *room, int64_t now) {
  if (!deadlines_first(&room->ends)) return INT64_MAX;
  int64_t until = now + OTHERS_MS * PARKED_MS; /* commits of other processes make no descriptor readable */
  until = sooner(sooner(until, deadlines_first(&room->ends)), deadlines_first(&room->looks));
  bool rests = room->queue || now < room->rest_until_ns; /* behind its rest it looks, or listens to the feed again */
  return rests && room->rest_until_ns < until ? room->rest_until_ns : until;
}

/* While it rests from looking, what the feed tells can wait. */
static void parked_sleep(parked_room *room, int64_t until) {
  int64_t now = server_now_ns(), left = until > now ? until - now : 0;
  struct timespec timeout = {.tv_sec = (time_t)(left / 1000000000), .tv_nsec = (long)(left % 1000000000)};
  struct pollfd wake[] = {{.fd = room->alarm, .events = POLLIN},
                          {.fd = orr_feed_descriptor(room->feed), .events = POLLIN}};
  uint64_t alarms;
  ppoll(wake, now < room->rest_until_ns ? 1 : 2, until == INT64_MAX ? NULL : &timeout, NULL);
  while (read(room->alarm, &alarms, sizeof alarms) < 0 && errno == EINTR) {}
}

static void *parked_thread(void *ud) {
  parked_room *room = ud;
  pthread_mutex_lock(&room->mutex);
  while (!room->ending) {
    int64_t now = server_now_ns();
    parked_expire(room, now);
    parked_hear(room);
    parked_tick(room, now);
    if (now >= room->rest_until_ns) parked_look(room, now);
    int64_t until = parked_until(room, server_now_ns());
    pthread_mutex_unlock(&room->mutex);
    parked_sleep(room, until);
    pthread_mutex_lock(&room->mutex);
  }
  pthread_mutex_unlock(&room->mutex);
  return NULL;
}

/* ---- The room --------------------------------------------------------------------------------- */

parked_room *parked_open(server *s, server_engine *e, orr_error *err) {
  parked_room *room = calloc(1, sizeof *room);
  if (!room) {
    error_memory(err);
    return NULL;
  }
  room->server = s;
  room->engine = e->engine;
  room->queue_end = &room->queue;
  pthread_mutex_init(&room->mutex, NULL);
  room->alarm = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
  int rc = room->alarm < 0 ? error_set(err, ORR_E_LIMIT, "polls cannot wait: %s", strerror(errno)) : 0;
  if (!rc) rc = orr_feed_open(e->engine, &room->feed, err);
  if (!rc && pthread_create(&room->thread, NULL, parked_thread, room) != 0)
    rc = error_set(err, ORR_E_STATE, "a thread cannot be started");
  room->started = !rc;
  if (room->started) return room;
  parked_close(room);
  return NULL;
}

void parked_drain(parked_room *room) {
  pthread_mutex_lock(&room->mutex);
  room->draining = true;
  parked_expire(room, 0);
  pthread_mutex_unlock(&room->mutex);
}

void parked_close(parked_room *room) {
  if (!room) return;
  pthread_mutex_lock(&room->mutex);
  room->ending = true;
  pthread_mutex_unlock(&room->mutex);
  room_alarm(room);
  if (room->started) pthread_join(room->thread, NULL);
  while (room->queue) topic_settle(room, topic_dequeue(room));
  orr_feed_close(room->feed);
  if (room->alarm >= 0) close(room->alarm);
  deadlines_free(&room->ends);
  deadlines_free(&room->looks);
  pthread_mutex_destroy(&room->mutex);
  free(room);
}

uint64_t parked_generation(parked_room *room) { return atomic_load(&room->generation); }

bool parked_wait(parked_room *room, request *q, const char **topics, size_t n_topics, int64_t deadline_ns,
                 uint64_t generation, void (*again)(request *q)) {
  struct parked *p = NULL;
  pthread_mutex_lock(&room->mutex);
  if (!room->draining && !room->ending && server_now_ns() < deadline_ns)
    p = parked_make(room, q, topics, n_topics, deadline_ns);
  if (p) {
    p->generation = generation;
    p->again = again;
    parked_enter(p);
  }
  pthread_mutex_unlock(&room->mutex);
  return p;
}
