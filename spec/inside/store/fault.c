/* A store in front of another, with a counter for each kind of call. */
#include "fault.h"

#include <inttypes.h>
#include <stdatomic.h>

#include "base/error.h"

typedef struct fault_store {
  store base;
  orr_allocator allocator;
  store *inner;
  fault_call armed;
  uint64_t nth;
  bool forever, away;
  atomic_uint_fast64_t counts[FAULT_CALLS];
} fault_store;

typedef struct fault_snapshot {
  store_snapshot base;
  fault_store *owner;
  store_snapshot *inner;
} fault_snapshot;

typedef struct fault_cursor {
  store_cursor base;
  fault_store *owner;
  fault_snapshot *view;
  store_cursor *inner;
} fault_cursor;

void fault_arm(store *base, fault_call call, uint64_t nth, bool forever) {
  fault_store *s = (fault_store *)base;
  s->armed = call;
  s->nth = nth;
  s->forever = forever;
  for (int i = 0; i < FAULT_CALLS; i++) atomic_store(&s->counts[i], 0);
}

void fault_away(store *base, bool away) { ((fault_store *)base)->away = away; }

uint64_t fault_count(store *base, fault_call call) { return atomic_load(&((fault_store *)base)->counts[call]); }

static bool hits(const fault_store *s, uint64_t count) {
  return s->nth > 0 && (s->forever ? count >= s->nth : count == s->nth);
}

/* Counts a call and decides whether it fails. */
static int pass(fault_store *s, fault_call call, orr_error *err) {
  uint64_t of_kind = atomic_fetch_add(&s->counts[call], 1) + 1;
  uint64_t of_any = atomic_fetch_add(&s->counts[FAULT_ANY], 1) + 1;
  if (s->armed != FAULT_ANY && s->armed != call) return 0;
  uint64_t count = s->armed == FAULT_ANY ? of_any : of_kind;
  if (!hits(s, count)) return 0;
  error_set(err, ORR_E_STORE, "injected fault at call %" PRIu64, count);
  if (s->away) (void)error_mark(err, STORE_AWAY);
  return ORR_E_STORE;
}

/* The same for a call of a view. */
static int pass_view(fault_snapshot *v, fault_call call, orr_error *err) {
  int rc = pass(v->owner, call, err);
  v->base.lost = v->base.lost || (rc && v->owner->away);
  return rc;
}

static int lose(store_group *group, orr_error *err) {
  int rc = store_group_gather(group, err);
  for (size_t i = 0; !rc && i < group->count; i++) {
    group->batches[i].status = ORR_E_CONFLICT;
    group->batches[i].lost_op = 0;
  }
  return rc;
}

static int fault_snapshot_open(store *base, store_snapshot **out, orr_error *err) {
  fault_store *s = (fault_store *)base;
  int rc = pass(s, FAULT_SNAPSHOT, err);
  if (rc) return rc;
  fault_snapshot *snapshot = env_zalloc(&s->allocator, sizeof *snapshot);
  if (!snapshot) return error_memory(err);
  snapshot->base.methods = base->methods;
  snapshot->owner = s;
  rc = store_snapshot_open(s->inner, &snapshot->inner, err);
  if (!rc) {
    *out = &snapshot->base;
  } else {
    env_free(&s->allocator, snapshot, sizeof *snapshot);
  }
  return rc;
}

static int fault_snapshot_renew(store_snapshot *base, orr_error *err) {
  fault_snapshot *snapshot = (fault_snapshot *)base;
  snapshot->base.lost = false;
  int rc = pass_view(snapshot, FAULT_SNAPSHOT, err);
  return rc ? rc : store_snapshot_renew(snapshot->inner, err);
}

static void fault_snapshot_release(store_snapshot *base) { store_snapshot_release(((fault_snapshot *)base)->inner); }

static void fault_snapshot_close(store_snapshot *base) {
  fault_snapshot *snapshot = (fault_snapshot *)base;
  store_snapshot_close(snapshot->inner);
  env_free(&snapshot->owner->allocator, snapshot, sizeof *snapshot);
}

static int fault_get(store_snapshot *base, store_bytes key, store_bytes *value, orr_error *err) {
  fault_snapshot *snapshot = (fault_snapshot *)base;
  int rc = pass_view(snapshot, FAULT_GET, err);
  return rc ? rc : store_get(snapshot->inner, key, value, err);
}

static int fault_scan(store_snapshot *base, const store_range *range, store_cursor **out, orr_error *err) {
  fault_snapshot *snapshot = (fault_snapshot *)base;
  fault_store *s = snapshot->owner;
  int rc = pass_view(snapshot, FAULT_SCAN, err);
  if (rc) return rc;
  fault_cursor *cursor = env_zalloc(&s->allocator, sizeof *cursor);
  if (!cursor) return error_memory(err);
  cursor->base.methods = base->methods;
  cursor->owner = s;
  cursor->view = snapshot;
  rc = store_scan(snapshot->inner, range, &cursor->inner, err);
  if (!rc) {
    *out = &cursor->base;
  } else {
    env_free(&s->allocator, cursor, sizeof *cursor);
  }
  return rc;
}

static int fault_next(store_cursor *base, store_bytes *key, store_bytes *value, orr_error *err) {
  fault_cursor *cursor = (fault_cursor *)base;
  int rc = pass_view(cursor->view, FAULT_NEXT, err);
  return rc ? rc : store_next(cursor->inner, key, value, err);
}

static void fault_cursor_close(store_cursor *base) {
  fault_cursor *cursor = (fault_cursor *)base;
  store_cursor_close(cursor->inner);
  env_free(&cursor->owner->allocator, cursor, sizeof *cursor);
}

static int fault_commit(store *base, store_group *group, orr_error *err) {
  fault_store *s = (fault_store *)base;
  int rc = pass(s, FAULT_COMMIT, err);
  bool loses = hits(s, atomic_fetch_add(&s->counts[FAULT_RACE], 1) + 1) && s->armed == FAULT_RACE;
  if (!rc && loses) return lose(group, err);
  return rc ? rc : s->inner->methods->commit(s->inner, group, err);
}

static uint64_t fault_changed(store *base) { return store_changed(((fault_store *)base)->inner); }

static uint64_t fault_foreign(store *base) { return store_foreign(((fault_store *)base)->inner); }
static uint64_t fault_foreign_seen(store_snapshot *base) {
  return store_foreign_seen(((fault_snapshot *)base)->inner);
}

static int fault_stats(store *base, store_stats *out, orr_error *err) {
  return store_get_stats(((fault_store *)base)->inner, out, err);
}

static void fault_readers(store *base, void (*visit)(void *ud, const store_reader *reader), void *ud) {
  store_readers(((fault_store *)base)->inner, visit, ud);
}

static int fault_copy(store *base, const char *target, bool compact, const store_progress *progress, orr_error *err) {
  return store_copy(((fault_store *)base)->inner, target, compact, progress, err);
}

static const char *fault_path(const store *base) { return store_path(((const fault_store *)base)->inner); }

static void fault_close(store *base) {
  fault_store *s = (fault_store *)base;
  orr_allocator allocator = s->allocator;
  store_close(s->inner);
  env_free(&allocator, s, sizeof *s);
}

static const store_methods fault_methods = {
  .close = fault_close,
  .path = fault_path,
  .snapshot_open = fault_snapshot_open,
  .snapshot_renew = fault_snapshot_renew,
  .snapshot_release = fault_snapshot_release,
  .snapshot_close = fault_snapshot_close,
  .get = fault_get,
  .scan = fault_scan,
  .next = fault_next,
  .cursor_close = fault_cursor_close,
  .commit = fault_commit,
  .changed = fault_changed,
  .foreign = fault_foreign,
  .foreign_seen = fault_foreign_seen,
  .stats = fault_stats,
  .readers = fault_readers,
  .copy = fault_copy,
};

int store_open_fault(store *inner, const orr_allocator *allocator, store **out, orr_error *err) {
  *out = NULL;
  fault_store *s = env_zalloc(allocator, sizeof *s);
  if (!s) return error_memory(err);
  s->base.methods = &fault_methods;
  if (allocator) s->allocator = *allocator;
  s->inner = inner;
  *out = &s->base;
  return 0;
}
