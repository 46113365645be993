/* An engine and its store: opening, clock, transactions, delegates in C, copies, checks. */
#ifndef ORRERY_ENGINE_H
#define ORRERY_ENGINE_H

#include "orrery/values.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Engine ---------------------------------------------------------------------------------- */

/* Like lua_Alloc: ptr NULL allocates, nsize 0 frees (and cannot fail), else resizes. */
typedef struct orr_allocator {
  void *(*fn)(void *ud, void *ptr, size_t osize, size_t nsize);
  void *ud;
} orr_allocator;

typedef enum orr_log_level {
  ORR_LOG_ERROR = 1,
  ORR_LOG_WARNING,
  ORR_LOG_INFO,
  ORR_LOG_DEBUG,
} orr_log_level;
/* `fields` is a map: event, ids, times. Called from any thread. */
typedef void (*orr_log_fn)(void *ud, orr_log_level level, const char *message,
    const orr_value *fields) ORR_CALLBACK(until_close);

typedef enum orr_history_level {
  ORR_HISTORY_DEFAULT,
  ORR_HISTORY_NONE,
  ORR_HISTORY_ACTIVITY,
  ORR_HISTORY_AUDIT,
  ORR_HISTORY_FULL,
} orr_history_level;

typedef enum orr_dialect {
  ORR_DIALECT_AUTO,
  ORR_DIALECT_CAMUNDA,
  ORR_DIALECT_FLOWABLE,
  ORR_DIALECT_ORRERY,
} orr_dialect;

/// One engine: a store, its definitions, and everything that runs on them.
typedef struct orr_engine orr_engine ORR_CLASS(destroy = orr_engine_close);

/* Order and range of job acquisition, and the executor's size. See docs/job-executor.md. */
typedef struct orr_executor_options {
  uint32_t size;
  uint32_t threads;                  /* 0: one per core */
  uint32_t queue_size;               /* acquired jobs held in memory; 0: 4000 */
  uint32_t max_jobs_per_acquisition; /* 0: 1000 */
  orr_duration lock_time;            /* 0: 300 s; 20 s of an executor in PostgreSQL */
  orr_duration wait_time;            /* first pause of an idle executor; it looks before that when the store changes; 0: 5 s */
  orr_duration max_wait;             /* 0: 60 s */
  orr_duration backoff_time;         /* first wait after lost acquisitions; 0: 25 ms */
  orr_duration max_backoff;          /* 0: 5 s */
  double backoff_factor;             /* 0: 2 */
  orr_switch acquire_by_priority;
  orr_switch prefer_timer_jobs;
  orr_switch acquire_by_due_date;
  double acquire_by_aging;           /* seconds (a fraction too) that one priority point is worth; 0: off */
  const orr_value *priority_min;     /* integers, inclusive */
  const orr_value *priority_max;
  orr_switch deployment_aware;
  orr_switch exclusive_over_hierarchies;
  const char *owner;                 /* lock owner's name; default: host, process and engine */
  orr_duration drain_time;           /* how long a stop waits for jobs that await something; 0: 30 s, ORR_TIME_NONE: for ever */
} orr_executor_options ORR_OPTIONS;

typedef struct orr_config {
  uint32_t size;
  const char *path;                     /* the store's directory, or its URL; NULL: a private temporary store */
  const char *name;                     /* default "default" */
  bool manual_clock;                    /* time stands until orr_engine_set_time */
  orr_time now;                         /* the manual clock's first time; 0: 2026-01-01T00:00:00Z */
  const char *time_zone;                /* default "UTC" */
  orr_history_level history;
  int64_t retries;                      /* 0: 3 */
  const char *retry_time_cycle;
  orr_switch produce_prioritized_jobs;  /* default on */
  orr_switch reevaluate_time_cycle_when_due;
  orr_switch ensure_due_not_null;
  const char *unhandled_bpmn_error;     /* "end", "raise" or NULL: by dialect */
  bool volatile_commits;                /* durability = "none": the system flushes when it likes */
  orr_dialect dialect;
  const orr_executor_options *acquisition; /* what run_jobs, poll and executors use by default */
  const orr_value *allow;               /* array of task types that reach outside */
  const char *user;
  int64_t steps_max;                    /* operations one transaction may run; 0: 1,000,000, negative: no limit */
  orr_log_fn log;                       /* NULL: to stderr, each line with its time and thread */
  void *log_ud;
  orr_allocator allocator;              /* fn NULL: malloc */
  orr_log_level log_level;              /* the least that is told; 0: everything to `log`, warnings and errors to stderr */
  /* the registered name that decides after a job's failure; activities may name their own */
  const char *retry_strategy;
  int64_t memory_max;                   /* bytes one transaction may fill; 0: 256 MiB, negative: no limit */
  int64_t tokens_max;                   /* tokens one instance may have at once; 0: 100,000, negative: no limit */
} orr_config ORR_OPTIONS;

ORR_API(1) void orr_config_init(orr_config *config);

/// Opens an engine. The configuration is copied. On failure *out is NULL.
ORR_API(1) ORR_ERR(ARGUMENT, MEMORY, STORE)
int orr_engine_open(const orr_config *config, orr_engine **out, orr_error *err);

/// Stops its executors, ends open transactions without committing, which it logs, and closes the
/// store. NULL is fine. What the engine runs (a delegate, a listener) cannot close it: that is
/// logged, and the engine stays open.
ORR_API(1) void orr_engine_close(orr_engine *engine);

/// The engine's clock.
ORR_API(1) orr_time orr_engine_now(orr_engine *engine);
/// Sets the manual clock: from 1970, where what is due at once lies in the past of every clock, to
/// 9999.
ORR_API(1) ORR_ERR(ARGUMENT, STATE)
int orr_engine_set_time(orr_engine *engine, orr_time time, orr_error *err);

/// Begins a transaction on this thread, or deepens the one it has: commands join it and commit
/// together.
ORR_API(1) int orr_engine_begin(orr_engine *engine, orr_error *err);
/// Ends the innermost begin; the outermost one commits.
ORR_API(1) ORR_ERR(CONFLICT, STORE) int orr_engine_commit(orr_engine *engine, orr_error *err);
/// Ends the innermost begin and marks the whole transaction as lost; the outermost end throws it
/// away.
ORR_API(1) void orr_engine_rollback(orr_engine *engine);

/// Has the commands that several threads run at once share transactions of the store, and so a sync
/// of the disk, until the engine is closed, as it is while an executor runs: for a host with
/// threads of its own, before they command. A command still returns once it is on disk; one that is
/// alone goes through another thread, which costs it some microseconds.
ORR_API(1) ORR_ERR(LIMIT, MEMORY) int orr_engine_share_commits(orr_engine *engine, orr_error *err);

/// The acting user of this thread's commands (audit fields, `authenticatedUserId`); NULL: none.
/// Copied.
ORR_API(1) int orr_engine_set_user(orr_engine *engine, const char *user ORR_OPT, orr_error *err);

/// What an expression of a model gives, over `variables` or in the scope of an execution.
ORR_API(1) ORR_ERR(ARGUMENT, EXPRESSION, NOT_FOUND, SCRIPT)
int orr_engine_evaluate(orr_engine *engine, const char *expression,
    const orr_value *variables ORR_OPT, orr_id execution ORR_OPT, orr_builder *out, orr_error *err);

/* ---- Delegates in C -------------------------------------------------------------------------- */

/// What a delegate or listener sees of the execution that called it. Borrowed: ends when the
/// callback returns.
typedef struct orr_execution orr_execution ORR_CLASS(parent = orr_engine);

/* Returns 0, or fills `err` (ORR_E_SCRIPT, or ORR_E_BPMN_ERROR through orr_execution_bpmn_error)
 * and returns its code. Called on whichever thread runs the job, several at once. `result` (a
 * builder, empty) may take a value for resultVariable. */
typedef int (*orr_delegate_fn)(void *ud, orr_execution *execution, orr_builder *result,
    orr_error *err) ORR_CALLBACK(until_close);

/// Registers a C function under a name that models use as class, delegateExpression or in
/// expressions. NULL removes it.
ORR_API(1) ORR_ERR(ARGUMENT)
int orr_engine_register(orr_engine *engine, const char *name, orr_delegate_fn fn, void *ud,
    orr_error *err);

ORR_API(1) orr_engine *orr_execution_engine(orr_execution *execution);
/// A fact about the execution by the names of the Lua API: id, instance_id, activity_id,
/// event_name, ...
ORR_API(1) orr_value orr_execution_info(orr_execution *execution, const char *name);
ORR_API(1)
int orr_execution_get(orr_execution *execution, const char *name, orr_reach reach, orr_value *out,
    orr_error *err);
ORR_API(1)
int orr_execution_set(orr_execution *execution, const char *name, const orr_value *value,
    orr_reach reach, orr_error *err);
/// A variable that is seen until the transaction ends and never stored.
ORR_API(1)
int orr_execution_set_transient(orr_execution *execution, const char *name, const orr_value *value,
    orr_reach reach, orr_error *err);
ORR_API(1)
int orr_execution_remove(orr_execution *execution, const char *name, orr_reach reach,
    orr_error *err);
/// Fills `err` with a BPMN error, to be returned from a delegate.
ORR_API(1)
int orr_execution_bpmn_error(orr_execution *execution, const char *code, const char *message,
    orr_error *err);

/* ---- The store ------------------------------------------------------------------------------- */

/// Whether a store's path is the URL of a PostgreSQL database, such as
/// postgresql://user@host/database or service=NAME: then many machines may share the store.
ORR_API(1) bool orr_store_is_url(const char *path);
/// Makes the database of a URL a store, or brings one of an older version up to date; `grant` is
/// the role of the engines that are to use it, when they do not come as the tables' owner. All or
/// nothing; what is up to date stays as it is. `store`: why the server refuses, or that the
/// database is of a newer version.
ORR_API(1) ORR_ERR(ARGUMENT, MEMORY, STORE)
int orr_store_make_schema(const char *url, const char *grant ORR_OPT, orr_error *err);

typedef struct orr_copy_options {
  uint32_t size;
  bool compact; /* without the pages that nothing uses: slower, and smaller */
} orr_copy_options ORR_OPTIONS;

/// Copies the store, as of one commit, to a folder that must not be there yet, or into the database
/// of a URL whose schema is made (orr_store_make_schema) and holds no store: a store of its own,
/// which is on the disk when this returns. A folder is made aside, as "<path>.copying-…", which
/// stays only when the process is killed; after a failure there is none. Into a database, or out of
/// one, every entry is put and then compared; what was begun is refused by orr_engine_open until a
/// copy into the same database comes to its end. Everything goes on meanwhile, in this process and
/// in others; a commit of this process that needs a larger map waits for the end of a copy of a
/// folder. `state`: the path is taken.
ORR_API(1) ORR_ERR(ARGUMENT, MEMORY, STATE, STORE)
int orr_engine_copy_to(orr_engine *engine, const char *path,
    const orr_copy_options *options ORR_OPT, orr_error *err);

/* `done` entries of `total`. */
typedef void (*orr_progress_fn)(void *ud, int64_t done, int64_t total) ORR_CALLBACK(call);

typedef struct orr_upgrade_options {
  uint32_t size;
  bool keep;  /* the old file stays, as data.mdb.old */
  bool force; /* also when the check of the new file finds something */
  orr_progress_fn progress;
  void *progress_ud;
} orr_upgrade_options ORR_OPTIONS;

/// Brings a store on disk that an older version wrote to this version's format: a new file takes
/// the old one's place by one step, so a failure, or a kill, leaves the store as it was. Nothing
/// else may have it open (`state`).
/// @return a map: from and to (formats; equal: there was nothing to do), records, problems (with
/// `force`).
ORR_API(1) ORR_ERR(ARGUMENT, NOT_FOUND, STATE, STORE)
int orr_upgrade(const char *path, const orr_upgrade_options *options ORR_OPT, orr_builder *out,
    orr_error *err);

/// Checks the store: that its pages hold together (when they do not, nothing else is looked at),
/// that every record can be read, that every index row and reference holds, that scopes count the
/// tokens they have, and that each token has something to wait for. It may be running: each
/// instance is looked at as it is at one instant.
/// @return an array of findings, empty when all is well.
ORR_API(1) ORR_ERR(STORE)
int orr_engine_verify(orr_engine *engine, orr_builder *out, orr_error *err);

#ifdef __cplusplus
}
#endif
#endif
