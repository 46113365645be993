/* Fields of a batch that follow from the jobs that are left. */
#include "query/row_batch.h"

#include "base/value.h"
#include "uow/find.h"

static bool batch_job_kind(unsigned kind) {
  return kind == ORR_JOB_BATCH || kind == ORR_JOB_BATCH_SEED || kind == ORR_JOB_BATCH_MONITOR;
}

orr_id batch_of_job(const rec_job *job) {
  orr_value id = batch_job_kind(job->kind) ? orr_map_get(&job->data, "batch") : (orr_value){0};
  return id.type == ORR_INT ? (orr_id)id.as.integer : 0;
}

/* ---- What is left ---------------------------------------------------------------------------- */

static int count_job(void *ud, rec_head *record, bool *stop) {
  (void)stop;
  batch_left *left = ud;
  const rec_job *job = (const rec_job *)record;
  if (job->kind != ORR_JOB_BATCH) return 0;
  orr_value ids = orr_map_get(&job->data, "ids");
  bool failed = job->retries <= 0;
  left->jobs++;
  left->failed_jobs += failed;
  left->things += (int64_t)orr_count(&ids);
  left->failed_things += failed ? (int64_t)orr_count(&ids) : 0;
  return 0;
}

static int count_part(void *ud, rec_head *record, bool *stop) {
  (void)stop;
  ((batch_left *)ud)->things += (int64_t)((const rec_batch_part *)record)->ids.count;
  return 0;
}

int batch_count_left(context *c, const rec_batch *batch, batch_left *out) {
  rec_key key = {.id = batch->id};
  access_path jobs = {.type = &rec_job_type, .group = orr_id_group(batch->id)};
  access_path parts = {.type = &rec_batch_part_type, .fields = &key, .n_fields = 1};
  *out = (batch_left){0};
  if (batch->ended_at) return 0;
  int rc = unit_walk(c->u, &jobs, count_job, out, NULL, &c->error);
  if (!rc) rc = unit_walk(c->u, &parts, count_part, out, NULL, &c->error);
  out->things /= (int64_t)batch_width(batch);
  out->failed_things /= (int64_t)batch_width(batch);
  return rc;
}

typedef struct open_jobs {
  orr_id except, first, keeper; /* first: that does the batch's work; keeper: a seed or monitor */
  uint32_t count, most;
} open_jobs;

static int count_open(void *ud, rec_head *record, bool *stop) {
  open_jobs *open = ud;
  const rec_job *job = (const rec_job *)record;
  if (job->id == open->except) return 0;
  if (job->kind != ORR_JOB_BATCH) {
    open->keeper = job->id;
    return 0;
  }
  if (!open->first) open->first = job->id;
  *stop = ++open->count == open->most;
  return 0;
}

static void look_for_open(context *c, const rec_batch *batch, open_jobs *open) {
  access_path way = {.type = &rec_job_type, .group = orr_id_group(batch->id)};
  (void)!unit_walk(c->u, &way, count_open, open, NULL, &c->error); /* the callers look at c->error */
}

uint32_t batch_open_jobs(context *c, const rec_batch *batch, orr_id except, uint32_t most) {
  open_jobs open = {.except = except, .most = most};
  look_for_open(c, batch, &open);
  return open.count;
}

static int find_locked(void *ud, rec_head *record, bool *stop) {
  const rec_job *job = (const rec_job *)record;
  *stop = job->kind == ORR_JOB_BATCH && job->state == ORR_JOB_LOCKED;
  *(bool *)ud = *stop;
  return 0;
}

bool batch_is_at_work(context *c, const rec_batch *batch) {
  access_path way = {.type = &rec_job_type, .group = orr_id_group(batch->id)};
  bool locked = false;
  (void)!unit_walk(c->u, &way, find_locked, &locked, NULL, &c->error); /* the callers look at c->error */
  return locked;
}

/* ---- Fields ---------------------------------------------------------------------------------- */

/* The fields of a row are derived one by one, so the count is kept while nothing has changed. */
static const batch_left *left_of(context *c, const rec_head *record) {
  rec_batch *batch = (rec_batch *)(uintptr_t)record; /* what is remembered is no part of the record */
  uint64_t now = unit_writes(c->u) + 1;
  if (batch->counted == now) return &batch->left;
  if (batch_count_left(c, batch, &batch->left)) return NULL;
  batch->counted = now;
  return &batch->left;
}

#define LEFT(name, value)                                                              \
  static int name(context *c, const rec_head *record, orr_value *out) {                \
    const rec_batch *batch = (const rec_batch *)record;                                \
    const batch_left *left = left_of(c, record);                                       \
    if (!left) return c->error.code;                                                   \
    (void)batch;                                                                       \
    *out = orr_int(value);                                                             \
    return 0;                                                                          \
  }

LEFT(batch_remaining, left->things)
LEFT(batch_failed, left->failed_things)
LEFT(batch_done, batch->ended_at ? batch->done : batch->total - left->things)
LEFT(batch_jobs_failed, left->failed_jobs)
LEFT(batch_jobs_completed, batch->jobs_created - left->jobs)
LEFT(batch_jobs_remaining, batch->ended_at ? 0 : batch->jobs - batch->jobs_created + left->jobs)

static int batch_has_failures(context *c, const rec_head *record, orr_value *out) {
  const batch_left *left = left_of(c, record);
  if (left) *out = orr_bool(left->failed_jobs > 0);
  return c->error.code;
}

static int batch_ended(context *c, const rec_head *record, orr_value *out) {
  (void)c;
  *out = orr_bool(((const rec_batch *)record)->ended_at != 0);
  return 0;
}

/* The next that has something to do. */
static int batch_job_id(context *c, const rec_head *record, orr_value *out) {
  const rec_batch *batch = (const rec_batch *)record;
  open_jobs open = {.most = 1};
  if (!batch->ended_at) look_for_open(c, batch, &open);
  orr_id id = open.first ? open.first : open.keeper ? open.keeper : batch->job_id;
  *out = id ? orr_int((int64_t)id) : (orr_value){0};
  return c->error.code;
}

static int job_batch_id(context *c, const rec_head *record, orr_value *out) {
  (void)c;
  orr_id id = batch_of_job((const rec_job *)record);
  *out = id ? orr_int((int64_t)id) : (orr_value){0};
  return 0;
}

/* They are deleted when the batch ends, and still named after that. */
#define DEFINITION(name, local)                                                        \
  static int name(context *c, const rec_head *record, orr_value *out) {                \
    (void)c;                                                                           \
    const rec_batch *batch = (const rec_batch *)record;                                \
    *out = orr_int((int64_t)batch_relative(batch->id, local));                         \
    return 0;                                                                          \
  }

DEFINITION(batch_seed_definition, BATCH_LOCAL_SEEDS)
DEFINITION(batch_monitor_definition, BATCH_LOCAL_MONITORS)
DEFINITION(batch_job_definition, BATCH_LOCAL_JOBS)

const row_relation row_of_batches[] = {
    {&rec_job_type, {"batch_id", ROW_ID, NULL, job_batch_id}},
    {&rec_batch_type, {"done", ROW_INT, NULL, batch_done}},
    {&rec_batch_type, {"remaining", ROW_INT, NULL, batch_remaining}},
    {&rec_batch_type, {"failed", ROW_INT, NULL, batch_failed}},
    {&rec_batch_type, {"jobs_completed", ROW_INT, NULL, batch_jobs_completed}},
    {&rec_batch_type, {"jobs_failed", ROW_INT, NULL, batch_jobs_failed}},
    {&rec_batch_type, {"jobs_remaining", ROW_INT, NULL, batch_jobs_remaining}},
    {&rec_batch_type, {"has_failures", ROW_BOOL, NULL, batch_has_failures}},
    {&rec_batch_type, {"ended", ROW_BOOL, NULL, batch_ended}},
    {&rec_batch_type, {"job_id", ROW_ID, NULL, batch_job_id}},
    {&rec_batch_type, {"seed_job_definition_id", ROW_ID, NULL, batch_seed_definition}},
    {&rec_batch_type, {"monitor_job_definition_id", ROW_ID, NULL, batch_monitor_definition}},
    {&rec_batch_type, {"batch_job_definition_id", ROW_ID, NULL, batch_job_definition}},
};
const size_t n_row_of_batches = sizeof row_of_batches / sizeof row_of_batches[0];
