/* The instance lock of exclusive jobs. */
#include "job/exclusive.h"

#include <string.h>

orr_id exclusive_scope(const rec_job *job, bool hierarchy) {
  return hierarchy && job->root_id ? job->root_id : job->instance_id;
}

orr_id exclusive_scope_held(const rec_job *job) {
  if (!job->exclusive || !job->owner) return 0;
  return job->exclusive_scope ? job->exclusive_scope : job->instance_id;
}

rec_exclusive *exclusive_holder(context *c, orr_id scope_id) {
  rec_exclusive key = {.instance_id = scope_id};
  return unit_exclusive_key(c->u, &key, &c->error);
}

int exclusive_take(context *c, rec_job *job, orr_id scope_id, uint64_t owner, bool *taken) {
  *taken = false;
  rec_exclusive *lock = exclusive_holder(c, scope_id);
  if (c->error.code) return c->error.code;
  if (!lock) {
    rec_exclusive key = {.instance_id = scope_id};
    lock = unit_new_exclusive(c->u, &key);
    if (!lock) return context_memory(c);
    lock->owner = owner;
  } else if (lock->owner != owner) {
    return 0;
  } else if (unit_touch(c->u, lock)) {
    return context_memory(c);
  }
  if (context_touch(c, job)) return c->error.code;
  job->exclusive_scope = scope_id;
  lock->count++;
  *taken = true;
  return 0;
}

int exclusive_release(context *c, const rec_job *job) {
  rec_exclusive *lock = exclusive_holder(c, exclusive_scope_held(job));
  if (c->error.code) return c->error.code;
  if (!lock || lock->owner != job->owner) return 0;
  if (lock->count <= 1) return unit_delete(c->u, lock) ? context_memory(c) : 0;
  if (context_touch(c, lock)) return c->error.code;
  lock->count--;
  return 0;
}
