/* Seeds, jobs and monitors of batches. */
#include "command/batch/batch_run.h"

#include <inttypes.h>

#include "base/builder.h"
#include "base/value.h"
#include "command/batch/action.h"
#include "command/instance/suspend_commands.h"
#include "exec/agenda.h"
#include "job/job.h"
#include "query/row_batch.h"
#include "uow/find.h"

/* ---- Making jobs ----------------------------------------------------------------------------- */

/* A seed makes at most as many jobs as the batch says, with a bounded number of things together, so
 * its commit stays small. */
static size_t things_of_part(const rec_batch *batch) {
  int64_t jobs = batch->jobs_per_seed, most = ORR_BATCH_PART_MAX / batch->size;
  return (size_t)(batch->size * (jobs < most ? jobs : most > 1 ? most : 1));
}

static rec_job *new_batch_job(context *c, rec_batch *batch, int kind, uint32_t local, orr_time due) {
  if (context_touch(c, batch)) return NULL;
  if (BATCH_LOCAL_FIRST + batch->last_local >= ORR_LOCAL_MAX) {
    context_error(c, ORR_E_LIMIT, "batch %" PRIu64 " has made %" PRId64 " jobs, as many as a batch may have", batch->id,
                  batch->last_local);
    return NULL;
  }
  orr_id id = batch_relative(batch->id, BATCH_LOCAL_FIRST + (uint32_t)batch->last_local++);
  rec_job_definition *jd = unit_job_definition(c->u, batch_relative(batch->id, local), &c->error);
  if (jd && unit_rely(c->u, jd)) context_memory(c);
  if (c->error.code) return NULL;
  rec_job *job = job_create_with_id(c, id, kind, jd && jd->has_priority ? jd->priority_override : batch->priority, due);
  if (!job) return NULL;
  job->job_definition_id = jd ? jd->id : 0;
  job->suspended = batch->suspended || (jd && jd->suspended);
  return job;
}

/* Places a job that knows its batch, and either a number or things by their ids. */
static int place_batch_job(context *c, rec_job *job, const rec_batch *batch, int64_t part, const orr_id *ids, size_t count) {
  orr_builder *b = builder_new(&c->engine->env.allocator);
  if (!b) return context_memory(c);
  orr_builder_map(b);
  orr_builder_put(b, "batch", orr_int((int64_t)batch->id));
  if (!ids) orr_builder_put(b, "part", orr_int(part));
  if (ids) orr_builder_key(b, "ids", 3);
  if (ids) orr_builder_array(b);
  for (size_t i = 0; i < count; i++) {
    orr_value id = orr_int((int64_t)ids[i]);
    orr_builder_add(b, &id);
  }
  if (ids) orr_builder_end(b);
  orr_builder_end(b);
  int rc = builder_copy(b, c->arena, &job->data, &c->error);
  orr_builder_free(b);
  return rc ? rc : job_place(c, job);
}

static int plan_seed(context *c, rec_batch *batch, int64_t part) {
  rec_job *job = new_batch_job(c, batch, ORR_JOB_BATCH_SEED, BATCH_LOCAL_SEEDS, 0);
  return job ? place_batch_job(c, job, batch, part, NULL, 0) : c->error.code;
}

static int plan_monitor(context *c, rec_batch *batch) {
  rec_job *job = new_batch_job(c, batch, ORR_JOB_BATCH_MONITOR, BATCH_LOCAL_MONITORS, c->now + ORR_BATCH_MONITOR_MS);
  return job ? place_batch_job(c, job, batch, 0, NULL, 0) : c->error.code;
}

/* `count` numbers, of all the things. */
static int make_jobs(context *c, rec_batch *batch, const orr_id *ids, size_t count) {
  size_t size = (size_t)batch->size * batch_width(batch);
  int rc = 0;
  for (size_t from = 0; !rc && from < count; from += size) {
    rec_job *job = new_batch_job(c, batch, ORR_JOB_BATCH, BATCH_LOCAL_JOBS, 0);
    rc = job ? place_batch_job(c, job, batch, 0, ids + from, count - from < size ? count - from : size) : c->error.code;
    batch->jobs_created++;
  }
  return rc;
}

/* After the jobs of a part: makes the seed of the next one, or the monitor. */
static int seeded(context *c, rec_batch *batch, int64_t next) {
  rec_batch_part key = {.batch_id = batch->id, .part = next};
  const rec_batch_part *part = unit_batch_part_key(c->u, &key, &c->error);
  if (c->error.code) return c->error.code;
  return part ? plan_seed(c, batch, next) : plan_monitor(c, batch);
}

/* ---- The beginning --------------------------------------------------------------------------- */

/* Job definitions of a batch: one for each kind of its jobs. */
static int define_jobs(context *c, const rec_batch *batch, uint32_t local, int kind) {
  rec_job_definition *jd = unit_new_job_definition(c->u, batch_relative(batch->id, local));
  if (!jd) return context_memory(c);
  jd->type = unit_textz(c->u, job_type_name(kind));
  jd->handler = unit_textz(c->u, job_handler_name(kind));
  return 0;
}

static int define_all(context *c, const rec_batch *batch) {
  int rc = define_jobs(c, batch, BATCH_LOCAL_SEEDS, ORR_JOB_BATCH_SEED);
  if (!rc) rc = define_jobs(c, batch, BATCH_LOCAL_MONITORS, ORR_JOB_BATCH_MONITOR);
  return rc ? rc : define_jobs(c, batch, BATCH_LOCAL_JOBS, ORR_JOB_BATCH);
}

static int add_part(context *c, const rec_batch *batch, int64_t number, const orr_id *ids, size_t count) {
  rec_batch_part key = {.batch_id = batch->id, .part = number};
  rec_batch_part *part = unit_new_batch_part(c->u, &key);
  if (!part) return context_memory(c);
  part->ids = (rec_ids){ids, count};
  return 0;
}

int batch_make(context *c, rec_batch *batch, const orr_id *ids, size_t count) {
  size_t size = (size_t)batch->size, width = batch_width(batch), part = things_of_part(batch) * width;
  batch->total = (int64_t)count;
  batch->jobs = (int64_t)((count + size - 1) / size);
  count *= width;
  size_t first = count < part ? count : part;
  if (!count) return batch_end(c, batch, "completed");
  int rc = define_all(c, batch);
  if (!rc) rc = make_jobs(c, batch, ids, first);
  int64_t number = 0;
  for (size_t from = first; !rc && from < count; from += part)
    rc = add_part(c, batch, ++number, ids + from, count - from < part ? count - from : part);
  return rc ? rc : seeded(c, batch, 1);
}

/* ---- The end --------------------------------------------------------------------------------- */

static int drop_jobs(context *c, const rec_batch *batch) {
  unit_found jobs;
  int rc = unit_find_group(c->u, &rec_job_type, orr_id_group(batch->id), &jobs, &c->error);
  for (size_t i = 0; !rc && i < jobs.count; i++) {
    rec_job *job = (rec_job *)jobs.items[i];
    if (job != c->job) rc = job_remove(c, job);
  }
  rec_job *old = rc || !batch->job_id ? NULL : unit_job(c->u, batch->job_id, &c->error);
  if (old && old != c->job) rc = job_remove(c, old);
  return rc ? rc : c->error.code;
}

static int drop_parts(context *c, const rec_batch *batch) {
  rec_key key = {.id = batch->id};
  unit_found found;
  int rc = unit_find_keys(c->u, &rec_batch_part_type, &key, 1, &found, &c->error);
  for (size_t i = 0; !rc && i < found.count; i++)
    if (unit_delete(c->u, found.items[i])) rc = context_memory(c);
  if (!rc) rc = unit_find_group(c->u, &rec_job_definition_type, orr_id_group(batch->id), &found, &c->error);
  for (size_t i = 0; !rc && i < found.count; i++)
    if (unit_delete(c->u, found.items[i])) rc = context_memory(c);
  return rc;
}

/* The last job still exists while it ends the batch, with things that are done. */
static int count_done(context *c, rec_batch *batch, bool all) {
  batch_left left = {0};
  int rc = all ? 0 : batch_count_left(c, batch, &left);
  if (rc || context_touch(c, batch)) return c->error.code;
  batch->done = batch->total - left.things;
  return 0;
}

int batch_end(context *c, rec_batch *batch, const char *state) {
  batch->state = unit_textz(c->u, state);
  int rc = count_done(c, batch, rec_text_is(batch->state, "completed"));
  if (!rc) rc = drop_jobs(c, batch);
  if (!rc) rc = drop_parts(c, batch);
  batch->ended_at = context_stamp(c);
  batch->job_id = 0;
  return rc;
}

int batch_switch(context *c, rec_batch *batch, bool suspended) {
  unit_found found;
  if (context_touch(c, batch)) return c->error.code;
  batch->suspended = suspended;
  int rc = unit_find_group(c->u, &rec_job_definition_type, orr_id_group(batch->id), &found, &c->error);
  for (size_t i = 0; !rc && i < found.count; i++) {
    rc = context_touch(c, found.items[i]);
    ((rec_job_definition *)found.items[i])->suspended = suspended;
  }
  if (!rc) rc = unit_find_group(c->u, &rec_job_type, orr_id_group(batch->id), &found, &c->error);
  for (size_t i = 0; !rc && i < found.count; i++) rc = suspend_job_record(c, (rec_job *)found.items[i], suspended);
  rec_job *old = rc || !batch->job_id ? NULL : unit_job(c->u, batch->job_id, &c->error);
  return old ? suspend_job_record(c, old, suspended) : rc ? rc : c->error.code;
}

/* ---- Jobs ------------------------------------------------------------------------------------ */

/* The batch of a job that is to do something for it; NULL: it has ended, or c->error. */
static rec_batch *batch_at_work(context *c, const rec_job *job) {
  orr_id id = batch_of_job(job);
  rec_batch *batch = id ? unit_batch(c->u, id, &c->error) : NULL;
  return batch && !batch->ended_at ? batch : NULL;
}

/* Jobs that may end at the same time: the last ones of a batch plan another look. */
enum { LAST_JOBS = 8 };

typedef struct batch_work {
  rec_batch *batch;
  const batch_action *action;
  orr_id instance; /* of a decision's row, whose number the operation has */
} batch_work;

static int op_do_one(context *c, operation *op) {
  batch_work work = *(const batch_work *)op->data; /* the operation goes when others are planned */
  bool gone = false;
  orr_id id = op->execution;
  int rc = batch_width(work.batch) == 2 ? work.action->run_decided(c, work.batch, work.instance, (int64_t)id, &gone)
                                        : work.action->run(c, work.batch, id, &gone);
  if (rc || !gone) return rc;
  if (context_touch(c, work.batch)) return c->error.code;
  work.batch->skipped++;
  return 0;
}

/* The last jobs may end at the same time, each seeing the others. So a job of its own looks once
 * more behind the last of them. It has an id of its own group, because a number of the batch would
 * cost conflicts. A look that still sees a job at work is followed by another, later each time. */
static int plan_look(context *c, const rec_batch *batch, int64_t earlier) {
  orr_time delay = earlier ? ORR_BATCH_LOOK_MS << (earlier - 1) : 0;
  if (delay > ORR_BATCH_MONITOR_MS) return 0; /* the monitor looks as often */
  rec_job *job = job_create_housekeeping(c, ORR_JOB_BATCH_MONITOR, batch->priority, delay ? c->now + delay : 0);
  return job ? place_batch_job(c, job, batch, earlier, NULL, 0) : c->error.code;
}

static int look_again(context *c, const rec_batch *batch, const rec_job *job) {
  bool soon = batch_is_at_work(c, batch);
  if (c->error.code || !soon) return c->error.code;
  return plan_look(c, batch, orr_map_get(&job->data, "part").as.integer + 1);
}

/* No other job may plan a look behind the one that was made last, however many run beside it. */
static bool made_last(const rec_batch *batch, orr_id job) {
  orr_id monitor = batch_relative(batch->id, BATCH_LOCAL_FIRST + (uint32_t)batch->last_local - 1);
  return job + 1 == monitor;
}

/* A job that no worker runs runs alone in its process. */
static int op_done(context *c, operation *op) {
  rec_batch *batch = ((const batch_work *)op->data)->batch;
  if (!batch->first_run_at) {
    if (context_touch(c, batch)) return c->error.code;
    batch->first_run_at = context_stamp(c);
  }
  if (batch->jobs_created < batch->jobs) return 0;
  uint32_t others = batch_open_jobs(c, batch, op->execution, LAST_JOBS + 1);
  if (c->error.code || (others > LAST_JOBS && !made_last(batch, op->execution))) return c->error.code;
  if (others) return c->worker ? plan_look(c, batch, 0) : 0;
  return batch_end(c, batch, "completed");
}

static bool skips(const rec_batch *batch, const char *what) {
  orr_value v = orr_map_get(&batch->data, what);
  return v.type == ORR_BOOL && v.as.boolean;
}

static operation *plan_work(context *c, operation_fn run, orr_id id, batch_work *work) {
  operation *op = agenda_plan(c, run, id);
  if (op) op->data = work;
  return op;
}

static int plan_decided(context *c, orr_iterator *at, orr_id instance, const batch_work *work) {
  orr_value sequence;
  batch_work *own = ARENA_NEW(c->arena, batch_work);
  if (!own) return context_memory(c);
  if (!orr_next(at, NULL, &sequence)) return 0;
  *own = *work;
  own->instance = instance;
  return plan_work(c, op_do_one, (orr_id)sequence.as.integer, own) ? 0 : c->error.code;
}

/* The context is the job's own, so what it skips need not be restored. */
static int plan_things(context *c, const rec_job *job, batch_work *work) {
  orr_value ids = orr_map_get(&job->data, "ids"), id;
  orr_iterator at = orr_iterate(&ids);
  c->skip_listeners = skips(work->batch, "skip_listeners");
  c->skip_io_mappings = skips(work->batch, "skip_io_mappings");
  bool pairs = batch_width(work->batch) == 2;
  while (orr_next(&at, NULL, &id)) {
    int rc = pairs ? plan_decided(c, &at, (orr_id)id.as.integer, work)
                   : plan_work(c, op_do_one, (orr_id)id.as.integer, work) ? 0 : c->error.code;
    if (rc) return rc;
  }
  return plan_work(c, op_done, job->id, work) ? 0 : c->error.code;
}

int batch_job(context *c, rec_job *job) {
  rec_batch *batch = batch_at_work(c, job);
  if (!batch) return c->error.code;
  if (orr_map_get(&job->data, "part").type == ORR_INT) return batch_seed_job(c, job); /* of a batch from before seeds */
  const batch_action *action = batch_action_named(batch->action);
  if (!action)
    return context_error(c, ORR_E_UNSUPPORTED, "batch %" PRIu64 ": this version knows no action \"%s\"", batch->id,
                         batch->action.data);
  batch_work *work = ARENA_NEW(c->arena, batch_work);
  if (!work) return context_memory(c);
  *work = (batch_work){.batch = batch, .action = action};
  return plan_things(c, job, work);
}

/* A batch of an older version did its parts itself, one after the other, and had neither counts of
 * jobs nor job definitions. */
static int take_over(context *c, rec_batch *batch, int64_t part) {
  if (batch->jobs) return 0;
  if (context_touch(c, batch)) return c->error.code;
  const batch_action *action = batch_action_named(batch->action);
  batch->jobs = (batch->total + batch->size - 1) / batch->size;
  batch->jobs_created = part;
  batch->jobs_per_seed = 1;
  batch->job_id = 0;
  batch->type = unit_textz(c->u, action ? batch_action_type(action, batch->list) : NULL);
  return define_all(c, batch);
}

/* job->data: { batch = id, part = number }. */
int batch_seed_job(context *c, rec_job *job) {
  rec_batch *batch = batch_at_work(c, job);
  if (!batch) return c->error.code;
  int64_t number = orr_map_get(&job->data, "part").as.integer;
  rec_batch_part key = {.batch_id = batch->id, .part = number};
  rec_batch_part *part = unit_batch_part_key(c->u, &key, &c->error);
  if (!part) return c->error.code;
  int rc = take_over(c, batch, number);
  if (!rc) rc = make_jobs(c, batch, part->ids.items, part->ids.count);
  if (!rc && unit_delete(c->u, part)) rc = context_memory(c);
  return rc ? rc : seeded(c, batch, number + 1);
}

/* Looks again later while there are jobs, even failed ones, because new retries bring these
 * back. */
int batch_monitor_job(context *c, rec_job *job) {
  rec_batch *batch = batch_at_work(c, job);
  if (!batch || batch->jobs_created < batch->jobs) return c->error.code;
  bool open = batch_open_jobs(c, batch, job->id, 1), look = orr_id_group(job->id) != orr_id_group(batch->id);
  if (c->error.code) return c->error.code;
  if (open) return look ? look_again(c, batch, job) : plan_monitor(c, batch);
  return batch_end(c, batch, "completed");
}
