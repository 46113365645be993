/* Running a job. */
#include "executor/run.h"

#include <inttypes.h>
#include <string.h>

#include "base/builder.h"
#include "base/value.h"
#include "engine/engine.h"
#include "engine/metrics.h"
#include "exec/context_run.h"
#include "executor/absent.h"
#include "executor/acquire.h"
#include "executor/job_log.h"
#include "job/job_plan.h"
#include "job/retry.h"
#include "job/timer.h"
#include "state/execution.h"
#include "state/history.h"
#include "state/incident.h"
#include "state/numbers.h"
#include "state/tracing.h"
#include "uow/prefetch.h"
#include "uow/succession.h"

void run_log(orr_engine *engine, orr_log_level level, const char *event, orr_id job, const orr_error *failure) {
  if (failure && engine_lost_store(failure)) {
    log_interrupted(engine, job, 0, failure);
    return;
  }
  orr_builder *b = orr_builder_new();
  if (!b) return;
  orr_value fields;
  orr_builder_map(b);
  orr_builder_put(b, "event", orr_string(event));
  orr_builder_put(b, "job", orr_int((int64_t)job));
  orr_builder_end(b);
  if (!orr_builder_value(b, &fields, NULL))
    engine_log(engine, level, &fields, "%s %" PRIu64 "%s%s", event, job, failure ? ": " : "",
               failure && failure->message ? failure->message : "");
  orr_builder_free(b);
}

/* May this thread run it? 1: no, and that is no error. */
static int check_claim(context *c, const rec_job *job, uint64_t owner) {
  if (owner) return job->state == ORR_JOB_LOCKED && job->owner == owner ? 0 : 1;
  if (job->suspended) return context_error(c, ORR_E_SUSPENDED, "job %" PRIu64 " is suspended", job->id);
  if (lock_holds(c, job))
    return context_error(c, ORR_E_STATE, "job %" PRIu64 " is being run by %s", job->id, job_owner(c, job)->name.data);
  return c->error.code;
}

/* Nothing but this job's token runs in its instance: what it makes comes to life with its commit. */
static int look_for_siblings(context *c, const rec_job *job) {
  const rec_execution *e = job->execution_id ? execution_get(c, job->execution_id) : NULL;
  const rec_instance *i = e && !c->error.code ? unit_instance(c->u, job->instance_id, &c->error) : NULL;
  if (i && e->parent == i->id && i->children <= 1) unit_without_siblings(c->u);
  return c->error.code;
}

static void use_prefetched(context *c, const run_start *start) {
  store_prefetched *own = start->prefetched ? NULL : unit_prefetch_groups(c->engine->units, &start->job, 1);
  unit_use_prefetched(c->u, own ? own : start->prefetched);
  store_prefetched_release(own);
}

#define RUN_WATCHED 1 /* that the job begins is to be committed first */

static int begin_run(orr_engine *engine, host_thread *thread, const run_start *start, context **out, orr_error *err) {
  *out = NULL;
  orr_id id = start->job;
  uint64_t owner = start->owner;
  context *c = context_begin(engine, thread, err);
  if (!c) siblings_leave(start->place);
  if (!c) return err->code;
  unit_meet_siblings(c->u, start->place);
  use_prefetched(c, start);
  rec_job *job = succession_job(c->u, id, start->key, &c->error);
  int rc = c->error.code;
  if (!rc && !job) {
    context_end(c);
    return owner ? 0 : error_set(err, ORR_E_NOT_FOUND, "there is no job %" PRIu64, id);
  }
  if (!rc) rc = check_claim(c, job, owner);
  bool watched = !rc && owner && job->quarantine == JOB_WATCHED;
  if (!rc && !watched) {
    c->job = job;
    c->job_due = job->due;
    numbers_begin(c, job);
    absent_drop(engine, id);
    log_started(c, job);
    tracing_job(c, job);
    if (start->place.with) rc = look_for_siblings(c, job);
    if (!rc) rc = job_plan(c, job);
    if (rc) c->state = CONTEXT_FAILED;
    *out = c; /* a plan that fails is the job's failure */
    return 0;
  }
  if (rc < 0) error_move(err, &c->error);
  context_end(c);
  return watched ? RUN_WATCHED : rc < 0 ? rc : 0;
}

/* Commits that the owner begins a job in quarantine; nothing when it is not, or no longer the owner's. */
static int commit_begun(orr_engine *engine, host_thread *thread, orr_id id, uint64_t owner, orr_error *err) {
  context *c = context_begin(engine, thread, err);
  if (!c) return err->code;
  rec_job *job = unit_job(c->u, id, &c->error);
  int rc = c->error.code;
  bool watched = job && job->owner == owner && job->quarantine == JOB_WATCHED;
  if (!rc && watched) rc = context_touch(c, job) ? c->error.code : 0;
  if (rc) {
    error_move(err, &c->error);
  } else if (watched) {
    job->quarantine = JOB_BEGUN;
    rc = unit_commit(c->u, err);
  }
  context_end(c);
  return rc;
}

int run_begin(orr_engine *engine, host_thread *thread, const run_start *start, context **out, orr_error *err) {
  int rc = begin_run(engine, thread, start, out, err);
  for (int tries = 0; rc == RUN_WATCHED && tries < ORR_CONFLICTS_MAX; tries++) {
    run_start again = {.job = start->job, .key = start->key, .owner = start->owner};
    rc = commit_begun(engine, thread, start->job, start->owner, err);
    if (rc == ORR_E_CONFLICT) orr_error_clear(err); /* somebody changed the job: another look */
    else if (rc) return rc;
    if (start->place.with) again.place = siblings_join(engine->units, orr_id_group(start->job));
    rc = begin_run(engine, thread, &again, out, err);
  }
  if (rc != RUN_WATCHED) return rc;
  run_conflicts_error(err);
  return ORR_E_CONFLICT;
}

int run_complete(context *c) {
  rec_job *job = c->job;
  if (job->head.state == REC_DELETED) return 0;
  int rc = history_job(c, job, "succeeded", NULL);
  return rc ? rc : job_remove(c, job);
}

/* Looked at in a unit of its own, since this one keeps what it changed. A due date that was set meanwhile is a reason to
 * run again: the next firing of a cycle depends on it. */
int run_look(context *c, uint64_t owner) {
  const rec_job *job = c->job;
  unit_pause(c->u); /* one view at a time */
  context *look = context_begin(c->engine, c->host, &c->error);
  if (!look) return c->error.code;
  const rec_job *now = unit_job(look->u, job->id, &c->error);
  bool ours = now && now->state == ORR_JOB_LOCKED && now->owner == owner && now->due == c->job_due;
  context_end(look);
  if (c->error.code) return c->error.code;
  return ours ? 0 : context_error(c, ORR_E_CONFLICT, "job %" PRIu64 " is no longer this executor's as it was", job->id);
}

int run_refresh(context *c, uint64_t owner) {
  int rc = run_look(c, owner);
  return rc ? rc : unit_refresh(c->u, c->job, &c->error);
}

/* What the error says of a delegate that is not here. */
static void take_absent(const orr_error *error, run_failure *out) {
  if (!error->details) return;
  orr_value missing = orr_map_get(error->details, HOST_MISSING), elsewhere = orr_map_get(error->details, HOST_ELSEWHERE);
  const orr_value *name = elsewhere.type == ORR_STRING ? &elsewhere : &missing;
  if (name->type != ORR_STRING || name->size > ORR_NAME_BYTES_MAX) return;
  memcpy(out->absent, name->as.bytes, name->size);
  out->elsewhere = name == &elsewhere;
}

bool run_failure_counts(const run_failure *failure) {
  return !failure->held_by && !failure->absent[0] && !failure->lost;
}

int run_interrupted(host_thread *thread, orr_error *err) {
  bool asks = thread && thread->methods->interrupted;
  return asks ? thread->methods->interrupted(thread, err) : 0;
}

void run_failure_take(context *c, run_failure *out) {
  *out = (run_failure){0};
  if (c->spans) tracing_end(tracing_take(c), orr_error_kind(c->error.code ? c->error.code : ORR_E_STATE));
  const char *activity = c->failed_at ? c->failed_at->id : NULL;
  if (activity) strncpy(out->activity, activity, ORR_ID_BYTES_MAX);
  if (c->error.code == ORR_E_SUSPENDED) out->held_by = c->held_by;
  take_absent(&c->error, out);
  out->lost = unit_lost(c->u) || engine_lost_store(&c->error) || run_interrupted(c->host, NULL);
  error_move(&out->error, &c->error);
}

void run_conflicts_error(orr_error *out) {
  error_set(out, ORR_E_CONFLICT, "the job lost %d races in a row", ORR_CONFLICTS_MAX);
}

/* The job's node, for its retry cycle; NULL when the definition is gone or the kind has none. */
static int node_of_job(context *c, const rec_job *job, definition **d, const node **n) {
  *d = NULL;
  *n = NULL;
  if (!job->definition_id) return 0;
  *d = context_definition(c, job->definition_id, &c->error);
  if (!*d && c->error.code == ORR_E_NOT_FOUND) orr_error_clear(&c->error);
  if (*d && job->node) *n = (*d)->nodes[job->node - 1];
  return c->error.code;
}

/* A cycle goes on beside a failed firing where the dialect says so: its next job is made once, and the failed one fires
 * alone. */
static int keep_cycle(context *c, rec_job *job, const definition *d, const node *n) {
  bool repeats =
      job->data.type == ORR_MAP && orr_map_get(&job->data, "cycle").type == ORR_STRING && job->kind != ORR_JOB_TIMER_CATCH;
  if (!repeats || !d || !n || !d->dialect->cycle_survives_failure || !job_kind_is_timer(job->kind)) return 0;
  int rc = timer_repeat(c, job, n);
  if (!rc) job->data = (orr_value){0};
  return rc;
}

/* The error that was raised may say when to come again: `retry_after`, in seconds. */
static int64_t asked_wait_ms(const orr_error *error) {
  orr_value cause = error->details ? orr_map_get(error->details, "cause") : (orr_value){0};
  orr_value asked = cause.type == ORR_MAP ? orr_map_get(&cause, "retry_after") : (orr_value){0};
  double seconds = asked.type == ORR_INT ? (double)asked.as.integer : asked.type == ORR_FLOAT ? asked.as.number : 0;
  if (!(seconds > 0)) return 0;
  return seconds < (double)ORR_RETRY_ASKED_MAX_MS / 1000 ? (int64_t)(seconds * 1000) : ORR_RETRY_ASKED_MAX_MS;
}

/* The row has the tries that the job had when it ran, of which the failure spends one: the last
 * one, when it is not tried again. */
static int note_failed_run(context *c, rec_job *job, const char *message, bool final) {
  int64_t tries = job->retries;
  if (final && tries > 1) job->retries = 1;
  int rc = history_job(c, job, "failed", message);
  job->retries = tries;
  return rc;
}

static int record_run_failure(context *c, rec_job *job, const run_failure *failure, bool final) {
  definition *d;
  const node *n;
  int rc = node_of_job(c, job, &d, &n);
  if (rc) return rc;
  if (context_touch(c, job)) return c->error.code;
  const char *message = failure->error.message ? failure->error.message : orr_strerror(failure->error.code);
  const char *activity = failure->activity[0] ? failure->activity : n ? n->id : NULL;
  job->error = unit_textz(c->u, message);
  job->traceback = unit_textz(c->u, failure->error.traceback);
  job->failed_activity_id = unit_textz(c->u, activity);
  job->waits_for = (rec_text){0};
  job->attempts = job->crashes = 0; /* whatever it did before, this run its process has survived */
  job->quarantine = JOB_TRUSTED;
  bool had_tries = job->retries > 0;
  rc = note_failed_run(c, job, message, final);
  if (!rc) rc = keep_cycle(c, job, d, n); /* counted from when this one was due: the retry moves that */
  if (!rc) rc = retry_after_failure(c, job, d, n, asked_wait_ms(&failure->error));
  if (!rc && final) job->retries = 0;
  if (!rc && had_tries && job->retries == 0)
    rc = incident_create(c, "failed_job", job->instance_id, job->execution_id, job->id, message, n ? n->id : NULL, activity);
  if (!rc) rc = job_unlock(c, job);
  if (!rc) log_failed(c, job, message);
  return rc ? rc : job_place(c, job);
}

/* Suspended together with the caller that its work would go on in, or free again when that was activated meanwhile: the
 * commit relies on what is found here. */
static int hold_instance_of_run(context *c, rec_job *job, orr_id holder) {
  rec_instance *i = unit_instance(c->u, holder, &c->error);
  if (c->error.code) return c->error.code;
  if (context_touch(c, job) || (i && unit_rely(c->u, i))) return c->error.code;
  if (i && i->suspended) {
    job->suspended = true;
    job->held_by = holder;
    log_held(c, job);
  }
  int rc = job_unlock(c, job);
  return rc ? rc : job_place(c, job);
}

/* The job keeps its tries, and is free for an executor that has the delegate. */
static int await_delegate(context *c, rec_job *job, const run_failure *failure) {
  if (unit_touch(c->u, job)) return context_memory(c);
  if (!rec_text_is(job->waits_for, failure->absent)) log_absent(c, job, failure->absent, failure->elsewhere);
  job->waits_for = unit_textz(c->u, failure->absent);
  if (absent_note(c->engine, job->id, failure->absent, failure->elsewhere)) return context_memory(c);
  int rc = job_unlock(c, job);
  return rc ? rc : job_place(c, job);
}

static int record_outcome(context *c, rec_job *job, const run_failure *failure, bool final) {
  if (failure->held_by) return hold_instance_of_run(c, job, failure->held_by);
  if (failure->absent[0]) return await_delegate(c, job, failure);
  return record_run_failure(c, job, failure, final);
}

int run_fail_begin(orr_engine *engine, host_thread *thread, orr_id id, uint64_t owner, const run_failure *failure,
                   bool final, context **out, orr_error *err) {
  *out = NULL;
  context *c = context_begin(engine, thread, err);
  if (!c) return err->code;
  rec_job *job = unit_job(c->u, id, &c->error);
  int rc = c->error.code;
  bool ours = job && !rc && (owner ? job->owner == owner : !lock_holds(c, job));
  if (!rc) rc = c->error.code;
  if (!rc && ours) rc = record_outcome(c, job, failure, final);
  if (!rc && ours) {
    *out = c;
    return 0;
  }
  if (rc) error_move(err, &c->error);
  context_end(c);
  return rc;
}

void run_unlock(orr_engine *engine, uint64_t owner, orr_id id) {
  orr_error err = {0};
  if (owner && acquire_release(engine, owner, &id, 1, &err)) atomic_fetch_add(&engine->locks_lost, 1);
  orr_error_clear(&err);
}

/* ---- On the caller's thread ------------------------------------------------------------------ */

static int record_now(orr_engine *engine, host_thread *thread, orr_id id, uint64_t owner, const run_failure *failure,
                      bool final) {
  for (int attempt = 0; attempt < ORR_CONFLICTS_MAX; attempt++) {
    orr_error err = {0};
    context *c;
    int rc = run_fail_begin(engine, thread, id, owner, failure, final, &c, &err);
    if (!rc && c) rc = context_commit(c, &err);
    if (rc && rc != ORR_E_CONFLICT) run_log(engine, ORR_LOG_ERROR, "a job's failure could not be recorded", id, &err);
    orr_error_clear(&err);
    if (rc != ORR_E_CONFLICT) return rc;
  }
  return ORR_E_CONFLICT;
}

int run_step(context *c) { return c->state == CONTEXT_FAILED ? c->error.code : context_run(c); }

int run_wait(context *c, uint64_t owner) {
  int rc = context_wait(c);
  return rc || !owner ? rc : run_refresh(c, owner);
}

static int commit_in_company(context *c, const run_company *company, orr_error *err) {
  orr_engine *engine = c->engine;
  store_batch batches[1 + RUN_COMPANY_MAX], *own;
  int rc = context_flush(c, &own, err);
  if (!rc) {
    size_t n = company->join(company->ud, c, batches + 1);
    batches[0] = *own;
    rc = committer_commit(engine->committer, batches, n + 1, err);
    if (n) company->leave(company->ud, rc ? NULL : batches + 1);
    if (!rc) rc = unit_batch_status(&batches[0], err);
  }
  context_committed(c, rc);
  return rc;
}

static int commit_run(context *c, orr_id id, uint64_t owner, const run_company *company, orr_error *err) {
  orr_engine *engine = c->engine;
  orr_time began = c->now;
  int rc = company ? commit_in_company(c, company, err) : context_commit(c, err);
  metrics_count(engine, rc ? METRIC_JOB_CONFLICT : METRIC_JOB_SUCCESSFUL, 1);
  if (!rc) log_succeeded(engine, id, began, 0);
  else if (rc != ORR_E_CONFLICT) run_unlock(engine, owner, id);
  return rc;
}

int run_end(context *c, int rc, orr_id id, uint64_t owner, const run_company *company, orr_error *err) {
  orr_engine *engine = c->engine;
  host_thread *thread = c->host;
  if (!rc) rc = run_complete(c);
  if (!rc) return commit_run(c, id, owner, company, err);
  run_failure failure;
  run_failure_take(c, &failure);
  if (!failure.error.code) error_set(&failure.error, rc, "%s", orr_strerror(rc));
  context_end(c);
  if (failure.error.code == ORR_E_CONFLICT) {
    metrics_count(engine, METRIC_JOB_CONFLICT, 1);
  } else if (failure.lost) {
    log_interrupted(engine, id, 0, &failure.error);
    run_unlock(engine, owner, id);
  } else {
    if (run_failure_counts(&failure)) metrics_count(engine, METRIC_JOB_FAILED, 1);
    if (record_now(engine, thread, id, owner, &failure, false)) run_unlock(engine, owner, id);
  }
  error_move(err, &failure.error);
  return rc;
}

int run_give_up(orr_engine *engine, host_thread *thread, orr_id id, uint64_t owner, orr_error *err) {
  run_failure failure = {0};
  run_conflicts_error(&failure.error);
  int rc = record_now(engine, thread, id, owner, &failure, true);
  if (rc) run_unlock(engine, owner, id);
  error_move(err, &failure.error);
  return rc ? rc : ORR_E_CONFLICT;
}

int job_run(orr_engine *engine, orr_id id, host_thread *thread, orr_error *err) {
  context *c;
  int rc = run_begin(engine, thread, &(run_start){.job = id}, &c, err);
  if (rc || !c) return rc;
  metrics_count(engine, METRIC_JOB_STARTED, 1);
  rc = run_step(c);
  rc = run_end(c, rc == RUN_PENDING ? run_wait(c, 0) : rc, id, 0, NULL, err);
  if (rc == ORR_E_CONFLICT) log_conflict(engine, id, 1, 0);
  return rc;
}
