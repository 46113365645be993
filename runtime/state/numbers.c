/* Reserved numbers: taking them, handing them on. */
#include "state/numbers.h"

#include "engine/engine.h"
#include "state/history.h"
#include "uow/siblings.h"

enum {
  NUMBERS_AT_START = 4, /* a new instance may have a chain of jobs or none */
  NUMBERS_OF_CHAIN = 16, /* a job that follows a job has followers: one step in so many writes the instance */
  ROWS_A_JOB = 4,       /* of history: activities between two jobs */
};

void numbers_begin(context *c, const rec_job *job) {
  c->numbers = (context_numbers){.instance = job->instance_id, .local = job->next_local, .local_end = job->local_end,
                                 .sequence = job->next_sequence, .sequence_end = job->sequence_end};
}

static bool numbers_are_of(const context *c, const rec_instance *instance) {
  return c->numbers.instance == instance->id && !unit_has_siblings(c->u);
}

static bool has_local(const context *c, const rec_instance *instance) {
  const context_numbers *n = &c->numbers;
  return numbers_are_of(c, instance) && n->local < n->local_end && n->local_end == instance->next_local;
}

static bool has_sequence(const context *c, const rec_instance *instance) {
  const context_numbers *n = &c->numbers;
  return numbers_are_of(c, instance) && n->sequence < n->sequence_end && n->sequence_end == instance->sequence;
}

orr_id numbers_next_id(context *c, rec_instance *instance) {
  if (!has_local(c, instance)) return unit_next_id(c->u, instance, &c->error);
  return orr_id_make(orr_id_group(instance->id), (uint32_t)c->numbers.local++);
}

int64_t numbers_next_sequence(context *c, rec_instance *instance) {
  return has_sequence(c, instance) ? c->numbers.sequence++ : unit_next_sequence(c->u, instance, 1);
}

/* An instance that is gone still counts the rows that are written after its end. */
static int64_t place_behind_end(context *c, orr_id instance) {
  rec_instance *gone = instance ? unit_deleted(c->u, &rec_instance_type, instance) : NULL;
  if (gone) return gone->sequence++;
  orr_id group = unit_new_group(c->u, &c->error);
  return group ? (int64_t)orr_id_group(group) : -1;
}

int64_t numbers_place(context *c, orr_id instance) {
  if (store_level(c->engine->store) < STORE_LEVEL_SEQUENCE) return 0;
  rec_instance *i = instance ? unit_instance(c->u, instance, &c->error) : NULL;
  if (!i) return c->error.code ? -1 : place_behind_end(c, instance);
  int64_t place = numbers_next_sequence(c, i);
  if (place < 0) context_memory(c);
  return place;
}

/* For how many jobs to reserve numbers. 0: the instance is not written, the numbers would probably
 * not be used, or an older build at this store could not read them. If siblings may deal out
 * numbers, all numbers come from them. */
static int64_t worth_taking(const context *c, const rec_instance *instance) {
  if (store_level(c->engine->store) < STORE_LEVEL_NUMBERS) return 0;
  if (instance->head.state == REC_NEW) return NUMBERS_AT_START;
  bool chain = c->job && job_continues_token(c->job->kind) && c->job->instance_id == instance->id;
  return chain && !unit_has_place(c->u) && instance->head.state == REC_DIRTY ? NUMBERS_OF_CHAIN : 0;
}

static void give_locals(context *c, rec_instance *instance, rec_job *job, int64_t jobs) {
  if (has_local(c, instance)) {
    job->next_local = c->numbers.local;
    job->local_end = c->numbers.local_end;
  } else if (jobs && instance->next_local + jobs <= (int64_t)ORR_LOCAL_MAX) {
    job->next_local = instance->next_local;
    job->local_end = instance->next_local += jobs;
  }
}

static void give_sequence(context *c, rec_instance *instance, rec_job *job, int64_t jobs) {
  if (has_sequence(c, instance)) {
    job->next_sequence = c->numbers.sequence;
    job->sequence_end = c->numbers.sequence_end;
  } else if (jobs && history_records(c, ORR_HISTORY_ACTIVITY)) {
    job->next_sequence = instance->sequence;
    job->sequence_end = instance->sequence += jobs * ROWS_A_JOB;
  }
}

static int hand_on_to(context *c, rec_job *job) {
  rec_instance *instance = unit_instance(c->u, job->instance_id, &c->error);
  if (!instance || context_touch(c, job)) return c->error.code;
  int64_t jobs = worth_taking(c, instance);
  give_locals(c, instance, job, jobs);
  give_sequence(c, instance, job, jobs);
  if (c->numbers.instance == instance->id) c->numbers.instance = 0; /* they belong to the job from now on */
  return 0;
}

/* Only the first new job of a token continues its chain. With jobs of other tokens beside it, the
 * chain has probably ended. */
int numbers_hand_on(context *c) {
  orr_id last = 0;
  for (uint32_t i = 0; i < c->created.count && !unit_has_siblings(c->u); i++) {
    rec_job *job = (rec_job *)c->created.jobs[i];
    bool continues = job->head.state == REC_NEW && job_continues_token(job->kind) && job->instance_id != last;
    last = continues ? job->instance_id : last;
    int rc = continues ? hand_on_to(c, job) : 0;
    if (rc) return rc;
  }
  return 0;
}
