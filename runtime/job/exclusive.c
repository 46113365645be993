/* The instance lock of exclusive jobs. */
#include "exclusive.h"

#include <string.h>

#include "../engine.h"

orr_id exclusive_scope(const orr_engine *engine, const rec_job *job) {
  bool whole = engine->acquisition.exclusive_over_hierarchies == ORR_ON;
  return whole && job->root_id ? job->root_id : job->instance_id;
}

rec_exclusive *exclusive_of_job(context *c, const rec_job *job) {
  rec_exclusive key = {.instance_id = exclusive_scope(c->engine, job)};
  return unit_exclusive_key(c->u, &key, &c->error);
}

static bool same_text(rec_text a, rec_text b) { return a.size == b.size && (!a.size || memcmp(a.data, b.data, a.size) == 0); }

int exclusive_take(context *c, const rec_job *job, rec_text owner, bool *taken) {
  *taken = false;
  rec_exclusive *lock = exclusive_of_job(c, job);
  if (c->error.code) return c->error.code;
  if (!lock) {
    rec_exclusive key = {.instance_id = exclusive_scope(c->engine, job)};
    lock = unit_new_exclusive(c->u, &key);
    if (!lock) return context_memory(c);
    lock->owner = owner;
  } else if (!same_text(lock->owner, owner)) {
    return 0;
  } else if (unit_touch(c->u, lock)) {
    return context_memory(c);
  }
  lock->count++;
  *taken = true;
  return 0;
}

int exclusive_release(context *c, const rec_job *job) {
  rec_exclusive *lock = exclusive_of_job(c, job);
  if (c->error.code) return c->error.code;
  if (!lock || !same_text(lock->owner, job->lock_owner)) return 0;
  if (lock->count <= 1) return unit_delete(c->u, lock) ? context_memory(c) : 0;
  if (unit_touch(c->u, lock)) return context_memory(c);
  lock->count--;
  return 0;
}
