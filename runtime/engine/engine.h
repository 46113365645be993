/* The engine's inside: owner of everything. Rooms below reach it through context->engine and these functions. */
#ifndef ORR_ENGINE_H
#define ORR_ENGINE_H

#include <pthread.h>
#include <stdatomic.h>

#include "base/env.h"
#include "base/trace.h"
#include "engine/host.h"
#include "uow/uow.h"

typedef struct committer committer; /* uow/committer.h: group commit */
typedef struct orr_executor executor; /* executor/executor.h */
typedef struct definitions definitions; /* definition_cache.h */
typedef struct latest_versions latest_versions;   /* state/definition_versions.h */
typedef struct registry registry;   /* delegates.h: C delegates */
typedef struct absences absences;   /* executor/absent.h: jobs that want for a delegate */
typedef struct feed_hub feed_hub;   /* feed.h */
typedef struct metrics metrics;     /* metrics.h */
typedef struct meter meter;         /* meter.h */

struct engine_thread;

/* A job that a context has made ready, locked for this process or given a due date: what others are told of it once that is
 * committed. */
typedef struct placed_job {
  orr_id id, exclusive; /* exclusive: the scope of its instance lock, or 0 */
  orr_id key;           /* under which it is looked for first (uow/succession.h); 0: its id */
  orr_time due;
  uint8_t state; /* ORR_JOB_* */
} placed_job;

/* What the executor's room does at moments that rooms below it bring about. One table, put in when the engine is assembled
 * (open.c), so that execution and jobs need to know nothing of executors. Each may be called from any thread. */
typedef struct engine_hooks {
  /* Before a context's batch is made: locks the new jobs that this process takes, and settles the instance lock of the job
   * that ran. */
  int (*commit_prepare)(context *c);
  /* The context's new jobs, from number `from` on, at most `room`: how many there are. */
  uint32_t (*jobs_placed)(const context *c, uint32_t from, placed_job *out, uint32_t room);
  /* `status` of the commit: 0 hands those jobs over and wakes whoever runs the others, else takes everything back. */
  void (*commit_done)(orr_engine *engine, const placed_job *jobs, uint32_t n, int status);
  void (*lease_returned)(orr_engine *engine);          /* a limit has room again */
  void (*clock_moved)(orr_engine *engine);             /* timers may have come due */
  void (*names_changed)(orr_engine *engine);           /* a delegate that jobs wait for may be there */
  void (*thread_ended)(struct engine_thread *thread);  /* what it holds of jobs is abandoned */
} engine_hooks;

struct scope;

/* What exec/ does when something of an instance is made or goes, which happens in rooms below it (state/, and here). A table,
 * too (exec/exec_hooks.c). 0 or the context's error. */
typedef struct exec_hooks {
  int (*context_opened)(context *c); /* 0 or ORR_E_MEMORY */
  void (*context_closed)(context *c);
  void (*context_lost)(context *c); /* of a transaction whose thread ends before it does */
  int (*context_user)(context *c, const char *user, orr_error *err); /* another user acts from here on */
  bool (*inside)(orr_engine *engine); /* does the engine run the calling code? */
  void (*drop_calls)(context *c, struct rec_execution *e); /* that the token waits for */
  int (*forget_join)(context *c, struct rec_execution *e); /* the token waits at a gateway no more */
  int (*drop_joins)(context *c, orr_id scope_id);
  int (*disarm_scope)(context *c, const struct scope *s, const node *only);
  int (*remove_task)(context *c, struct rec_execution *e); /* the task or external task that it waits for */
  int (*remove_job)(context *c, struct rec_job *job);
  int (*tell_task)(context *c, struct rec_task *t); /* its listeners are to hear of it */
} exec_hooks;

/* What a job of each kind does: by kind, NULL for one that there is not. It plans operations; command/job_table.c has them. */
typedef int (*job_fn)(context *c, struct rec_job *job);
typedef struct job_table {
  const job_fn *fns;
  size_t count;
} job_table;

/* Is told of each sequence flow that a token takes, on its thread, and within its transaction, which may still fail. For
 * tests that ask what of a model they reached: set before anything runs, and then for good. */
typedef struct engine_flow_watch {
  void (*fn)(void *ud, const char *process, const char *flow); /* NULL: nobody asks */
  void *ud;
} engine_flow_watch;

/* Instances near tokens_max that an engine remembers at once. */
#define ENGINE_CROWDED_MAX 16

/* Was it the store that could not be reached, or lost its connection? Of that the log tells once (engine/open.c). */
bool engine_lost_store(const orr_error *err);

struct orr_engine {
  orr_env env;
  long process;              /* that opened it */
  orr_arena *arena;          /* what config and acquisition point at */
  orr_config config;         /* texts are copied */
  orr_executor_options acquisition; /* defaults for run_jobs, poll, executors */
  store *store;
  unit_source *units;
  definitions *definitions;
  latest_versions *latest;
  registry *registry;
  metrics *metrics;
  meter *meter;
  feed_hub *feeds;
  absences *absences;
  host *host;                /* NULL: no scripts */
  const engine_hooks *hooks;
  const exec_hooks *exec;
  const job_table *jobs;
  tracer *tracer;            /* NULL: no traces; engine/trace.h */
  engine_flow_watch flow_watch;
  committer *committer;      /* its thread, once started, stays until the engine closes */
  executor *_Atomic executor;   /* NULL: never started; its own flag says whether it runs now */
  atomic_bool waits_over;    /* see orr_engine_waits_end */
  atomic_bool limited;       /* the store had limits when it was last looked at; job/limit.h */
  atomic_int_fast64_t limited_at; /* when that was */
  _Atomic orr_id crowded[ENGINE_CROWDED_MAX]; /* instances that are near tokens_max; 0: none; state/bounds.c */
  struct engine_zone *zone;  /* the store's time zone; engine/time_zone.h */
  pthread_mutex_t mutex;     /* guards the fields below */
  orr_time manual_now;
  atomic_uint_fast64_t locks_lost; /* locks of this process that it lost sight of, ever; executor/owner/lock_owner.h */
  pthread_key_t thread_key;  /* struct engine_thread of each OS thread */
  struct engine_thread *threads;
  orr_id *registered;        /* deployments whose code this process has; executor/deployments.h */
  size_t n_registered, registered_capacity;
};

/* A thread that does not wait for its next commit; exec/deferred_commit.h. */
typedef struct commit_deferral {
  orr_commit_fn done; /* NULL: it waits */
  void *ud;
  bool taken;         /* by a command's commit: `done` is its business */
} commit_deferral;

/* What an OS thread has with an engine: its host state, its current context (transactions), its acting user. */
typedef struct engine_thread {
  orr_engine *engine;
  host_thread *host;
  context *current;          /* commands join it */
  char *user;
  trace_context *trace;      /* that its commands belong to; NULL: none */
  commit_deferral deferral;  /* of its next command */
  orr_wait_fn waits;         /* is told when its commands wait; NULL: nobody asks */
  void *waits_ud;
  struct lock_owner *owner;  /* of what it locks itself; executor/owner/lock_owner.h. NULL: it has locked nothing yet */
  struct caller_run *held;   /* jobs that run_jobs or poll has locked here and not ended; executor/caller_run.c */
  struct engine_thread *next;
} engine_thread;

/* NULL with err when memory or the host fails. */
engine_thread *engine_thread_get(orr_engine *engine, orr_error *err);
/* The same for a thread that has a loop of its own already (struct uv_loop_s *), before anything else asks for it. */
engine_thread *engine_thread_open(orr_engine *engine, void *loop, orr_error *err);
/* A thread that ends, or leaves this engine, gives up what it has. Done by itself when a thread exits. */
void engine_thread_close(orr_engine *engine);
/* Milliseconds since 1970, by the manual clock where there is one. Any thread. */
orr_time engine_now(orr_engine *engine);
/* A command of the calling thread begins to wait, or goes on. */
void engine_thread_waits(orr_engine *engine, bool waits);
/* Are commands to wait for no call any more? Any thread. */
static inline bool engine_waits_over(const orr_engine *engine) { return atomic_load(&engine->waits_over); }
#define ENGINE_WAITS_OVER "the server ends: what a delegate or script awaits is waited for no longer"
/* The destructor of engine->thread_key's values. */
void engine_thread_exit(void *thread);
/* The engine closes: every thread gives up what it has. No other thread may use the engine any more. */
void engine_threads_close(orr_engine *engine);

/* Is this a child of the process that opened it? It has neither the engine's threads nor its store. */
bool engine_forked(const orr_engine *engine);

/* Installed once, before the engine is used: by bindings/module.c. The engine closes it. */
int engine_set_host(orr_engine *engine, host *h, orr_error *err);

/* Is a line of this level wanted? Others need not be made. */
bool engine_logs(const orr_engine *engine, orr_log_level level);
/* Hands a line to the host's function, or writes it to stderr; `fields` is a map, or NULL.
 * Nothing below the level. Any thread. */
void engine_log(orr_engine *engine, orr_log_level level, const orr_value *fields, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

#endif
