/* Copying one store into another, record by record.
 *
 * Units make the index rows, also those of ready jobs, as for any new record, so nothing here knows
 * of indexes. One function of a record, below, has all other changes between formats. */
#include "uow/upgrade.h"

#include "uow/uow_internal.h"

/* In one commit: LMDB keeps in memory what is not committed, and the unit its records. */
enum { UPGRADE_RECORDS = 5000, UPGRADE_BYTES = 8 << 20 };

typedef struct upgrading {
  unit_source *to;
  unit *u;            /* what goes with the next commit; NULL: nothing yet */
  const rec_type *last;
  size_t count, bytes; /* in `u` */
  uint64_t records;
  int format;
  orr_error *err;
} upgrading;

/* ---- What changed ---------------------------------------------------------------------------- */

/* The owner of a lock is gone, or the store could not be upgraded. So the job is free, and so are
 * its leases. A throttled job becomes ready again. */
static void free_job(rec_job *job) {
  if (job->state == ORR_JOB_LOCKED || job->state == ORR_JOB_THROTTLED) job->state = ORR_JOB_READY;
  job->throttled_by = (rec_text){0};
  job->exclusive_scope = 0;
  job->leases = 0;
}

/* Converts a record of the old format. False: there is no such record any more.
 *
 * 1 lacked rows of indexes; in 2 a locked job had the name of its owner and an expiry, where 3 has
 * records of owners. */
static bool upgrade_record(const rec_type *type, void *record, int format) {
  if (format >= 3) return true;
  if (type == &rec_exclusive_type) return false;
  if (type == &rec_lease_type) return ((const rec_lease *)record)->expires != 0; /* an external task's, which ends by itself */
  if (type == &rec_job_type) free_job(record);
  return true;
}

/* ---- Carrying -------------------------------------------------------------------------------- */

static int commit_carried(upgrading *w) {
  if (!w->u) return 0;
  int rc = unit_commit(w->u, w->err);
  unit_end(w->u);
  w->u = NULL;
  w->count = w->bytes = 0;
  return rc;
}

/* The settings of the store, which say which rows of ready jobs exist, come before the first
 * job. */
static int carry_room(upgrading *w, const rec_type *type, size_t size) {
  bool settings = w->last == &rec_meta_type && type != w->last;
  bool full = w->count >= UPGRADE_RECORDS || w->bytes + size > UPGRADE_BYTES;
  int rc = settings || full ? commit_carried(w) : 0;
  w->last = type;
  if (rc || w->u) return rc;
  w->u = unit_begin(w->to, w->err);
  return w->u ? 0 : w->err->code;
}

/* Records with an id have it right behind the head. */
static orr_id upgraded_id(const void *record) { return ((const rec_execution *)record)->id; }

static int carry_made(upgrading *w, const rec_type *type, const rec_head *read) {
  rec_head *made = type->keyed ? unit_new_key(w->u, type, read) : unit_new(w->u, type, upgraded_id(read));
  if (!made) return error_memory(w->err);
  memcpy(made + 1, read + 1, type->size - sizeof *made);
  w->count++;
  w->records++;
  return 0;
}

/* Texts of the record point into what it was read from, so that is copied. */
static int carry_record(upgrading *w, const rec_type *type, store_bytes key, store_bytes value) {
  int rc = carry_room(w, type, value.size);
  orr_arena *arena = rc ? NULL : unit_arena(w->u);
  rec_head *read = arena ? arena_zalloc(arena, type->size) : NULL;
  uint8_t *bytes = read ? arena_alloc(arena, key.size + value.size + 1) : NULL;
  if (!bytes) return rc ? rc : error_memory(w->err);
  memcpy(bytes, key.data, key.size);
  memcpy(bytes + key.size, value.data, value.size);
  rc = record_decode(type, read, arena, (store_bytes){bytes, key.size}, (store_bytes){bytes + key.size, value.size}, w->err);
  w->bytes += value.size;
  return rc || !upgrade_record(type, read, w->format) ? rc : carry_made(w, type, read);
}

static int carry_entry(upgrading *w, store_bytes key, store_bytes value) {
  char tag = *(const char *)key.data, name[128];
  if (tag == KEY_INDEX_TAG || tag == KEY_READY_TAG) return 0;
  const rec_type *type = rec_type_by_tag(tag);
  if (type) return carry_record(w, type, key, value);
  record_describe(key, name, sizeof name);
  return error_set(w->err, ORR_E_STORE, "%s is of no known kind", name);
}

static int carry_all(upgrading *w, store_snapshot *view, const upgrade_listener *listener, uint64_t total) {
  store_cursor *cursor = NULL;
  store_bytes key, value;
  uint64_t done = 0;
  int rc = store_scan(view, &(store_range){0}, &cursor, w->err), read = 0;
  while (!rc && (read = store_next(cursor, &key, &value, w->err)) == 0) {
    if (listener->progress && done % UPGRADE_RECORDS == 0) listener->progress(listener->ud, done, total);
    done++;
    rc = carry_entry(w, key, value);
  }
  store_cursor_close(cursor);
  if (!rc && read != ORR_E_NOT_FOUND) rc = read;
  if (!rc) rc = commit_carried(w);
  if (!rc && listener->progress) listener->progress(listener->ud, done, total);
  return rc;
}

int store_upgrade(store *from, int format, unit_source *to, const upgrade_listener *listener, uint64_t *records,
                  orr_error *err) {
  upgrading w = {.to = to, .format = format, .err = err};
  store_snapshot *view = NULL;
  store_stats stats;
  int rc = store_get_stats(from, &stats, err);
  if (!rc) rc = store_snapshot_open(from, &view, err);
  if (!rc) rc = carry_all(&w, view, listener, stats.entries);
  unit_end(w.u);
  store_snapshot_close(view);
  *records = w.records;
  return rc;
}
