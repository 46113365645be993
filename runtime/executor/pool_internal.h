/* The executor's inside, shared by executor.c (life), pool.c (what is in flight), acquisition.c (the thread that acquires) and
 * worker.c (the threads that run). One mutex guards everything here but what is said otherwise. */
#ifndef ORR_EXECUTOR_POOL_INTERNAL_H
#define ORR_EXECUTOR_POOL_INTERNAL_H

#include <pthread.h>
#include <stdatomic.h>

#include <uv.h>

#include "exec/parcel.h"
#include "executor/backoff.h"
#include "executor/executor.h"
#include "executor/idle.h"
#include "executor/inspect.h"
#include "executor/owner/presence.h"
#include "executor/region.h"
#include "executor/run.h"
#include "executor/table.h"
#include "uow/committer.h"
#include "uow/readers.h"

#define EXECUTOR_ENGINES_MAX 64
#define EXECUTOR_THREADS_MAX RUNNING_THREADS_MAX

typedef struct member member;

/* A job that is locked for us and not yet finished or given back. */
typedef struct entry {
  orr_id job, exclusive;
  member *of;
  struct entry *next;                 /* in the queue, a chain, or the delayed list */
  struct entry *chain, **chain_last;  /* exclusive jobs of the same instance that wait for this one */
  uint32_t conflicts;                 /* lost races in a row */
  int64_t not_before_ns;              /* delayed after a conflict */
  bool committing;                    /* its run is over */
} entry;

/* An engine with the executor. */
struct member {
  orr_engine *engine;
  struct orr_executor *executor;
  acquire_rules rules;
  lock_owner locker;
  running *running;                   /* what its threads are at; NULL: not kept */
  uint32_t in_flight, capacity, page;
  uint32_t reserved;                  /* of those in flight: by commands whose commit is not known yet */
  entry *first, **last;               /* the queue */
  table flight;                       /* job -> entry */
  table busy;                         /* exclusive scope -> the entry that runs or is queued for it */
  orr_time next_due;                  /* first waiting timer as far as we know; 0: none */
  bool starved;                       /* acquisition left work for want of room */
  bool throttled;                     /* jobs wait for their limits */
  backoff_rules backoff;
  backoff_state backoff_state;
  int64_t acquire_at_ns;              /* do not ask before */
  uint64_t foreign;                   /* commits of other processes when it was last asked; acquisition's thread's, as is: */
  bool heard;                         /* there were more since */
  int64_t clock_jump;                 /* of the store's clock, as it was logged; 0: none. Acquisition's thread's */
  reader_watch readers;               /* acquisition's thread's */
  region region;                      /* where the next round looks, and from which row on; acquisition's thread's */
  ready_place place;
  uint32_t skip;
  int64_t renew_at_ns;
  acquired *found;                    /* acquisition's page; its thread's */
  uint64_t handed;                    /* reservations of hand-overs, ever */
  uint64_t round_asked;               /* executor.cycles_asked when the round under way began */
  idle_traffic round_began;
  uint64_t idle_asked;                /* round_asked of the last round that showed the engine at rest */
};

/* One job in a worker's hands, from its context to the store's answer. */
typedef struct run {
  commit_request request;             /* first: the committer hands it back */
  struct worker *worker;
  entry *entry;
  context *context;                   /* NULL once it is packed into: */
  parcel *parcel;
  bool failing;                       /* the context records a failure */
  bool final;                         /* ... and the job is not tried again */
  struct run *next_waiting, **waiting_at; /* the worker's list of runs that wait for the host */
  run_failure failure;
  orr_time since;                     /* when it was begun */
  bool waited;                        /* for the host: others had their turn meanwhile */
  siblings *siblings;                 /* whose published batch it is that is with the committer; NULL: none's */
  siblings_waiter quiet;              /* called when it may go on behind those of its siblings */
  bool resting;                       /* until then */
  bool submitted;                     /* its batch is with the committer */
  struct run *next;                   /* inbox, free list */
  struct run *next_active, **at_active; /* worker.runs */
} run;

typedef struct worker {
  struct orr_executor *executor;
  uint32_t index;
  pthread_t thread;
  bool started;
  uv_loop_t loop;
  uv_async_t wake;
  atomic_bool sleeping;
  pthread_mutex_t inbox_mutex;
  run *inbox, **inbox_last;           /* answers of the committer */
  run *idle;                          /* runs for reuse */
  parcel *parcels;                    /* for reuse, each of WORKER_PARCEL_BYTES; the thread's own, as is: */
  uint32_t n_parcels;
  run *runs;                          /* begun and not ended; the thread's own */
  atomic_bool asked;                  /* inspect.c: there is a question */
  inspection *question;               /* ask_mutex guards it */
  atomic_uint_fast64_t current_job;   /* begun and not yet let go of; 0: none */
  atomic_int_fast64_t current_since;
  orr_engine *_Atomic current_engine;
  uint32_t active, waiting;           /* runs begun and not ended; of these, those that wait for the host */
  run *first_waiting;
  uv_timer_t look;                    /* while some wait: whether their jobs are still theirs */
  bool looks;                         /* it is time */
  run *next_look;                     /* of those that wait; NULL: the first */
  bool opened[EXECUTOR_ENGINES_MAX];  /* by member: this thread has entered the engine */
} worker;

struct orr_executor {
  orr_env env;
  orr_executor_options options;
  char owner[OWNER_BYTES_MAX];        /* given by options, else "" */
  orr_value bounds[2];                /* what the options' priority_min and priority_max point at */
  pthread_mutex_t mutex;
  pthread_cond_t acquire, progress;   /* acquisition sleeps on the one; whoever waits for idleness or the end on the other */
  member *members[EXECUTOR_ENGINES_MAX];
  uint32_t n_members, turn;           /* whose queue is served next */
  worker *workers;
  uint32_t n_workers;
  pthread_t acquirer;
  bool running, stopping, wake;
  bool news;                          /* a store has heard of another process' commit */
  bool drained;                       /* no worker runs anything any more */
  bool abandoning;                    /* the time for draining is over: workers leave what waits for the host */
  uint32_t n_working;                 /* workers in their loops */
  uint64_t cycles_asked, cycles_done; /* acquisition rounds, for waiting for idleness */
  entry *delayed;
  entry *idle_entries;
  pthread_mutex_t ask_mutex;          /* guards questions and their answers */
  bool asking;                        /* the turn: one question at a time, and none while threads come or go */
  pthread_cond_t answered;
  bool private_to_engine;             /* made by orr_engine_start_executor */
};

/* pool.c; the mutex is taken inside unless the name ends in _locked. */
/* The engine's place in the executor; NULL: it does not belong to it. The mutex is held. */
member *pool_member(orr_executor *x, const orr_engine *engine);
/* A job that this executor has locked enters the queue, behind the job that is running of its
 * `exclusive` instance (0: none). One that is known already changes nothing; without memory for it it is lost sight of. */
void pool_enqueue(member *m, orr_id job, orr_id exclusive);
/* Takes up to `max` entries, members in turn. */
uint32_t pool_take(orr_executor *x, entry **out, uint32_t max);
/* The entry is done: the next of its chain enters the queue. */
void pool_finished(entry *e);
/* It lost a race: it enters the queue again after `wait_ms`. */
void pool_delay(entry *e, int64_t wait_ms);
/* A run is over: should its job be taken again before the answer to its commit, that is another matter. */
void pool_committing(entry *e);
/* It is not over yet. */
void pool_running_on(entry *e);
/* Moves delayed entries whose time has come into the queue; returns when the next one is due, or INT64_MAX. */
int64_t pool_wake_delayed_locked(orr_executor *x, int64_t now_ns);
/* Takes everything queued, chained or delayed out of a member, for giving it back. Returns an array of ids (env memory). */
orr_id *pool_drain(member *m, size_t *count, size_t *capacity);

/* acquisition.c */
/* The acquisition thread, from start to stop; answers NULL. */
void *acquisition_main(void *executor);

/* worker.c */
/* Makes a worker's loop and its thread. 0 or an error, after which nothing is left of it. */
int worker_start(worker *w, orr_executor *x, uint32_t index, orr_error *err);
/* The loop of the worker looks at its inbox. Any thread; nothing before it has started. */
void worker_wake(worker *w);
/* Waits until its thread has ended, and frees its loop. Nothing when it never started. */
void worker_join(worker *w);

#endif
