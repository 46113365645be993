/* Filter keys of jobs, job definitions and external tasks. */
#include "query/special.h"

#include "base/value.h"
#include "job/job.h"
#include "uow/find.h"

static int job_executable(context *c, const filter_special *s, const rec_head *r, bool *out) {
  const rec_job *j = (const rec_job *)r;
  *out = special_switch(s) == (j->retries > 0 && j->due <= c->now && !j->suspended);
  return 0;
}

static int job_with_error(context *c, const filter_special *s, const rec_head *r, bool *out) {
  (void)c;
  *out = special_switch(s) == (((const rec_job *)r)->error.data != NULL);
  return 0;
}

static int job_no_retries(context *c, const filter_special *s, const rec_head *r, bool *out) {
  (void)c;
  *out = special_switch(s) == (((const rec_job *)r)->retries <= 0);
  return 0;
}

static int find_failed(context *c, const filter_special *s, unit_found *out) {
  (void)s;
  return unit_find_index(c->u, REC_INDEX_JOB_FAILED, NULL, 0, 0, out, &c->error);
}

static int job_locked(context *c, const filter_special *s, const rec_head *r, bool *out) {
  const rec_owner *owner = job_owner(c, (const rec_job *)r);
  *out = special_switch(s) == (owner && owner->expires > c->now);
  return c->error.code;
}

static int external_locked(context *c, const filter_special *s, const rec_head *r, bool *out) {
  const rec_external_task *t = (const rec_external_task *)r;
  *out = special_switch(s) == (t->worker.size > 0 && t->lock_expires > c->now);
  return 0;
}

static int external_no_retries(context *c, const filter_special *s, const rec_head *r, bool *out) {
  (void)c;
  const rec_external_task *t = (const rec_external_task *)r;
  *out = special_switch(s) == (t->retries.type == ORR_INT && t->retries.as.integer <= 0);
  return 0;
}

const special specials_of_jobs[] = {
    {&rec_job_type, "active", TAKES_SWITCH, special_active, NULL, NULL},
    {&rec_job_type, "executable", TAKES_SWITCH, job_executable, NULL, NULL},
    {&rec_job_type, "with_error", TAKES_SWITCH, job_with_error, NULL, NULL},
    {&rec_job_type, "no_retries", TAKES_SWITCH, job_no_retries, find_failed, NULL},
    {&rec_job_type, "locked", TAKES_SWITCH, job_locked, NULL, NULL},
    {&rec_job_definition_type, "active", TAKES_SWITCH, special_active, NULL, NULL},
    {&rec_external_task_type, "active", TAKES_SWITCH, special_active, NULL, NULL},
    {&rec_external_task_type, "locked", TAKES_SWITCH, external_locked, NULL, NULL},
    {&rec_external_task_type, "no_retries", TAKES_SWITCH, external_no_retries, NULL, NULL},
    {0},
};
