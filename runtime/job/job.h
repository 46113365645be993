/* Jobs: what continues an instance later. Kinds and states are in record/states.h, beside the records' index conditions.
 *
 *   created -> WAITING (due lies ahead) -> READY -> LOCKED (by an owner until a time) -> done (deleted)
 *                    ^                      |  \-> THROTTLED (its limit is full) -> READY   (job/limit.h)
 *                    |                      |  \-> EXHAUSTED (no retries left: incident) -> READY (set_retries)
 *                    '---- retry delay -----'      SUSPENDED <-> its former state
 * job_place decides the state from the fields; beside it only acquisition writes it, which locks and throttles. */
#ifndef ORR_JOB_H
#define ORR_JOB_H

#include "state/execution.h"

/* A new job for a token (NULL: none) at a node: definition, priority (precedence of C), retries, exclusiveness, job definition,
 * suspension filled in; due 0: at once. Call job_place when its fields are final. NULL: c->error. */
rec_job *job_create(context *c, int kind, rec_instance *instance, rec_execution *e, const definition *d, const node *n,
                    orr_time due);
/* A new job of no instance and no definition: housekeeping. Its data is the caller's to set; then job_place. NULL: c->error. */
rec_job *job_create_housekeeping(context *c, int kind, int64_t priority, orr_time due);
/* The same with an id of the caller's choice, which no other record has. */
rec_job *job_create_with_id(context *c, orr_id id, int kind, int64_t priority, orr_time due);
/* The due date that a job is stored with. 0 (at once) stays none, or becomes now where the
 * configuration gives every job a due date. */
orr_time job_due(const context *c, orr_time due);
/* Sets `state` from suspended, retries, due, lock; records it in c->created.jobs when it is ready at once. */
int job_place(context *c, rec_job *job);
/* How far a job is trusted not to kill its process. An owner that vanished may have left no trace
 * of which of its jobs it was running (executor/owner/reclaim.h). Those jobs are watched: run_begin
 * commits that such a job begins before it runs, so that the next owner to vanish leaves a trace.
 * */
enum { JOB_TRUSTED, JOB_WATCHED, JOB_BEGUN /* by its owner */ };
/* Gives up the lock; job_place then finds its state. */
int job_unlock(context *c, rec_job *job);
/* The owner that has it locked; NULL: none has, or c->error is filled. The lock of an owner that is
 * `fenced` no longer counts, and will be given back. */
const rec_owner *job_owner(context *c, const rec_job *job);
/* The owner of a number, whether it is fenced or not. NULL: there is none, or c->error. */
const rec_owner *job_owner_of(context *c, uint64_t number);
/* Removes a job, its incidents and its exclusive lock. */
int job_remove(context *c, rec_job *job);
/* The job definition of a kind of job at a node; 0 with c->error empty when it has none. */
orr_id job_definition_find(context *c, const definition *d, const node *n, int kind);
/* Job definitions of a definition, at deployment. */
int job_definitions_create(context *c, const definition *d, bool suspended);

#endif
