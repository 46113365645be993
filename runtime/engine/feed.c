/* The change feed. One mutex guards all feeds of an engine; a commit takes it only while there are feeds. */
#include "engine/feed.h"

#include <errno.h>
#include <inttypes.h>
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "base/error.h"
#include "base/limits.h"
#include "base/null.h"
#include "base/value.h"
#include "record/key.h"

#define FEED_BUCKETS 256
/* How long a wait goes without a look for commits of other processes. */
#define FEED_LOOK_MS 20
/* How often a new feed asks which commits are of others while one of its own engine's is being made. */
#define FEED_TRIES 10000

typedef struct feed_watch {
  struct feed_watch *next;         /* of the bucket */
  struct feed_watch *next_pending; /* in the order in which they changed */
  bool pending;
  orr_id instance; /* 0: a topic */
  size_t size;
  char topic[];
} feed_watch;

/* A kind of record, and whose: an instance, or what belongs to none. */
typedef struct feed_change {
  const rec_type *type; /* NULL: a free place */
  orr_id id;
} feed_change;

/* What a feed of everything has to tell: a set with open addressing, never full, and its members in their order. */
typedef struct feed_all {
  feed_change set[2 * ORR_FEED_CHANGES_MAX];
  uint16_t order[ORR_FEED_CHANGES_MAX];
  uint32_t count;
  bool unknown; /* too much for the set, or another process's */
} feed_all;

struct feed_hub {
  orr_env env;
  pthread_mutex_t mutex;
  store *store;      /* NULL: the engine is closed */
  orr_feed *feeds;
  atomic_uint count; /* of feeds: a commit looks at this alone when there are none */
  uint32_t users;    /* the engine and the feeds */
};

struct orr_feed {
  feed_hub *hub;
  orr_feed *next, *prev;
  feed_watch *buckets[FEED_BUCKETS];
  feed_watch *first, **last; /* pending */
  feed_all *all;             /* NULL: not everything is watched */
  uint64_t foreign;          /* commits of others that have been told */
  int descriptor;            /* an eventfd: readable while something is pending */
};

/* ---- Watches; with the hub's mutex ----------------------------------------------------------- */

static uint32_t bucket_of(orr_id instance, const char *topic, size_t size) {
  uint64_t hash = instance ? instance * UINT64_C(0x9E3779B97F4A7C15) >> 32 : rec_text_hash((rec_text){topic, size});
  return (uint32_t)(hash % FEED_BUCKETS);
}

static feed_watch **watch_place(orr_feed *f, orr_id instance, const char *topic, size_t size) {
  feed_watch **at = &f->buckets[bucket_of(instance, topic, size)];
  while (*at) {
    const feed_watch *w = *at;
    bool same = w->instance == instance && w->size == size && (instance || memcmp(w->topic, topic, size) == 0);
    if (same) break;
    at = &(*at)->next;
  }
  return at;
}

static void make_readable(orr_feed *f) {
  uint64_t one = 1;
  while (write(f->descriptor, &one, sizeof one) < 0 && errno == EINTR) {}
}

static bool feed_pending(const orr_feed *f) { return f->first || (f->all && (f->all->count > 0 || f->all->unknown)); }

static void watch_changed(orr_feed *f, feed_watch *w) {
  if (w->pending) return;
  bool first = !feed_pending(f);
  w->pending = true;
  w->next_pending = NULL;
  *f->last = w;
  f->last = &w->next_pending;
  if (first) make_readable(f);
}

static void change_unknown(orr_feed *f) {
  bool first = !feed_pending(f);
  f->all->unknown = true;
  if (first) make_readable(f);
}

static void change_add(orr_feed *f, const rec_type *type, orr_id id) {
  feed_all *all = f->all;
  uint32_t places = 2 * ORR_FEED_CHANGES_MAX;
  uint32_t at = (uint32_t)((id * UINT64_C(0x9E3779B97F4A7C15) >> 32 ^ (uint8_t)type->tag) % places);
  while (all->set[at].type && (all->set[at].type != type || all->set[at].id != id)) at = (at + 1) % places;
  if (all->unknown || all->set[at].type) return;
  if (all->count == ORR_FEED_CHANGES_MAX) {
    change_unknown(f);
    return;
  }
  bool first = !feed_pending(f);
  all->set[at] = (feed_change){type, id};
  all->order[all->count++] = (uint16_t)at;
  if (first) make_readable(f);
}

static void all_changed(orr_feed *f) {
  if (f->all) change_unknown(f);
  for (size_t b = 0; b < FEED_BUCKETS; b++)
    for (feed_watch *w = f->buckets[b]; w; w = w->next) watch_changed(f, w);
}

static void forget_pending(orr_feed *f, const feed_watch *gone) {
  feed_watch **at = &f->first;
  while (*at && *at != gone) at = &(*at)->next_pending;
  if (*at) *at = gone->next_pending;
  f->last = &f->first;
  while (*f->last) f->last = &(*f->last)->next_pending;
}

static void watch_free(const feed_hub *hub, feed_watch *w) { env_free(&hub->env.allocator, w, sizeof *w + w->size); }

/* ---- Commits --------------------------------------------------------------------------------- */

static void tell_instance(orr_feed *f, orr_id instance) {
  feed_watch *w = *watch_place(f, instance, NULL, 0);
  if (w) watch_changed(f, w);
}

static void tell_topic(orr_feed *f, rec_text topic) {
  feed_watch *w = topic.data ? *watch_place(f, 0, topic.data, topic.size) : NULL;
  if (w) watch_changed(f, w);
}

/* Its topic's watchers are told of every change of an external task that stays: it is new, or free again. */
static void tell_external_task(const feed_hub *hub, const store_op *op) {
  orr_arena *arena = arena_new(&hub->env.allocator);
  rec_external_task task = {0};
  orr_error ignored = {0};
  int rc = arena ? record_decode(&rec_external_task_type, &task, arena, op->key, op->value, &ignored) : ORR_E_MEMORY;
  for (orr_feed *f = hub->feeds; f; f = f->next) {
    if (rc) all_changed(f); /* which topic cannot be told: it might be any */
    else tell_topic(f, task.topic);
  }
  orr_error_clear(&ignored);
  if (arena) arena_free(arena);
}

static void tell_op(const feed_hub *hub, const store_op *op) {
  if (op->kind != STORE_PUT && op->kind != STORE_DELETE) return;
  const uint8_t *key = op->key.data;
  const rec_type *type = rec_type_by_tag((char)key[0]);
  if (!type) return; /* a row of an index */
  if (type == &rec_owner_type) return; /* a lease: prolonged now and then, and nothing has happened */
  bool owned = type->fields[0].type == REC_ID && op->key.size >= KEY_ID_SIZE;
  orr_id instance = owned ? orr_id_instance(key_read_id(key + 1)) : 0;
  for (orr_feed *f = hub->feeds; f; f = f->next) {
    if (f->all) change_add(f, type, instance);
    if (owned) tell_instance(f, instance);
  }
  if (type == &rec_external_task_type && op->kind == STORE_PUT) tell_external_task(hub, op);
}

/* The store's commit is on disk, and seen by whoever looks from here on; only then is it asked whether anybody watches. */
static void on_own_commit(void *ud, const store_batch *batches, size_t count) {
  feed_hub *hub = ud;
  atomic_thread_fence(memory_order_seq_cst);
  if (atomic_load(&hub->count) == 0) return;
  pthread_mutex_lock(&hub->mutex);
  for (size_t b = 0; b < count; b++)
    for (size_t i = 0; batches[b].status == 0 && i < batches[b].count; i++) tell_op(hub, &batches[b].ops[i]);
  pthread_mutex_unlock(&hub->mutex);
}

/* Others' commits are counted, not read. With the hub's mutex. */
static void look_for_others(orr_feed *f) {
  uint64_t foreign = store_foreign_known(f->hub->store);
  if (foreign <= f->foreign) return;
  f->foreign = foreign;
  all_changed(f);
}

/* How many commits of others there are when a feed begins. While one of our own is being made, store_foreign may be one
 * short, and the feed would take that commit for another's: what a view shows is exact. A database
 * counts own commits apart; what it has not counted yet is told as a change, which does no harm. */
static uint64_t foreign_at_first(store *s) {
  uint64_t foreign = STORE_FOREIGN_UNKNOWN;
  if (store_is_shared(s)) return store_foreign_known(s);
  for (int i = 0; i < FEED_TRIES && foreign == STORE_FOREIGN_UNKNOWN; i++) {
    store_snapshot *snapshot = NULL;
    if (i > 0) sched_yield();
    if (!store_snapshot_open(s, &snapshot, NULL)) foreign = store_foreign_seen(snapshot);
    store_snapshot_close(snapshot);
  }
  return foreign == STORE_FOREIGN_UNKNOWN ? store_foreign(s) : foreign;
}

/* ---- The hub --------------------------------------------------------------------------------- */

feed_hub *feed_hub_new(const orr_env *env, store *s) {
  feed_hub *hub = env_zalloc(&env->allocator, sizeof *hub);
  if (!hub) return NULL;
  hub->env = *env;
  hub->store = s;
  hub->users = 1;
  pthread_mutex_init(&hub->mutex, NULL);
  store_on_own_commit(s, on_own_commit, hub);
  return hub;
}

/* The mutex is held, and let go. */
static void hub_leave(feed_hub *hub) {
  bool last = --hub->users == 0;
  pthread_mutex_unlock(&hub->mutex);
  if (!last) return;
  pthread_mutex_destroy(&hub->mutex);
  orr_allocator allocator = hub->env.allocator;
  env_free(&allocator, hub, sizeof *hub);
}

void feed_hub_close(feed_hub *hub) {
  if (!hub) return;
  pthread_mutex_lock(&hub->mutex);
  store_on_own_commit(hub->store, NULL, NULL);
  hub->store = NULL;
  for (orr_feed *f = hub->feeds; f; f = f->next) make_readable(f); /* who waits learns of it */
  hub_leave(hub);
}

/* ---- Public ---------------------------------------------------------------------------------- */

/* Takes the mutex; ORR_E_STATE without it once the engine is closed. */
static int feed_enter(orr_feed *f, orr_error *err) {
  pthread_mutex_lock(&f->hub->mutex);
  if (f->hub->store) return 0;
  pthread_mutex_unlock(&f->hub->mutex);
  return error_set(err, ORR_E_STATE, "the engine of this feed is closed");
}

static void feed_leave(orr_feed *f) { pthread_mutex_unlock(&f->hub->mutex); }

int orr_feed_open(orr_engine *engine, orr_feed **out, orr_error *err) {
  REQUIRE(engine);
  REQUIRE(out);
  feed_hub *hub = engine->feeds;
  *out = NULL;
  if (engine_forked(engine)) return error_set(err, ORR_E_STATE, "an engine of the parent process has no feeds here");
  orr_feed *f = env_zalloc(&engine->env.allocator, sizeof *f);
  if (!f) return error_memory(err);
  f->descriptor = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
  if (f->descriptor < 0) {
    env_free(&engine->env.allocator, f, sizeof *f);
    return error_set(err, ORR_E_LIMIT, "cannot open a feed: %s", strerror(errno));
  }
  f->hub = hub;
  f->last = &f->first;
  uint64_t foreign = foreign_at_first(hub->store); /* before the mutex, which a commit that is being made may want */
  pthread_mutex_lock(&hub->mutex);
  f->foreign = foreign;
  f->next = hub->feeds;
  if (f->next) f->next->prev = f;
  hub->feeds = f;
  hub->users++;
  atomic_fetch_add(&hub->count, 1);
  pthread_mutex_unlock(&hub->mutex);
  *out = f;
  return 0;
}

static void drop_watches(orr_feed *f) {
  for (size_t b = 0; b < FEED_BUCKETS; b++) {
    for (feed_watch *w = f->buckets[b], *next; w; w = next) {
      next = w->next;
      watch_free(f->hub, w);
    }
  }
}

void orr_feed_close(orr_feed *f) {
  if (!f) return;
  feed_hub *hub = f->hub;
  orr_allocator allocator = hub->env.allocator;
  pthread_mutex_lock(&hub->mutex);
  if (f->prev) f->prev->next = f->next;
  else hub->feeds = f->next;
  if (f->next) f->next->prev = f->prev;
  atomic_fetch_sub(&hub->count, 1);
  drop_watches(f);
  hub_leave(hub);
  close(f->descriptor);
  if (f->all) env_free(&allocator, f->all, sizeof *f->all);
  env_free(&allocator, f, sizeof *f);
}

int orr_feed_descriptor(orr_feed *feed) {
  if (!feed) return -1;
  return feed->descriptor;
}

/* What a caller names: { topic = text }, { instance = id } or { all = true }. */
typedef struct feed_subject {
  bool all;
  orr_id instance;
  const char *topic;
  size_t size;
} feed_subject;

static int read_subject(const orr_value *what, feed_subject *out, orr_error *err) {
  orr_value topic = orr_map_get(what, "topic"), instance = orr_map_get(what, "instance"), all = orr_map_get(what, "all");
  orr_id id = value_id(&instance);
  *out = (feed_subject){0};
  if (topic.type == ORR_STRING && instance.type == ORR_NIL && all.type == ORR_NIL) {
    *out = (feed_subject){.topic = topic.as.bytes, .size = topic.size};
    return 0;
  }
  if (topic.type == ORR_NIL && instance.type == ORR_NIL && all.type == ORR_BOOL && all.as.boolean) {
    out->all = true;
    return 0;
  }
  if (topic.type == ORR_NIL && all.type == ORR_NIL && id) {
    *out = (feed_subject){.instance = orr_id_instance(id)};
    return 0;
  }
  return error_set(err, ORR_E_ARGUMENT, "what a feed watches is { topic = a text }, { instance = an id } or { all = true }");
}

/* With the hub's mutex. */
static int watch_all(orr_feed *f, orr_error *err) {
  if (!f->all) f->all = env_zalloc(&f->hub->env.allocator, sizeof *f->all);
  feed_leave(f);
  return f->all ? 0 : error_memory(err);
}

static void unwatch_all(orr_feed *f) {
  if (f->all) env_free(&f->hub->env.allocator, f->all, sizeof *f->all);
  f->all = NULL;
  feed_leave(f);
}

int orr_feed_watch(orr_feed *f, const orr_value *what, orr_error *err) {
  REQUIRE_AS(f, "feed");
  REQUIRE(what);
  feed_subject s;
  int rc = read_subject(what, &s, err);
  if (!rc) rc = feed_enter(f, err);
  if (rc) return rc;
  if (s.all) return watch_all(f, err);
  feed_watch **place = watch_place(f, s.instance, s.topic, s.size);
  if (!*place) *place = env_zalloc(&f->hub->env.allocator, sizeof **place + s.size);
  feed_watch *w = *place;
  if (w && !w->instance && !w->size) {
    w->instance = s.instance;
    w->size = s.size;
    if (s.size) memcpy(w->topic, s.topic, s.size);
  }
  feed_leave(f);
  return w ? 0 : error_memory(err);
}

int orr_feed_unwatch(orr_feed *f, const orr_value *what, orr_error *err) {
  REQUIRE_AS(f, "feed");
  REQUIRE(what);
  feed_subject s;
  int rc = read_subject(what, &s, err);
  if (!rc) rc = feed_enter(f, err);
  if (rc) return rc;
  if (s.all) {
    unwatch_all(f);
    return 0;
  }
  feed_watch **place = watch_place(f, s.instance, s.topic, s.size), *w = *place;
  if (w) {
    *place = w->next;
    if (w->pending) forget_pending(f, w);
    watch_free(f->hub, w);
  }
  feed_leave(f);
  return 0;
}

static void put_event(orr_builder *out, const feed_watch *w) {
  orr_builder_map(out);
  if (w->instance) orr_builder_put(out, "instance_id", orr_int((int64_t)w->instance));
  else orr_builder_put(out, "topic", orr_bytes(w->topic, w->size));
  orr_builder_end(out);
}

static void put_change(orr_builder *out, const feed_change *change) {
  orr_builder_map(out);
  orr_builder_put(out, "kind", orr_string(change->type->name));
  if (change->id) orr_builder_put(out, "id", orr_int((int64_t)change->id));
  orr_builder_end(out);
}

static void put_all_changes(orr_builder *out, feed_all *all) {
  for (uint32_t i = 0; !all->unknown && i < all->count; i++) put_change(out, &all->set[all->order[i]]);
  if (all->unknown) {
    orr_builder_map(out);
    orr_builder_put(out, "all", orr_bool(true));
    orr_builder_end(out);
  }
  *all = (feed_all){0};
}

int orr_feed_take(orr_feed *f, orr_builder *out, orr_error *err) {
  REQUIRE_AS(f, "feed");
  uint64_t readable;
  int rc = feed_enter(f, err);
  if (rc) return rc;
  look_for_others(f);
  orr_builder_array(out);
  for (feed_watch *w = f->first; w; w = w->next_pending) {
    put_event(out, w);
    w->pending = false;
  }
  if (f->all) put_all_changes(out, f->all);
  orr_builder_end(out);
  f->first = NULL;
  f->last = &f->first;
  while (read(f->descriptor, &readable, sizeof readable) < 0 && errno == EINTR) {}
  feed_leave(f);
  return 0;
}

int64_t orr_feed_changes(orr_feed *f) {
  if (!f) return -1;
  if (feed_enter(f, NULL)) return -1;
  int64_t changes = (int64_t)store_changed_known(f->hub->store);
  feed_leave(f);
  return changes;
}

static int64_t mono_ms(const orr_feed *f) { return f->hub->env.mono_ns(f->hub->env.ud) / 1000000; }

int orr_feed_wait(orr_feed *f, double timeout_ms, bool *out, orr_error *err) {
  REQUIRE_AS(f, "feed");
  OUT_PLAIN(bool, out);
  int64_t until = timeout_ms < 1e12 ? mono_ms(f) + (int64_t)timeout_ms : INT64_MAX;
  for (*out = false;;) {
    int rc = feed_enter(f, err);
    if (rc) return rc;
    look_for_others(f);
    *out = feed_pending(f);
    feed_leave(f);
    int64_t left = until - mono_ms(f);
    if (*out || left <= 0) return 0;
    struct pollfd ready = {.fd = f->descriptor, .events = POLLIN};
    (void)poll(&ready, 1, left < FEED_LOOK_MS ? (int)left : FEED_LOOK_MS);
  }
}
