/* Giving back locks that nobody holds any more. */
#include "executor/owner/reclaim.h"

#include <string.h>

#include "engine/engine.h"
#include "executor/job_log.h"
#include "executor/owner/claims.h"
#include "executor/owner/cluster.h"
#include "executor/owner/presence.h"
#include "state/history.h"
#include "state/incident.h"
#include "uow/find.h"

#define RECLAIM_PAGE 500   /* jobs given back in one commit */
#define RECLAIM_OWNERS 64  /* looked at in one round; the rest is the next one's */

/* It vanished without a word. On a store of this machine one whose process is there has only lost its lease. */
static bool owner_vanished(context *c, const rec_owner *owner) {
  return !owner->stopping && (store_is_shared(c->engine->store) || !owner_lives(c->engine, owner));
}

/* An executor's file tells what its threads were at in the end; of others it is known what they had committed: that they
 * began a job in quarantine, and what they told last. Jobs that merely waited had no part in it. */
static bool was_at(context *c, const rec_job *job, const rec_owner *owner, running_list *list, bool *told) {
  bool listed = running_list_has(list, c->engine, owner->name, job->id);
  *told = listed || (list->told && owner->threads > 0);
  if (*told) return listed;
  return owner_vanished(c, owner) && (job->quarantine == JOB_BEGUN || cluster_was_at(owner, job->id));
}

static int give_up_job(context *c, rec_job *job) {
  static const char text[] =
      "the process that ran the job was lost three times; it is not tried again";
  _Static_assert(ORR_CRASHES_MAX == 3, "the text says so");
  job->traceback = (rec_text){0};
  job->retries = 1; /* a row has the tries before the failure, which spends one: the last one */
  int rc = history_job(c, job, "failed", text);
  if (rc) return rc;
  job->retries = 0;
  job->crashes = 0;
  job->quarantine = JOB_TRUSTED;
  job->error = unit_text(c->u, text, sizeof text - 1);
  definition *d = job->definition_id ? context_definition(c, job->definition_id, &c->error) : NULL;
  if (c->error.code) return c->error.code;
  const char *activity = d && job->node ? d->nodes[job->node - 1]->id : NULL;
  job->failed_activity_id = unit_textz(c->u, activity);
  log_failed(c, job, text);
  return incident_create(c, "failed_job", job->instance_id, job->execution_id, job->id, text, activity, activity);
}

/* The first time, when nothing told whose part it had, counts once the second shows it. */
static int blame_job(context *c, rec_job *job) {
  if (context_touch(c, job)) return c->error.code;
  job->crashes += job->quarantine && !job->crashes ? 2 : 1;
  return job->crashes >= ORR_CRASHES_MAX ? give_up_job(c, job) : 0;
}

static int watch_job(context *c, rec_job *job) {
  if (context_touch(c, job)) return c->error.code;
  job->quarantine = JOB_WATCHED;
  return 0;
}

static int give_back(context *c, rec_job *job) {
  int rc = job_unlock(c, job);
  return rc ? rc : job_place(c, job);
}

static int reclaim_lock(context *c, rec_job *job, const rec_owner *owner, running_list *list) {
  bool told, suspect = was_at(c, job, owner, list, &told);
  bool watch = !told && store_level(c->engine->store) >= STORE_LEVEL_QUARANTINE && owner_vanished(c, owner);
  int rc = job_unlock(c, job);
  if (!rc && suspect) rc = blame_job(c, job);
  bool given_up = suspect && job->crashes == 0;
  if (!rc && watch && !given_up) rc = watch_job(c, job);
  return rc ? rc : job_place(c, job);
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
  bool lives;            /* its own process gives back what it has lost sight of: nothing vanished */
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
    rec_job *job = (rec_job *)found.jobs.items[i];
    rc = s->lives ? give_back(c, job) : reclaim_lock(c, job, owner, &s->suspects);
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
  sweep s = {.number = number, .lives = true};
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
  static const access_path by_expiry = {.type = &rec_owner_type, .index = REC_INDEX_OWNER_EXPIRES};
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
