/* Entries go in strokes from one view of the source; then both are walked side by side. */
#include "store/copy.h"

#include <string.h>

#include "base/error.h"
#include "store/staging.h"
#include "store/lmdb/lmdb_open.h"
#include "store/postgresql/postgresql.h"
#include "store/postgresql/url.h"

/* What is put at a stroke: little enough that bytes of the view hold for it (STORE_KEPT_BYTES). */
#define STROKE_OPS 4096
#define STROKE_BYTES ((size_t)8 << 20)

/* Records' keys begin with a letter. */
static const store_bytes mark_key = {"\0unfinished copy", sizeof "\0unfinished copy" - 1};

typedef struct transfer {
  store *from, *to;
  uint32_t revision; /* of the mark, which says that it is still this copy's */
  store_op *ops;     /* STROKE_OPS of them; the first relies on the mark */
  size_t count, bytes;
  const store_progress *progress; /* NULL: it is not told */
  uint64_t done, total;           /* entries: each is put, and then compared */
} transfer;

static int copy_refused(const transfer *t, int code, const char *what, orr_error *err) {
  return error_set(err, code, "copying %s to %s: %s", store_path(t->from), store_path(t->to), what);
}

/* Both stores say where they are. */
static int failed(const transfer *t, int rc, orr_error *err) {
  if (err && err->code) error_wrap(err, "copying %s to %s", store_path(t->from), store_path(t->to));
  return rc;
}

/* ---- Strokes --------------------------------------------------------------------------------- */

static int commit_ops(transfer *t, const store_op *ops, size_t count, orr_error *err) {
  store_batch batch = {.ops = ops, .count = count};
  int rc = store_commit(t->to, &batch, 1, err);
  if (rc) return failed(t, rc, err);
  if (batch.status == ORR_E_CONFLICT) return copy_refused(t, ORR_E_STATE, "another copy is being made into it", err);
  return batch.status ? copy_refused(t, batch.status, "an entry was refused", err) : 0;
}

static int commit_stroke(transfer *t, orr_error *err) {
  if (t->count <= 1) return 0;
  int rc = commit_ops(t, t->ops, t->count, err);
  t->count = 1;
  t->bytes = 0;
  return rc;
}

static int add_op(transfer *t, store_op op, orr_error *err) {
  size_t bytes = op.key.size + op.value.size;
  int rc = 0;
  if (t->count == STROKE_OPS || t->bytes + bytes > STROKE_BYTES) rc = commit_stroke(t, err);
  t->ops[t->count++] = op;
  t->bytes += bytes;
  return rc;
}

/* ---- The mark -------------------------------------------------------------------------------- */

typedef struct mark {
  store_header header;
} mark;

static bool is_mark(store_bytes key) { return key.size == mark_key.size && memcmp(key.data, mark_key.data, key.size) == 0; }

static int set_mark(transfer *t, uint32_t before, orr_error *err) {
  mark value = {{0}};
  t->revision = before >= STORE_ANY_REVISION - 1 ? 1 : before + 1;
  store_seal(&value, sizeof value, t->revision);
  store_op put = {STORE_PUT, before, mark_key, {&value, sizeof value}};
  int rc = commit_ops(t, &put, 1, err);
  t->ops[0] = (store_op){.kind = STORE_CHECK, .expected = t->revision, .key = mark_key};
  t->count = 1;
  return rc;
}

static int take_mark_away(transfer *t, orr_error *err) {
  store_op gone = {.kind = STORE_DELETE, .expected = t->revision, .key = mark_key};
  return commit_ops(t, &gone, 1, err);
}

/* ---- Making room ----------------------------------------------------------------------------- */

/* *before: the revision of the mark of a copy that was interrupted, or STORE_ABSENT. */
static int look_at_target(transfer *t, uint32_t *before, orr_error *err) {
  store_snapshot *view;
  store_cursor *cursor = NULL;
  store_bytes key, value;
  int rc = store_snapshot_open(t->to, &view, err);
  if (rc) return rc;
  *before = STORE_ABSENT;
  rc = store_get(view, mark_key, &value, err);
  if (!rc) *before = store_revision(value);
  if (rc == ORR_E_NOT_FOUND) {
    rc = store_scan(view, &(store_range){0}, &cursor, err);
    if (!rc) rc = store_next(cursor, &key, &value, err);
    if (!rc) rc = copy_refused(t, ORR_E_STATE, "there is a store already", err);
    else if (rc == ORR_E_NOT_FOUND) rc = 0;
  }
  store_cursor_close(cursor);
  store_snapshot_close(view);
  return rc;
}

/* Only databases have unfinished copies, and they write beside an open view. */
static int remove_rest(transfer *t, orr_error *err) {
  store_snapshot *view;
  store_cursor *cursor = NULL;
  store_bytes key, value;
  int rc = store_snapshot_open(t->to, &view, err);
  if (rc) return rc;
  rc = store_scan(view, &(store_range){0}, &cursor, err);
  while (!rc && (rc = store_next(cursor, &key, &value, err)) == 0)
    if (!is_mark(key)) rc = add_op(t, (store_op){STORE_DELETE, STORE_ANY_REVISION, key, {0}}, err);
  if (rc == ORR_E_NOT_FOUND) rc = commit_stroke(t, err);
  store_cursor_close(cursor);
  store_snapshot_close(view);
  return rc;
}

static int empty_target(transfer *t, orr_error *err) {
  uint32_t before;
  int rc = look_at_target(t, &before, err);
  if (!rc) rc = set_mark(t, before, err);
  return rc || before == STORE_ABSENT ? rc : remove_rest(t, err);
}

/* ---- Entries --------------------------------------------------------------------------------- */

/* Others write meanwhile, so there may be more than were counted. */
static void tell_transfer(transfer *t) {
  if (++t->done % STROKE_OPS == 0) store_tell(t->progress, t->done < t->total ? t->done : t->total, t->total);
}

static int put_entries(transfer *t, store_snapshot *view, orr_error *err) {
  store_cursor *cursor = NULL;
  store_bytes key, value;
  int rc = store_scan(view, &(store_range){0}, &cursor, err);
  while (!rc && (rc = store_next(cursor, &key, &value, err)) == 0) {
    rc = add_op(t, (store_op){STORE_PUT, STORE_ANY_REVISION, key, value}, err);
    tell_transfer(t);
  }
  if (rc == ORR_E_NOT_FOUND) rc = commit_stroke(t, err);
  store_cursor_close(cursor);
  return rc;
}

/* The next entry that is copied: past the mark. */
static int next_entry(store_cursor *cursor, store_bytes *key, store_bytes *value, orr_error *err) {
  int rc = store_next(cursor, key, value, err);
  return !rc && is_mark(*key) ? store_next(cursor, key, value, err) : rc;
}

static bool same(store_bytes a, store_bytes b) { return a.size == b.size && memcmp(a.data, b.data, a.size) == 0; }

static int compare_walks(transfer *t, store_cursor *from, store_cursor *to, orr_error *err) {
  for (;;) {
    store_bytes key, value, copied_key, copied;
    int rc = store_next(from, &key, &value, err);
    int copied_rc = rc && rc != ORR_E_NOT_FOUND ? rc : next_entry(to, &copied_key, &copied, err);
    if (copied_rc && copied_rc != ORR_E_NOT_FOUND) return copied_rc;
    if (rc && copied_rc) return 0;
    if (rc || copied_rc || !same(key, copied_key) || !same(value, copied))
      return copy_refused(t, ORR_E_STORE, "the copy is not what was copied; something else wrote to it", err);
    tell_transfer(t);
  }
}

static int compare_copy(transfer *t, store_snapshot *view, orr_error *err) {
  store_snapshot *copy;
  store_cursor *from = NULL, *to = NULL;
  int rc = store_snapshot_open(t->to, &copy, err);
  if (rc) return rc;
  rc = store_scan(view, &(store_range){0}, &from, err);
  if (!rc) rc = store_scan(copy, &(store_range){0}, &to, err);
  if (!rc) rc = compare_walks(t, from, to, err);
  store_cursor_close(from);
  store_cursor_close(to);
  store_snapshot_close(copy);
  return rc;
}

static int transfer_all(transfer *t, orr_error *err) {
  store_snapshot *view;
  store_stats stats;
  int rc = store_get_stats(t->from, &stats, err);
  if (!rc) rc = store_snapshot_open(t->from, &view, err);
  if (rc) return failed(t, rc, err);
  t->total = 2 * stats.entries;
  rc = empty_target(t, err);
  if (!rc) rc = put_entries(t, view, err);
  if (!rc) rc = compare_copy(t, view, err);
  store_snapshot_close(view);
  return rc ? rc : take_mark_away(t, err);
}

/* ---- Targets --------------------------------------------------------------------------------- */

static int fill_store(store *from, store *to, const orr_allocator *allocator, const store_progress *progress,
                      orr_error *err) {
  transfer t = {.from = from, .to = to, .progress = progress, .ops = env_alloc(allocator, STROKE_OPS * sizeof *t.ops)};
  if (!t.ops) return error_memory(err);
  int rc = transfer_all(&t, err);
  if (!rc) store_tell(progress, t.total, t.total);
  env_free(allocator, t.ops, STROKE_OPS * sizeof *t.ops);
  return rc;
}

static int copy_to_database(store *from, const orr_env *env, const char *url, const store_progress *progress,
                            orr_error *err) {
  store *to;
  store_options options = {.env = env, .path = url};
  int rc = store_open_postgresql(&options, &to, err);
  if (rc) return rc;
  rc = fill_store(from, to, &env->allocator, progress, err);
  store_close(to);
  return rc;
}

/* Nothing is synced on the way; the folder is brought to the disk as a whole. */
static int copy_to_folder(store *from, const orr_env *env, const char *target, const store_progress *progress,
                          orr_error *err) {
  staging a;
  store *to;
  int rc = staging_make(&a, store_path(from), target, err);
  if (rc) return rc;
  store_options options = {.env = env, .path = a.folder, .no_sync = true};
  rc = store_open_lmdb(&options, &to, err);
  if (!rc) {
    rc = fill_store(from, to, &env->allocator, progress, err);
    store_close(to);
  }
  if (!rc) rc = staging_put_in_place(&a, err);
  if (rc) staging_remove(&a);
  return rc;
}

int store_copy_to(store *from, const orr_env *env, const char *target, bool compact, const store_progress *progress,
                  orr_error *err) {
  if (postgres_is_url(target)) return copy_to_database(from, env, target, progress, err);
  int rc = store_copy(from, target, compact, progress, err);
  if (rc != ORR_E_UNSUPPORTED) return rc;
  if (err) orr_error_clear(err);
  return copy_to_folder(from, env, target, progress, err);
}

int store_check_finished(store *s, orr_error *err) {
  store_snapshot *view;
  store_bytes value;
  int rc = store_snapshot_open(s, &view, err);
  if (rc) return rc;
  rc = store_get(view, mark_key, &value, err);
  store_snapshot_close(view);
  if (rc == ORR_E_NOT_FOUND) return 0;
  return rc ? rc
            : error_set(err, ORR_E_STORE, "%s is a copy that was not finished: make it again, with orrery copy, or drop it",
                        store_path(s));
}
