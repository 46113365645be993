/* The store's front: hands calls to the implementation behind it, after the checks that all of them need. */
#include "store/store.h"

#include <string.h>

#include "base/error.h"
#include "store/range.h"

void store_close(store *s) {
  if (s) s->methods->close(s);
}

const char *store_path(const store *s) { return s->methods->path(s); }

int store_snapshot_open(store *s, store_snapshot **out, orr_error *err) {
  *out = NULL;
  return s->methods->snapshot_open(s, out, err);
}

int store_snapshot_renew(store_snapshot *snapshot, orr_error *err) { return snapshot->methods->snapshot_renew(snapshot, err); }

void store_snapshot_late(store_snapshot *snapshot) { snapshot->late = true; }

bool store_snapshot_lost(const store_snapshot *snapshot) { return snapshot && snapshot->lost; }

void store_read_ahead(store_snapshot *snapshot, const store_span *spans, size_t count) {
  if (store_is_far(snapshot) && count > 0) snapshot->methods->read_ahead(snapshot, spans, count);
}

bool store_is_far(const store_snapshot *snapshot) { return snapshot->methods->read_ahead; }

store_prefetched *store_prefetch(store *s, const store_span *spans, size_t count) {
  return s->methods->prefetch && count > 0 ? s->methods->prefetch(s, spans, count) : NULL;
}

bool store_prefetched_young(const store_prefetched *p) { return p && p->methods->prefetched_young(p); }

void store_prefetched_release(store_prefetched *p) {
  if (p) p->methods->prefetched_release(p);
}

void store_snapshot_use(store_snapshot *snapshot, store_prefetched *p) {
  if (snapshot->methods->snapshot_use) snapshot->methods->snapshot_use(snapshot, p);
}

void store_on_foreign_commit(store *s, store_foreign_commit_fn fn, void *ud) {
  if (s->methods->hear) s->methods->hear(s, fn, ud);
}

bool store_tells_foreign_commits(const store *s) { return s->methods->hears && s->methods->hears(s); }

int store_ask(store *s, int64_t wait_ms, store_answer_fn take, void *ud, orr_error *err) {
  return s->methods->ask ? s->methods->ask(s, wait_ms, take, ud, err) : 0;
}

store_questions *store_questions_open(store *s, const char *name, orr_error *err) {
  return s->methods->questions_open ? s->methods->questions_open(s, name, err) : NULL;
}

bool store_questions_wait(store_questions *q) { return q->methods->questions_wait(q); }

void store_questions_answer(store_questions *q, const void *bytes, size_t size) {
  q->methods->questions_answer(q, bytes, size);
}

void store_questions_end(store_questions *q) { q->methods->questions_end(q); }

void store_questions_close(store_questions *q) {
  if (q) q->methods->questions_close(q);
}

bool store_is_shared(const store *s) { return s->methods->now; }

store_state store_state_of(store *s) {
  return s->methods->state ? s->methods->state(s) : STORE_WELL;
}

void store_watch(store *s, store_watcher fn, void *ud) {
  s->watcher = fn;
  s->watcher_ud = ud;
}

int store_level(const store *s) { return s->methods->level ? s->methods->level(s) : STORE_LEVEL; }

bool store_now(const store *s, int64_t *out) {
  if (s->methods->now) *out = s->methods->now(s);
  return s->methods->now;
}

int64_t store_clock_jump(const store *s) { return s->methods->clock_jump ? s->methods->clock_jump(s) : 0; }

void store_snapshot_release(store_snapshot *snapshot) { snapshot->methods->snapshot_release(snapshot); }

void store_snapshot_close(store_snapshot *snapshot) {
  if (snapshot) snapshot->methods->snapshot_close(snapshot);
}

static bool key_valid(store_bytes key) { return key.size > 0 && key.size <= STORE_KEY_MAX; }

static int key_refused(orr_error *err, size_t size) {
  return error_set(err, ORR_E_ARGUMENT, "a key of %zu bytes: 1 to %d are possible", size, STORE_KEY_MAX);
}

int store_get(store_snapshot *snapshot, store_bytes key, store_bytes *value, orr_error *err) {
  *value = (store_bytes){0};
  if (!key_valid(key)) return key_refused(err, key.size);
  return snapshot->methods->get(snapshot, key, value, err);
}

int store_check_pages(store_snapshot *snapshot, const store_page_listener *listener, bool *unsafe, orr_error *err) {
  *unsafe = false;
  return snapshot->methods->check_pages ? snapshot->methods->check_pages(snapshot, listener, unsafe, err) : 0;
}

int store_scan(store_snapshot *snapshot, const store_range *range, store_cursor **out, orr_error *err) {
  *out = NULL;
  if (!range_valid(range))
    return key_refused(err, range->prefix.size > range->from.size ? range->prefix.size : range->from.size);
  return snapshot->methods->scan(snapshot, range, out, err);
}

int store_next(store_cursor *cursor, store_bytes *key, store_bytes *value, orr_error *err) {
  return cursor->methods->next(cursor, key, value, err);
}

void store_cursor_close(store_cursor *cursor) {
  if (cursor) cursor->methods->cursor_close(cursor);
}

static void set_status(store_batch *batches, size_t count, int status) {
  for (size_t i = 0; i < count; i++) batches[i].status = status;
}

static int check_batch_keys(const store_group *group, orr_error *err) {
  for (size_t i = 0; i < group->count; i++) {
    for (size_t j = 0; j < group->batches[i].count; j++) {
      const store_op *op = &group->batches[i].ops[j];
      if (!key_valid(op->key)) return key_refused(err, op->key.size);
      if (op->value.size > UINT32_MAX / 2)
        return error_set(err, ORR_E_ARGUMENT, "a value of %zu bytes is too large", op->value.size);
    }
  }
  return 0;
}

/* After the batches were too much together: each alone. Fails only when none took effect. */
static int commit_one_by_one(store *s, store_batch *batches, size_t count, orr_error *err) {
  bool any = false;
  for (size_t i = 0; i < count; i++) {
    orr_error failure = {0};
    batches[i].status = 0;
    store_group alone = {.batches = &batches[i], .count = 1, .gathered = true};
    int rc = s->methods->commit(s, &alone, &failure);
    if (rc) {
      batches[i].status = rc;
      error_move(err, &failure);
    }
    any = any || !rc;
  }
  if (!any) return batches[count - 1].status;
  orr_error_clear(err);
  return 0;
}

int store_group_gather(store_group *group, orr_error *err) {
  if (group->gathered) return 0;
  group->gathered = true;
  if (group->gather) group->batches = group->gather(group->ud, &group->count);
  set_status(group->batches, group->count, 0);
  return check_batch_keys(group, err);
}

static int commit_to_methods(store *s, store_group *group, orr_error *err) {
  int rc = s->methods->commit(s, group, err);
  if (!rc) return 0;
  if (!group->gathered) (void)store_group_gather(group, NULL);
  if ((rc == ORR_E_LIMIT || rc == ORR_E_MEMORY) && group->count > 1) {
    orr_error_clear(err);
    return commit_one_by_one(s, group->batches, group->count, err);
  }
  set_status(group->batches, group->count, rc);
  return rc;
}

static int commit_batches(store *s, store_group *group, orr_error *err) {
  int rc = commit_to_methods(s, group, err);
  if (!rc && s->listener) s->listener(s->listener_ud, group->batches, group->count);
  return rc;
}

void store_on_own_commit(store *s, store_own_commit_fn fn, void *ud) {
  s->listener = fn;
  s->listener_ud = ud;
}

int store_commit(store *s, store_batch *batches, size_t count, orr_error *err) {
  store_group group = {.batches = batches, .count = count};
  int rc = store_group_gather(&group, err);
  if (rc) set_status(batches, count, rc);
  return rc || count == 0 ? rc : commit_batches(s, &group, err);
}

int store_commit_gathered(store *s, store_gather gather, void *ud, orr_error *err) {
  store_group group = {.gather = gather, .ud = ud};
  return commit_batches(s, &group, err);
}

bool store_has_stakes(const store *s) { return s->methods->stake; }

bool store_stake(store *s, uint64_t from, uint64_t *to) { return !s->methods->stake || s->methods->stake(s, from, to); }

void store_unstake(store *s, uint64_t from, uint64_t to) {
  if (s->methods->stake) s->methods->unstake(s, from, to);
}

uint64_t store_changed(store *s) { return s->methods->changed(s); }
uint64_t store_foreign(store *s) { return s->methods->foreign(s); }

uint64_t store_foreign_known(store *s) {
  return s->methods->foreign_known ? s->methods->foreign_known(s) : store_foreign(s);
}

uint64_t store_changed_known(store *s) {
  return s->methods->changed_known ? s->methods->changed_known(s) : store_changed(s);
}

uint64_t store_foreign_seen(store_snapshot *snapshot) { return snapshot->methods->foreign_seen(snapshot); }

int store_get_stats(store *s, store_stats *out, orr_error *err) {
  *out = (store_stats){0};
  return s->methods->stats(s, out, err);
}

int store_copy(store *s, const char *target, bool compact, const store_progress *progress, orr_error *err) {
  if (!s->methods->copy) return error_set(err, ORR_E_UNSUPPORTED, "a store of this kind cannot be copied");
  return s->methods->copy(s, target, compact, progress, err);
}

void store_readers(store *s, void (*visit)(void *ud, const store_reader *reader), void *ud) {
  if (s->methods->readers) s->methods->readers(s, visit, ud);
}
