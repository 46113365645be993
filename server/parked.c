/* Polls that wait. */
#include "server/parked.h"

#include <stdlib.h>
#include <string.h>

#include "server/server_internal.h"

#define PARKED_MS 1000000LL
enum { PARKED_BUCKETS = 1024, LOOK_MS = 5, TICK_MS = 1000, REST_FACTOR = 4, ATTEMPTS_MAX = 64 };

typedef struct parked_topic parked_topic;

/* One poll in one topic's list. */
typedef struct parked_place {
  parked_topic *topic;
  struct parked *of;
  struct parked_place *prev, *next;
} parked_place;

struct parked_topic {
  char *name;
  parked_place *first, *last;
  size_t waiting;
  parked_topic *next; /* of the bucket */
};

struct parked {
  request *q;
  parked_room *room;
  void (*again)(request *q);
  int64_t deadline_ns;
  uint64_t generation;
  struct parked *prev, *next; /* of all that wait, oldest first */
  size_t n_places;
  parked_place places[];
};

struct parked_room {
  server *server;
  orr_engine *engine;
  pthread_t thread;
  pthread_mutex_t mutex;
  pthread_cond_t changed;
  bool started, ending, draining;
  struct parked *first, *last;
  parked_topic *buckets[PARKED_BUCKETS];
  int64_t changes;       /* of the store, when it was last looked at */
  int64_t ticked_ns;
  atomic_ullong generation;
};

/* ---- Lists ------------------------------------------------------------------------------------ */

static parked_topic **topic_bucket(parked_room *room, const char *name) {
  uint32_t hash = 2166136261U;
  for (const char *at = name; *at; at++) hash = (hash ^ (unsigned char)*at) * 16777619U;
  return &room->buckets[hash % PARKED_BUCKETS];
}

static parked_topic *topic_get(parked_room *room, const char *name) {
  parked_topic **bucket = topic_bucket(room, name), *t = *bucket;
  while (t && strcmp(t->name, name) != 0) t = t->next;
  if (t) return t;
  t = calloc(1, sizeof *t);
  if (t) t->name = strdup(name);
  if (!t || !t->name) {
    free(t);
    return NULL;
  }
  t->next = *bucket;
  *bucket = t;
  return t;
}

static void topic_drop(parked_room *room, parked_topic *t) {
  parked_topic **at = topic_bucket(room, t->name);
  while (*at != t) at = &(*at)->next;
  *at = t->next;
  free(t->name);
  free(t);
}

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
  if (--t->waiting == 0) topic_drop(room, t);
}

/* With the mutex held: it waits no more. */
static void parked_leave(struct parked *p) {
  parked_room *room = p->room;
  for (size_t i = 0; i < p->n_places; i++) place_leave(room, &p->places[i]);
  if (p->prev) p->prev->next = p->next;
  else room->first = p->next;
  if (p->next) p->next->prev = p->prev;
  else room->last = p->prev;
  p->q->parked = NULL;
  atomic_fetch_sub(&room->server->stats.parked, 1);
}

static void parked_enter(struct parked *p) {
  parked_room *room = p->room;
  for (size_t i = 0; i < p->n_places; i++) place_enter(&p->places[i]);
  p->prev = room->last;
  if (room->last) room->last->next = p;
  else room->first = p;
  room->last = p;
  p->q->parked = p;
  atomic_fetch_add(&room->server->stats.parked, 1);
}


/* With the mutex held. */
static void parked_answer_empty(struct parked *p) {
  request *q = p->q;
  parked_leave(p);
  free(p);
  out_open(&q->out, '[');
  out_close(&q->out, ']');
  request_done(q);
  loop_finished(q);
}

/* With the mutex held. One whose client has gone gets no task. */
static void parked_retry(struct parked *p) {
  request *q = p->q;
  if (connection_gone(q->connection)) {
    parked_answer_empty(p);
    return;
  }
  void (*again)(request *) = p->again;
  server *in = p->room->server;
  parked_leave(p);
  free(p);
  if (pool_submit(in->pool, q, again)) return; /* another thread's now */
  out_rawf(&q->out, "[]");
  request_done(q);
  loop_finished(q);
}

/* ---- Looking ---------------------------------------------------------------------------------- */

/* How many tasks of a topic could be had, up to `most`. Without the mutex. */
static size_t topic_free_tasks(orr_engine *engine, const char *name, size_t most) {
  orr_builder *b = orr_builder_new();
  orr_value filter;
  orr_records *found = NULL;
  size_t n = 0;
  if (!b) return 0;
  orr_builder_map(b);
  orr_builder_put(b, "topic", orr_string(name));
  orr_builder_put(b, "locked", orr_bool(false));
  orr_builder_put(b, "no_retries", orr_bool(false));
  orr_builder_put(b, "active", orr_bool(true));
  orr_builder_put(b, "limit", orr_int((int64_t)most));
  orr_builder_end(b);
  if (!orr_builder_value(b, &filter, NULL) && !orr_engine_list(engine, "external_tasks", &filter, &found, NULL))
    n = orr_records_count(found);
  orr_records_free(found);
  orr_builder_free(b);
  return n;
}

static bool parked_eligible(const struct parked *p, uint64_t generation) { return p->generation != generation; }

/* With the mutex held: has up to `n` polls of a topic try. The caller may find the topic gone after it. */
static void topic_wake(parked_room *room, const char *name, size_t n) {
  uint64_t generation = atomic_load(&room->generation);
  parked_topic *t = *topic_bucket(room, name);
  while (t && strcmp(t->name, name) != 0) t = t->next;
  for (parked_place *place = t ? t->first : NULL, *next; place && n > 0; place = next) {
    next = place->next;
    if (!parked_eligible(place->of, generation)) continue;
    place->of->generation = generation;
    parked_retry(place->of);
    n--;
  }
}

/* With the mutex held: the topics of polls that have not seen this generation. */
static char **parked_topics(parked_room *room, size_t *n) {
  uint64_t generation = atomic_load(&room->generation);
  char **names = NULL;
  size_t capacity = 0;
  *n = 0;
  for (size_t i = 0; i < PARKED_BUCKETS; i++)
    for (parked_topic *t = room->buckets[i]; t; t = t->next) {
      parked_place *place = t->first;
      while (place && !parked_eligible(place->of, generation)) place = place->next;
      if (!place) continue;
      if (*n == capacity) {
        char **more = realloc(names, (capacity = capacity ? capacity * 2 : 16) * sizeof *names);
        if (!more) return names;
        names = more;
      }
      names[*n] = strdup(t->name);
      if (names[*n]) (*n)++;
    }
  return names;
}

/* Polls of a topic without a free task have seen the generation: they need not look for themselves. */
static void topic_settle(parked_room *room, const char *name) {
  uint64_t generation = atomic_load(&room->generation);
  parked_topic *t = *topic_bucket(room, name);
  while (t && strcmp(t->name, name) != 0) t = t->next;
  for (parked_place *place = t ? t->first : NULL; place; place = place->next)
    if (place->of->n_places == 1) place->of->generation = generation;
}

/* One look at every topic that may have something. With the mutex held, which it lets go of meanwhile. */
static void parked_look(parked_room *room) {
  size_t n;
  char **names = parked_topics(room, &n);
  for (size_t i = 0; i < n; i++) {
    pthread_mutex_unlock(&room->mutex);
    size_t free_tasks = topic_free_tasks(room->engine, names[i], ATTEMPTS_MAX);
    pthread_mutex_lock(&room->mutex);
    if (free_tasks > 0) topic_wake(room, names[i], free_tasks);
    else topic_settle(room, names[i]);
    free(names[i]);
  }
  free(names);
}

static void parked_expire(parked_room *room, int64_t now) {
  for (struct parked *p = room->first, *next; p; p = next) {
    next = p->next;
    if (room->draining || now >= p->deadline_ns) parked_answer_empty(p);
  }
}

/* Has something happened since the last look? */
static void parked_notice(parked_room *room, int64_t now) {
  int64_t changes = orr_engine_changes(room->engine);
  bool ticked = now - room->ticked_ns > TICK_MS * PARKED_MS;
  if (changes == room->changes && !ticked) return;
  room->changes = changes;
  if (ticked) room->ticked_ns = now;
  atomic_fetch_add(&room->generation, 1);
}

static void parked_pause(parked_room *room, int64_t spent_ns) {
  int64_t pause = spent_ns * REST_FACTOR > LOOK_MS * PARKED_MS ? spent_ns * REST_FACTOR : LOOK_MS * PARKED_MS;
  struct timespec until;
  clock_gettime(CLOCK_MONOTONIC, &until);
  until.tv_nsec += (long)(pause % 1000000000);
  until.tv_sec += (time_t)(pause / 1000000000) + until.tv_nsec / 1000000000;
  until.tv_nsec %= 1000000000;
  if (!room->ending && !room->draining) pthread_cond_timedwait(&room->changed, &room->mutex, &until);
}

static void *parked_thread(void *ud) {
  parked_room *room = ud;
  pthread_mutex_lock(&room->mutex);
  while (!room->ending) {
    if (!room->first) {
      pthread_cond_wait(&room->changed, &room->mutex);
      continue;
    }
    int64_t begun = server_now_ns();
    parked_expire(room, begun);
    parked_notice(room, begun);
    parked_look(room);
    parked_pause(room, server_now_ns() - begun);
  }
  pthread_mutex_unlock(&room->mutex);
  return NULL;
}

/* ---- The room --------------------------------------------------------------------------------- */

parked_room *parked_open(server *s, server_engine *e) {
  parked_room *room = calloc(1, sizeof *room);
  pthread_condattr_t monotonic;
  if (!room) return NULL;
  room->server = s;
  room->engine = e->engine;
  pthread_mutex_init(&room->mutex, NULL);
  pthread_condattr_init(&monotonic);
  pthread_condattr_setclock(&monotonic, CLOCK_MONOTONIC);
  pthread_cond_init(&room->changed, &monotonic);
  pthread_condattr_destroy(&monotonic);
  room->started = pthread_create(&room->thread, NULL, parked_thread, room) == 0;
  if (room->started) return room;
  parked_close(room);
  return NULL;
}

void parked_drain(parked_room *room) {
  pthread_mutex_lock(&room->mutex);
  room->draining = true;
  parked_expire(room, 0);
  pthread_cond_signal(&room->changed);
  pthread_mutex_unlock(&room->mutex);
}

void parked_close(parked_room *room) {
  if (!room) return;
  pthread_mutex_lock(&room->mutex);
  room->ending = true;
  pthread_cond_signal(&room->changed);
  pthread_mutex_unlock(&room->mutex);
  if (room->started) pthread_join(room->thread, NULL);
  pthread_cond_destroy(&room->changed);
  pthread_mutex_destroy(&room->mutex);
  free(room);
}

uint64_t parked_generation(parked_room *room) { return atomic_load(&room->generation); }

/* With the mutex held. */
static struct parked *parked_make(parked_room *room, request *q, const char **topics, size_t n_topics) {
  struct parked *p = calloc(1, sizeof *p + n_topics * sizeof p->places[0]);
  if (!p) return NULL;
  *p = (struct parked){.q = q, .room = room};
  for (; p->n_places < n_topics; p->n_places++) {
    parked_place *place = &p->places[p->n_places];
    *place = (parked_place){.topic = topic_get(room, topics[p->n_places]), .of = p};
    if (place->topic) continue;
    for (size_t i = 0; i < p->n_places; i++)
      if (p->places[i].topic->waiting == 0) topic_drop(room, p->places[i].topic);
    free(p);
    return NULL;
  }
  return p;
}

bool parked_wait(parked_room *room, request *q, const char **topics, size_t n_topics, int64_t deadline_ns, uint64_t generation,
                 void (*again)(request *q)) {
  pthread_mutex_lock(&room->mutex);
  bool waits = !room->draining && !room->ending && server_now_ns() < deadline_ns;
  struct parked *p = waits ? parked_make(room, q, topics, n_topics) : NULL;
  if (p) {
    p->deadline_ns = deadline_ns;
    p->generation = generation;
    p->again = again;
    if (!room->first) pthread_cond_signal(&room->changed); /* else the thread looks by itself, as often as it may */
    parked_enter(p);
  }
  pthread_mutex_unlock(&room->mutex);
  return p;
}
