/* Why a job does not run (features J18): the first thing that stands in its way, in the order in which acquisition meets them. */
#include <inttypes.h>

#include "../job/acquire.h"
#include "../job/exclusive.h"
#include "../job/executor.h"
#include "../job/limit.h"
#include "../job/reclaim.h"
#include "../time/iso8601.h"
#include "../value.h"
#include "operands.h"

typedef struct finding {
  const char *reason; /* a word for programs */
  const char *text;   /* a sentence */
  const char *cure;
} finding;

static const char *iso(context *c, orr_time time) {
  char text[ISO_TIME_TEXT];
  iso_format_time(time, text);
  return arena_strdup(c->arena, text);
}

/* ---- What the job itself says ------------------------------------------------------------------------------------------------- */

static int suspended_by(context *c, const rec_job *job, finding *out) {
  const rec_instance *i = job->instance_id ? unit_instance(c->u, job->instance_id, &c->error) : NULL;
  if (c->error.code) return c->error.code;
  const rec_job_definition *jd = job->job_definition_id ? unit_job_definition(c->u, job->job_definition_id, &c->error) : NULL;
  if (c->error.code) return c->error.code;
  *out = (finding){"suspended", "the job is suspended", "activate the job"};
  if (job->held_by)
    *out = (finding){"suspended", arena_printf(c->arena, "its work goes on in process instance %" PRIu64 ", a caller that is suspended",
                                               job->held_by),
                     "activate that instance"};
  else if (i && i->suspended)
    *out = (finding){"suspended", "the job is suspended, and so is its process instance", "activate the instance"};
  else if (jd && jd->suspended)
    *out = (finding){"suspended", "the job is suspended, and so is its job definition", "activate the job definition with its jobs"};
  return 0;
}

static void without_retries(context *c, const rec_job *job, finding *out) {
  out->reason = "no_retries";
  out->text = "no retries are left";
  if (job->error.size) out->text = arena_printf(c->arena, "no retries are left; the last try failed with: %s", job->error.data);
  out->cure = "mend the cause, then set the job's retries";
}

static void locked(context *c, const rec_job *job, finding *out) {
  orr_executor *x = c->engine->executor;
  const char *owner = job->lock_owner.data, *until = iso(c, job->lock_expires);
  if (x && executor_has(x, c->engine, job->id)) {
    *out = (finding){"running", "this engine's executor has the job and runs it, or will next", "wait for it"};
  } else if (job->lock_expires <= c->now) {
    *out = (finding){"lock_expired", arena_printf(c->arena, "locked by %s, whose lock expired at %s", owner, until),
                     "the next acquisition takes the lock back"};
  } else if (!owner_alive(c->engine, owner, job->lock_owner.size)) {
    *out = (finding){"locked", arena_printf(c->arena, "locked until %s by %s, a process that is gone", until, owner),
                     "start an executor on this machine, which takes such locks back, or wait until the lock expires"};
  } else {
    *out = (finding){"locked", arena_printf(c->arena, "locked by %s until %s", owner, until),
                     "wait until its owner is done or the lock expires"};
  }
}

static void not_due(context *c, const rec_job *job, finding *out) {
  *out = (finding){"not_due", arena_printf(c->arena, "not due until %s", iso(c, job->due)),
                   "wait, set another due date, or execute the job by hand"};
}

/* ---- What surrounds it -------------------------------------------------------------------------------------------------------- */

/* What stands in the way of whoever acquires by these rules. out->reason stays NULL when nothing does. */
static int refused(context *c, const acquire_rules *rules, const rec_job *job, finding *out) {
  const char *why;
  if (!acquire_allows(c->engine, rules, job, &why)) {
    bool range = (rules->has_min && job->priority < rules->priority_min) || (rules->has_max && job->priority > rules->priority_max);
    out->reason = range ? "priority" : "deployment";
    out->text = range ? arena_printf(c->arena, "priority %" PRId64 ": %s", job->priority, why) : why;
    out->cure = range ? "change the job's priority, or run an executor whose range holds it"
                      : "register the deployment here, or run an executor where it is registered";
    return 0;
  }
  const rec_exclusive *lock = job->exclusive ? exclusive_holder(c, exclusive_scope(job, rules->exclusive_over_hierarchies)) : NULL;
  if (!lock) return c->error.code;
  *out = (finding){"instance_busy", arena_printf(c->arena, "an exclusive job of the same instance is locked by %s", lock->owner.data),
                   "wait until that job is done"};
  return 0;
}

/* A limit that lets no more through. out->reason stays NULL when none does. */
static int throttled(context *c, const rec_job *job, finding *out) {
  bool limits;
  limit_gates gates = {0};
  limit_pair pair;
  limit_gate *full = NULL;
  int rc = limits_exist(c, &limits);
  if (!rc && limits) rc = limit_look(c, &gates, job, &pair, &full);
  if (rc || !full) return rc;
  const rec_limit *limit = full->limit;
  orr_time at = limit_token_at(limit, c->now);
  out->reason = "limit";
  if (at) {
    out->text = arena_printf(c->arena, "the limit of %s lets %g start a second; the next may at %s", limit->name.data, limit_rate(limit),
                             iso(c, at));
    out->cure = "wait, or raise the limit's per_second";
  } else {
    out->text = arena_printf(c->arena, "the limit of %s lets %" PRId64 " run at once, and so many do", limit->name.data, limit->max);
    out->cure = "wait until one of them is done, or raise the limit's max";
  }
  return 0;
}

static int around(context *c, const rec_job *job, finding *out) {
  orr_executor *x = c->engine->executor;
  acquire_rules rules;
  uint32_t room = 0;
  bool running = x && executor_rules(x, c->engine, &rules, &room);
  int rc = running ? 0 : acquire_rules_read(&c->engine->acquisition, &rules, &c->error);
  if (!rc) rc = refused(c, &rules, job, out);
  if (!rc && !out->reason) rc = throttled(c, job, out);
  if (rc || out->reason) return rc;
  *out = (finding){"ready", "the job is ready and will be acquired next", "wait for it"};
  if (!running) *out = (finding){"no_executor", "the job is ready, but no executor of this engine runs", "start one, or call run_jobs"};
  else if (room == 0) *out = (finding){"queue_full", "the executor's queue is full", "wait, or give it more threads or a longer queue"};
  return 0;
}

static int find_reason(context *c, const rec_job *job, finding *out) {
  if (job->suspended) return suspended_by(c, job, out);
  if (job->retries <= 0) without_retries(c, job, out);
  else if (job->lock_owner.size) locked(c, job, out);
  else if (job->due > c->now) not_due(c, job, out);
  else return around(c, job, out);
  return out->text ? 0 : context_memory(c);
}

/* ---- The command -------------------------------------------------------------------------------------------------------------- */

typedef struct question {
  orr_id job;
  orr_builder *out;
} question;

static int why_body(context *c, void *ud, orr_error *err) {
  const question *q = ud;
  finding f = {0};
  (void)err;
  const rec_job *job = operand_job(c, q->job);
  int rc = job ? find_reason(c, job, &f) : c->error.code;
  if (rc) return rc;
  if (!f.text) return context_memory(c);
  orr_builder_map(q->out);
  builder_put(q->out, "reason", orr_string(f.reason));
  builder_put(q->out, "text", orr_string(f.text));
  builder_put(q->out, "cure", orr_string(f.cure));
  orr_builder_end(q->out);
  return 0;
}

int orr_engine_why(orr_engine *engine, orr_id job, orr_builder *out, orr_error *err) {
  question q = {job, out};
  return command_read(engine, why_body, &q, err);
}
