/* Why nobody takes a job, by what the executors at the store say of themselves. */
#include "command/job/why_executors.h"

#include <inttypes.h>
#include <string.h>

#include "command/job/why_commands.h"
#include "executor/owner/cluster.h"
#include "executor/executor.h"
#include "executor/pool.h"
#include "executor/worker/inspect.h"
#include "job/exclusive.h"

/* ---- Asking them ----------------------------------------------------------------------------- */

static const char *range_text(context *c, const acquire_rules *r) {
  if (r->has_min && r->has_max) return arena_printf(c->arena, "%" PRId64 " to %" PRId64, r->priority_min, r->priority_max);
  return r->has_min ? arena_printf(c->arena, "%" PRId64 " and more", r->priority_min)
                    : arena_printf(c->arena, "%" PRId64 " and less", r->priority_max);
}

static void refuse_priority(survey *s, const char *who, const acquire_rules *rules) {
  const char *range = range_text(s->c, rules);
  s->refusal =
      (finding){ORR_WHY_PRIORITY,
                range ? arena_printf(s->c->arena, "priority %" PRId64 ": %s takes %s", s->job->priority, who, range) : NULL,
                "change the job's priority, or run an executor whose range holds it"};
}

static void refuse_deployment(survey *s, const char *who) {
  s->refusal =
      (finding){ORR_WHY_DEPLOYMENT,
                arena_printf(s->c->arena, "its deployment %" PRIu64 " is not registered with %s", s->job->deployment_id, who),
                "deploy it there again under its name, or call register_deployment with its id; or run an executor that is "
                "not deployment_aware"};
}

static void hear(survey *s, const char *who, const acquire_rules *rules, bool registered, uint32_t room) {
  bool outside = !acquire_in_range(rules, s->job->priority);
  if (outside || !registered) {
    s->refusing++;
    if (s->refusal.reason) return;
    if (outside) refuse_priority(s, who, rules);
    else refuse_deployment(s, who);
    return;
  }
  if (!s->taker) s->over_hierarchies = rules->exclusive_over_hierarchies;
  if (room == 0) s->full++;
  else if (!s->taker) s->taker = who;
}

static void hear_other(void *ud, const running_view *view) {
  survey *s = ud;
  const char *own = s->c->engine->executor ? executor_owner(s->c->engine->executor, s->c->engine) : NULL;
  if (own && strcmp(own, view->rules.owner) == 0) return;
  const char *who = view->record ? cluster_title(s->c, view->record) : why_owner(s->c, view->rules.owner);
  s->executors++;
  if (who) hear(s, arena_printf(s->c->arena, "the executor of %s", who), &view->rules, view->registered, view->room);
}

int survey_executors(context *c, const rec_job *job, survey *out) {
  acquire_rules rules;
  uint32_t room = 0;
  orr_executor *x = c->engine->executor;
  *out = (survey){.c = c, .job = job};
  if (x && executor_rules(x, c->engine, &rules, &room)) {
    out->executors++;
    hear(out, "this engine's executor", &rules, acquire_registered(c->engine, &rules, job), room);
  }
  int rc = cluster_each_executor(c, job->deployment_id, hear_other, out);
  if (rc || out->executors) return rc;
  rc = acquire_rules_read(&c->engine->acquisition, &rules, &c->error);
  if (!rc) hear(out, "this engine's acquisition", &rules, acquire_registered(c->engine, &rules, job), UINT32_MAX);
  return rc;
}

/* ---- What follows from it -------------------------------------------------------------------- */

int survey_refusal(survey *s, finding *out) {
  context *c = s->c;
  if (s->refusing && s->refusing >= s->executors) {
    *out = s->refusal;
    if (s->refusing > 1)
      out->text =
          arena_printf(c->arena, "none of the %u executors of this store takes it; %s", (unsigned)s->refusing, out->text);
    return 0;
  }
  const rec_exclusive *lock = s->job->exclusive ? exclusive_holder(c, exclusive_scope(s->job, s->over_hierarchies)) : NULL;
  if (!lock) return c->error.code;
  const rec_owner *by = job_owner_of(c, lock->owner);
  if (!by) return c->error.code;
  const char *owner = cluster_title(c, by);
  *out = (finding){ORR_WHY_INSTANCE_BUSY,
                   owner ? arena_printf(c->arena, "an exclusive job of the same instance is locked by %s", owner) : NULL,
                   "wait until that job is done"};
  return 0;
}

void survey_ready(const survey *s, finding *out) {
  if (!s->executors)
    *out = (finding){ORR_WHY_NO_EXECUTOR, "the job is ready, but no executor runs on this store",
                     "start one, or call run_jobs"};
  else if (!s->taker)
    *out = (finding){ORR_WHY_QUEUE_FULL, "the job is ready, but the queue of every executor that takes it is full",
                     "engine:running() there tells what its threads are at; wait, or give it more threads or a longer queue"};
  else
    *out = (finding){ORR_WHY_READY, arena_printf(s->c->arena, "the job is ready, and %s acquires it next", s->taker),
                     "wait for it"};
}
