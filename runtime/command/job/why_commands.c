/* Why a job does not run (features J18): the first obstacle, in the order in which acquisition
 * meets them. */
#include "command/job/why_commands.h"

#include <inttypes.h>
#include <string.h>

#include "base/builder.h"
#include "base/value.h"
#include "command/operands.h"
#include "command/job/why_executors.h"
#include "executor/absent.h"
#include "executor/owner/cluster.h"
#include "executor/executor.h"
#include "executor/worker/inspect.h"
#include "job/exclusive.h"
#include "job/limit.h"
#include "time/iso8601.h"

static const char *iso(context *c, orr_time time) {
  char text[ISO_TIME_TEXT];
  iso_format_time(time, text);
  return arena_strdup(c->arena, text);
}

/* Names that a host has given are shown as they are. */
const char *why_owner(context *c, const char *owner) {
  char machine[OWNER_MACHINE_BYTES];
  long pid;
  if (!owner_process(owner, strlen(owner), &pid, machine)) return arena_strdup(c->arena, owner);
  return arena_printf(c->arena, "process %ld on %s", pid, machine);
}

/* ---- What the job itself says ---------------------------------------------------------------- */

static int suspended_by(context *c, const rec_job *job, finding *out) {
  const rec_instance *i = job->instance_id ? unit_instance(c->u, job->instance_id, &c->error) : NULL;
  if (c->error.code) return c->error.code;
  const rec_job_definition *jd = job->job_definition_id ? unit_job_definition(c->u, job->job_definition_id, &c->error) : NULL;
  if (c->error.code) return c->error.code;
  const rec_definition *d = job->definition_id ? unit_definition(c->u, job->definition_id, &c->error) : NULL;
  if (c->error.code) return c->error.code;
  *out = (finding){ORR_WHY_SUSPENDED, "the job is suspended", "activate the job"};
  if (job->held_by)
    *out = (finding){ORR_WHY_SUSPENDED,
                     arena_printf(c->arena, "its work goes on in process instance %" PRIu64 ", a caller that is suspended",
                                               job->held_by),
                     "activate that instance"};
  else if (d && d->suspended)
    *out =
        (finding){ORR_WHY_SUSPENDED,
                  arena_printf(c->arena, "the job is suspended, and so is its process definition %" PRIu64, d->id),
                  job->instance_id ? "activate the process definition with its instances" : "activate the process definition"};
  else if (i && i->suspended)
    *out = (finding){ORR_WHY_SUSPENDED,
                     arena_printf(c->arena, "the job is suspended, and so is its process instance %" PRIu64, i->id),
                     "activate the instance"};
  else if (jd && jd->suspended)
    *out = (finding){ORR_WHY_SUSPENDED,
                     arena_printf(c->arena, "the job is suspended, and so is its job definition %" PRIu64, jd->id),
                     "activate the job definition with its jobs"};
  return 0;
}

static void without_retries(context *c, const rec_job *job, finding *out) {
  out->reason = ORR_WHY_NO_RETRIES;
  out->text = "no retries are left";
  if (job->error.size) out->text = arena_printf(c->arena, "no retries are left; the last try failed with: %s", job->error.data);
  out->cure = "mend the cause, then set the job's retries";
}

/* "waits behind job 17 on thread 2", or what is known of that. */
static const char *waits_behind(context *c, const executor_place *at) {
  if (!at->thread) return arena_printf(c->arena, "waits behind job %" PRIu64, at->behind);
  return arena_printf(c->arena, "waits behind job %" PRIu64 " on thread %" PRIu32, at->behind,
                      at->thread);
}

static void lost_races(context *c, uint32_t conflicts, finding *out) {
  if (!conflicts)
    *out = (finding){ORR_WHY_COMMIT_FAILED, "its commit failed, and it is tried again in a moment",
                     "the log tells what the store says, such as that the disk is full"};
  else
    *out = (finding){ORR_WHY_CONFLICT,
                     arena_printf(c->arena, "the job lost %u race(s) for what it changes, and is tried again in a moment",
                                              (unsigned)conflicts),
                     "wait; if it goes on, make the jobs that change the same things exclusive"};
}

static void awaits(context *c, const executor_place *at, finding *out) {
  if (at->behind)
    *out = (finding){ORR_WHY_THREADS_BUSY,
                     arena_printf(c->arena,
                                  "the job awaits something, and goes on on its own thread alone: it %s",
                                  waits_behind(c, at)),
                     "let that job await instead of block; engine:running() tells what it is at"};
  else
    *out = (finding){ORR_WHY_RUNNING, "this engine's executor has the job, which awaits something",
                     "wait for it; engine:running() tells what it awaits"};
}

/* This engine's executor has it. */
static void in_flight(context *c, const executor_place *at, finding *out) {
  static const finding on_thread = {ORR_WHY_RUNNING, "this engine's executor runs the job",
                                    "wait for it; engine:running() tells what it is at"},
                       next = {ORR_WHY_RUNNING,
                               "this engine's executor has the job: it runs next, or is being committed",
                               "wait for it"};
  if (at->stage == STAGE_THREAD) *out = on_thread;
  else if (at->stage == STAGE_RESTING) lost_races(c, at->conflicts, out);
  else if (at->stage == STAGE_AWAITS) awaits(c, at, out);
  else if (at->stage == STAGE_BEHIND)
    *out = (finding){ORR_WHY_INSTANCE_BUSY,
                     arena_printf(c->arena,
                                  "the job %s: exclusive jobs of an instance run one after another",
                                  waits_behind(c, at)),
                     "wait until that job is done, which engine:running() tells of; "
                     "exclusive=\"false\" lets them overlap"};
  else if (at->stage == STAGE_CROWDED)
    *out = (finding){ORR_WHY_THREADS_BUSY,
                     arena_printf(c->arena,
                                  "the job %s: all threads of this engine's executor are at others",
                                  waits_behind(c, at)),
                     "engine:running() tells what they are at; let jobs await instead of block, or "
                     "give the executor more threads"};
  else *out = next;
}

/* Which of the jobs that another process' threads are at has the job's instance; their count:
 * none. */
static uint32_t holder_of_scope(context *c, const rec_job *job, const running_list *list) {
  orr_id held = exclusive_scope_held(job);
  uint32_t i = 0;
  for (; i < list->count; i++) {
    const rec_job *other = held ? unit_job(c->u, list->jobs[i], &c->error) : NULL;
    if (other && exclusive_scope_held(other) == held) break;
  }
  return i;
}

/* Another process' executor has it, and not on a thread: *out when its threads' jobs tell why.
 * Which of its jobs await something is not known, so nothing is told where some do. */
static void behind_elsewhere(context *c, const rec_job *job, const rec_owner *by,
                             const running_list *list, const char *owner, finding *out) {
  uint32_t i = holder_of_scope(c, job, list);
  if (i < list->count)
    *out = (finding){ORR_WHY_INSTANCE_BUSY,
                     arena_printf(c->arena,
                                  "waits behind job %" PRIu64 " on thread %" PRIu32
                                  " of %s: exclusive jobs of an instance run one after another",
                                  list->jobs[i], list->threads[i], owner),
                     "wait until that job is done; exclusive=\"false\" lets them overlap"};
  else if (list->count && list->count >= by->threads && !list->waiting)
    *out = (finding){ORR_WHY_THREADS_BUSY,
                     arena_printf(c->arena,
                                  "waits behind job %" PRIu64 " on thread %" PRIu32
                                  " of %s: all its threads are at others",
                                  list->jobs[0], list->threads[0], owner),
                     "let those jobs await instead of block, give that executor more threads, or "
                     "start another"};
}

static void locked_elsewhere(context *c, const rec_job *job, finding *out) {
  running_list list = {0};
  const rec_owner *by = job_owner(c, job);
  const char *owner = by ? cluster_title(c, by) : NULL, *until = by ? iso(c, by->expires) : NULL;
  if (!owner || !until) return;
  bool gone = !owner_lives(c->engine, by);
  if (by->fenced || by->expires <= c->now) {
    *out =
        (finding){ORR_WHY_LOCK_EXPIRED,
                  arena_printf(c->arena, "locked by %s%s; its lock expired at %s", owner, gone ? ", which is gone" : "", until),
                  "the next acquisition by any executor, or run_jobs, takes the lock back"};
  } else if (gone) {
    *out = (finding){ORR_WHY_LOCKED, arena_printf(c->arena, "locked until %s by %s, which is gone", until, owner),
                     "start an executor on this machine, which takes such locks back at once, or execute the job by hand"};
  } else if (running_list_has(&list, c->engine, by->name, job->id) || cluster_was_at(by, job->id)) {
    *out = (finding){ORR_WHY_LOCKED, arena_printf(c->arena, "on a thread of %s, which has it locked until %s", owner, until),
                     "wait until it is done; engine:running() there tells what it is at"};
  } else {
    behind_elsewhere(c, job, by, &list, owner, out);
    if (out->reason || c->error.code) return;
    *out = (finding){ORR_WHY_LOCKED, arena_printf(c->arena, "locked by %s until %s", owner, until),
                     "wait until its owner is done; engine:running() there tells what it is at"};
  }
}

static void why_locked(context *c, const rec_job *job, finding *out) {
  orr_executor *x = c->engine->executor;
  executor_place at = {.stage = STAGE_NONE};
  if (x) at = executor_place_of(x, c->engine, job->id);
  if (at.stage) in_flight(c, &at, out);
  else locked_elsewhere(c, job, out);
}

static void not_due(context *c, const rec_job *job, finding *out) {
  const char *due = iso(c, job->due), *now = iso(c, c->now), *created = iso(c, job->created);
  bool manual = c->engine->config.manual_clock;
  if (!due || !now || !created) return;
  if (job->error.size)
    *out = (finding){ORR_WHY_RETRY_LATER,
                     arena_printf(c->arena,
                                  "to be tried again at %s (it is %s), %" PRId64 " %s left; "
                                  "the last one failed with: %s",
                                  due, now, job->retries, job->retries == 1 ? "try" : "tries",
                                  job->error.data),
                     "mend the cause and wait, or set another due date"};
  else if (job->created > c->now)
    *out = (finding){ORR_WHY_NOT_DUE,
                     arena_printf(c->arena, "not due until %s; the clock says %s, which lies before the job's creation at %s",
                                  due, now, created),
                     "set the clock right"};
  else
    *out = (finding){ORR_WHY_NOT_DUE, arena_printf(c->arena, "not due until %s; it is %s", due, now),
                     manual ? "advance the engine's clock, set another due date, or execute the job by hand"
                            : "wait, set another due date, or execute the job by hand"};
}

/* ---- What surrounds it ----------------------------------------------------------------------- */

/* A limit that lets no more through. out->reason stays NULL when none does. */
static int throttled(context *c, const rec_job *job, finding *out) {
  bool limits;
  limit_rooms rooms = {0};
  job_limits pair;
  limit_room *full = NULL;
  int rc = limits_exist(c, &limits);
  if (!rc && limits) rc = limit_rooms_for_job(c, &rooms, job, &pair, &full);
  if (rc || !full) return rc;
  const rec_limit *limit = full->limit;
  orr_time at = limit_token_at(limit, c->now);
  out->reason = ORR_WHY_LIMIT;
  if (at) {
    out->text = arena_printf(c->arena, "the limit of %s lets %g start a second; the next may at %s", limit->name.data,
                             limit_rate(limit), iso(c, at));
    out->cure = "wait, or raise the limit's per_second";
  } else {
    out->text =
        arena_printf(c->arena, "the limit of %s lets %" PRId64 " run at once, and so many do", limit->name.data, limit->max);
    out->cure = "wait until one of them is done, or raise the limit's max";
  }
  return 0;
}

/* A delegate that it called when it last ran was missing. out->reason stays NULL when it is here by
 * now. */
static void waits_for_delegate(context *c, const rec_job *job, finding *out) {
  const char *name = job->waits_for.data;
  absent_kind kind = job->waits_for.size ? absent_of(c->engine, job->id) : ABSENT_NOT;
  if (kind == ABSENT_ELSEWHERE)
    *out = (finding){
        ORR_WHY_WAITS_FOR_THREAD,
        arena_printf(c->arena,
                     "\"%s\" was registered as a closure or table, which lives on the thread that registered it; "
                     "that has given no time since",
                     name),
        "call run_jobs, poll or wait_idle on that thread; or register a module's name, or a function without upvalues"};
  else if (job->waits_for.size && !absent_is_here(c->engine, name))
    *out = (finding){ORR_WHY_DELEGATE_MISSING,
                     arena_printf(c->arena,
                                  "nothing is registered as \"%s\", and there is no module of this name; the job keeps its "
                                  "%" PRId64 " %s",
                                  name, job->retries, job->retries == 1 ? "try" : "tries"),
                     "register it, or put its module where the engine's package_path finds it: the job runs then"};
}

static int instance_around(context *c, const rec_job *job, finding *out) {
  survey s;
  int rc = survey_executors(c, job, &s);
  if (!rc) rc = survey_refusal(&s, out);
  if (!rc && !out->reason) rc = throttled(c, job, out);
  if (!rc && !out->reason) survey_ready(&s, out);
  return rc;
}

static int find_reason(context *c, const rec_job *job, finding *out) {
  int rc = 0;
  if (job->suspended) rc = suspended_by(c, job, out);
  else if (job->retries <= 0) without_retries(c, job, out);
  else if (job->owner) why_locked(c, job, out);
  else if (job->due > c->now) not_due(c, job, out);
  else waits_for_delegate(c, job, out);
  if (!rc && !out->reason) rc = instance_around(c, job, out);
  return rc || out->text ? rc : c->error.code ? c->error.code : context_memory(c);
}

/* ---- The command ----------------------------------------------------------------------------- */

typedef struct question {
  orr_id job;
  orr_builder *out;
} question;

static int why_body(context *c, void *ud) {
  const question *q = ud;
  finding f = {0};
  const rec_job *job = lookup_job(c, q->job);
  int rc = job ? find_reason(c, job, &f) : c->error.code;
  if (rc) return rc;
  orr_builder_map(q->out);
  orr_builder_put(q->out, "reason", orr_string(f.reason));
  orr_builder_put(q->out, "text", orr_string(f.text));
  orr_builder_put(q->out, "cure", orr_string(f.cure));
  orr_builder_end(q->out);
  return 0;
}

int orr_engine_job_why(orr_engine *engine, orr_id job, orr_builder *out, orr_error *err) {
  question q = {job, out};
  return command_read(engine, why_body, &q, err);
}
