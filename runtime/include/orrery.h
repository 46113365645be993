/* orrery.h: a BPMN 2.0 workflow runtime that a program embeds.
 *
 * This header is the whole contract: what is not in it is not API. The Lua module's core, docs/api.md and the LuaCATS stubs are
 * generated from it (bindings/generate.lua), so its comments are the manual.
 *
 * Reading order: as it stands. Whoever embeds it needs values, engine and delegates in C first.
 *
 * Rules that hold everywhere
 * - Functions return 0 or a negative ORR_E_* code. `err`, always last, may be NULL; it must be zero or cleared on entry,
 *   is filled on failure, and is released with orr_error_clear.
 * - Option structs start with `uint32_t size` (sizeof); all other fields zero mean 'not given'. They are read during the
 *   call only.
 * - Texts are UTF-8, NUL-terminated, and copied by the callee. `const orr_value *` is read during the call only.
 * - Ids are opaque, never 0, and unique in a store. Times are milliseconds since the epoch, UTC.
 * - A value that the caller gives is read through `const orr_value *`; orr_iterate, orr_map_get and orr_builder read and
 *   write trees.
 * - An engine may be used from any thread. A transaction (orr_engine_begin) belongs to the thread that began it.
 * - A failed command leaves the store as it was.
 *
 * Caveats
 * - A store is opened once in a process: a second orr_engine_open of its path is ORR_E_STATE. Other processes may open
 *   it, too.
 * - A forked child must not use the parent's engines; every call answers ORR_E_STATE. It may exec.
 * - A delegate in C runs on a worker's thread and holds it while it runs; ids that it reads stay good, pointers end with
 *   the call.
 * - Time 0 is 'not given' in options and records: a clock at the epoch itself is not served. ORR_TIME_NONE says 'no time'.
 * - Stores on network file systems are refused: their locks and maps are not the machine's own. */
#ifndef ORRERY_H
#define ORRERY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define ORR_VERSION "0.1.0"
#define ORR_VERSION_NUMBER 100

/* Annotations for the binding generator; the compiler sees the first only. */
#define ORR_API(level) __attribute__((visibility("default")))
#define ORR_ERR(...)
#define ORR_CLASS(...)
#define ORR_OPTIONS
#define ORR_OPT
#define ORR_OUT
#define ORR_CONSUMES
#define ORR_BORROWED(owner)
#define ORR_CALLBACK(lifetime)

/* Names a record of a store for good; 0 names none. Lua sees ids as opaque texts. */
typedef uint64_t orr_id;
typedef int64_t orr_time;     /* milliseconds since the epoch */
typedef int64_t orr_duration; /* milliseconds */

#define ORR_TIME_NONE INT64_MIN /* 'no time', where 0 would be 'not given' */

/* ---- Errors ---------------------------------------------------------------------------------- */

/* name, number, the `kind` that Lua shows, text */
#define ORR_ERROR_MAP(X)                                                                              \
  X(ARGUMENT, -1, "argument", "an argument is wrong")                                                 \
  X(NOT_FOUND, -2, "not_found", "there is no such thing")                                             \
  X(DEPLOYMENT, -3, "deployment", "the resources cannot be deployed")                                 \
  X(EXPRESSION, -4, "expression", "an expression failed or gave the wrong kind of value")             \
  X(SCRIPT, -5, "script", "a delegate, listener or script raised an error")                           \
  X(BPMN_ERROR, -6, "bpmn_error", "a BPMN error that nothing caught")                                 \
  X(CONFLICT, -7, "conflict", "another transaction changed the same records first")                   \
  X(CORRELATION, -8, "correlation", "a message has no receiver, or several")                          \
  X(SUSPENDED, -9, "suspended", "the definition, instance or job is suspended")                       \
  X(STATE, -10, "state", "this is not possible now")                                                  \
  X(LIMIT, -11, "limit", "a limit was reached")                                                       \
  X(UNSUPPORTED, -12, "unsupported", "known, but not built")                                          \
  X(STORE, -13, "store", "the store failed or is damaged")                                            \
  X(MEMORY, -14, "memory", "out of memory")

enum {
#define ORR_X(name, number, kind, text) ORR_E_##name = number,
  ORR_ERROR_MAP(ORR_X)
#undef ORR_X
};

typedef struct orr_value orr_value;

/* What went wrong. Lives in the caller's frame; what it points at belongs to it until orr_error_clear. */
typedef struct orr_error {
  int code;            /* ORR_E_*, 0 when nothing failed */
  int line;            /* place in Orrery's source */
  const char *file;
  char *message;       /* NULL only when memory was out; then use orr_strerror(code) */
  char *traceback;     /* of a script failure, or NULL */
  orr_value *details;  /* a map: problems, cause, error_code, suggestion, ..., or NULL */
} orr_error;

/// The stock text of a code.
ORR_API(1) const char *orr_strerror(int code);
/// The kind that Lua shows for a code, such as "not_found".
ORR_API(1) const char *orr_error_kind(int code);
/// Releases what an error holds and makes it reusable.
ORR_API(1) void orr_error_clear(orr_error *err);

/* ---- Values ---------------------------------------------------------------------------------- */

typedef enum orr_type {
  ORR_NIL = 0, /* no value: the variable does not exist */
  ORR_NULL,    /* a variable that exists and holds null */
  ORR_BOOL,
  ORR_INT,
  ORR_FLOAT,
  ORR_STRING, /* any bytes */
  ORR_ARRAY,
  ORR_MAP, /* string keys, ascending */
} orr_type;

/* What a variable was declared as, by the names of Camunda's value types; orr_type says how it is held. Only
 * orr_builder_typed makes declared values. */
typedef enum orr_declared {
  ORR_UNDECLARED = 0,
  ORR_DECLARED_BOOLEAN, /* this, DOUBLE and STRING: of a null; what another value is follows from its type */
  ORR_DECLARED_SHORT,
  ORR_DECLARED_INTEGER,
  ORR_DECLARED_LONG,
  ORR_DECLARED_DOUBLE,
  ORR_DECLARED_STRING,
  ORR_DECLARED_DATE,   /* seconds since the epoch: ORR_INT or ORR_FLOAT */
  ORR_DECLARED_BYTES,  /* an ORR_STRING, as XML and JSON */
  ORR_DECLARED_FILE,   /* a map: value (the bytes), filename, mimetype, encoding */
  ORR_DECLARED_XML,
  ORR_DECLARED_JSON,   /* the text as it was given; arrays and maps are Json without a declaration */
  ORR_DECLARED_OBJECT, /* a map: value (the serialized text), objectTypeName, serializationDataFormat */
} orr_declared;

/* A scalar, or a borrowed view of bytes that somebody else owns. Arrays and maps are views of an encoding that only
 * orr_iterate, orr_map_get and orr_builder read and write. */
struct orr_value {
  uint16_t type;    /* orr_type */
  uint8_t declared; /* orr_declared */
  bool transient;   /* where variables go in: this one is transient */
  uint32_t size;    /* bytes of string, array, map */
  union {
    bool boolean;
    int64_t integer;
    double number;
    const char *bytes;
  } as;
};

/* Walks an array or a map. */
typedef struct orr_iterator {
  const uint8_t *at, *end;
  bool map;
} orr_iterator;

ORR_API(1) orr_value orr_null(void);
ORR_API(1) orr_value orr_bool(bool b);
ORR_API(1) orr_value orr_int(int64_t i);
ORR_API(1) orr_value orr_float(double f);
ORR_API(1) orr_value orr_string(const char *text);                  /* borrowed; NULL gives ORR_NIL */
ORR_API(1) orr_value orr_bytes(const void *bytes, size_t size);     /* borrowed */
ORR_API(1) orr_iterator orr_iterate(const orr_value *array_or_map); /* of anything else: empty */
/// The next element. `key` (may be NULL) is set for maps. False at the end.
ORR_API(1) bool orr_next(orr_iterator *iterator, orr_value *key, orr_value *value);
/// Looks a key up in a map; ORR_NIL when it has none.
ORR_API(1) orr_value orr_map_get(const orr_value *map, const char *key);
ORR_API(1) size_t orr_count(const orr_value *array_or_map);

/* Builds a value tree in memory that it owns. Errors are kept and reported once, by orr_builder_value. */
typedef struct orr_builder orr_builder;
ORR_API(1) orr_builder *orr_builder_new(void);
ORR_API(1) void orr_builder_free(orr_builder *builder);
ORR_API(1) void orr_builder_array(orr_builder *builder);
ORR_API(1) void orr_builder_map(orr_builder *builder);
ORR_API(1) void orr_builder_key(orr_builder *builder, const char *key, size_t size); /* any order; the last of equals stays */
ORR_API(1) void orr_builder_add(orr_builder *builder, const orr_value *value);
ORR_API(1) void orr_builder_end(orr_builder *builder);
/// Adds a value of a declared type, named as by Camunda in any case: "Integer", "date", "File". `value` may be NULL or a
/// null; a Date is a number of seconds since the epoch or an ISO 8601 text, a Json a text of JSON, an array or a map, an
/// Object its serialized text, which the engine never reads. `info` is a map or NULL: filename, mimetype and encoding of a
/// File, objectTypeName and serializationDataFormat of an Object, transient (a boolean) of any. `argument`: it does not fit
/// the type; then nothing is added.
ORR_API(1) ORR_ERR(ARGUMENT, MEMORY)
int orr_builder_typed(orr_builder *builder, const char *type, const orr_value *value, const orr_value *info, orr_error *err);
/// Adds a map that says what a value is and what was declared of it: type (as for orr_builder_typed; whole numbers without
/// a declaration are Integer within 32 bits, else Long; arrays and maps are Json; "Null"), value (absent: null; of a Json
/// its text, of a File its bytes), info (where there is any). orr_builder_typed of it gives the value again.
ORR_API(1) ORR_ERR(MEMORY) int orr_builder_describe(orr_builder *builder, const orr_value *value, orr_error *err);
/// The name of a value's type, as orr_builder_describe gives it; NULL for ORR_NIL.
ORR_API(1) const char *orr_value_type_name(const orr_value *value);
/// An entry of the open map: key and value in one call; ORR_NIL makes none.
ORR_API(1) void orr_builder_put(orr_builder *builder, const char *key, orr_value value);
/// A map of resources, for orr_engine_deploy: a file, or every file of a folder and of the folders below it, named by its
/// path from there. Hidden files (.env, .git) are left out.
ORR_API(1) ORR_ERR(LIMIT, MEMORY, NOT_FOUND) int orr_builder_resources(orr_builder *builder, const char *path, orr_error *err);
/// The finished value, borrowed from the builder until it is freed.
ORR_API(1) int orr_builder_value(orr_builder *builder, orr_value *out, orr_error *err);
/// Empties the builder, which keeps its memory for the next value; what it gave before is gone.
ORR_API(1) void orr_builder_reset(orr_builder *builder);

/* ---- Words of many calls --------------------------------------------------------------------- */

typedef enum orr_switch { ORR_UNSET, ORR_OFF, ORR_ON } orr_switch;

/* What calls say instead of true and false; to Lua they are booleans. */
typedef enum orr_cascade { ORR_ALONE, ORR_CASCADE } orr_cascade;       /* what hangs on it, too */
typedef enum orr_reach { ORR_VISIBLE, ORR_LOCAL } orr_reach;           /* all that the scope sees, or what is its own */
typedef enum orr_due_basis { ORR_FROM_NOW, ORR_FROM_CREATION } orr_due_basis;
typedef enum orr_cron_rules { ORR_CRON_QUARTZ, ORR_CRON_CAMUNDA } orr_cron_rules;

/* ---- Times ----------------------------------------------------------------------------------- */

/// Reads an ISO 8601 date or time; without a zone it is UTC.
/// @return milliseconds since the epoch.
ORR_API(1) ORR_ERR(ARGUMENT) int orr_time_parse(const char *text, orr_time *out ORR_OUT, orr_error *err);
/// Reads an ISO 8601 duration; months and years are counted from `base`.
/// @return its length in milliseconds.
ORR_API(1)
ORR_ERR(ARGUMENT, LIMIT) int orr_duration_parse(const char *text, orr_time base, orr_duration *out ORR_OUT, orr_error *err);
/// The next firing of a cron expression after a time, by the clocks of a zone (UTC when not given). By Quartz's rules
/// weekdays count from Sunday = 1, by Camunda's from Sunday = 0. `not_found`: it never fires.
/// @return milliseconds since the epoch.
ORR_API(1) ORR_ERR(ARGUMENT, MEMORY, NOT_FOUND)
int orr_cron_next(const char *expression, orr_time after, const char *zone ORR_OPT, orr_cron_rules rules, orr_time *out ORR_OUT,
                  orr_error *err);
/// Writes a time as ISO 8601, such as 2026-03-15T10:20:30Z.
ORR_API(1) int orr_time_format(orr_time time, orr_builder *out, orr_error *err);
/// Writes a time by the clocks of a zone, such as 2026-03-15T11:20:30+01:00 for Europe/Berlin.
ORR_API(1) ORR_ERR(ARGUMENT, MEMORY, NOT_FOUND)
int orr_time_format_local(orr_time time, const char *zone, orr_builder *out, orr_error *err);

/* ---- Engine ---------------------------------------------------------------------------------- */

/* Like lua_Alloc: ptr NULL allocates, nsize 0 frees (and cannot fail), else resizes. */
typedef struct orr_allocator {
  void *(*fn)(void *ud, void *ptr, size_t osize, size_t nsize);
  void *ud;
} orr_allocator;

typedef enum orr_log_level { ORR_LOG_ERROR = 1, ORR_LOG_WARNING, ORR_LOG_INFO, ORR_LOG_DEBUG } orr_log_level;
/* `fields` is a map: event, ids, times. Called from any thread. */
typedef void (*orr_log_fn)(void *ud, orr_log_level level, const char *message, const orr_value *fields)
    ORR_CALLBACK(until_close);

typedef enum orr_history_level { ORR_HISTORY_DEFAULT, ORR_HISTORY_NONE, ORR_HISTORY_ACTIVITY, ORR_HISTORY_AUDIT,
    ORR_HISTORY_FULL } orr_history_level;
typedef enum orr_dialect { ORR_DIALECT_AUTO, ORR_DIALECT_CAMUNDA, ORR_DIALECT_FLOWABLE, ORR_DIALECT_ORRERY } orr_dialect;
/// One engine: a store, its definitions, and everything that runs on them.
typedef struct orr_engine orr_engine ORR_CLASS(destroy = orr_engine_close);

/* Order and range of job acquisition, and the executor's size. See docs/job-executor.md. */
typedef struct orr_executor_options {
  uint32_t size;
  uint32_t threads;                  /* 0: one per core */
  uint32_t queue_size;               /* acquired jobs held in memory; 0: 4000 */
  uint32_t max_jobs_per_acquisition; /* 0: 1000 */
  orr_duration lock_time;            /* 0: 300 s */
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

typedef void (*orr_progress_fn)(void *ud, int64_t done, int64_t total) ORR_CALLBACK(call); /* so many entries of so many */

typedef struct orr_upgrade_options {
  uint32_t size;
  bool keep;  /* the old file stays, as data.mdb.old */
  bool force; /* also when the check of the new file finds something */
  orr_progress_fn progress;
  void *progress_ud;
} orr_upgrade_options ORR_OPTIONS;

/// Brings a store on disk that an older version wrote to this version's format: a new file takes the old one's place by
/// one step, so a failure, or a kill, leaves the store as it was. Nothing else may have it open (`state`).
/// @return a map: from and to (formats; equal: there was nothing to do), records, problems (with `force`).
ORR_API(1) ORR_ERR(ARGUMENT, NOT_FOUND, STATE, STORE)
int orr_upgrade(const char *path, const orr_upgrade_options *options ORR_OPT, orr_builder *out, orr_error *err);

ORR_API(1) void orr_config_init(orr_config *config);

/// Opens an engine. The configuration is copied. On failure *out is NULL.
ORR_API(1) ORR_ERR(ARGUMENT, MEMORY, STORE)
int orr_engine_open(const orr_config *config, orr_engine **out, orr_error *err);

/// Stops its executors, ends open transactions without committing, which it logs, and closes the store. NULL is fine. What
/// the engine runs (a delegate, a listener) cannot close it: that is logged, and the engine stays open.
ORR_API(1) void orr_engine_close(orr_engine *engine);

/// Whether a store's path is the URL of a PostgreSQL database, such as postgresql://user@host/database or service=NAME: then
/// many machines may share the store.
ORR_API(1) bool orr_store_is_url(const char *path);
/// Makes the database of a URL a store, or brings one of an older version up to date; `grant` is the role of the engines
/// that are to use it, when they do not come as the tables' owner. All or nothing; what is up to date stays as it is.
/// `store`: why the server refuses, or that the database is of a newer version.
ORR_API(1) ORR_ERR(ARGUMENT, MEMORY, STORE)
int orr_store_make_schema(const char *url, const char *grant ORR_OPT, orr_error *err);

typedef struct orr_copy_options {
  uint32_t size;
  bool compact; /* without the pages that nothing uses: slower, and smaller */
} orr_copy_options ORR_OPTIONS;

/// Copies the store, as of one commit, to a folder that must not be there yet, or into the database of a URL whose schema is
/// made (orr_store_make_schema) and holds no store: a store of its own, which is on the disk when this returns. A folder is
/// made aside, as "<path>.copying-…", which stays only when the process is killed; after a failure there is none. Into a
/// database, or out of one, every entry is put and then compared; what was begun is refused by orr_engine_open until a copy
/// into the same database comes to its end. Everything goes on meanwhile, in this process and in others; a commit of this
/// process that needs a larger map waits for the end of a copy of a folder. `state`: the path is taken.
ORR_API(1) ORR_ERR(ARGUMENT, MEMORY, STATE, STORE)
int orr_engine_copy_to(orr_engine *engine, const char *path, const orr_copy_options *options ORR_OPT, orr_error *err);

/// The engine's clock.
ORR_API(1) orr_time orr_engine_now(orr_engine *engine);
/// Sets the manual clock: from 1970, where what is due at once lies in the past of every clock, to 9999.
ORR_API(1) ORR_ERR(ARGUMENT, STATE) int orr_engine_set_time(orr_engine *engine, orr_time time, orr_error *err);

/// Begins a transaction on this thread, or deepens the one it has: commands join it and commit together.
ORR_API(1) int orr_engine_begin(orr_engine *engine, orr_error *err);
/// Ends the innermost begin; the outermost one commits.
ORR_API(1) ORR_ERR(CONFLICT, STORE) int orr_engine_commit(orr_engine *engine, orr_error *err);
/// Ends the innermost begin and marks the whole transaction as lost; the outermost end throws it away.
ORR_API(1) void orr_engine_rollback(orr_engine *engine);

/// Has the commands that several threads run at once share transactions of the store, and so a sync of the disk, until the
/// engine is closed, as it is while an executor runs: for a host with threads of its own, before they command. A command
/// still returns once it is on disk; one that is alone goes through another thread, which costs it some microseconds.
ORR_API(1) ORR_ERR(LIMIT, MEMORY) int orr_engine_share_commits(orr_engine *engine, orr_error *err);

/// The acting user of this thread's commands (audit fields, `authenticatedUserId`); NULL: none. Copied.
ORR_API(1) int orr_engine_set_user(orr_engine *engine, const char *user ORR_OPT, orr_error *err);

/// What an expression of a model gives, over `variables` or in the scope of an execution.
ORR_API(1)
ORR_ERR(ARGUMENT, EXPRESSION, NOT_FOUND,
        SCRIPT) int orr_engine_evaluate(orr_engine *engine, const char *expression, const orr_value *variables ORR_OPT,
                                        orr_id execution ORR_OPT, orr_builder *out, orr_error *err);

/* ---- Delegates in C -------------------------------------------------------------------------- */

/// What a delegate or listener sees of the execution that called it. Borrowed: ends when the callback returns.
typedef struct orr_execution orr_execution ORR_CLASS(parent = orr_engine);

/* Returns 0, or fills `err` (ORR_E_SCRIPT, or ORR_E_BPMN_ERROR through orr_execution_bpmn_error) and returns its code.
 * Called on whichever thread runs the job, several at once. `result` (a builder, empty) may take a value for
 * resultVariable. */
typedef int (*orr_delegate_fn)(void *ud, orr_execution *execution, orr_builder *result, orr_error *err)
    ORR_CALLBACK(until_close);

/// Registers a C function under a name that models use as class, delegateExpression or in expressions. NULL removes it.
ORR_API(1)
ORR_ERR(ARGUMENT) int orr_engine_register(orr_engine *engine, const char *name, orr_delegate_fn fn, void *ud, orr_error *err);

ORR_API(1) orr_engine *orr_execution_engine(orr_execution *execution);
/// A fact about the execution by the names of the Lua API: id, instance_id, activity_id, event_name, ...
ORR_API(1) orr_value orr_execution_info(orr_execution *execution, const char *name);
ORR_API(1) int orr_execution_get(orr_execution *execution, const char *name, orr_reach reach, orr_value *out, orr_error *err);
ORR_API(1)
int orr_execution_set(orr_execution *execution, const char *name, const orr_value *value, orr_reach reach, orr_error *err);
/// A variable that is seen until the transaction ends and never stored.
ORR_API(1)
int orr_execution_set_transient(orr_execution *execution, const char *name, const orr_value *value, orr_reach reach,
                                orr_error *err);
ORR_API(1) int orr_execution_remove(orr_execution *execution, const char *name, orr_reach reach, orr_error *err);
/// Fills `err` with a BPMN error, to be returned from a delegate.
ORR_API(1) int orr_execution_bpmn_error(orr_execution *execution, const char *code, const char *message, orr_error *err);

/* ---- Lists ----------------------------------------------------------------------------------- */

/// Records that a call returned: snapshots, owned by the caller.
typedef struct orr_records orr_records ORR_CLASS(destroy = orr_records_free);

ORR_API(1) void orr_records_free(orr_records *records);
ORR_API(1) size_t orr_records_count(const orr_records *records);
/// One field of one record, by the names of the Lua API; ORR_NIL when it is not set. Borrowed from the records.
ORR_API(1) orr_value orr_records_get(const orr_records *records, size_t index, const char *field);
/// The id of one record; 0 when there is no such record, or its kind has none.
ORR_API(1) orr_id orr_records_id(const orr_records *records, size_t index);
/// The `n`th field (from 0) of a record that is set, with its name; false when there are no more. For walking all fields.
ORR_API(1) bool orr_records_field(const orr_records *records, size_t index, size_t n, const char **name, orr_value *value);
/// The kind of the records: "task", "job", ...
ORR_API(1) const char *orr_records_kind(const orr_records *records);

/// Lists records. Verbs: deployments, definitions, instances, executions, subscriptions, tasks, jobs, job_definitions,
/// incidents, external_tasks, external_topics, variables, decisions, history_instances, history_activities,
/// history_tasks, history_variables, history_incidents, history_jobs, history_externals, history_decisions,
/// history_details, history_links, history_flows, history_operations, comments, attachments, limits, batches. Filters are
/// a map whose conditions must all hold: a field's name for equality, or with an operator behind it (_ne _in _not_in
/// _like _not_like _before _after _gt _ge _lt _le, and without regard to case _ieq _ine _ilike _not_ilike; patterns as
/// SQL's: % any run, _ any byte, after a backslash they are themselves), or a key of the verb's own; any, all and none
/// take arrays of filters of which one, each, not one must fit. order_by, limit, offset and with_variables say how what
/// fits is shown. docs/lists.md has every key, and what it costs. A time named …_at may go without: started_before. Times
/// in filters are numbers of seconds since the epoch or ISO 8601 texts; in records they are numbers of seconds
/// (ORR_FLOAT).
ORR_API(1)
ORR_ERR(ARGUMENT, STORE) int orr_engine_list(orr_engine *engine, const char *verb, const orr_value *filter ORR_OPT,
                                             orr_records **out ORR_OUT, orr_error *err);
/// Counts what orr_engine_list would list.
ORR_API(1)
ORR_ERR(ARGUMENT, STORE) int orr_engine_count(orr_engine *engine, const char *verb, const orr_value *filter ORR_OPT,
                                              int64_t *out ORR_OUT, orr_error *err);
/// The record of a verb with this id: one record, or none.
ORR_API(1) ORR_ERR(ARGUMENT, STORE)
int orr_engine_find(orr_engine *engine, const char *verb, orr_id id, orr_records **out ORR_OUT, orr_error *err);

/// Counts what runs. `request` is a map, or NULL: definition (an id), failed_jobs, incidents, root_incidents (switches),
/// incident_type. Without a definition a row for each that is deployed: definition_id, definition_key, version, name,
/// tenant, deployment_id, instances, and as asked for failed_jobs (those without tries) and incidents (a map of types and
/// counts). With one, a row for each activity at which tokens stand, or that has what was asked for: activity_id and the
/// same counts. One walk along an index, whatever the number of activities.
ORR_API(1) ORR_ERR(ARGUMENT, NOT_FOUND, STORE)
int orr_engine_statistics(orr_engine *engine, const orr_value *request ORR_OPT, orr_records **out ORR_OUT, orr_error *err);
/// Counts what history tells of a definition's activities. `request` is a map: definition (an id), incidents (a switch), and
/// of which process instances: instance_in, started_before, started_after, ended_before, ended_after (inclusive). Rows:
/// activity_id, instances (not ended), finished, canceled (of these), complete_scope (ended, and no flow leaves it), and as
/// asked for open_incidents, resolved_incidents, deleted_incidents.
ORR_API(1) ORR_ERR(ARGUMENT, STORE)
int orr_engine_history_statistics(orr_engine *engine, const orr_value *request, orr_records **out ORR_OUT, orr_error *err);

/* ---- Repository ------------------------------------------------------------------------------ */

typedef struct orr_deploy_options {
  uint32_t size;
  const char *name;
  const char *tenant;
  /* since its namesake. "true": skip when nothing changed; "changed": deploy only what changed */
  const char *filter_duplicates;
  orr_time activate_at;          /* definitions are suspended until then */
  const char *source;            /* where it comes from, in the caller's words */
} orr_deploy_options ORR_OPTIONS;

/// Deploys resources: a map of names to bytes. All or nothing; the error's `problems` detail lists what was found: at most
/// a hundred problems, and of those that say the same of different things twenty-five, the last of which tells how many
/// more there are.
/// @return the deployment, with `definitions`, `resources` and `warnings`.
ORR_API(1) ORR_ERR(ARGUMENT, DEPLOYMENT, STORE)
int orr_engine_deploy(orr_engine *engine, const orr_value *resources, const orr_deploy_options *options ORR_OPT,
                      orr_records **out ORR_OUT, orr_error *err);
/// Parses and checks resources as a deployment would, and stores nothing.
/// @return an array of problems and warnings.
ORR_API(1) ORR_ERR(ARGUMENT, MEMORY)
int orr_engine_check(orr_engine *engine, const orr_value *resources, orr_builder *out, orr_error *err);
/// Deletes a deployment and its definitions; with cascade also their instances and history.
ORR_API(1) ORR_ERR(NOT_FOUND, STATE)
int orr_engine_undeploy(orr_engine *engine, orr_id deployment, orr_cascade cascade, orr_error *err);
/// Deletes one version of a definition; with cascade also its instances and history.
ORR_API(1) ORR_ERR(NOT_FOUND, STATE)
int orr_engine_delete_definition(orr_engine *engine, orr_id definition, orr_cascade cascade, orr_error *err);
/// The bytes of one resource of a deployment.
ORR_API(1) ORR_ERR(NOT_FOUND)
int orr_engine_resource(orr_engine *engine, orr_id deployment, const char *name, orr_builder *out, orr_error *err);
/// The names of a deployment's resources: an array, sorted.
ORR_API(1) ORR_ERR(NOT_FOUND)
int orr_engine_resources(orr_engine *engine, orr_id deployment, orr_builder *out, orr_error *err);

/* ---- Decisions ------------------------------------------------------------------------------- */

typedef struct orr_decision_options {
  uint32_t size;
  const char *key;           /* the id of a decision or decision service; its name when no decision has that id */
  int64_t version;           /* 0: the latest */
  const char *version_tag;
  const char *tenant;        /* "": of none. NULL: of none, else of the only tenant that has it */
  orr_id deployment;
} orr_decision_options ORR_OPTIONS;

/// Deletes one version of a decision; with cascade also the history of what it decided outside of instances. The version
/// before it, if any, is the latest then.
ORR_API(1) ORR_ERR(NOT_FOUND)
int orr_engine_delete_decision(orr_engine *engine, orr_id decision, orr_cascade cascade, orr_error *err);
/// Finds the decision that is meant. `argument`: several tenants have it.
/// @return its record alone.
ORR_API(1) ORR_ERR(ARGUMENT, NOT_FOUND)
int orr_engine_decision(orr_engine *engine, const orr_decision_options *options, orr_records **out ORR_OUT, orr_error *err);
/// Evaluates a decision, or a decision service, and what it requires, over `variables`: its own transaction, or the caller's.
/// `state`: the engine has no script host (the Lua module brings one). Kept in history at the level full.
/// @return an array with a map for each result, of outputs by name: of a table one for each rule that its hit policy takes;
/// of a service one with its output decisions.
ORR_API(1) ORR_ERR(ARGUMENT, DEPLOYMENT, LIMIT, NOT_FOUND, SCRIPT, STATE)
int orr_engine_decide(orr_engine *engine, const orr_decision_options *options, const orr_value *variables ORR_OPT,
                      orr_builder *out, orr_error *err);
/// What the model says of a decision's table, which is what names the numbers of history_decisions.
/// @return a map: inputs, outputs, rules: arrays of maps, in the table's order, of id, of inputs and outputs also label, of
/// outputs name; all empty when the decision is none by a table; aggregation, when it collects by one.
ORR_API(1) ORR_ERR(DEPLOYMENT, NOT_FOUND)
int orr_engine_decision_table(orr_engine *engine, orr_id decision, orr_builder *out, orr_error *err);
/// The Lua code of a DMN resource of a deployment, made anew: a Lua state asks once and keeps what it loads.
ORR_API(1) ORR_ERR(DEPLOYMENT, NOT_FOUND)
int orr_engine_decision_code(orr_engine *engine, orr_id deployment, const char *resource, orr_builder *out, orr_error *err);
/// What deciding has to know of the engine.
/// @return a map: recorded (is history kept at the level full?), time_zone.
ORR_API(1) int orr_engine_decision_settings(orr_engine *engine, orr_builder *out, orr_error *err);
/// Writes down what was decided: an array of maps (decision_id, decision_key, name, version, tenant, inputs, rules,
/// outputs, result), the decision that was asked for first. With an execution it belongs to its instance.
ORR_API(1) ORR_ERR(STORE)
int orr_engine_record_decisions(orr_engine *engine, const orr_value *rows, orr_id execution ORR_OPT, orr_error *err);
/// Compiles one of a map of resources without an engine; the others are what it may import. With `lenient` an expression
/// that is none gives null and a warning.
/// @return a map: problems, an array; code, when there is no error among them; name.
ORR_API(1) ORR_ERR(MEMORY)
int orr_decision_compile(const orr_value *resources, const char *resource, bool lenient, orr_builder *out, orr_error *err);
/// Counts the commits that the engine's store has seen, of any process: what was read before is still so while it stays the
/// same. Nothing (-1) inside a transaction or a job, where changes are seen before their commit.
ORR_API(1) int64_t orr_engine_changes(orr_engine *engine);

typedef struct orr_suspend_options {
  uint32_t size;
  orr_id definition;
  const char *key;             /* every version of it */
  const char *tenant;
  bool instances;              /* the running instances too */
  orr_time at;                 /* later, by a job */
} orr_suspend_options ORR_OPTIONS;

/// Suspends definitions: no new instances; with `instances`, the running ones too.
ORR_API(1) ORR_ERR(ARGUMENT, NOT_FOUND)
int orr_engine_suspend_definition(orr_engine *engine, const orr_suspend_options *options, orr_error *err);
/// The opposite of orr_engine_suspend_definition.
ORR_API(1) ORR_ERR(ARGUMENT, NOT_FOUND)
int orr_engine_activate_definition(orr_engine *engine, const orr_suspend_options *options, orr_error *err);
/// Suspends the instances a filter (as of the `instances` verb) finds; it needs a criterion.
ORR_API(1) ORR_ERR(ARGUMENT, NOT_FOUND)
int orr_engine_suspend_instances(orr_engine *engine, const orr_value *filter, orr_error *err);
/// The opposite of orr_engine_suspend_instances.
ORR_API(1) ORR_ERR(ARGUMENT, NOT_FOUND)
int orr_engine_activate_instances(orr_engine *engine, const orr_value *filter, orr_error *err);
/// Suspends the jobs a filter (as of the `jobs` verb) finds; it needs a criterion.
ORR_API(1) ORR_ERR(ARGUMENT, NOT_FOUND)
int orr_engine_suspend_jobs(orr_engine *engine, const orr_value *filter, orr_error *err);
/// The opposite of orr_engine_suspend_jobs.
ORR_API(1) ORR_ERR(ARGUMENT, NOT_FOUND)
int orr_engine_activate_jobs(orr_engine *engine, const orr_value *filter, orr_error *err);

/// Lets deployment-aware executors of this engine take the jobs of a deployment.
ORR_API(1) int orr_engine_register_deployment(orr_engine *engine, orr_id deployment, orr_error *err);
/// The opposite of orr_engine_register_deployment.
ORR_API(1) int orr_engine_unregister_deployment(orr_engine *engine, orr_id deployment, orr_error *err);
/// An array of deployment ids.
ORR_API(1) int orr_engine_registered_deployments(orr_engine *engine, orr_builder *out, orr_error *err);

/* ---- Running --------------------------------------------------------------------------------- */

typedef struct orr_start_options {
  uint32_t size;
  const char *key;               /* the latest version of it, or `version` */
  orr_id definition;             /* or exactly this one, of any version */
  const char *message;           /* or by the message of a message start event; of `definition`, where that is given, too */
  int64_t version;
  const char *tenant;
  const char *business_key;
  const char *initiator;
  const char *start_event;
  const orr_value *variables;
  const orr_value *transient;
  const orr_value *instructions; /* as for orr_engine_modify: start there instead of at a start event */
  bool skip_listeners, skip_io_mappings;
  bool async;                    /* by a job */
} orr_start_options ORR_OPTIONS;

/// Starts a process instance and runs it to its first wait states.
/// @return the instance; it may have ended.
ORR_API(1) ORR_ERR(ARGUMENT, BPMN_ERROR, CORRELATION, EXPRESSION, NOT_FOUND, SCRIPT, STATE, SUSPENDED)
int orr_engine_start(orr_engine *engine, const orr_start_options *options, orr_records **out ORR_OUT, orr_error *err);

typedef struct orr_message_options {
  uint32_t size;
  orr_id instance, execution, definition;
  const char *business_key;
  const char *tenant;
  const orr_value *match, *local_match;      /* variables the receiver must have */
  const orr_value *variables;                /* to the instance */
  const orr_value *local_variables;          /* to the waiting scope */
  const orr_value *triggered_variables;      /* to the scope that the message opens */
  const orr_value *transient;
  orr_switch start;                          /* on: start events only; off: waiting executions only */
  bool all;                                  /* every receiver instead of exactly one */
  bool return_variables;
  bool async;
} orr_message_options ORR_OPTIONS;

/// Correlates a message. `name` NULL matches any message by the other criteria.
/// @return a map (an array of maps with `all`): type, instance_id, execution_id, variables.
ORR_API(1)
ORR_ERR(ARGUMENT, CORRELATION, NOT_FOUND, SUSPENDED) int orr_engine_message(orr_engine *engine, const char *name ORR_OPT,
                                                                            const orr_message_options *options ORR_OPT,
                                                                            orr_builder *out, orr_error *err);

typedef struct orr_signal_options {
  uint32_t size;
  orr_id execution; /* this one only */
  const orr_value *variables;
  const char *tenant;
  bool async;
  const orr_value *transient; /* not with `async`: a job keeps none */
} orr_signal_options ORR_OPTIONS;

/// Throws a signal to everything that waits for it.
ORR_API(1) ORR_ERR(ARGUMENT, NOT_FOUND, SUSPENDED)
int orr_engine_signal(orr_engine *engine, const char *name, const orr_signal_options *options ORR_OPT, orr_error *err);

/// Goes on from a receive task or a triggerable service task.
ORR_API(1)
ORR_ERR(NOT_FOUND, STATE, SUSPENDED) int orr_engine_trigger(orr_engine *engine, orr_id execution,
                                                            const orr_value *variables ORR_OPT,
                                                            const orr_value *transient ORR_OPT, orr_error *err);

/// The same by a job: whoever triggers does not wait for what follows, nor race with what else happens to the instance.
ORR_API(1) ORR_ERR(NOT_FOUND, STATE, SUSPENDED)
int orr_engine_trigger_later(orr_engine *engine, orr_id execution, const orr_value *variables ORR_OPT, orr_error *err);

typedef struct orr_condition_options {
  uint32_t size;
  const orr_value *variables;
  const char *business_key;
  orr_id definition;
  const char *tenant;
  const orr_value *transient; /* conditions see them too */
} orr_condition_options ORR_OPTIONS;

/// Starts what a conditional start event lets start.
/// @return the instances.
ORR_API(1)
ORR_ERR(ARGUMENT, NOT_FOUND) int orr_engine_evaluate_conditions(orr_engine *engine, const orr_condition_options *options,
                                                                orr_records **out ORR_OUT, orr_error *err);

/// Deletes a running instance with everything it owns.
ORR_API(1) ORR_ERR(NOT_FOUND, SCRIPT)
int orr_engine_delete_instance(orr_engine *engine, orr_id instance, const char *reason ORR_OPT, orr_error *err);

typedef struct orr_modify_options {
  uint32_t size;
  bool skip_listeners, skip_io_mappings;
} orr_modify_options ORR_OPTIONS;

/// Cancels and starts activities of a running instance; `instructions` is an array of maps as in the Lua API. In a
/// suspended one nothing is started.
ORR_API(1)
ORR_ERR(ARGUMENT, NOT_FOUND, STATE, SUSPENDED) int orr_engine_modify(orr_engine *engine, orr_id instance,
                                                                     const orr_value *instructions,
                                                                     const orr_modify_options *options ORR_OPT, orr_error *err);

typedef struct orr_modify_instances_options {
  uint32_t size;
  const orr_value *instances;    /* an array of ids */
  const orr_value *filter;       /* or what finds them, as for the `instances` verb */
  bool skip_listeners, skip_io_mappings;
  bool async;                    /* each by a job of its own, which fails alone */
} orr_modify_instances_options ORR_OPTIONS;

/// Carries out one modification in many running instances: in all of them or, when one fails, in none.
/// @return how many.
ORR_API(1) ORR_ERR(ARGUMENT, NOT_FOUND, STATE, SUSPENDED)
int orr_engine_modify_instances(orr_engine *engine, const orr_value *instructions, const orr_modify_instances_options *options,
    int64_t *out ORR_OUT, orr_error *err);

typedef struct orr_migration_options {
  uint32_t size;
  orr_id source, target;         /* definitions */
  orr_switch map_equal;          /* default on: instructions for every activity that is the same in both */
  bool update_event_triggers;    /* by the instructions that map_equal makes */
  /* an array of { from, to, update_event_trigger, assignee, local_variables }; they win over map_equal's */
  const orr_value *instructions;
  const orr_value *variables;    /* set in each instance */
  bool arm_event_subprocesses;   /* that only the target has, also where its dialect does not arm them by itself (Flowable's) */
} orr_migration_options ORR_OPTIONS;

/// Makes a plan for moving running instances from one definition to another; docs/migration.md says what it may hold.
/// @return a map: source_definition_id, target_definition_id, instructions, variables, arm_event_subprocesses.
ORR_API(1) ORR_ERR(ARGUMENT, NOT_FOUND)
int orr_engine_migration_plan(orr_engine *engine, const orr_migration_options *options, orr_builder *out, orr_error *err);

typedef struct orr_migrate_options {
  uint32_t size;
  const orr_value *instances;    /* an array of ids */
  const orr_value *filter;       /* or what finds them, as for the `instances` verb */
  /* of what the move sets going: an event that happens at once, a join that is complete now */
  bool skip_listeners, skip_io_mappings;
  bool async;                    /* each by a job of its own, which fails alone */
} orr_migrate_options ORR_OPTIONS;

/// Everything that stands against a plan, and against moving the given instances by it. Changes nothing.
/// @return an array of maps, empty when all is well: message, instance_id, activity_id, target_id.
ORR_API(1)
ORR_ERR(ARGUMENT, NOT_FOUND) int orr_engine_check_migration(orr_engine *engine, const orr_value *plan,
                                                            const orr_migrate_options *options ORR_OPT, orr_builder *out,
                                                            orr_error *err);
/// Moves running instances to the plan's target: all of them, or none when anything stands against one; the error's
/// `problems` detail then lists everything, as orr_engine_check_migration does.
/// @return how many.
ORR_API(1)
ORR_ERR(ARGUMENT, CONFLICT, EXPRESSION, NOT_FOUND) int orr_engine_migrate(orr_engine *engine, const orr_value *plan,
                                                                          const orr_migrate_options *options,
                                                                          int64_t *out ORR_OUT, orr_error *err);

typedef struct orr_restart_options {
  uint32_t size;
  const orr_value *instances;    /* an array of ids */
  const orr_value *filter;       /* or what finds them, as for the `history_instances` verb */
  const orr_value *instructions; /* as for orr_engine_start; none: at the start event */
  bool initial_variables;        /* those that it began with, kept with history = "full"; else those that it ended with */
  bool without_business_key;
  bool skip_listeners, skip_io_mappings;
  bool async;                    /* each by a job of its own */
} orr_restart_options ORR_OPTIONS;

/// Starts ended instances of a definition again, as new ones, with the variables of their history.
/// @return the new instances.
ORR_API(1) ORR_ERR(ARGUMENT, BPMN_ERROR, EXPRESSION, NOT_FOUND, SCRIPT, STATE, SUSPENDED)
int orr_engine_restart(orr_engine *engine, orr_id definition, const orr_restart_options *options, orr_records **out ORR_OUT,
    orr_error *err);

/// A sorted array of the ids of the nodes that tokens stand at.
ORR_API(1) ORR_ERR(NOT_FOUND) int orr_engine_active(orr_engine *engine, orr_id instance, orr_builder *out, orr_error *err);
/// The tree of activity instances.
ORR_API(1) ORR_ERR(NOT_FOUND) int orr_engine_tree(orr_engine *engine, orr_id instance, orr_builder *out, orr_error *err);

/* Variables of an instance, an execution or a task; `scope` is its id. `local` looks at that scope alone; for a token that
 * is no scope these are its branch's, which follow it until it joins others or ends. */
/// Reads one variable of a scope.
/// @return the value, or nothing.
ORR_API(1)
ORR_ERR(NOT_FOUND) int orr_engine_get_variable(orr_engine *engine, orr_id scope, const char *name, orr_reach reach,
                                               orr_builder *out, orr_error *err);
/// Reads every variable that a scope sees.
/// @return a map.
ORR_API(1) ORR_ERR(NOT_FOUND)
int orr_engine_get_variables(orr_engine *engine, orr_id scope, orr_reach reach, orr_builder *out, orr_error *err);
/// Reads one variable with what was declared of it.
/// @return a map of type, value and info, as of orr_builder_describe, or nothing.
ORR_API(1)
ORR_ERR(NOT_FOUND) int orr_engine_get_variable_typed(orr_engine *engine, orr_id scope, const char *name, orr_reach reach,
                                                     orr_builder *out, orr_error *err);
/// Reads every variable that a scope sees, with what was declared of them.
/// @return a map of such maps.
ORR_API(1) ORR_ERR(NOT_FOUND)
int orr_engine_get_variables_typed(orr_engine *engine, orr_id scope, orr_reach reach, orr_builder *out, orr_error *err);
/// Sets each entry of a map: in the nearest scope that has the variable, else in the instance; with `local` in this scope.
ORR_API(1) ORR_ERR(ARGUMENT, NOT_FOUND, SUSPENDED)
int orr_engine_set_variables(orr_engine *engine, orr_id scope, const orr_value *variables, orr_reach reach, orr_error *err);
/// Removes a variable from the nearest scope that has it; with `local` from this scope.
ORR_API(1) ORR_ERR(NOT_FOUND)
int orr_engine_remove_variable(orr_engine *engine, orr_id scope, const char *name, orr_reach reach, orr_error *err);

/* ---- User tasks ------------------------------------------------------------------------------ */

/// Creates a task without a process, or a subtask: `fields` is a map of what orr_engine_task_update takes, and parent_id (any
/// task's: the subtask ends with it), tenant. It has variables of its own, no listeners, and is completed or deleted as it is.
/// @return the task.
ORR_API(1) ORR_ERR(ARGUMENT, LIMIT, NOT_FOUND)
int orr_engine_task_create(orr_engine *engine, const orr_value *fields, orr_records **out ORR_OUT, orr_error *err);
/// Completes a user task; `local_variables` go to the task's own scope first.
ORR_API(1)
ORR_ERR(BPMN_ERROR, NOT_FOUND, SCRIPT, STATE,
        SUSPENDED) int orr_engine_task_complete(orr_engine *engine, orr_id task, const orr_value *variables ORR_OPT,
                                                const orr_value *local_variables ORR_OPT, const orr_value *transient ORR_OPT,
                                                orr_error *err);
/// Takes a task for a user: `state` when somebody else has it.
ORR_API(1) ORR_ERR(NOT_FOUND, STATE, SUSPENDED)
int orr_engine_task_claim(orr_engine *engine, orr_id task, const char *user ORR_OPT, orr_error *err);
/// Sets or clears (NULL) the assignee.
ORR_API(1) ORR_ERR(NOT_FOUND, SUSPENDED)
int orr_engine_task_assign(orr_engine *engine, orr_id task, const char *user ORR_OPT, orr_error *err);
/// Hands a task to another user, who resolves it for the owner.
ORR_API(1)
ORR_ERR(NOT_FOUND, SUSPENDED) int orr_engine_task_delegate(orr_engine *engine, orr_id task, const char *user, orr_error *err);
/// Gives a delegated task back to its owner.
ORR_API(1) ORR_ERR(NOT_FOUND, SUSPENDED)
int orr_engine_task_resolve(orr_engine *engine, orr_id task, const orr_value *variables ORR_OPT, orr_error *err);
/// Changes any of name, description, assignee, owner, priority, due, follow_up, category; null clears.
ORR_API(1) ORR_ERR(ARGUMENT, NOT_FOUND, SUSPENDED)
int orr_engine_task_update(orr_engine *engine, orr_id task, const orr_value *changes, orr_error *err);
/// An array of { type, user or group }.
ORR_API(1) ORR_ERR(NOT_FOUND) int orr_engine_task_links(orr_engine *engine, orr_id task, orr_builder *out, orr_error *err);
/// Ties a user or a group to a task: candidate, participant or a type of one's own.
ORR_API(1)
ORR_ERR(ARGUMENT, NOT_FOUND) int orr_engine_task_add_link(orr_engine *engine, orr_id task, const char *type,
                                                          const char *user ORR_OPT, const char *group ORR_OPT, orr_error *err);
/// Removes what orr_engine_task_add_link added.
ORR_API(1)
ORR_ERR(ARGUMENT, NOT_FOUND) int orr_engine_task_remove_link(orr_engine *engine, orr_id task, const char *type,
                                                             const char *user ORR_OPT, const char *group ORR_OPT,
                                                             orr_error *err);
/// Deletes a task without a process, with its subtasks; its history stays.
ORR_API(1) ORR_ERR(NOT_FOUND, STATE)
int orr_engine_task_delete(orr_engine *engine, orr_id task, const char *reason ORR_OPT, orr_error *err);
/// Adds a comment to a task or an instance (`to`: its id), which may have ended; lists: the verb comments.
/// @return the comment.
ORR_API(1) ORR_ERR(ARGUMENT, LIMIT, NOT_FOUND)
int orr_engine_add_comment(orr_engine *engine, orr_id to, const char *message, orr_records **out ORR_OUT, orr_error *err);
/// Changes what a comment says; its time is then that of the change.
ORR_API(1) ORR_ERR(ARGUMENT, LIMIT, NOT_FOUND)
int orr_engine_update_comment(orr_engine *engine, orr_id comment, const char *message, orr_error *err);
/// Takes a comment away.
ORR_API(1) ORR_ERR(NOT_FOUND) int orr_engine_delete_comment(orr_engine *engine, orr_id comment, orr_error *err);
/// Attaches a document to a task or an instance: a map of name, type, description, and content (any bytes) or url; lists: the
/// verb attachments, without the contents.
/// @return the attachment.
ORR_API(1) ORR_ERR(ARGUMENT, NOT_FOUND)
int orr_engine_add_attachment(orr_engine *engine, orr_id to, const orr_value *attachment, orr_records **out ORR_OUT,
                              orr_error *err);
/// The bytes of an attachment, or nothing when it has a url instead.
ORR_API(1) ORR_ERR(NOT_FOUND)
int orr_engine_attachment_content(orr_engine *engine, orr_id attachment, orr_builder *out, orr_error *err);
/// Takes an attachment and its content away.
ORR_API(1) ORR_ERR(NOT_FOUND) int orr_engine_delete_attachment(orr_engine *engine, orr_id attachment, orr_error *err);
/// Raises a BPMN error where the task stands.
ORR_API(1) ORR_ERR(BPMN_ERROR, NOT_FOUND, SUSPENDED)
int orr_engine_task_bpmn_error(orr_engine *engine, orr_id task, const char *code, const char *message ORR_OPT,
    const orr_value *variables ORR_OPT, orr_error *err);
/// Raises an escalation where the task stands; one that nobody catches is refused.
ORR_API(1)
ORR_ERR(NOT_FOUND, STATE, SUSPENDED) int orr_engine_task_escalation(orr_engine *engine, orr_id task, const char *code,
                                                                    const orr_value *variables ORR_OPT, orr_error *err);

/* ---- Jobs ------------------------------------------------------------------------------------ */

/// Runs a job now, on this thread, whatever its due date. A failure is recorded on the job and then reported.
ORR_API(1) ORR_ERR(BPMN_ERROR, CONFLICT, NOT_FOUND, SCRIPT, SUSPENDED)
int orr_engine_job_execute(orr_engine *engine, orr_id job, orr_error *err);
/// Sets how often a job may still be tried, and with `due` when; retries above 0 resolve its incident.
ORR_API(1) ORR_ERR(ARGUMENT, NOT_FOUND)
int orr_engine_job_set_retries(orr_engine *engine, orr_id job, int64_t retries, orr_time due ORR_OPT, orr_error *err);
/// `cascade` moves the later firings of a cycle too. ORR_TIME_NONE: at once.
ORR_API(1)
ORR_ERR(NOT_FOUND) int orr_engine_job_set_due(orr_engine *engine, orr_id job, orr_time due, orr_cascade cascade,
                                              orr_error *err);
/// Evaluates a timer's due date again, from its creation or from now.
ORR_API(1) ORR_ERR(NOT_FOUND, STATE)
int orr_engine_job_recalculate_due(orr_engine *engine, orr_id job, orr_due_basis basis, orr_error *err);
/// Sets the priority of one job.
ORR_API(1) ORR_ERR(NOT_FOUND) int orr_engine_job_set_priority(orr_engine *engine, orr_id job, int64_t priority, orr_error *err);
/// Suspends one job: nothing runs it.
ORR_API(1) ORR_ERR(NOT_FOUND) int orr_engine_job_suspend(orr_engine *engine, orr_id job, orr_error *err);
/// The opposite of orr_engine_job_suspend.
ORR_API(1) ORR_ERR(NOT_FOUND) int orr_engine_job_activate(orr_engine *engine, orr_id job, orr_error *err);
/// Deletes a job; what it would have continued stays where it is, and waits for nothing any more.
ORR_API(1) ORR_ERR(NOT_FOUND, STATE) int orr_engine_job_delete(orr_engine *engine, orr_id job, orr_error *err);
/// The text of the last failure and below it the traceback, or nothing.
ORR_API(1) ORR_ERR(NOT_FOUND) int orr_engine_job_traceback(orr_engine *engine, orr_id job, orr_builder *out, orr_error *err);
/* The reasons that orr_engine_why gives. Of the first four jobs are well: an executor has them or takes them next, or they
 * wait for nothing but their time. */
#define ORR_WHY_RUNNING "running"
#define ORR_WHY_NOT_DUE "not_due"
#define ORR_WHY_LOCKED "locked"
#define ORR_WHY_READY "ready"
#define ORR_WHY_INSTANCE_BUSY "instance_busy"
#define ORR_WHY_THREADS_BUSY "threads_busy"
#define ORR_WHY_COMMIT_FAILED "commit_failed"
#define ORR_WHY_CONFLICT "conflict"
#define ORR_WHY_LOCK_EXPIRED "lock_expired"
#define ORR_WHY_RETRY_LATER "retry_later"
#define ORR_WHY_SUSPENDED "suspended"
#define ORR_WHY_NO_RETRIES "no_retries"
#define ORR_WHY_LIMIT "limit"
#define ORR_WHY_DELEGATE_MISSING "delegate_missing"
#define ORR_WHY_WAITS_FOR_THREAD "waits_for_thread"
#define ORR_WHY_PRIORITY "priority"
#define ORR_WHY_DEPLOYMENT "deployment"
#define ORR_WHY_QUEUE_FULL "queue_full"
#define ORR_WHY_NO_EXECUTOR "no_executor"
/// Why a job does not run: a map of reason (a word for programs), text and cure.
ORR_API(1) ORR_ERR(NOT_FOUND) int orr_engine_why(orr_engine *engine, orr_id job, orr_builder *out, orr_error *err);

/// Overrides the priority of the jobs to come; with cascade of the present ones too.
ORR_API(1) ORR_ERR(NOT_FOUND)
int orr_engine_job_definition_set_priority(orr_engine *engine, orr_id job_definition, int64_t priority, orr_cascade cascade,
                                           orr_error *err);
/// Takes the override back.
ORR_API(1)
ORR_ERR(NOT_FOUND) int orr_engine_job_definition_clear_priority(orr_engine *engine, orr_id job_definition, orr_error *err);
/// Gives new retries to the present jobs that have none left, and with `due` a time; their incidents stay until they succeed.
ORR_API(1)
ORR_ERR(NOT_FOUND) int orr_engine_job_definition_set_retries(orr_engine *engine, orr_id job_definition, int64_t retries,
                                                             orr_time due ORR_OPT, orr_error *err);
/// Suspends a job definition, at once or `at` a time to come: its jobs begin suspended; with ORR_CASCADE the present ones
/// are, too.
ORR_API(1)
ORR_ERR(NOT_FOUND) int orr_engine_job_definition_suspend(orr_engine *engine, orr_id job_definition, orr_cascade jobs,
                                                         orr_time at ORR_OPT, orr_error *err);
/// The opposite of orr_engine_job_definition_suspend.
ORR_API(1)
ORR_ERR(NOT_FOUND) int orr_engine_job_definition_activate(orr_engine *engine, orr_id job_definition, orr_cascade jobs,
                                                          orr_time at ORR_OPT, orr_error *err);

/// Sets a limit, or changes it: at most `max` at once, at most `per_second` starts, of which `burst` may be saved up
/// (default: a tenth of a second's, at least 1). `of` is a map with one entry: job_definition (an id), topic (of external
/// tasks), or key (what the attribute limitKey of an activity gives for its jobs). What runs already is not counted. Lists:
/// the verb limits.
ORR_API(1) ORR_ERR(ARGUMENT, NOT_FOUND)
int orr_engine_set_limit(orr_engine *engine, const orr_value *of, const orr_value *limit, orr_error *err);
/// Takes a limit away; what waited for it goes on.
ORR_API(1) ORR_ERR(ARGUMENT, NOT_FOUND) int orr_engine_clear_limit(orr_engine *engine, const orr_value *of, orr_error *err);

/// Does one thing to everything that a list finds now, by jobs. `request` is a map: action, filter, list, size (things in
/// one job, one transaction; 100), jobs_per_seed (100), priority, and what the action wants: docs/job-executor.md. A job
/// that fails is tried again like any job. The batch's record tells its progress; lists: the verb batches.
ORR_API(1) ORR_ERR(ARGUMENT, NOT_FOUND, STORE)
int orr_engine_batch(orr_engine *engine, const orr_value *request, orr_records **out ORR_OUT, orr_error *err);
/// Ends a batch before it is done; what was done stays done.
ORR_API(1) ORR_ERR(NOT_FOUND, STATE) int orr_engine_batch_cancel(orr_engine *engine, orr_id batch, orr_error *err);
/// Holds up a batch: those of its jobs that there are, and those that it is yet to make.
ORR_API(1) ORR_ERR(NOT_FOUND, STATE) int orr_engine_batch_suspend(orr_engine *engine, orr_id batch, orr_error *err);
/// Lets a suspended one go on.
ORR_API(1) ORR_ERR(NOT_FOUND, STATE) int orr_engine_batch_activate(orr_engine *engine, orr_id batch, orr_error *err);
/// Deletes the record of a batch that has ended; `cascade` first ends one that runs.
ORR_API(1) ORR_ERR(NOT_FOUND, STATE)
int orr_engine_delete_batch(orr_engine *engine, orr_id batch, orr_cascade cascade, orr_error *err);

/// Closes an incident that no failed job holds open.
ORR_API(1) ORR_ERR(NOT_FOUND, STATE) int orr_engine_incident_resolve(orr_engine *engine, orr_id incident, orr_error *err);
/// Sets or clears (NULL) an incident's annotation.
ORR_API(1) ORR_ERR(NOT_FOUND)
int orr_engine_incident_annotate(orr_engine *engine, orr_id incident, const char *text ORR_OPT, orr_error *err);

/// Acquires and runs due jobs on this thread until none is due or `limit` (0: none) have run. What loses a race is tried
/// again after the executor's pause for conflicts, and fails for good after 50 in a row.
/// @return how many ran, failed ones too.
ORR_API(1)
ORR_ERR(STORE) int orr_engine_run_jobs(orr_engine *engine, int64_t limit ORR_OPT, int64_t *out ORR_OUT, orr_error *err);
/// For a host's frame loop: due jobs, timers and finished awaits until `budget` seconds are spent.
ORR_API(1) ORR_ERR(STORE) int orr_engine_poll(orr_engine *engine, double budget, int64_t *out ORR_OUT, orr_error *err);

/// Starts worker threads of the engine's own. Needs a script host that can start threads (the Lua module brings one).
ORR_API(1) ORR_ERR(ARGUMENT, MEMORY, STATE)
int orr_engine_start_executor(orr_engine *engine, const orr_executor_options *options ORR_OPT, orr_error *err);
/// Stops acquiring, waits for what runs, unlocks what was acquired. Fine when none runs. What the engine runs cannot stop it.
ORR_API(1) ORR_ERR(STATE) int orr_engine_stop_executor(orr_engine *engine, orr_error *err);
/// Does an executor serve this engine?
ORR_API(1) bool orr_engine_executor_active(orr_engine *engine);
/// True once nothing runs and no job that the executor may take is due; false on time-out. Not for what the engine runs.
ORR_API(1)
ORR_ERR(STATE) int orr_engine_wait_idle(orr_engine *engine, double timeout_seconds, bool *out ORR_OUT, orr_error *err);
/// A map of counters by Camunda's names; what this process did since the engine was opened.
ORR_API(1) int orr_engine_metrics(orr_engine *engine, orr_builder *out, orr_error *err);
/// The same, and how things stand with the store's jobs (ready, throttled, due, waiting, locked, exhausted, in flight, the
/// longest wait of each band of priorities), as a text for Prometheus. Counting walks at most 100,000 rows of an index.
ORR_API(1) ORR_ERR(STORE) int orr_engine_metrics_text(orr_engine *engine, orr_builder *out, orr_error *err);
/// What the threads of this process's executor are at: an array of maps with job, thread, activity_id, instance_id, since,
/// state ("running", "awaiting", "committing") and, where the thread could be asked within `wait` seconds, the Lua
/// traceback. A thread is never stopped: it answers between two jobs, or while it awaits; one that is busy with a delegate
/// answers after it, or, when scripts run with a budget of instructions (the sandbox's), at its next thousand.
ORR_API(1) int orr_engine_running(orr_engine *engine, double wait, orr_builder *out, orr_error *err);
/// The executors that run on this store, in whatever process of this machine: an array of maps with owner (the name in the
/// locks), host and pid where the name tells, room (for so many more jobs; none: its first round is yet to come), jobs (the
/// ids of those that its threads are at), stopping, and what it takes: priority_min, priority_max, deployment_aware.
ORR_API(1) int orr_engine_executors(orr_engine *engine, orr_builder *out, orr_error *err);
/// Checks the store: that its pages hold together (when they do not, nothing else is looked at), that every record can be
/// read, that every index row and reference holds, that scopes count the tokens they have, and that each token has
/// something to wait for. It may be running: each instance is looked at as it is at one instant.
/// @return an array of findings, empty when all is well.
ORR_API(1) ORR_ERR(STORE) int orr_engine_verify(orr_engine *engine, orr_builder *out, orr_error *err);

/* ---- External tasks -------------------------------------------------------------------------- */

/// Locks tasks for a worker; `request` as in the Lua API: worker, max, use_priority, order_by, topics.
ORR_API(1) ORR_ERR(ARGUMENT)
int orr_engine_fetch_and_lock(orr_engine *engine, const orr_value *request, orr_records **out ORR_OUT, orr_error *err);
/// Completes a task that the worker holds.
ORR_API(1) ORR_ERR(NOT_FOUND, STATE, SUSPENDED)
int orr_engine_external_complete(orr_engine *engine, orr_id task, const char *worker, const orr_value *variables ORR_OPT,
                                 const orr_value *local_variables ORR_OPT, orr_error *err);
/// Raises a BPMN error where the task stands.
ORR_API(1)
ORR_ERR(BPMN_ERROR, NOT_FOUND, STATE) int orr_engine_external_bpmn_error(orr_engine *engine, orr_id task, const char *worker,
                                                                         const char *code, const char *message ORR_OPT,
                                                                         const orr_value *variables ORR_OPT, orr_error *err);
/// Records a failure; `failure` is a map: message, details, retries, retry_timeout, variables, local_variables.
ORR_API(1) ORR_ERR(ARGUMENT, NOT_FOUND, STATE)
int orr_engine_external_fail(orr_engine *engine, orr_id task, const char *worker, const orr_value *failure, orr_error *err);
/// Locks a task for a worker.
ORR_API(1) ORR_ERR(ARGUMENT, NOT_FOUND, STATE)
int orr_engine_external_lock(orr_engine *engine, orr_id task, const char *worker, orr_duration duration, orr_error *err);
/// Lengthens the lock that the worker has: it ends so long from now.
ORR_API(1) ORR_ERR(ARGUMENT, NOT_FOUND, STATE)
int orr_engine_external_extend_lock(orr_engine *engine, orr_id task, const char *worker, orr_duration duration, orr_error *err);
/// Gives a task back.
ORR_API(1) ORR_ERR(NOT_FOUND) int orr_engine_external_unlock(orr_engine *engine, orr_id task, orr_error *err);
/// Sets how often a task may still be tried; above 0 resolves its incident.
ORR_API(1) ORR_ERR(ARGUMENT, NOT_FOUND)
int orr_engine_external_set_retries(orr_engine *engine, orr_id task, int64_t retries, orr_error *err);
/// Sets the priority of a task.
ORR_API(1)
ORR_ERR(NOT_FOUND) int orr_engine_external_set_priority(orr_engine *engine, orr_id task, int64_t priority, orr_error *err);
/// Unlocks every task of a worker, or of a topic, or of both.
ORR_API(1)
int orr_engine_unlock_external_tasks(orr_engine *engine, const char *worker ORR_OPT, const char *topic ORR_OPT, orr_error *err);

/* ---- History --------------------------------------------------------------------------------- */

/// Deletes history of instances that ended before a time, and of decisions and users' operations made before it outside of
/// instances, in bounded steps.
/// @return how many instances, decisions and operations went.
ORR_API(1) int orr_engine_clean_history(orr_engine *engine, orr_time ended_before, int64_t *out ORR_OUT, orr_error *err);
/// Deletes the history of one instance that has ended.
ORR_API(1) ORR_ERR(NOT_FOUND, STATE) int orr_engine_delete_history(orr_engine *engine, orr_id instance, orr_error *err);
/// How long what has ended took, by the "month" or "quarter" (`period`) in which it began. `verb` is history_instances or
/// history_tasks; `filter` as for its list. It reads each row that the filter finds.
/// @return an array of maps, earliest first: year, period (1 to 12, or to 4), count, minimum, maximum, average (seconds).
ORR_API(1) ORR_ERR(ARGUMENT) int orr_engine_durations(orr_engine *engine, const char *verb, const orr_value *filter ORR_OPT,
                                                      const char *period, orr_builder *out, orr_error *err);
/// Sets or clears (NULL) the annotation of a user's operation, on all its rows in history_operations.
ORR_API(1) ORR_ERR(NOT_FOUND)
int orr_engine_annotate_operation(orr_engine *engine, orr_id operation, const char *text ORR_OPT, orr_error *err);
/// Has history cleaned by jobs, of instances whose definition's historyTimeToLive is over since their end; with
/// `ended_before` of all that ended before that time instead. `request` is a map: at (when first; default now), every (a
/// duration: again so long after each round), batch_size (instances in one transaction; default 100), priority,
/// ended_before. Takes the place of the schedule before; an empty map cleans once, now; { off = true } ends the schedule.
ORR_API(1)
ORR_ERR(ARGUMENT) int orr_engine_schedule_clean_history(orr_engine *engine, const orr_value *request, orr_error *err);

/* ---- Change feed ----------------------------------------------------------------------------- */

/// Tells that something was committed of what is watched: an external task of a topic was made, or changed and is still
/// there; any record of an instance changed; or, for who watches everything, records of a kind. An event says "look again":
/// of another process's commits it is not known what they changed, so that they count as a change of everything. Watch
/// first, then look, then wait: nothing is lost then.
/// That a lock ends by itself is no commit. Any thread, one at a time.
typedef struct orr_feed orr_feed ORR_CLASS(destroy = orr_feed_close);
/// Opens a feed that watches nothing yet. Once the engine is closed it answers `state`; close it in any case.
ORR_API(1) ORR_ERR(LIMIT, MEMORY, STATE) int orr_engine_feed(orr_engine *engine, orr_feed **out ORR_OUT, orr_error *err);
ORR_API(1) void orr_feed_close(orr_feed *feed);
/// `what` is a map of topic (a text), instance (an id) or all (true). Watching it again changes nothing.
ORR_API(1) ORR_ERR(ARGUMENT, MEMORY, STATE) int orr_feed_watch(orr_feed *feed, const orr_value *what, orr_error *err);
/// The opposite of orr_feed_watch; what is not watched is none.
ORR_API(1) ORR_ERR(ARGUMENT, STATE) int orr_feed_unwatch(orr_feed *feed, const orr_value *what, orr_error *err);
/// What has changed since the last time, each once, in the order of the changes: an array of maps with topic, or
/// instance_id, or, of everything, kind (as of orr_records_kind; "execution", "variable", "history_task", …) and id (the
/// instance that the record belongs to; where it belongs to none, nothing or an id that no instance has). Of more than 256
/// changes, and of other processes', all = true stands for them. It also looks, in memory, whether other processes have
/// committed: a loop asks every 20 to 50 ms for these.
ORR_API(1) ORR_ERR(STATE) int orr_feed_take(orr_feed *feed, orr_builder *out, orr_error *err);
/// Waits until there is something to take; false on time-out. It looks for commits of other processes every 20 ms.
ORR_API(1)
ORR_ERR(STATE) int orr_feed_wait(orr_feed *feed, double timeout_seconds, bool *out ORR_OUT, orr_error *err);
/// A file descriptor that can be read while there is something to take that this process committed, for poll, epoll or
/// uv_poll_t; orr_feed_take empties it, the caller must not. It is the feed's.
ORR_API(1) int orr_feed_descriptor(orr_feed *feed);

/* ---- One executor for several engines -------------------------------------------------------- */

/// A pool of workers that several engines share, fairly.
typedef struct orr_executor orr_executor ORR_CLASS(destroy = orr_executor_free);
/// Makes an executor that serves no engine yet.
ORR_API(1) int orr_executor_new(const orr_executor_options *options ORR_OPT, orr_executor **out ORR_OUT, orr_error *err);
/// Lets it serve an engine.
ORR_API(1) ORR_ERR(STATE) int orr_executor_add(orr_executor *executor, orr_engine *engine, orr_error *err);
/// Waits for what runs of an engine, and serves it no more. What its engines run cannot do that.
ORR_API(1) ORR_ERR(STATE) int orr_executor_remove(orr_executor *executor, orr_engine *engine, orr_error *err);
/// Starts its threads.
ORR_API(1) int orr_executor_start(orr_executor *executor, orr_error *err);
/// Stops acquiring, waits for what runs, unlocks what was acquired. What its engines run cannot stop it.
ORR_API(1) ORR_ERR(STATE) int orr_executor_stop(orr_executor *executor, orr_error *err);
ORR_API(1) void orr_executor_free(orr_executor *executor);

#ifdef __cplusplus
}
#endif
#endif
