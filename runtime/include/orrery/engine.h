/* An engine and its store: opening, clock, transactions, delegates in C, copies, checks. */
#ifndef ORRERY_ENGINE_H
#define ORRERY_ENGINE_H

#include "orrery/values.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Engine ---------------------------------------------------------------------------------- */

/* As lua_Alloc: with ptr NULL it allocates, with nsize 0 it frees (and cannot fail), else it
 * resizes. Called from any thread. */
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
/// Takes a line of the log. `fields` is a map: event, ids, times. Called from any thread.
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

/* How many threads run jobs, which jobs they acquire, and in what order. See docs/job-executor.md. */
typedef struct orr_executor_options {
  uint32_t size;
  uint32_t threads;                  /* 0: one per core */
  uint32_t queue_size;               /* acquired jobs held in memory; 0: 4000 */
  uint32_t max_jobs_per_acquisition; /* 0: 1000 */
  orr_duration lock_time;            /* 0: 300 s, or 20 s when the store is in PostgreSQL */
  orr_duration wait_time;            /* an idle executor's first pause, which a commit ends; 0: 5 s */
  orr_duration max_wait;             /* its longest pause; 0: 60 s */
  orr_duration backoff_time;         /* first wait after lost acquisitions; 0: 25 ms */
  orr_duration max_backoff;          /* the longest such wait; 0: 5 s */
  double backoff_factor;             /* each wait is so many times the last; 0: 2 */
  orr_switch acquire_by_priority;    /* highest priority first */
  orr_switch prefer_timer_jobs;      /* timers before other jobs */
  orr_switch acquire_by_due_date;    /* those without a due date, then the earliest */
  orr_duration acquire_by_aging;     /* the waiting that one priority point is worth; 0: off */
  const orr_value *priority_min;     /* only jobs of these priorities: integers, inclusive */
  const orr_value *priority_max;
  orr_switch deployment_aware;       /* only jobs of deployments that are registered with the engine */
  orr_switch exclusive_over_hierarchies; /* jobs of one root instance, too, run one at a time */
  const char *owner;                 /* the lock owner's name; default: host, process and engine */
  orr_duration drain_time;           /* how long a stop waits for jobs that await; 0: 30 s, ORR_TIME_NONE: for ever */
  orr_duration delegate_timeout;     /* how long a delegate may take whose task does not say; 0: as long as it likes */
} orr_executor_options ORR_OPTIONS;

/* Runs scripts and expressions for an engine; orr_lua_use of orrery/lua.h puts it in. */
typedef struct orr_scripts orr_scripts;

typedef struct orr_config {
  uint32_t size;
  const char *path;                     /* the store's directory, or its URL; NULL: a private temporary store */
  const char *name;                     /* default "default" */
  bool manual_clock;                    /* time stands still until orr_engine_set_time */
  orr_time now;                         /* the manual clock's first time; 0: 2026-01-01T00:00:00Z */
  const char *time_zone;                /* the store's, which keeps it; of a new store default "UTC" */
  orr_history_level history;            /* default audit */
  int64_t retries;                      /* how often a job is tried; 0: 3 */
  const char *retry_time_cycle;         /* when it is tried again, where a model says nothing: "R5/PT5M" */
  orr_switch produce_prioritized_jobs;  /* off: every job has priority 0; default on */
  orr_switch reevaluate_time_cycle_when_due; /* a cycle's expression, each time the timer fires; default off */
  orr_switch ensure_due_not_null;       /* a job without a due date gets its creation time; default off */
  const char *unhandled_bpmn_error;     /* "end", "raise" or NULL: by dialect */
  bool volatile_commits;                /* commits do not wait for the disk; a crash may lose the last ones */
  orr_dialect dialect;                  /* of all models; default: of each as orr_engine_model_dialect tells */
  const orr_executor_options *acquisition; /* what run_jobs, poll and executors use by default */
  const orr_value *allow;               /* array of the task types that are off by default: "shell" */
  const char *user;                     /* the acting user of each thread until it sets another */
  int64_t steps_max;                    /* operations one transaction may run; 0: 1,000,000, negative: no limit */
  orr_log_fn log;                       /* NULL: to stderr, each line with its time and thread */
  void *log_ud;
  orr_allocator allocator;              /* fn NULL: malloc */
  orr_log_level log_level;              /* the least severe that is logged; 0: all to `log`, warnings and errors to stderr */
  const char *retry_strategy;           /* registered name that decides after a job's failure; activities may name another */
  int64_t memory_max;                   /* bytes one transaction may fill; 0: 256 MiB, negative: no limit */
  int64_t tokens_max;                   /* tokens one instance may have at once; 0: 100,000, negative: no limit */
  const orr_scripts *scripts;           /* what orr_lua_use put in; NULL: the engine runs no scripts and no expressions */
  const void *scripts_options;          /* read by it when the engine opens */
} orr_config ORR_OPTIONS;

/// Sets the size, and everything else to its default.
ORR_API(1) void orr_config_init(orr_config *config);

/// Opens an engine. The configuration is copied. On failure *out is NULL. `argument`: also a time_zone
/// that is not the store's, and a folder that has other files and no store (none is made there).
ORR_API(1) ORR_ERR(ARGUMENT, MEMORY, STORE)
int orr_engine_open(const orr_config *config, orr_engine **out, orr_error *err);

/// Stops the engine's executors, rolls open transactions back (and logs that), and closes the
/// store. NULL is fine. A delegate or listener that the engine runs cannot close it: that is
/// logged, and the engine stays open.
ORR_API(1) void orr_engine_close(orr_engine *engine);

/// The engine's clock.
ORR_API(1) orr_time orr_engine_now(orr_engine *engine);
/// Sets the manual clock, to a time from 1970 to 9999. It may go back. `state`: the engine's clock
/// is the system's.
ORR_API(1) ORR_ERR(ARGUMENT, STATE)
int orr_engine_set_time(orr_engine *engine, orr_time time, orr_error *err);

/// The store's time zone, by whose clocks local times, cron, days, weeks, months and years are
/// meant: a new store takes the option `time_zone` or UTC, an older one that of the first engine
/// that is opened with the option.
/// @return its name, such as Europe/Berlin.
ORR_API(1) ORR_ERR(STORE)
int orr_engine_time_zone(orr_engine *engine, orr_builder *out, orr_error *err);
/// Gives the store another time zone. Every engine that has it open counts by it within a second.
/// What is due already stays due when it is. `state`: within a transaction.
ORR_API(1) ORR_ERR(ARGUMENT, CONFLICT, NOT_FOUND, STATE, STORE)
int orr_engine_set_time_zone(orr_engine *engine, const char *name, orr_error *err);

/// Has commands wait for nothing any more, for a host that ends. A command whose delegate or script awaits
/// something fails with `state` within half a second, on whichever thread it waits, and so does each one that
/// would come to wait. Nothing of it is kept. Jobs of an executor are not concerned. Any thread.
ORR_API(1) void orr_engine_waits_end(orr_engine *engine);

/// Begins a transaction on this thread, or deepens the one it has: commands join it and commit
/// together.
ORR_API(1) int orr_engine_begin(orr_engine *engine, orr_error *err);
/// Ends the innermost begin. The outermost one commits; on failure nothing was changed.
ORR_API(1) ORR_ERR(CONFLICT, STORE) int orr_engine_commit(orr_engine *engine, orr_error *err);
/// Ends the innermost begin and dooms the whole transaction: when the outermost one ends, nothing
/// is committed.
ORR_API(1) void orr_engine_rollback(orr_engine *engine);

/// Starts the thread that makes all commits, which orr_engine_commit_defer needs and an executor
/// starts anyway; it ends with the engine. Commands of several threads share a transaction of the
/// store, and so one sync of the disk, without it as well: while one of them writes, the others'
/// changes gather. With it a lone command takes some microseconds longer, because another thread
/// commits it.
ORR_API(1) ORR_ERR(LIMIT, MEMORY) int orr_engine_commits_share(orr_engine *engine, orr_error *err);

/// The outcome of a commit that its command did not wait for: `err` is NULL once it is on disk, else
/// it says why nothing was changed, and is valid during the call. Called once, on the engine's
/// thread that makes all commits: it must be quick, and must not call the engine.
typedef void (*orr_commit_fn)(void *ud, const orr_error *err) ORR_CALLBACK(call);

/// Keeps the calling thread from waiting for the disk. For a host with a loop of its own, after
/// orr_engine_commits_share. The next command that changes something returns once its changes are
/// handed over, and `done` is called with the outcome, perhaps before the command returns. Only
/// then may the host report success. Until then no command or read sees the changes, not even on
/// the same thread. `state`: this thread is in a transaction.
ORR_API(1) ORR_ERR(STATE)
int orr_engine_commit_defer(orr_engine *engine, orr_commit_fn done, void *ud, orr_error *err);
/// Lets the calling thread wait for its commits again. True when a command has deferred its commit
/// since orr_engine_commit_defer. False: it failed, had nothing to commit, or waited after all, and
/// `done` is not called.
ORR_API(1) bool orr_engine_commit_deferred(orr_engine *engine);

/// A command of a thread begins to wait (`waits`), or goes on. Called on that thread; it must be
/// quick, and must not call the engine.
typedef void (*orr_wait_fn)(void *ud, bool waits) ORR_CALLBACK(call);

/// Calls `waits` whenever a command of the calling thread begins or ends to wait: for a commit, or
/// for what a delegate awaits. So a host can let another of its threads run meanwhile. NULL: calls
/// nothing any more.
ORR_API(1)
int orr_engine_waits_watch(orr_engine *engine, orr_wait_fn waits ORR_OPT, void *ud,
    orr_error *err);

/// Sets the acting user of this thread's commands (audit fields, `authenticatedUserId`); NULL:
/// none.
ORR_API(1) int orr_engine_set_user(orr_engine *engine, const char *user ORR_OPT, orr_error *err);

/// Evaluates an expression as a model would, over `variables` or in the scope of an execution.
ORR_API(1) ORR_ERR(ARGUMENT, EXPRESSION, NOT_FOUND, SCRIPT)
int orr_engine_evaluate(orr_engine *engine, const char *expression,
    const orr_value *variables ORR_OPT, orr_id execution ORR_OPT, orr_builder *out, orr_error *err);

/* ---- Delegates in C -------------------------------------------------------------------------- */

/// What a delegate or listener sees of the execution that called it. Borrowed: it is valid until
/// the callback returns, on the thread that was called.
typedef struct orr_execution orr_execution ORR_CLASS(parent = orr_engine);

/// A delegate. Returns 0; or what orr_error_set (mostly with ORR_E_SCRIPT) or
/// orr_execution_bpmn_error returns, which fill `err`; or the code of a call that has failed and
/// filled it. Any other number fails the job too, and its message has the number. The engine
/// releases `err`. Called on whichever thread runs the job, and on several at once; it has ended
/// when it returns. `result` is an empty builder, which may take a value for resultVariable.
typedef int (*orr_delegate_fn)(void *ud, orr_execution *execution, orr_builder *result,
    orr_error *err) ORR_CALLBACK(until_close);

/// Registers a C function under a name that models use as class, delegateExpression or in
/// expressions, in place of what had that name. NULL removes it. Any thread.
ORR_API(1) ORR_ERR(ARGUMENT)
int orr_engine_delegate_register(orr_engine *engine, const char *name, orr_delegate_fn fn ORR_OPT,
    void *ud, orr_error *err);

/// The engine that runs the execution. Commands that the callback gives it join the execution's
/// transaction.
ORR_API(1) orr_engine *orr_execution_engine(orr_execution *execution);
/// A fact about the execution, by its name in the Lua API. ORR_NIL when there is none, or no fact
/// of that name. Borrowed until the callback returns.
///
/// - Of the process, texts but for the ids: `instance_id`, `root_id` (of the outermost caller),
///   `definition_id`, `definition_key`, `business_key`, `tenant`, `dialect`.
/// - Of the execution, ids: `id`, `parent_id`.
/// - Of where it stands, texts: `activity_id`, `activity_name`.
/// - Of listeners: `event_name`, `sequence_flow_id` and `delete_reason` are texts, `canceled` is a
///   boolean, and `task_id` is the id of a task listener's task.
/// - `job_id`: the id of the job that runs it.
///
/// Ids are integers; orr_engine_find looks for the job or the task (`jobs`, `tasks`).
ORR_API(1) orr_value orr_execution_info(orr_execution *execution, const char *name);
/// Reads a field that the model injects (`camunda:field`, `flowable:field`) into what is called;
/// its expression is evaluated now. ORR_NIL when there is none of that name. Borrowed until the
/// callback returns. A script or an expression that computes needs Lua (orr_lua_use).
ORR_API(1) ORR_ERR(EXPRESSION, SCRIPT)
int orr_execution_field(orr_execution *execution, const char *name, orr_value *out ORR_OUT,
    orr_error *err);
/// Reads a variable; ORR_NIL when there is none. Borrowed until the callback returns.
ORR_API(1)
int orr_execution_get(orr_execution *execution, const char *name, orr_reach reach,
    orr_value *out ORR_OUT, orr_error *err);
/// Sets a variable: in the nearest scope that has it, else in the instance; with ORR_LOCAL in the
/// execution's own scope.
ORR_API(1)
int orr_execution_set(orr_execution *execution, const char *name, const orr_value *value,
    orr_reach reach, orr_error *err);
/// Sets a variable that is seen until the transaction ends and never stored.
ORR_API(1)
int orr_execution_set_transient(orr_execution *execution, const char *name, const orr_value *value,
    orr_reach reach, orr_error *err);
/// Removes a variable: from the nearest scope that has it, with ORR_LOCAL from the execution's own
/// scope.
ORR_API(1)
int orr_execution_remove(orr_execution *execution, const char *name, orr_reach reach,
    orr_error *err);
/// Fills `err` with a BPMN error, to be returned from a delegate.
ORR_API(1)
int orr_execution_bpmn_error(orr_execution *execution ORR_OPT, const char *code,
    const char *message ORR_OPT, orr_error *err);

/* ---- The store ------------------------------------------------------------------------------- */

/// Whether a store's path is the URL of a PostgreSQL database, such as
/// `postgresql://user@host/database` or `service=NAME`: then many machines may share the store.
ORR_API(1) bool orr_store_is_url(const char *path);
/// Makes a store of the database of a URL, or brings one of an older version up to date. `grant`
/// names the role as which engines connect, when that does not own the tables. All or nothing; a
/// store that is up to date stays as it is. `store`: the server refuses, or the database is of a
/// newer version.
ORR_API(1) ORR_ERR(ARGUMENT, MEMORY, STORE)
int orr_store_make_schema(const char *url, const char *grant ORR_OPT, orr_error *err);

/// Progress of long work: `done` of `total`, in entries, or in bytes where the function says so.
/// Called now and then, on the thread that called the function; it must not call the engine.
typedef void (*orr_progress_fn)(void *ud, int64_t done, int64_t total) ORR_CALLBACK(call);

typedef struct orr_copy_options {
  uint32_t size;
  bool compact; /* leaves unused pages out: slower, and smaller */
  orr_progress_fn progress; /* in bytes; in entries when compact, or into or out of a database */
  void *progress_ud;
} orr_copy_options ORR_OPTIONS;

/// Copies the store, as of one commit. `path` is a folder that does not exist yet, or the URL of a
/// database whose schema is made (orr_store_make_schema) and which holds no store. The copy is a
/// store of its own, and is on disk when this returns.
///
/// A folder is written as "<path>.copying-…" and then renamed: a failure leaves nothing behind, a
/// kill leaves that folder. Into or out of a database every entry is put and then compared; an
/// unfinished copy is refused by orr_engine_open until a copy into the same database finishes.
/// Everything goes on meanwhile, in this process and in others; but a commit of this process that
/// needs a larger map waits until a copy of a folder ends. `state`: the path exists.
ORR_API(1) ORR_ERR(ARGUMENT, MEMORY, STATE, STORE)
int orr_engine_copy_to(orr_engine *engine, const char *path,
    const orr_copy_options *options ORR_OPT, orr_error *err);

typedef struct orr_upgrade_options {
  uint32_t size;
  bool keep;  /* keeps the old file, as data.mdb.old */
  bool force; /* goes on even when the check of the new file finds something */
  orr_progress_fn progress;
  void *progress_ud;
} orr_upgrade_options ORR_OPTIONS;

/// Brings a store on disk that an older version wrote to this version's format. A new file replaces
/// the old one in one step, so a failure, or a kill, leaves the store as it was. `state`: something
/// else has it open.
/// @return a map: from and to (formats; equal when there was nothing to do), records (how many were
/// written), problems (with `force`).
ORR_API(1) ORR_ERR(ARGUMENT, NOT_FOUND, STATE, STORE)
int orr_store_upgrade(const char *path, const orr_upgrade_options *options ORR_OPT,
    orr_builder *out,
    orr_error *err);

typedef struct orr_verify_options {
  uint32_t size;
  orr_progress_fn progress; /* in entries; the pages below them count as one each */
  void *progress_ud;
} orr_verify_options ORR_OPTIONS;

/// Checks the store: that its pages are intact (when they are not, nothing else is checked), that
/// every record can be read, that every index row and reference is right, that scopes count the
/// tokens they have, and that each token waits for something. The store may be in use: each
/// instance is read as of one commit.
/// @return an array of findings, empty when all is well.
ORR_API(1) ORR_ERR(ARGUMENT, STORE)
int orr_engine_verify(orr_engine *engine, const orr_verify_options *options ORR_OPT,
    orr_builder *out, orr_error *err);

#ifdef __cplusplus
}
#endif
#endif
