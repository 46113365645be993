/* An owner's record and its lease. */
#include "executor/owner/lock_owner.h"

#include <string.h>

#include "engine/engine.h"
#include "engine/metrics.h"
#include "executor/owner/reclaim.h"
#include "uow/find.h"

int lock_owner_init(lock_owner *o, orr_engine *engine, const char *name, int64_t lock_ms, orr_error *err) {
  if (strlen(name) >= sizeof o->name)
    return error_set(err, ORR_E_LIMIT, "the lock owner's name is longer than %d bytes", OWNER_BYTES_MAX - 1);
  *o = (lock_owner){.engine = engine, .lock_ms = lock_ms, .audited = atomic_load(&engine->locks_lost)};
  strncpy(o->name, name, sizeof o->name - 1);
  pthread_mutex_init(&o->mutex, NULL);
  return 0;
}

void lock_owner_destroy(lock_owner *o) { pthread_mutex_destroy(&o->mutex); }

/* More than the whole lease may be left when the clock was set back. */
static bool is_fresh(const lock_owner *o, orr_time now) {
  int64_t left = atomic_load(&o->expires) - now;
  return atomic_load(&o->number) && left > o->lock_ms - o->lock_ms / 4 && left <= o->lock_ms;
}

static rec_owner *register_owner(context *c, const lock_owner *o) {
  orr_id group = unit_new_group(c->u, &c->error);
  rec_owner key = {.number = orr_id_group(group)};
  rec_owner *r = group ? unit_new_owner(c->u, &key) : NULL;
  if (!r) return NULL;
  r->name = unit_textz(c->u, o->name);
  r->started = c->now;
  owner_sign(c, r);
  return r;
}

/* The record with its new expiry, changed in the context's unit. NULL: c->error, or memory is out. */
static rec_owner *prolong(context *c, const lock_owner *o, bool *known) {
  rec_owner key = {.number = atomic_load(&o->number)};
  rec_owner *r = key.number ? unit_owner_key(c->u, &key, &c->error) : NULL;
  if (c->error.code) return NULL;
  *known = r;
  if (!r) r = register_owner(c, o);
  if (!r || unit_touch(c->u, r)) return NULL;
  r->expires = c->now + o->lock_ms;
  return o->tell && o->tell(o->tell_ud, c, r) ? NULL : r;
}

/* A thread that runs jobs itself lets its lease lapse whenever it has none. */
static void note_absence(lock_owner *o, orr_time now) {
  int64_t before = atomic_load(&o->expires);
  if (o->tell && before && before <= now && store_is_shared(o->engine->store)) atomic_store(&o->judges, now + o->lock_ms);
}

bool lock_owner_begins(const lock_owner *o) {
  return !store_is_shared(o->engine->store) || atomic_load(&o->expires) - engine_now(o->engine) > o->lock_ms / 3;
}

bool lock_owner_judges(const lock_owner *o) {
  int64_t from = atomic_load(&o->judges), now = engine_now(o->engine);
  return now >= from || now < from - o->lock_ms; /* a clock that was set back */
}

static int write_record(lock_owner *o, bool *known, orr_error *err) {
  context *c = context_begin(o->engine, NULL, err);
  if (!c) return err->code;
  const rec_owner *r = prolong(c, o, known);
  int rc = 0;
  if (!r) {
    rc = c->error.code ? c->error.code : context_memory(c);
    error_move(err, &c->error);
  } else {
    rc = unit_commit(c->u, err);
  }
  if (!rc) {
    note_absence(o, c->now);
    atomic_store(&o->expires, r->expires);
    atomic_store(&o->number, r->number);
  }
  context_end(c);
  return rc;
}

/* Only who fences it writes the record besides: then it is gone, and the second time registers anew. */
int lock_owner_keep(lock_owner *o, orr_error *err) {
  bool known = false;
  int rc = 0;
  pthread_mutex_lock(&o->mutex);
  bool due = !is_fresh(o, engine_now(o->engine));
  if (due) rc = write_record(o, &known, err);
  if (rc == ORR_E_CONFLICT) {
    orr_error_clear(err);
    rc = write_record(o, &known, err);
  }
  pthread_mutex_unlock(&o->mutex);
  if (due && !rc && known) metrics_count(o->engine, METRIC_LOCK_RENEWED, 1);
  return rc;
}

static int delete_record(const lock_owner *o, orr_error *err) {
  context *c = context_begin(o->engine, NULL, err);
  if (!c) return err->code;
  rec_owner key = {.number = atomic_load(&o->number)};
  rec_owner *r = unit_owner_key(c->u, &key, &c->error);
  int rc = c->error.code;
  if (!rc && r) rc = unit_delete(c->u, r) ? context_memory(c) : 0;
  if (rc) error_move(err, &c->error);
  else if (r) rc = unit_commit(c->u, err);
  context_end(c);
  return rc;
}

void lock_owner_end(lock_owner *o) {
  orr_error err = {0};
  uint32_t count;
  if (!atomic_load(&o->number)) return;
  bool lost = atomic_load(&o->engine->locks_lost) != o->audited;
  int rc = lost ? reclaim_owner(o->engine, atomic_load(&o->number), &count, &err) : delete_record(o, &err);
  if (rc && rc != ORR_E_CONFLICT)
    engine_log(o->engine, ORR_LOG_WARNING, NULL, "an owner of locks could not be taken out of the store and will expire: %s",
               err.message ? err.message : orr_strerror(rc));
  orr_error_clear(&err);
  atomic_store(&o->expires, 0); /* first, or a hand-over might use a number that is gone; its commit would be refused */
  atomic_store(&o->number, 0);
}

int lock_owner_rely(context *c, uint64_t number) {
  const rec_owner key = {.number = number};
  return unit_rely_key(c->u, &rec_owner_type, &key) ? context_memory(c) : 0;
}
