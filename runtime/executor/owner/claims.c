/* Finding what an owner has locked. */
#include "executor/owner/claims.h"

#include "engine/engine.h"
#include "executor/acquire.h"
#include "job/exclusive.h"
#include "uow/find.h"

typedef struct search {
  context *c;
  uint64_t owner;
  size_t max;
  claims *out;
  size_t job_room, stray_room;
  unit_found locks; /* instance locks of the owner */
  size_t lock_room;
} search;

static int add(const search *s, unit_found *to, size_t *room, rec_head *record) {
  if (!ARENA_ROOM(s->c->arena, to->items, to->count, *room, 16)) return context_memory(s->c);
  to->items[to->count++] = record;
  return 0;
}

static int visit_lock(void *ud, rec_head *record, bool *stop) {
  search *s = ud;
  if (((const rec_exclusive *)(const void *)record)->owner != s->owner) return 0;
  rec_head *kept = unit_keep(s->c->u, record, &s->c->error);
  if (!kept) return s->c->error.code;
  *stop = s->locks.count + 1 >= s->max;
  return add(s, &s->locks, &s->lock_room, kept);
}

/* Jobs of one instance that are counted in this lock. */
static int jobs_of_instance(search *s, orr_id instance, orr_id scope_id) {
  unit_found found;
  int rc = unit_find_group(s->c->u, &rec_job_type, orr_id_group(instance), &found, &s->c->error);
  for (size_t i = 0; !rc && i < found.count; i++) {
    const rec_job *job = (const rec_job *)(const void *)found.items[i];
    bool counted = job->owner == s->owner && exclusive_scope_held(job) == scope_id;
    if (counted) rc = add(s, &s->out->jobs, &s->job_room, found.items[i]);
  }
  return rc;
}

/* Those of its whole hierarchy, when the lock is of that. */
static int jobs_of_lock(search *s, rec_head *lock) {
  orr_id scope_id = ((const rec_exclusive *)(const void *)lock)->instance_id;
  const rec_key root = {.id = scope_id};
  unit_found called;
  size_t before = s->out->jobs.count;
  int rc = jobs_of_instance(s, scope_id, scope_id);
  if (!rc) rc = unit_find_index(s->c->u, REC_INDEX_INSTANCE_ROOT, &root, 1, 0, &called, &s->c->error);
  for (size_t i = 0; !rc && i < called.count; i++)
    rc = jobs_of_instance(s, ((const rec_instance *)(const void *)called.items[i])->id, scope_id);
  return !rc && s->out->jobs.count == before ? add(s, &s->out->stray, &s->stray_room, lock) : rc;
}

static int exclusive_claims(search *s) {
  const access_path locks = {.type = &rec_exclusive_type};
  int rc = unit_walk(s->c->u, &locks, visit_lock, s, NULL, &s->c->error);
  for (size_t i = 0; !rc && i < s->locks.count; i++) rc = jobs_of_lock(s, s->locks.items[i]);
  return rc;
}

int claims_find(context *c, uint64_t owner, size_t max, claims *out) {
  const rec_key key = {.id = owner};
  *out = (claims){0};
  search s = {.c = c, .owner = owner, .max = max ? max : SIZE_MAX, .out = out};
  int rc = unit_find_index(c->u, REC_INDEX_JOB_LOCKED, &key, 1, max, &out->jobs, &c->error);
  s.job_room = out->jobs.count;
  return rc || (max && out->jobs.count) ? rc : exclusive_claims(&s);
}

/* ---- Lost sight of --------------------------------------------------------------------------- */

bool claims_lost(const lock_owner *o) { return atomic_load(&o->engine->locks_lost) != o->audited; }

typedef struct lost_jobs {
  orr_id *ids; /* the context's arena */
  size_t count;
} lost_jobs;

static int find_lost(context *c, const lock_owner *o, bool (*still_mine)(void *ud, orr_id job), void *ud, lost_jobs *out) {
  claims found;
  int rc = claims_find(c, atomic_load(&o->number), 0, &found);
  *out = (lost_jobs){.ids = rc ? NULL : ARENA_ARRAY(c->arena, orr_id, found.jobs.count + 1)};
  if (!rc && !out->ids) rc = context_memory(c);
  for (size_t i = 0; !rc && i < found.jobs.count; i++) {
    orr_id job = ((const rec_job *)(const void *)found.jobs.items[i])->id;
    if (!still_mine || !still_mine(ud, job)) out->ids[out->count++] = job;
  }
  return rc;
}

/* A job that ends or is handed over at this moment may be taken for lost: its run finds the lock gone, or the giving back
 * finds the job gone. */
int claims_audit(lock_owner *o, bool (*still_mine)(void *ud, orr_id job), void *ud, orr_error *err) {
  uint64_t lost = atomic_load(&o->engine->locks_lost);
  if (lost == o->audited) return 0;
  context *c = context_begin(o->engine, NULL, err);
  if (!c) return err->code;
  lost_jobs jobs;
  int rc = find_lost(c, o, still_mine, ud, &jobs);
  if (rc) error_move(err, &c->error);
  unit_pause(c->u);
  if (!rc) rc = acquire_release(o->engine, atomic_load(&o->number), jobs.ids, jobs.count, err);
  context_end(c);
  if (!rc) o->audited = lost;
  return rc;
}
