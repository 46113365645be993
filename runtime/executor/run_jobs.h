/* Taking jobs one at a time on the caller's thread, so that what a job makes ready takes its place in the order before the
 * next is chosen. */
#ifndef ORR_PUMP_H
#define ORR_PUMP_H

#include "engine/engine.h"
#include "executor/acquire.h"
#include "executor/backoff.h"
#include "executor/run.h"

typedef struct pump {
  orr_engine *engine;
  engine_thread *thread;
  acquire_rules rules;
  backoff_rules backoff;
  char owner[OWNER_BYTES_MAX];
  int64_t ran;
  int64_t limit;       /* as many jobs are run; 0: all */
  int64_t deadline_ns; /* from then on, no next job is locked with the end of the last */
  bool leaves_clock_waits; /* as context_run.h says; for every job it runs */
  orr_id next;         /* a job that was locked together with the end of the last; 0: none */
  struct {             /* while that commit is under way */
    acquire_round *round;
    acquisition found;
    acquired item;
  } locking;
} pump;

/* ORR_E_STATE inside a transaction or delegate. */
int pump_begin(pump *p, orr_engine *engine, orr_error *err);
/* Locks the next job, or gives the one that is locked already; *job 0: none may be taken now. */
int pump_acquire(pump *p, orr_id *job, orr_error *err);
/* Locks the next job in the transaction that ends one, where it is sure which comes next then: one commit a job. */
run_company pump_company(pump *p);
/* Gives back what was taken and not begun. */
void pump_end(pump *p);
/* Runs the jobs that only this thread can run, those that await kept waiting, until none may be taken or the deadline is
 * past. */
int run_jobs_at_home(orr_engine *engine, int64_t deadline_ns, int64_t *ran, orr_error *err);
/* A job ended with `rc`: its own failure is recorded on it and is none of ours; what remains is the store's or memory's. Clears
 * `failure`. */
int pump_count(pump *p, int rc, orr_error *failure, orr_error *err);

#endif
