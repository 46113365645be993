/* Limits (features J20): at most `max` at once, and at most `per_second` starts, of the jobs of a job definition, the
 * external tasks of a topic, or the jobs whose activity's limitKey gives the same text.
 *
 * What runs is counted by leases: a row for each job that was locked, or external task that was fetched, under a limit
 * with a `max`. The row is written in the transaction that grants the lock and deleted in the one that ends it. Starts are
 * counted by a token bucket: `burst` tokens at most, `per_second` new ones a second, one for a start. The bucket lies in
 * the limit's record, and that record is the gate: whoever grants anything writes it, so that of two who count at the same
 * time only one wins, in whatever process; whoever gives back touches its own row alone, so that what ends never loses a
 * race.
 *
 * A ready job whose limit is full is put aside (ORR_JOB_THROTTLED, indexed by the limit and its priority) and so leaves
 * the ready indexes: it costs acquisition one look, and nothing stands in the way of what is behind it. As soon as there
 * is room, as many as there is room for become ready again (executor/throttle.h).
 *
 * Not counted: what ran already when its limit was set, and what is executed or locked by its id. */
#ifndef ORR_LIMIT_H
#define ORR_LIMIT_H

#include "job/job.h"

/* A token in the unit that the store keeps. */
#define LIMIT_TOKEN INT64_C(1000000)

/* What rec_job.leases says. */
enum { LEASE_JOB_DEFINITION = 1, LEASE_KEY = 2 };

typedef struct limit_gate {
  rec_limit *limit;
  int64_t free;           /* how many more may be granted in this unit */
  struct limit_gate *next;
} limit_gate;

/* The gates that a unit has looked at. Zeroed to begin with; memory is the unit's. */
typedef struct limit_gates {
  limit_gate *first;
} limit_gates;

/* A job's gates: by its job definition, by its key. NULL: no limit. */
typedef struct limit_pair {
  limit_gate *of[2];
} limit_pair;

/* Names of limits, as they are stored; {NULL, 0}: out of memory (the unit knows): */
rec_text limit_name_of_job_definition(context *c, orr_id id);
rec_text limit_name_of_key(context *c, rec_text key);
rec_text limit_name_of_topic(context *c, rec_text topic);

/* Are there limits in this store? The unit relies on the answer. */
int limits_exist(context *c, bool *out);
/* Does a limit hold for this job, which is about to be handed over? The store's first limit, when another process sets it,
 * may be heeded up to 100 ms late. */
int limit_holds(context *c, const rec_job *job, bool *out);

/* The gates of a job. *full: the first that lets nothing more through, or NULL. */
int limit_look(context *c, limit_gates *gates, const rec_job *job, limit_pair *out, limit_gate **full);
/* The gate of a topic; NULL: no limit. */
int limit_look_topic(context *c, limit_gates *gates, rec_text topic, limit_gate **out);
/* How many more a limit lets through now. */
int limit_free(context *c, const rec_limit *limit, int64_t *out);
/* Counts the job, which the caller locks in the same unit, against its gates. */
int limit_take(context *c, const limit_pair *pair, rec_job *job);
/* The same for an external task, which a worker is about to get. */
int limit_take_topic(context *c, limit_gate *gate, rec_external_task *t);

/* Gives back what a job or task holds; acquisition looks again when that is committed. Nothing to do is fine. */
int limit_release(context *c, rec_job *job);
/* The same for an external task. */
int limit_release_topic(context *c, rec_external_task *t);
/* The task's lock has another end. */
int limit_extend_topic(context *c, const rec_external_task *t);

/* Millionths of a token in the bucket at `now`. */
int64_t limit_tokens(const rec_limit *limit, orr_time now);
/* When the bucket holds a whole token; 0: now, or it is not what is missing. */
orr_time limit_token_at(const rec_limit *limit, orr_time now);
/* Starts a second; 0: not limited. */
double limit_rate(const rec_limit *limit);

#endif
