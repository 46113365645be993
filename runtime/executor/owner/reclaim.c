/* Giving back locks that nobody holds any more. */
#include "executor/owner/reclaim.h"

#include <string.h>

#include "engine/engine.h"
#include "exec/history.h"
#include "exec/incident.h"
#include "executor/owner/claims.h"
#include "executor/owner/cluster.h"
#include "executor/owner/presence.h"

#define RECLAIM_PAGE 500   /* jobs given back in one commit */
#define RECLAIM_OWNERS 64  /* looked at in one round; the rest is the next one's */

/* A file tells what its threads were at in the end; of a node without one, on a store that has no folder, it is known what
 * it told last. */
static bool told_at(context *c, const rec_owner *owner, orr_id job) {
  return !running_keeps_files(c->engine) && cluster_was_at(owner, job);
}

/* The holder vanished without a word. Most of its jobs had no part in that: only those that were on its threads are
 * suspects. */
static int reclaim_lock(context *c, rec_job *job, const rec_owner *owner, running_list *suspects) {
  bool suspect = running_list_has(suspects, c->engine, owner->name, job->id) || told_at(c, owner, job->id);
  int rc = job_unlock(c, job);
  if (rc) return rc;
  if (suspect) {
    if (context_touch(c, job)) return c->error.code;
    job->crashes++;
  }
  if (job->crashes >= ORR_CRASHES_MAX) {
    static const char text[] = "the process that ran the job was lost each time; it is not tried again";
    job->traceback = (rec_text){0};
    rc = history_job(c, job, "failed", text);
    if (rc) return rc;
    job->retries = 0;
    job->crashes = 0;
    job->error = unit_text(c->u, text, sizeof text - 1);
    definition *d = job->definition_id ? context_definition(c, job->definition_id, &c->error) : NULL;
    if (c->error.code) return c->error.code;
    const char *activity = d && job->node ? d->nodes[job->node - 1]->id : NULL;
    rc = incident_create(c, "failed_job", job->instance_id, job->execution_id, job->id, text, activity, activity);
    if (rc) return rc;
  }
  return job_place(c, job);
}

/* ---- One owner ------------------------------------------------------------------------------- */

/* A unit of work of its own: `change` commits what it has changed. */
static int in_unit(orr_engine *engine, int (*change)(context *c, void *ud), void *ud, orr_error *err) {
  context *c = context_begin(engine, NULL, err);
  if (!c) return err->code;
  int rc = change(c, ud);
  if (rc) error_move(err, &c->error);
  else if (unit_changed(c->u)) rc = unit_commit(c->u, err);
  context_end(c);
  return rc;
}

typedef struct sweep {
  uint64_t number;
  bool unless_prolonged; /* fences only when the lease is over */
  running_list suspects;
  uint32_t count, page;  /* jobs given back; by the commit under way */
  bool done;             /* nothing is left of the owner */
} sweep;

static rec_owner *fenced_record(context *c, uint64_t number) {
  const rec_owner key = {.fenced = 1, .number = number};
  return unit_owner_key(c->u, &key, &c->error);
}

/* Its record under another key, with the expiry behind us: the first that is found. */
static int fence(context *c, void *ud) {
  const sweep *s = ud;
  rec_owner key = {.number = s->number};
  rec_owner *live = unit_owner_key(c->u, &key, &c->error);
  if (!live || (s->unless_prolonged && live->expires > c->now)) return c->error.code;
  key.fenced = 1;
  rec_owner *fenced = unit_new_owner(c->u, &key);
  if (!fenced) return context_memory(c);
  fenced->name = live->name;
  fenced->host = live->host;
  fenced->boot = live->boot;
  fenced->pid_space = live->pid_space;
  fenced->pid = live->pid;
  fenced->pid_start = live->pid_start;
  fenced->started = live->started;
  fenced->expires = live->expires < c->now ? live->expires : c->now;
  fenced->build = live->build;
  fenced->told = live->told;
  fenced->lease = live->lease;
  fenced->threads = live->threads;
  fenced->stopping = live->stopping;
  fenced->jobs = live->jobs;
  return unit_delete(c->u, live) ? context_memory(c) : 0;
}

/* A view that shows no claim of a fenced owner is the last word: it can make none, and what would follow from one needs
 * that. */
static int sweep_page(context *c, void *ud) {
  sweep *s = ud;
  claims found = {0};
  rec_owner *owner = fenced_record(c, s->number);
  int rc = owner ? claims_find(c, s->number, RECLAIM_PAGE, &found) : c->error.code;
  s->page = 0;
  s->done = !rc && found.jobs.count == 0 && found.stray.count == 0;
  for (size_t i = 0; !rc && i < found.jobs.count; i++) {
    rc = reclaim_lock(c, (rec_job *)found.jobs.items[i], owner, &s->suspects);
    s->page++;
  }
  for (size_t i = 0; !rc && i < found.stray.count; i++) rc = unit_delete(c->u, found.stray.items[i]) ? context_memory(c) : 0;
  if (!rc && s->done && owner) rc = unit_delete(c->u, owner) ? context_memory(c) : 0;
  return rc;
}

/* A conflict: the owner prolonged its lease or finished a job, or another process gives back, too. What is left is for the
 * next round. */
static int reclaim_from(orr_engine *engine, sweep *s, orr_error *err) {
  s->suspects.dead = true;
  int rc = in_unit(engine, fence, s, err);
  while (!rc && !s->done) {
    rc = in_unit(engine, sweep_page, s, err);
    if (!rc) s->count += s->page;
  }
  if (rc == ORR_E_CONFLICT) orr_error_clear(err);
  return rc == ORR_E_CONFLICT ? 0 : rc;
}

int reclaim_owner(orr_engine *engine, uint64_t number, uint32_t *count, orr_error *err) {
  sweep s = {.number = number};
  int rc = reclaim_from(engine, &s, err);
  *count = s.count;
  return rc;
}

/* ---- All of them ----------------------------------------------------------------------------- */

typedef struct owners {
  context *c;
  bool dead; /* whose process is gone; else whose lease is over */
  uint64_t self;
  bool late; /* an executor's own lease is over, since this machine or the store's server stood still: it judges nobody */
  uint64_t numbers[RECLAIM_OWNERS];
  size_t count;
} owners;

/* By expiry, so those that are fenced or over come first. */
static int visit_owner(void *ud, rec_head *record, bool *stop) {
  owners *list = ud;
  const rec_owner *owner = (const rec_owner *)(const void *)record;
  bool over = owner->fenced || owner->expires <= list->c->now;
  bool own = owner->number == list->self && !owner->fenced;
  bool gone = list->dead ? owner->fenced || !owner_lives(list->c->engine, owner) : over;
  if (own && over && owner->threads > 0 && store_is_shared(list->c->engine->store)) list->late = true;
  if (gone && !own) list->numbers[list->count++] = owner->number;
  *stop = list->count == RECLAIM_OWNERS || (!list->dead && !over);
  return 0;
}

static int find_owners(context *c, void *ud) {
  static const unit_way by_expiry = {.type = &rec_owner_type, .index = REC_INDEX_OWNER_EXPIRES};
  owners *list = ud;
  list->c = c;
  int rc = unit_walk(c->u, &by_expiry, visit_owner, list, NULL, &c->error);
  if (list->late) list->count = 0;
  return rc;
}

static int reclaim_all(orr_engine *engine, bool dead, uint64_t self, uint32_t *count, orr_error *err) {
  owners list = {.dead = dead, .self = self};
  *count = 0;
  int rc = in_unit(engine, find_owners, &list, err);
  for (size_t i = 0; !rc && i < list.count; i++) {
    sweep s = {.number = list.numbers[i], .unless_prolonged = !dead};
    rc = reclaim_from(engine, &s, err);
    *count += s.count;
  }
  return rc;
}

int reclaim_expired(orr_engine *engine, uint64_t self, uint32_t *count, orr_error *err) {
  return reclaim_all(engine, false, self, count, err);
}

int reclaim_dead(orr_engine *engine, uint32_t *count, orr_error *err) { return reclaim_all(engine, true, 0, count, err); }

int reclaim_waits(context *c, bool *out) {
  owners list = {0};
  int rc = find_owners(c, &list);
  *out = list.count > 0;
  return rc;
}
