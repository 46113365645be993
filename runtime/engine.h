/* The engine's inside: owner of everything. Rooms below reach it through context->engine and these functions. */
#ifndef ORR_ENGINE_H
#define ORR_ENGINE_H

#include <pthread.h>
#include <stdatomic.h>

#include "env.h"
#include "exec/context.h"
#include "uow/uow.h"

typedef struct committer committer; /* job/committer.h: group commit */
typedef struct orr_executor executor; /* job/executor.h */
typedef struct definitions definitions; /* definitions.c: the cache */
typedef struct registry registry;   /* registry.c: C delegates */
typedef struct metrics metrics;     /* metrics.c */

struct orr_engine {
  orr_env env;
  orr_arena *arena;          /* what config and acquisition point at */
  orr_config config;         /* texts are copied */
  orr_executor_options acquisition; /* defaults for run_jobs, poll, executors */
  store *store;
  unit_source *units;
  definitions *definitions;
  registry *registry;
  metrics *metrics;
  host *host;                /* NULL: no scripts */
  committer *_Atomic committer; /* NULL: callers commit themselves; once started it stays until the engine closes */
  executor *_Atomic executor;   /* NULL: never started; its own flag says whether it runs now */
  atomic_bool limited;       /* the store had limits when it was last looked at; job/limit.h */
  atomic_int_fast64_t limited_at; /* when that was */
  const struct orr_zone *zone; /* time/zone.h */
  pthread_mutex_t mutex;     /* guards the fields below */
  orr_time manual_now;
  pthread_key_t thread_key;  /* struct engine_thread of each OS thread */
  struct engine_thread *threads;
  orr_id *registered;        /* deployments whose code this process has; job/deployments.h */
  size_t n_registered, registered_capacity;
};

/* What an OS thread has with an engine: its host state, its current context (transactions), its acting user. */
typedef struct engine_thread {
  orr_engine *engine;
  host_thread *host;
  context *current;          /* commands join it */
  char *user;
  struct polled *polled;     /* jobs that orr_engine_poll began here and that wait; job/poll.c */
  struct engine_thread *next;
} engine_thread;

/* An engine with parts of the caller's own: for specs and simulation. The engine takes the store, also when opening fails. */
typedef struct engine_parts {
  const orr_env *env;        /* NULL: the system's clocks and randomness, with the configuration's allocator */
  store *store;              /* NULL: LMDB at the configuration's path */
} engine_parts;
int engine_open_parts(const orr_config *config, const engine_parts *parts, orr_engine **out, orr_error *err);

/* NULL with err when memory or the host fails. */
engine_thread *engine_thread_get(orr_engine *engine, orr_error *err);
/* The same for a thread that has a loop of its own already (struct uv_loop_s *), before anything else asks for it. */
engine_thread *engine_thread_open(orr_engine *engine, void *loop, orr_error *err);
/* A thread that ends, or leaves this engine, gives up what it has. Done by itself when a thread exits. */
void engine_thread_close(orr_engine *engine);
orr_time engine_now(orr_engine *engine);

/* Installed once, before the engine is used: by bindings/module.c. The engine closes it. */
int engine_set_host(orr_engine *engine, host *h, orr_error *err);

/* The frame of every command: joins this thread's context or begins one; after `body`, runs the agenda, commits, ends.
 * `out` is what body fills. Conflicts of a context that began here are returned, not retried. */
typedef int (*command_body)(context *c, void *ud, orr_error *err);
int command_run(orr_engine *engine, command_body body, void *ud, orr_error *err);
/* The same for reading: no commit. */
int command_read(orr_engine *engine, command_body body, void *ud, orr_error *err);
/* Within a body: runs what it has planned since the agenda held `mark` operations, so that it can answer with the outcome. */
int command_settle(context *c, uint32_t mark);

void engine_log(orr_engine *engine, orr_log_level level, const orr_value *fields, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

/* definitions.c */
definition *definitions_get(orr_engine *engine, context *c, orr_id id, orr_error *err); /* retained */
int definitions_put(orr_engine *engine, definition *d);                                  /* after commit */
void definitions_drop(orr_engine *engine, orr_id id);
/* The latest (version 0) or given version of a key; NULL when there is none. Without a tenant: the one that belongs to no tenant, else
 * the only tenant's; ORR_E_ARGUMENT when several tenants have the key. */
int definition_find(context *c, const char *key, const char *tenant, int64_t version, rec_definition **out, orr_error *err);
/* Every version of a key, newest first, of one tenant (NULL: of none). */
int definition_versions(context *c, const char *key, rec_text tenant, unit_found *out);
/* Sets id, version, deployment and tenant in a graph that was just parsed. 0 or ORR_E_MEMORY. */
int definition_bind(definition *d, const rec_definition *r);
/* What expressions that are evaluated at deployment see: variableContainer, with facts about the definition. */
int definition_variables(context *c, const definition *d, orr_value *out);

/* query/query.c: lists as records that outlive the unit. */
int query_run(context *c, const char *verb, const orr_value *filter, orr_records **out, int64_t *count, orr_error *err);
int query_one(context *c, const char *verb, orr_id id, orr_records **out, orr_error *err);
/* Records made from what a command has in hand. */
int records_from(context *c, const rec_type *type, rec_head *const *items, size_t n, orr_records **out, orr_error *err);
/* Sets a field that no stored one has; `value` is copied. */
int records_set(orr_records *records, size_t index, const char *name, const orr_value *value, orr_error *err);

/* command/start.c: used by commands, message and signal start events, call activities. The instance record, its operations planned. */
typedef struct start_request {
  definition *definition;
  const node *start;             /* NULL: the none start event */
  const orr_value *variables, *transient, *instructions, *triggered;
  const char *business_key, *initiator, *tenant;
  orr_id super_execution, parent_instance, root_instance;
  int64_t call_depth;
  bool skip_listeners, skip_io_mappings, async;
} start_request;
int start_instance(context *c, const start_request *request, rec_instance **out);
/* command/delete.c */
int delete_instance(context *c, rec_instance *instance, const char *reason, const char *state, bool skip_listeners);

#endif
