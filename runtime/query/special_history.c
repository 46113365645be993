/* Filter keys of history. */
#include <string.h>

#include "base/value.h"
#include "query/special.h"
#include "query/tokens.h"
#include "uow/find.h"

/* ---- Ended or not ---------------------------------------------------------------------------- */

static orr_time ended_at(const rec_head *r) {
  if (r->type == &rec_history_instance_type) return ((const rec_history_instance *)r)->ended_at;
  if (r->type == &rec_history_activity_type) return ((const rec_history_activity *)r)->ended_at;
  return ((const rec_history_task *)r)->ended_at;
}

static int history_finished(context *c, const filter_special *s, const rec_head *r, bool *out) {
  (void)c;
  *out = special_switch(s) == (ended_at(r) != 0);
  return 0;
}

/* ---- Instances ------------------------------------------------------------------------------- */

static int history_root_only(context *c, const filter_special *s, const rec_head *r, bool *out) {
  (void)c;
  *out = !special_switch(s) || ((const rec_history_instance *)r)->parent_id == 0;
  return 0;
}

/* The decision that was asked for, not one that it required. */
static int history_decision_root(context *c, const filter_special *s, const rec_head *r, bool *out) {
  (void)c;
  const rec_history_decision *d = (const rec_history_decision *)r;
  *out = !special_switch(s) || d->root_number == d->number;
  return 0;
}

/* The instance that called the one given. */
static int history_called(context *c, const filter_special *s, const rec_head *r, bool *out) {
  orr_id id = value_id(&s->value);
  const rec_history_instance *called = id ? unit_history_instance(c->u, id, &c->error) : NULL;
  *out = called && called->parent_id == ((const rec_history_instance *)r)->id;
  return c->error.code;
}

/* Where tokens stand now. */
static int history_activity_now(context *c, const filter_special *s, const rec_head *r, bool *out) {
  return tokens_stand_at(c, ((const rec_history_instance *)r)->id, &s->value, out);
}

static int rows_of_instance(context *c, const rec_type *type, orr_id instance, unit_found *out) {
  rec_key key = {.id = instance};
  return unit_find_keys(c->u, type, &key, 1, out, &c->error);
}

/* What a key asks of one activity of an instance. */
static bool activity_answers(const filter_special *s, const rec_history_activity *a) {
  const char *key = s->is->name;
  if (strcmp(key, "executed_activity_in") == 0) return a->ended_at && special_text_among(a->activity_id, &s->value);
  if (strcmp(key, "active_activity_in") == 0) return !a->ended_at && special_text_among(a->activity_id, &s->value);
  if (strcmp(key, "executed_activity_before") == 0) return a->ended_at && a->ended_at <= s->value.as.integer;
  return a->ended_at && a->ended_at >= s->value.as.integer;
}

static int history_has_activity(context *c, const filter_special *s, const rec_head *r, bool *out) {
  unit_found found;
  int rc = rows_of_instance(c, &rec_history_activity_type, ((const rec_history_instance *)r)->id, &found);
  *out = false;
  for (size_t i = 0; !rc && !*out && i < found.count; i++)
    *out = activity_answers(s, (const rec_history_activity *)found.items[i]);
  return rc;
}

static bool job_ran(const rec_history_job *j) { return rec_text_is(j->state, "succeeded") || rec_text_is(j->state, "failed"); }

static int history_has_job(context *c, const filter_special *s, const rec_head *r, bool *out) {
  unit_found found;
  bool before = strcmp(s->is->name, "executed_job_before") == 0;
  int rc = rows_of_instance(c, &rec_history_job_type, ((const rec_history_instance *)r)->id, &found);
  *out = false;
  for (size_t i = 0; !rc && !*out && i < found.count; i++) {
    const rec_history_job *j = (const rec_history_job *)found.items[i];
    *out = job_ran(j) && (before ? j->time <= s->value.as.integer : j->time >= s->value.as.integer);
  }
  return rc;
}

/* A job of it has failed and will be tried again. */
static int history_jobs_retrying(context *c, const filter_special *s, const rec_head *r, bool *out) {
  unit_found found;
  bool any = false;
  uint64_t group = orr_id_group(((const rec_history_instance *)r)->id);
  int rc = unit_find_group(c->u, &rec_job_type, group, &found, &c->error);
  for (size_t i = 0; !rc && !any && i < found.count; i++) {
    const rec_job *j = (const rec_job *)found.items[i];
    any = j->retries > 0 && j->error.data;
  }
  *out = any == special_switch(s);
  return rc;
}

/* ---- Tasks ----------------------------------------------------------------------------------- */

static int history_task_assigned(context *c, const filter_special *s, const rec_head *r, bool *out) {
  (void)c;
  *out = special_switch(s) == (((const rec_history_task *)r)->assignee.size > 0);
  return 0;
}

static int history_task_unassigned(context *c, const filter_special *s, const rec_head *r, bool *out) {
  (void)c;
  *out = special_switch(s) == (((const rec_history_task *)r)->assignee.size == 0);
  return 0;
}

static int history_task_process_finished(context *c, const filter_special *s, const rec_head *r, bool *out) {
  orr_id id = ((const rec_history_task *)r)->instance_id;
  const rec_history_instance *i = id ? unit_history_instance(c->u, id, &c->error) : NULL;
  *out = i && special_switch(s) == (i->ended_at != 0);
  return c->error.code;
}

const special specials_of_history[] = {
    {&rec_history_instance_type, "finished", TAKES_SWITCH, history_finished, NULL, NULL},
    {&rec_history_instance_type, "root_only", TAKES_SWITCH, history_root_only, NULL, NULL},
    {&rec_history_instance_type, "called", TAKES_ID, history_called, NULL, NULL},
    {&rec_history_instance_type, "activity_in", TAKES_TEXTS, history_activity_now, NULL, NULL},
    {&rec_history_instance_type, "executed_activity_in", TAKES_TEXTS, history_has_activity, NULL, NULL},
    {&rec_history_instance_type, "active_activity_in", TAKES_TEXTS, history_has_activity, NULL, NULL},
    {&rec_history_instance_type, "executed_activity_before", TAKES_TIME, history_has_activity, NULL, NULL},
    {&rec_history_instance_type, "executed_activity_after", TAKES_TIME, history_has_activity, NULL, NULL},
    {&rec_history_instance_type, "executed_job_before", TAKES_TIME, history_has_job, NULL, NULL},
    {&rec_history_instance_type, "executed_job_after", TAKES_TIME, history_has_job, NULL, NULL},
    {&rec_history_instance_type, "jobs_retrying", TAKES_SWITCH, history_jobs_retrying, NULL, NULL},
    {&rec_history_activity_type, "finished", TAKES_SWITCH, history_finished, NULL, NULL},
    {&rec_history_decision_type, "root_only", TAKES_SWITCH, history_decision_root, NULL, NULL},
    {&rec_history_task_type, "finished", TAKES_SWITCH, history_finished, NULL, NULL},
    {&rec_history_task_type, "assigned", TAKES_SWITCH, history_task_assigned, NULL, NULL},
    {&rec_history_task_type, "unassigned", TAKES_SWITCH, history_task_unassigned, NULL, NULL},
    {&rec_history_task_type, "process_finished", TAKES_SWITCH, history_task_process_finished, NULL, NULL},
    {0},
};
