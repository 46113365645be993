/* What runs jobs: the caller, the engine's own threads, or threads that engines share. */
#ifndef ORRERY_EXECUTOR_H
#define ORRERY_EXECUTOR_H

#include "orrery/engine.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- The engine's own executor --------------------------------------------------------------- */

/// Acquires and runs due jobs on this thread until none is due or `limit` (0: none) have run. What
/// loses a race is tried again after the executor's pause for conflicts, and fails for good after
/// 50 in a row.
/// @return how many ran, failed ones too.
ORR_API(1) ORR_ERR(STORE)
int orr_engine_run_jobs(orr_engine *engine, int64_t limit ORR_OPT, int64_t *out ORR_OUT,
    orr_error *err);
/// For a host's frame loop: due jobs, timers and finished awaits until `budget` seconds are spent.
ORR_API(1) ORR_ERR(STORE)
int orr_engine_poll(orr_engine *engine, double budget, int64_t *out ORR_OUT, orr_error *err);

/// Starts worker threads of the engine's own. Needs a script host that can start threads (the Lua
/// module brings one).
ORR_API(1) ORR_ERR(ARGUMENT, MEMORY, STATE)
int orr_engine_start_executor(orr_engine *engine, const orr_executor_options *options ORR_OPT,
    orr_error *err);
/// Stops acquiring, waits for what runs, unlocks what was acquired. Fine when none runs. What the
/// engine runs cannot stop it.
ORR_API(1) ORR_ERR(STATE) int orr_engine_stop_executor(orr_engine *engine, orr_error *err);
/// Does an executor serve this engine?
ORR_API(1) bool orr_engine_executor_active(orr_engine *engine);
/// True once nothing runs and no job that the executor may take is due; false on time-out. Not for
/// what the engine runs.
ORR_API(1) ORR_ERR(STATE)
int orr_engine_wait_idle(orr_engine *engine, double timeout_seconds, bool *out ORR_OUT,
    orr_error *err);
/// A map of counters by Camunda's names; what this process did since the engine was opened.
ORR_API(1) int orr_engine_metrics(orr_engine *engine, orr_builder *out, orr_error *err);
/// The same, and how things stand with the store's jobs (ready, throttled, due, waiting, locked,
/// exhausted, in flight, the longest wait of each band of priorities), as a text for Prometheus.
/// Counting walks at most 100,000 rows of an index.
ORR_API(1) ORR_ERR(STORE)
int orr_engine_metrics_text(orr_engine *engine, orr_builder *out, orr_error *err);
/// What the threads of this process's executor are at: an array of maps with job, thread,
/// activity_id, instance_id, since, state ("running", "awaiting", "committing") and, where the
/// thread could be asked within `wait` seconds, the Lua traceback. A thread is never stopped: it
/// answers between two jobs, or while it awaits; one that is busy with a delegate answers after it,
/// or, when scripts run with a budget of instructions (the sandbox's), at its next thousand.
ORR_API(1)
int orr_engine_running(orr_engine *engine, double wait, orr_builder *out, orr_error *err);
/// The executors that run on this store, in whatever process on whatever machine: an array of maps
/// with owner (the name in the locks), host and pid where they are known, room (for so many more
/// jobs; none: its first round is yet to come), jobs (the ids of those that its threads are at),
/// waiting (how many more have begun and await something; none: it is not known of other machines),
/// stopping, and what it takes: priority_min, priority_max, deployment_aware. Of a process of this
/// machine this is as of now, where the store is a folder; else as of its last word (see
/// orr_engine_nodes).
ORR_API(1) ORR_ERR(STORE)
int orr_engine_executors(orr_engine *engine, orr_builder *out, orr_error *err);
/// The nodes of this store: every executor, and every thread that runs jobs itself, in whatever
/// process on whatever machine, those that have ended without a word included: an array of maps with
/// name (in the locks), host, pid, build (of Orrery), state ("at work"; "silent": its lease holds,
/// but it has not prolonged it for long; "expired": its lease is over; "gone": its process has
/// ended), alive, started, expires (the lease), held (jobs that it has locked; at most 10,000 that
/// are not exclusive are counted) and executor; and of an executor seen and lag (when it prolonged
/// its lease last, and how many seconds ago), threads, and what orr_engine_executors tells.
ORR_API(1) ORR_ERR(STORE)
int orr_engine_nodes(orr_engine *engine, orr_builder *out, orr_error *err);

/* ---- What a deployment-aware executor takes -------------------------------------------------- */

/// Lets deployment-aware executors of this engine take the jobs of a deployment.
ORR_API(1)
int orr_engine_register_deployment(orr_engine *engine, orr_id deployment, orr_error *err);
/// The opposite of orr_engine_register_deployment.
ORR_API(1)
int orr_engine_unregister_deployment(orr_engine *engine, orr_id deployment, orr_error *err);
/// An array of deployment ids.
ORR_API(1)
int orr_engine_registered_deployments(orr_engine *engine, orr_builder *out, orr_error *err);

/* ---- One executor for several engines -------------------------------------------------------- */

/// A pool of workers that several engines share, fairly.
typedef struct orr_executor orr_executor ORR_CLASS(destroy = orr_executor_free);
/// Makes an executor that serves no engine yet.
ORR_API(1)
int orr_executor_new(const orr_executor_options *options ORR_OPT, orr_executor **out ORR_OUT,
    orr_error *err);
/// Lets it serve an engine.
ORR_API(1) ORR_ERR(STATE)
int orr_executor_add(orr_executor *executor, orr_engine *engine, orr_error *err);
/// Waits for what runs of an engine, and serves it no more. What its engines run cannot do that.
ORR_API(1) ORR_ERR(STATE)
int orr_executor_remove(orr_executor *executor, orr_engine *engine, orr_error *err);
/// Starts its threads.
ORR_API(1) int orr_executor_start(orr_executor *executor, orr_error *err);
/// Stops acquiring, waits for what runs, unlocks what was acquired. What its engines run cannot
/// stop it.
ORR_API(1) ORR_ERR(STATE) int orr_executor_stop(orr_executor *executor, orr_error *err);
ORR_API(1) void orr_executor_free(orr_executor *executor);

#ifdef __cplusplus
}
#endif
#endif
