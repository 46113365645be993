/* Jobs: what continues an instance later. Kinds and states are in record/states.h, beside the
 * conditions of the records' indexes.
 *
 *   created -> WAITING (not due yet) -> READY -> LOCKED (by an owner, until a time) -> done (deleted)
 *                    ^                    | \-> THROTTLED (its limit is full) -> READY  (job/limit.h)
 *                    |                    | \-> EXHAUSTED (no retries: incident) -> READY (set_retries)
 *                    '--- retry delay ----'     SUSPENDED <-> its former state
 *
 * job_place decides the state from the fields. Only acquisition writes it besides, when it locks a
 * job, or sets one aside because its limit is full. */
#ifndef ORR_JOB_H
#define ORR_JOB_H

#include "state/execution.h"

/* A new job for a token (NULL: none) at a node. Fills in definition, priority, retries,
 * exclusiveness, job definition and suspension; due 0: at once. Call job_place when its fields are
 * final. NULL: c->error. */
rec_job *job_create(context *c, int kind, rec_instance *instance, rec_execution *e, const definition *d, const node *n,
                    orr_time due);
/* A new job of no instance and no definition. The caller sets its data, then calls job_place. NULL:
 * c->error. */
rec_job *job_create_housekeeping(context *c, int kind, int64_t priority, orr_time due);
/* The same with an id of the caller's choice, which no other record has. */
rec_job *job_create_with_id(context *c, orr_id id, int kind, int64_t priority, orr_time due);
/* The due date that a job is stored with. 0 (at once) stays none, or becomes now where the
 * configuration gives every job a due date. */
orr_time job_due(const context *c, orr_time due);
/* Sets `state` from suspension, retries, due date and lock. Adds the job to c->created when it is
 * ready at once. */
int job_place(context *c, rec_job *job);
/* How far a job is trusted not to crash its process. A vanished owner may have left no trace of
 * which of its jobs it was running (executor/owner/reclaim.h). Those jobs are watched: run_begin
 * commits the beginning of such a job before it runs, so the next owner that vanishes leaves a
 * trace. */
enum { JOB_TRUSTED, JOB_WATCHED, JOB_BEGUN /* by its owner */ };
/* Gives the lock up; then job_place decides the state. */
int job_unlock(context *c, rec_job *job);
/* The owner that has locked the job; NULL: none has, or c->error. The lock of a `fenced` owner no
 * longer counts, and will be given back. */
const rec_owner *job_owner(context *c, const rec_job *job);
/* The owner with this number, fenced or not. NULL: there is none, or c->error. */
const rec_owner *job_owner_of(context *c, uint64_t number);
/* Deletes a job, its incidents and its instance lock. */
int job_remove(context *c, rec_job *job);
/* The job definition of a kind of job at a node; 0 with c->error empty: it has none. */
orr_id job_definition_find(context *c, const definition *d, const node *n, int kind);
/* Makes the job definitions of a definition, at its deployment. */
int job_definitions_create(context *c, const definition *d, bool suspended);

#endif
