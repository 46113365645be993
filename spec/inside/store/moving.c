/* A store in front of another, with a list of the views that are open. */
#include "moving.h"

#include <pthread.h>
#include <time.h>

#include "base/error.h"

typedef struct moving_snapshot moving_snapshot;

typedef struct moving_store {
  store base;
  orr_allocator allocator;
  store *inner;
  pthread_mutex_t mutex; /* guards the fields below */
  pthread_cond_t changed;
  moving_snapshot *open;
  bool moving;           /* no view may be opened */
  uint64_t moves, stuck;
} moving_store;

struct moving_snapshot {
  store_snapshot base;
  moving_store *owner;
  store_snapshot *inner;
  moving_snapshot *next, *previous;
  pthread_t thread; /* that opened the view */
  bool listed;
};

/* ---- Moving ---------------------------------------------------------------------------------- */

static bool has_view(const moving_store *s, pthread_t thread) {
  for (const moving_snapshot *v = s->open; v; v = v->next) {
    if (pthread_equal(v->thread, thread)) return true;
  }
  return false;
}

static struct timespec deadline(void) {
  struct timespec at;
  clock_gettime(CLOCK_REALTIME, &at);
  at.tv_sec += MOVING_SECONDS_MAX;
  return at;
}

/* Waits until no view is open and no other thread moves the map. The mutex is held. */
static bool wait_for_views(moving_store *s, const struct timespec *until) {
  while (s->moving) {
    if (pthread_cond_timedwait(&s->changed, &s->mutex, until)) return false;
  }
  s->moving = true;
  bool in_time = true;
  while (in_time && s->open) in_time = !pthread_cond_timedwait(&s->changed, &s->mutex, until);
  s->moving = false;
  pthread_cond_broadcast(&s->changed);
  return in_time;
}

static int move(moving_store *s, const char *why, orr_error *err) {
  struct timespec until = deadline();
  pthread_mutex_lock(&s->mutex);
  bool own = has_view(s, pthread_self());
  bool moved = !own && wait_for_views(s, &until);
  *(moved ? &s->moves : &s->stuck) += 1;
  pthread_mutex_unlock(&s->mutex);
  if (moved) return 0;
  return error_set(err, ORR_E_STATE, "%s: %s", why,
                   own ? "this thread holds a view" : "a thread that holds a view does not give it back");
}

static void list(moving_snapshot *v) {
  moving_store *s = v->owner;
  pthread_mutex_lock(&s->mutex);
  while (s->moving) pthread_cond_wait(&s->changed, &s->mutex);
  v->thread = pthread_self();
  v->next = s->open;
  v->previous = NULL;
  if (s->open) s->open->previous = v;
  s->open = v;
  v->listed = true;
  pthread_mutex_unlock(&s->mutex);
}

static void unlist(moving_snapshot *v) {
  moving_store *s = v->owner;
  pthread_mutex_lock(&s->mutex);
  if (v->listed) {
    if (v->next) v->next->previous = v->previous;
    *(v->previous ? &v->previous->next : &s->open) = v->next;
    v->listed = false;
    pthread_cond_broadcast(&s->changed);
  }
  pthread_mutex_unlock(&s->mutex);
}

/* ---- The store's methods --------------------------------------------------------------------- */

static void moving_snapshot_release(store_snapshot *base) {
  moving_snapshot *v = (moving_snapshot *)base;
  store_snapshot_release(v->inner);
  unlist(v);
}

static int moving_snapshot_renew(store_snapshot *base, orr_error *err) {
  moving_snapshot *v = (moving_snapshot *)base;
  moving_snapshot_release(base);
  int rc = move(v->owner, "the map must move before a view is opened", err);
  if (rc) return rc;
  list(v);
  rc = store_snapshot_renew(v->inner, err);
  if (rc) unlist(v);
  return rc;
}

static void moving_snapshot_close(store_snapshot *base) {
  moving_snapshot *v = (moving_snapshot *)base;
  store_snapshot_close(v->inner);
  unlist(v);
  env_free(&v->owner->allocator, v, sizeof *v);
}

static int moving_snapshot_open(store *base, store_snapshot **out, orr_error *err) {
  moving_store *s = (moving_store *)base;
  int rc = move(s, "the map must move before a view is opened", err);
  if (rc) return rc;
  moving_snapshot *v = env_zalloc(&s->allocator, sizeof *v);
  if (!v) return error_memory(err);
  v->base.methods = base->methods;
  v->owner = s;
  list(v);
  rc = store_snapshot_open(s->inner, &v->inner, err);
  if (!rc) {
    *out = &v->base;
  } else {
    unlist(v);
    env_free(&s->allocator, v, sizeof *v);
  }
  return rc;
}

static int moving_get(store_snapshot *base, store_bytes key, store_bytes *value, orr_error *err) {
  return store_get(((moving_snapshot *)base)->inner, key, value, err);
}

static int moving_scan(store_snapshot *base, const store_range *range, store_cursor **out, orr_error *err) {
  return store_scan(((moving_snapshot *)base)->inner, range, out, err); /* the cursor's methods are the inner store's own */
}

static int moving_commit(store *base, store_group *group, orr_error *err) {
  moving_store *s = (moving_store *)base;
  int rc = move(s, "the map must move for a commit", err);
  return rc ? rc : s->inner->methods->commit(s->inner, group, err);
}

static uint64_t moving_changed(store *base) { return store_changed(((moving_store *)base)->inner); }
static uint64_t moving_foreign(store *base) { return store_foreign(((moving_store *)base)->inner); }
static uint64_t moving_foreign_seen(store_snapshot *base) {
  return store_foreign_seen(((moving_snapshot *)base)->inner);
}
static void moving_readers(store *base, void (*visit)(void *ud, const store_reader *reader), void *ud) {
  store_readers(((moving_store *)base)->inner, visit, ud);
}

static int moving_copy(store *base, const char *target, bool compact, const store_progress *progress, orr_error *err) {
  return store_copy(((moving_store *)base)->inner, target, compact, progress, err);
}

static const char *moving_path(const store *base) { return store_path(((const moving_store *)base)->inner); }
static int moving_stats(store *base, store_stats *out, orr_error *err) {
  return store_get_stats(((moving_store *)base)->inner, out, err);
}

static void moving_close(store *base) {
  moving_store *s = (moving_store *)base;
  orr_allocator allocator = s->allocator;
  store_close(s->inner);
  pthread_cond_destroy(&s->changed);
  pthread_mutex_destroy(&s->mutex);
  env_free(&allocator, s, sizeof *s);
}

static const store_methods moving_methods = {
  .close = moving_close,
  .path = moving_path,
  .snapshot_open = moving_snapshot_open,
  .snapshot_renew = moving_snapshot_renew,
  .snapshot_release = moving_snapshot_release,
  .snapshot_close = moving_snapshot_close,
  .get = moving_get,
  .scan = moving_scan,
  .commit = moving_commit,
  .changed = moving_changed,
  .foreign = moving_foreign,
  .foreign_seen = moving_foreign_seen,
  .stats = moving_stats,
  .readers = moving_readers,
  .copy = moving_copy,
};

int store_open_moving(store *inner, const orr_allocator *allocator, store **out, orr_error *err) {
  *out = NULL;
  moving_store *s = env_zalloc(allocator, sizeof *s);
  if (!s) return error_memory(err);
  s->base.methods = &moving_methods;
  if (allocator) s->allocator = *allocator;
  s->inner = inner;
  pthread_mutex_init(&s->mutex, NULL);
  pthread_cond_init(&s->changed, NULL);
  *out = &s->base;
  return 0;
}

static uint64_t counter(moving_store *s, const uint64_t *which) {
  pthread_mutex_lock(&s->mutex);
  uint64_t n = *which;
  pthread_mutex_unlock(&s->mutex);
  return n;
}

uint64_t moving_moves(store *s) { return counter((moving_store *)s, &((moving_store *)s)->moves); }
uint64_t moving_stuck(store *s) { return counter((moving_store *)s, &((moving_store *)s)->stuck); }
