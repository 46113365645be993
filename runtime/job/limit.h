/* Limits (features J20): at most `max` at once, and at most `per_second` starts, of the jobs of a
 * job definition, of the external tasks of a topic, or of the jobs whose activity's limitKey gives
 * the same text.
 *
 * Leases count what runs: each job that was locked, and each external task that was fetched, has
 * one row under its limit, if that has a `max`. The transaction that grants the lock writes the
 * row, and the one that ends the lock deletes it. A token bucket counts starts: it holds at most
 * `burst` tokens, gains `per_second` of them a second, and a start takes one. The bucket lies in
 * the limit's record. Whoever grants anything writes that record, so of two that count at the same
 * time, in whatever processes, only one commits. Whoever gives back writes only its own lease, so
 * the end of a job never loses a race.
 *
 * A ready job whose limit is full becomes ORR_JOB_THROTTLED, indexed by its limit and its priority,
 * and leaves the ready indexes. So acquisition looks at it once, and it is in nobody's way. As soon
 * as the limit has room, as many jobs as fit become ready again (executor/throttle.h).
 *
 * Not counted: what ran already when its limit was set, and what is executed or locked by its id.
 */
#ifndef ORR_LIMIT_H
#define ORR_LIMIT_H

#include "job/job.h"

/* A token, in the unit that the store keeps. */
#define LIMIT_TOKEN INT64_C(1000000)

/* Bits of rec_job.leases. */
enum { LEASE_JOB_DEFINITION = 1, LEASE_KEY = 2 };

/* What a unit may still grant under one limit. */
typedef struct limit_room {
  rec_limit *limit;
  int64_t free; /* how many more may be granted in this unit */
  struct limit_room *next;
} limit_room;

/* The limits that a unit has looked at. Zeroed to begin with; the memory is the unit's. */
typedef struct limit_rooms {
  limit_room *first;
} limit_rooms;

/* A job's limits: by its job definition, and by its key. NULL: there is none. */
typedef struct job_limits {
  limit_room *of[2];
} job_limits;

/* Names of limits, as they are stored; {NULL, 0}: out of memory (the unit remembers it): */
rec_text limit_name_of_job_definition(context *c, orr_id id);
rec_text limit_name_of_key(context *c, rec_text key);
rec_text limit_name_of_topic(context *c, rec_text topic);

/* Are there limits in this store? The unit relies on the answer. */
int limits_exist(context *c, bool *out);
/* Does a limit hold for this job, which is about to be handed over? Another process may have set
 * the store's first limit up to 100 ms ago without being noticed. */
int limit_holds(context *c, const rec_job *job, bool *out);

/* Finds the job's limits. *full: the first that has no room, or NULL. */
int limit_rooms_for_job(context *c, limit_rooms *rooms, const rec_job *job, job_limits *out, limit_room **full);
/* Finds the limit of a topic; NULL: there is none. */
int limit_room_for_topic(context *c, limit_rooms *rooms, rec_text topic, limit_room **out);
/* How many more the limit lets through now. */
int limit_free(context *c, const rec_limit *limit, int64_t *out);
/* Counts the job under its limits. The caller locks it in the same unit. */
int limit_take(context *c, const job_limits *pair, rec_job *job);
/* The same for an external task that a worker is about to get. */
int limit_take_topic(context *c, limit_room *room, rec_external_task *t);

/* Gives back what a job holds. Acquisition looks again once that is committed. Does nothing for a
 * job that holds nothing. */
int limit_release(context *c, rec_job *job);
/* The same for an external task. */
int limit_release_topic(context *c, rec_external_task *t);
/* The task's lock ends at another time, and so does its lease. */
int limit_extend_topic(context *c, const rec_external_task *t);

/* Millionths of a token in the bucket at `now`. */
int64_t limit_tokens(const rec_limit *limit, orr_time now);
/* When the bucket will hold a whole token; 0: it does now, or starts are not limited. */
orr_time limit_token_at(const rec_limit *limit, orr_time now);
/* Starts a second; 0: not limited. */
double limit_rate(const rec_limit *limit);

#endif
