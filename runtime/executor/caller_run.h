/* Jobs that run_jobs or poll has locked on the caller's thread and not ended: those whose delegates
 * wait for the host, or for a manual clock to move, and those that rest after a lost race until
 * they are tried again. They keep their locks, so that nothing else takes them
 * meanwhile, and stand in a list of their thread. What holds for conflicts is what holds in a worker: they cost no retry,
 * the pause grows, and one more than ORR_CONFLICTS_MAX in a row is a failure for good. */
#ifndef ORR_CALLER_RUN_H
#define ORR_CALLER_RUN_H

#include "executor/executor.h"
#include "executor/run_jobs.h"

/* Is this job one of the thread's? `thread` is an engine_thread. */
bool caller_run_has(void *thread, orr_id job);
/* Runs a job that is locked for the pump. `leave`: a delegate that waits is left to the host and ended by a later call of
 * caller_run_settle; else it is waited for. What is an error of the job stands on the job; an error here is the store's or
 * memory's. */
int caller_run_first(pump *with, orr_id job, bool leave, orr_error *err);
/* Runs a job that the engine's executor lends, since all its threads are at others (executor_lend).
 * *any false: there is none. */
int caller_run_lent(pump *with, bool *any, orr_error *err);
/* Lets runs go on that were left to a manual clock, as far as they can by now. *any false: none has
 * come to its end. */
void caller_run_wake(const pump *with, bool *any);
/* Ends a run that has finished waiting, or tries one again that has rested until `now_ns` (of the monotonic clock). *any
 * false: there is none. */
int caller_run_settle(pump *with, int64_t now_ns, bool leave, bool *any, orr_error *err);
/* When the first that rests is tried again, by the monotonic clock; INT64_MAX: none rests. */
int64_t caller_run_rests_until(const engine_thread *thread);
/* The thread's own owner of locks, made when it first takes a job: it is not another thread's, which could hold the same
 * instance at the same time. */
int caller_run_owner(engine_thread *thread, const acquire_rules *rules, orr_error *err);
/* What is held keeps its lock as long as the host comes by. */
int caller_run_renew(pump *with, orr_error *err);
/* Gives back what rests. */
void caller_run_release(engine_thread *thread);
/* The thread ends: what is held is abandoned. Its locks are given back when the engine closes on this thread; else they
 * expire. */
void caller_run_abandon(engine_thread *thread);

#endif
