/* What runs jobs: the caller, the engine's own threads, or threads that engines share. */
#ifndef ORRERY_EXECUTOR_H
#define ORRERY_EXECUTOR_H

#include "orrery/engine.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- The engine's own executor --------------------------------------------------------------- */

/// Acquires and runs due jobs on this thread until none is due or `limit` (0: no limit) have run.
/// When it loses a race it tries again after the executor's back-off, and gives up after 50 in a
/// row. On a manual clock a job that waits for nothing but that clock is left to a later call.
/// @return how many ran, failed ones included.
ORR_API(1) ORR_ERR(STORE)
int orr_engine_jobs_run(orr_engine *engine, int64_t limit ORR_OPT, int64_t *out ORR_OUT,
    orr_error *err);
/// For a host's frame loop: runs due jobs, timers and finished awaits until `budget_ms` milliseconds
/// are spent, which may be a fraction of one.
/// @return how many jobs ran, failed ones included.
ORR_API(1) ORR_ERR(STORE)
int orr_engine_poll(orr_engine *engine, double budget_ms, int64_t *out ORR_OUT, orr_error *err);

/// Starts worker threads of the engine's own. C delegates run on them without a script host; with
/// one, each thread opens a state of its own (the Lua module's host can).
ORR_API(1) ORR_ERR(ARGUMENT, MEMORY, STATE)
int orr_engine_executor_start(orr_engine *engine, const orr_executor_options *options ORR_OPT,
    orr_error *err);
/// Stops acquiring, waits for what runs, unlocks what was acquired. Fine when there is no executor.
/// `state`: called by what the engine runs.
ORR_API(1) ORR_ERR(STATE) int orr_engine_executor_stop(orr_engine *engine, orr_error *err);
/// Begins to stop the executor, and does not wait for what runs: nothing more is taken or begun.
/// For a thread that has other things to do meanwhile: it asks orr_engine_executor_draining now and
/// then, and calls orr_engine_executor_stop once that is false. `drain_time` counts from here. Fine
/// when there is no executor. `state`: called by what the engine runs.
ORR_API(1) ORR_ERR(STATE) int orr_engine_executor_drain(orr_engine *engine, orr_error *err);
/// Does something still run that a stop of the executor would wait for? It gives back meanwhile
/// what was not begun. For the thread that called orr_engine_executor_drain; it does not wait.
ORR_API(1) bool orr_engine_executor_draining(orr_engine *engine);
/// How the engine's store is: "well"; "away" when its database has not been reached for longer than
/// callers are kept waiting (20 s): it is tried again until it is back, and whoever asks meanwhile is
/// answered `store` at once; "away", too, when another process keeps a store on disk from being
/// written (5 s by one that is stopped, 20 s by another): it can still be read; "failed" when it will
/// do nothing more until it is opened again, as after a disk that lost what was written to it. Any
/// thread; never waits.
ORR_API(1) const char *orr_engine_store_state(orr_engine *engine);
/// Is the engine's store in a database, so that whatever reads it may wait for a server? Any
/// thread; never waits.
ORR_API(1) bool orr_engine_store_remote(orr_engine *engine);
/// Does an executor serve this engine?
ORR_API(1) bool orr_engine_executor_active(orr_engine *engine);
/// Waits until nothing runs and no job that the executor may take is due. `state`: called by what
/// the engine runs.
/// @return false on time-out.
ORR_API(1) ORR_ERR(STATE)
int orr_engine_wait_idle(orr_engine *engine, double timeout_ms, bool *out ORR_OUT,
    orr_error *err);
/// A map of counters by Camunda's names: what this process did since the engine was opened.
ORR_API(1) int orr_engine_metrics(orr_engine *engine, orr_builder *out, orr_error *err);
/// A text for Prometheus: those counters, and how many of the store's jobs are ready, throttled,
/// due, waiting, locked, exhausted and in flight, with the longest wait of each band of priorities.
/// Counts at most 100,000 rows of an index.
ORR_API(1) ORR_ERR(STORE)
int orr_engine_metrics_text(orr_engine *engine, orr_builder *out, orr_error *err);
/// Counters that the store keeps: what every process counted, by quarters of an hour, and what this
/// one has counted since. `request` is a map, or NULL: name (a counter's, or Camunda's other name
/// for it), reporter ("host$engine"), from (inclusive), to (exclusive), interval (a duration of
/// whole quarters of an hour), by_reporter (a switch), limit, offset. Reads every row of a name.
/// @return without an interval a map of sums by name, "unique-task-workers" (how many people were
/// given tasks) among them; with one an array of maps, the latest first: name, time (when the
/// interval begins), value and, with by_reporter, reporter.
ORR_API(1) ORR_ERR(ARGUMENT, STORE)
int orr_engine_metrics_stored(orr_engine *engine, const orr_value *request ORR_OPT,
    orr_builder *out, orr_error *err);
/// Deletes stored counters. `request` is a map, or NULL: before (a time; without it all), reporter,
/// and task_workers (a switch): false keeps who was given tasks, true deletes nothing else.
/// @return how many rows were deleted.
ORR_API(1) ORR_ERR(ARGUMENT, STORE)
int orr_engine_metrics_delete(orr_engine *engine, const orr_value *request ORR_OPT,
    int64_t *out ORR_OUT, orr_error *err);
/// What the threads of this process's executor do now: an array of maps with job, thread,
/// activity_id, instance_id, since, state ("running", "awaiting", "committing") and, when the
/// thread answered within `wait_ms` milliseconds, the Lua traceback. A thread answers for itself: between two
/// jobs, while it awaits, or at the next instruction of a script that computes, which SIGURG makes it
/// look for unless the program handles that signal or forbids it (in Lua orrery.trace_by_signal). Of a thread that is
/// in C the traceback is one line: where its script called last one of Lua's functions that may
/// block (os.execute, io's, a file's), and since when.
ORR_API(1)
int orr_engine_running(orr_engine *engine, double wait_ms, orr_builder *out, orr_error *err);
/// The executors of this store, of all processes on all machines: an array of maps with owner (the
/// name in the locks), host and pid (when known), room (for how many more jobs; absent before its
/// first round), jobs (the ids of those that its threads run), waiting (how many more have begun
/// and await something; absent for other machines), stopping, and what it takes: priority_min,
/// priority_max, deployment_aware. When the store is a folder, this is current for processes of
/// this machine; otherwise it is what the executor last wrote (see orr_engine_nodes).
ORR_API(1) ORR_ERR(STORE)
int orr_engine_executors(orr_engine *engine, orr_builder *out, orr_error *err);
/// The nodes of this store: every executor, and every thread that runs jobs itself, of all
/// processes on all machines, also those that ended without saying so. An array of maps with name
/// (in the locks), host, pid, build (of Orrery), state ("at work"; "silent": its lease holds, but
/// it has not extended it for long; "expired": its lease is over; "gone": it works here no more),
/// alive, started, expires (the lease), held (how many jobs it has locked; of those that are not
/// exclusive at most 10,000 are counted) and executor. An executor's has also seen and lag (when it
/// last extended its lease, and how many seconds ago), threads, and what orr_engine_executors
/// gives.
ORR_API(1) ORR_ERR(STORE)
int orr_engine_nodes(orr_engine *engine, orr_builder *out, orr_error *err);

/// What each thread of each executor on this store is at, of all processes on all machines: an array
/// of maps with name (in the locks), host, pid, and answered. An executor of another process is asked
/// through a socket in the store's folder, or by a notification of its database; when it has not
/// answered within `wait_ms` (a minute at most; 0: no other is asked) answered is false, and jobs are
/// the ids of those that its threads are known to be at. Else threads is an array of maps, for each
/// thread one and behind it one for each job that awaits something there: thread (its number), state
/// ("running", "awaiting", "committing", "idle", or "elsewhere": at a job of another engine), and of
/// a job its job, definition_key, activity_id, instance_id, since, delegate (as the model names it)
/// or listener (true), and line, where its script is now: the innermost that is not Orrery's own. Of
/// a thread that is in C line is where its script called last one of Lua's functions that may block,
/// with in_c_since; see orr_engine_running. Of a call with a time limit limit_at is when that is
/// reached. Executors that are known to have ended are left out.
ORR_API(1) ORR_ERR(STORE)
int orr_engine_threads(orr_engine *engine, double wait_ms, orr_builder *out, orr_error *err);

/* ---- What a deployment-aware executor takes -------------------------------------------------- */

/// Lets deployment-aware executors of this engine take the jobs of a deployment.
ORR_API(1)
int orr_engine_deployment_register(orr_engine *engine, orr_id deployment, orr_error *err);
/// The opposite of orr_engine_deployment_register.
ORR_API(1)
int orr_engine_deployment_unregister(orr_engine *engine, orr_id deployment, orr_error *err);
/// An array of deployment ids.
ORR_API(1)
int orr_engine_deployments_registered(orr_engine *engine, orr_builder *out, orr_error *err);

/* ---- One executor for several engines -------------------------------------------------------- */

/// A pool of workers that several engines share, fairly.
typedef struct orr_executor orr_executor ORR_CLASS(destroy = orr_executor_free);
/// Makes an executor that serves no engine yet, for orr_executor_free.
ORR_API(1)
int orr_executor_new(const orr_executor_options *options ORR_OPT, orr_executor **out,
    orr_error *err);
/// Lets it serve an engine.
ORR_API(1) ORR_ERR(STATE)
int orr_executor_add(orr_executor *executor, orr_engine *engine, orr_error *err);
/// Waits for what runs of an engine, and serves it no more. `state`: called by what one of its
/// engines runs.
ORR_API(1) ORR_ERR(STATE)
int orr_executor_remove(orr_executor *executor, orr_engine *engine, orr_error *err);
/// Starts its threads.
ORR_API(1) int orr_executor_start(orr_executor *executor, orr_error *err);
/// Stops acquiring, waits for what runs, unlocks what was acquired. `state`: called by what one of
/// its engines runs.
ORR_API(1) ORR_ERR(STATE) int orr_executor_stop(orr_executor *executor, orr_error *err);
/// Stops the executor and frees it; its engines stay open. NULL is fine. What its engines run
/// cannot free it: that is logged, and it goes on.
ORR_API(1) void orr_executor_free(orr_executor *executor);

#ifdef __cplusplus
}
#endif
#endif
