/* Counting jobs by their state. */
#include "executor/gauges.h"

#include "engine/engine.h"
#include "uow/find.h"
#include "uow/ready.h"

static const struct band {
  const char *name;
  int64_t from, to;
} bands[] = {
#define GAUGE_ROW(name, from, to) {name, from, to},
    GAUGE_BANDS(GAUGE_ROW)
#undef GAUGE_ROW
};

const char *gauges_band(int band) { return bands[band].name; }

typedef struct ready_walk {
  context *c;
  job_gauges *out;
} ready_walk;

static void note_wait(ready_walk *w, const rec_job *job) {
  orr_time since = job->due > job->created ? job->due : job->created;
  orr_duration waited = w->c->now > since ? w->c->now - since : 0;
  for (int i = 0; i < GAUGE_BANDS_COUNT; i++)
    if (job->priority >= bands[i].from && job->priority <= bands[i].to && waited > w->out->oldest_ms[i])
      w->out->oldest_ms[i] = waited;
}

/* By id, so the oldest come first. */
static int count_ready(void *ud, orr_id id, orr_error *err) {
  ready_walk *w = ud;
  if (++w->out->ready <= GAUGE_JOBS_MAX) {
    const rec_job *job = unit_job(w->c->u, id, err);
    if (!job) return err->code;
    note_wait(w, job);
  }
  return w->out->ready == GAUGE_ROWS_MAX ? 1 : 0;
}

static int count_rows(context *c, enum rec_index index, int64_t *out) {
  unit_found found;
  int rc = unit_find_index(c->u, index, NULL, 0, GAUGE_ROWS_MAX, &found, &c->error);
  *out = rc ? 0 : (int64_t)found.count;
  return rc;
}

static int add_locked(void *ud, rec_head *record, bool *stop) {
  job_gauges *out = ud;
  out->locked += ((const rec_exclusive *)(const void *)record)->count;
  *stop = out->locked >= GAUGE_ROWS_MAX;
  return 0;
}

/* Those that are not exclusive have a row each, the others a count for each instance. */
static int count_locked(context *c, job_gauges *out) {
  const access_path locks = {.type = &rec_exclusive_type};
  int rc = count_rows(c, REC_INDEX_JOB_LOCKED, &out->locked);
  return rc ? rc : unit_walk(c->u, &locks, add_locked, out, NULL, &c->error);
}

/* Waiting timers, in the order of their times. */
static int count_waiting(context *c, job_gauges *out) {
  unit_found found;
  int rc = unit_find_index(c->u, REC_INDEX_JOB_DUE, NULL, 0, GAUGE_ROWS_MAX, &found, &c->error);
  if (rc) return rc;
  while ((size_t)out->due < found.count && ((const rec_job *)found.items[out->due])->due <= c->now) out->due++;
  out->waiting = (int64_t)found.count - out->due;
  return 0;
}

int gauges_read(context *c, job_gauges *out) {
  ready_walk walk = {c, out};
  *out = (job_gauges){0};
  for (int i = 0; i < GAUGE_BANDS_COUNT; i++) out->oldest_ms[i] = -1;
  int rc = ready_scan(c->u, 0, NULL, count_ready, &walk, &c->error);
  if (!rc) rc = count_waiting(c, out);
  if (!rc) rc = count_locked(c, out);
  if (!rc) rc = count_rows(c, REC_INDEX_JOB_THROTTLED, &out->throttled);
  return rc ? rc : count_rows(c, REC_INDEX_JOB_EXHAUSTED, &out->exhausted);
}
