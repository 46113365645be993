/* Cleaning history: by command, and by jobs that each do a step, until nothing is left. */
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "base/builder.h"
#include "base/null.h"
#include "base/value.h"
#include "command/instance/cleaning.h"
#include "command/instance/history_commands.h"
#include "command/operands.h"
#include "command/operations.h"
#include "job/job.h"
#include "state/expression.h"
#include "state/variable.h"
#include "uow/find.h"

static int clean_body(context *c, void *ud) {
  return clean_ended(c, ud);
}

int orr_engine_history_clean(orr_engine *engine, orr_time ended_before, int64_t *out, orr_error *err) {
  OUT_PLAIN(int64_t, out);
  cleaning k = {.ended_before = ended_before, .step = CLEAN_STEP, .cleaned = CLEAN_STEP};
  int rc = 0;
  *out = 0;
  while (!rc && k.cleaned >= CLEAN_STEP) {
    rc = command_run(engine, clean_body, &k, err);
    if (!rc) *out += k.cleaned;
  }
  return rc;
}

/* ---- By jobs --------------------------------------------------------------------------------- */

/* What a job of the schedule does; job->data says so: { ended_before, batch_size, every }, times and durations in
 * milliseconds. */
typedef struct plan {
  orr_time ended_before; /* 0: by the definitions' historyTimeToLive */
  int64_t batch_size;
  orr_duration every;    /* 0: once */
} plan;

static int64_t kept_number(const rec_job *job, const char *name) {
  orr_value v = orr_map_get(&job->data, name);
  return v.type == ORR_INT ? v.as.integer : 0;
}

static int clean_on(context *c, const rec_job *job, orr_time due) {
  rec_job *next = job_create_housekeeping(c, job->kind, job->priority, due);
  if (!next) return c->error.code;
  next->data = job->data;
  return job_place(c, next);
}

/* The next step follows at once while there is more, else after the schedule's interval. */
int clean_history_job(context *c, rec_job *job) {
  plan p = {.ended_before = kept_number(job, "ended_before"), .batch_size = kept_number(job, "batch_size"),
            .every = kept_number(job, "every")};
  if (p.batch_size <= 0) return context_error(c, ORR_E_STORE, "job %" PRIu64 " does not say what it is to clean", job->id);
  cleaning k = {.ended_before = p.ended_before, .step = p.batch_size};
  int rc = p.ended_before ? clean_ended(c, &k) : clean_expired(c, &k);
  if (rc) return rc;
  if (k.cleaned >= p.batch_size) return clean_on(c, job, 0);
  return p.every ? clean_on(c, job, c->now + p.every) : 0;
}

/* ---- The schedule ---------------------------------------------------------------------------- */

/* There is only one schedule, even if two are made at once; jobs of no definition are few. */
static int remove_schedule(context *c) {
  rec_key none = {.id = 0};
  unit_found found;
  int rc = unit_find_every(c->u, REC_INDEX_JOB_OF_DEFINITION, &none, 1, &found, &c->error);
  for (size_t i = 0; !rc && i < found.count; i++) {
    rec_job *job = (rec_job *)found.items[i];
    if (job->kind == ORR_JOB_CLEAN_HISTORY) rc = job_remove(c, job);
  }
  return rc;
}

static bool cleanup_given(const orr_value *v) { return v->type != ORR_NIL && v->type != ORR_NULL; }

static int read_plan(context *c, const orr_value *map, plan *p, orr_time *at, int64_t *priority) {
  orr_value every = orr_map_get(map, "every"), size = orr_map_get(map, "batch_size"), rank = orr_map_get(map, "priority");
  orr_value first = orr_map_get(map, "at"), before = orr_map_get(map, "ended_before");
  int rc = value_time(c, &first, at);
  if (!rc) rc = value_time(c, &before, &p->ended_before);
  if (rc) return rc;
  double seconds = every.type == ORR_INT ? (double)every.as.integer : every.type == ORR_FLOAT ? every.as.number : 0;
  if (cleanup_given(&every) && !(seconds >= 1 && seconds <= 1e10))
    return context_error(c, ORR_E_ARGUMENT, "every must be a duration of at least a second");
  p->every = llround(seconds * 1000);
  p->batch_size = size.type == ORR_INT ? size.as.integer : CLEAN_STEP;
  if (cleanup_given(&size) && (size.type != ORR_INT || size.as.integer < 1 || size.as.integer > CLEAN_STEP_MAX))
    return context_error(c, ORR_E_ARGUMENT, "batch_size must be 1 to %d", CLEAN_STEP_MAX);
  if (cleanup_given(&rank) && rank.type != ORR_INT) return context_error(c, ORR_E_ARGUMENT, "priority must be an integer");
  *priority = rank.type == ORR_INT ? rank.as.integer : 0;
  return 0;
}

static int keep_plan(context *c, const plan *p, rec_job *job) {
  orr_builder *b = builder_new(&c->engine->env.allocator);
  if (!b) return context_memory(c);
  orr_builder_map(b);
  orr_builder_put(b, "ended_before", orr_int(p->ended_before));
  orr_builder_put(b, "batch_size", orr_int(p->batch_size));
  orr_builder_put(b, "every", orr_int(p->every));
  orr_builder_end(b);
  int rc = builder_copy(b, c->arena, &job->data, &c->error);
  orr_builder_free(b);
  return rc;
}

static int schedule_body(context *c, void *ud) {
  const orr_value *request = ud;
  plan p = {0};
  orr_time at = 0;
  int64_t priority = 0;
  orr_value off = orr_map_get(request, "off");
  int rc = operand_map(c, request, "the request");
  if (!rc) rc = read_plan(c, request, &p, &at, &priority);
  if (!rc) rc = remove_schedule(c);
  if (rc || (off.type == ORR_BOOL && off.as.boolean)) return rc;
  rec_job *job = job_create_housekeeping(c, ORR_JOB_CLEAN_HISTORY, priority, at > c->now ? at : 0);
  if (!job) return c->error.code;
  rc = keep_plan(c, &p, job);
  if (!rc) rc = job_place(c, job);
  user_operation what = operation_on_job(job, "CreateHistoryCleanupJobs");
  return rc ? rc : user_operation_texts(c, &what, "immediatelyDue", NULL, at > c->now ? "false" : "true");
}

int orr_engine_history_schedule_clean(orr_engine *engine, const orr_value *request, orr_error *err) {
  REQUIRE(request);
  return command_run(engine, schedule_body, (void *)(uintptr_t)request, err);
}
