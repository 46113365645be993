/* The inside of the executor, shared by executor.c (start and stop), pool.c (jobs in flight),
 * acquisition.c (the thread that acquires) and worker/ (the threads that run jobs). One mutex
 * guards everything here, unless a comment says otherwise. */
#ifndef ORR_EXECUTOR_POOL_INTERNAL_H
#define ORR_EXECUTOR_POOL_INTERNAL_H

#include <pthread.h>
#include <stdatomic.h>

#include <uv.h>

#include "exec/pending_commit.h"
#include "exec/node/call_place.h"
#include "executor/backoff.h"
#include "executor/executor.h"
#include "executor/idle.h"
#include "executor/worker/inspect.h"
#include "executor/owner/thread_reporter.h"
#include "executor/owner/presence.h"
#include "executor/owner/share.h"
#include "executor/region.h"
#include "executor/rivals.h"
#include "executor/run.h"
#include "executor/worker/local_queue.h"
#include "base/table.h"
#include "uow/committer.h"
#include "uow/readers.h"

#define EXECUTOR_ENGINES_MAX 64
#define EXECUTOR_THREADS_MAX RUNNING_THREADS_MAX

typedef struct member member;

/* What a member takes when other executors work on the same store (executor/owner/share.h). */
typedef struct shared_front {
  share share;
  int64_t look_ns;                    /* when it looks for others again */
  uint32_t page;                      /* jobs that a round takes; few after a loss */
  orr_id job;                         /* the first ready job that the last round saw; 0: none */
  int64_t since_ns;                   /* since when it has been that */
  int64_t patience_ms;                /* how long it is left to the executor whose share it is in */
  bool abandoned;                     /* jobs taken from others' shares: nobody else wanted them */
  bool left;                          /* the last round left jobs to others */
} shared_front;

/* A job that is locked for us and not yet finished or given back. */
typedef struct entry {
  orr_id job, exclusive;
  orr_id key;                         /* as placed_job's */
  member *of;
  struct entry *next;                 /* in the queue, a chain, or the delayed list */
  struct entry *chain, **chain_last;  /* exclusive jobs of the same instance that wait for this one */
  uint32_t conflicts;                 /* lost races in a row */
  int64_t not_before_ns;              /* delayed after a conflict */
  bool committing;                    /* its run is over */
  bool lent;                          /* a thread outside the executor runs it */
  uint32_t waits_on;                  /* the thread where its run waits for the host, from 1; or 0 */
  bool taken_again;                   /* acquired again since it was queued: the worker may have seen the old lock */
} entry;

/* An engine of the executor. */
struct member {
  orr_engine *engine;
  struct orr_executor *executor;
  acquire_rules rules;
  lock_owner locker;
  running *running;                   /* what its threads are doing; NULL: not noted */
  thread_reporter *reporter;          /* answers other processes; NULL: they cannot ask */
  uint32_t in_flight, capacity, page;
  uint32_t reserved;                  /* of those in flight: by commands whose commit is not known yet */
  uint32_t lent;                      /* of those in flight: other threads run them */
  uint32_t waiting;                   /* of those in flight: begun, and waiting for the host */
  entry *first, **last;               /* the queue */
  table flight;                       /* job -> entry */
  table busy;                         /* exclusive scope -> the entry that runs or is queued for it */
  orr_time next_due;                  /* first waiting timer as far as we know; 0: none */
  bool starved;                       /* acquisition left jobs, because there was no room */
  bool throttled;                     /* jobs wait for their limits, as the last round found */
  bool rated;                         /* some of them only until a time */
  uint64_t returned;                  /* leases given back, ever */
  uint64_t round_returned;            /* of these, when the round under way began */
  backoff_rules backoff;
  backoff_state backoff_state;
  int64_t acquire_at_ns;              /* no round before that */
  uint64_t foreign;                   /* commits of others at the last round; the acquisition thread's, like the next: */
  bool heard;                         /* there were more since */
  bool away;                          /* its store is unreachable; the acquisition thread's */
  int64_t clock_jump;                 /* of the store's clock, as it was logged; 0: none. Acquisition's thread's */
  reader_watch readers;               /* the acquisition thread's */
  rivals rivals;                      /* other processes at the store; acquisition's thread's */
  region region;                      /* where the next round looks, and from which row on; acquisition's thread's */
  ready_place place;
  uint32_t skip;
  shared_front front;                 /* the acquisition thread's */
  int64_t renew_at_ns;
  acquired *found;                    /* acquisition's page; its thread's */
  uint64_t handed;                    /* hand-overs reserved, ever */
  uint64_t round_asked;               /* executor.cycles_asked when the round under way began */
  idle_traffic round_began;
  uint64_t idle_asked;                /* round_asked of the last round that showed the engine at rest */
};

/* One job in a worker's hands, from its context to the store's answer. */
typedef struct run {
  commit_request request;             /* first: the committer hands it back */
  struct worker *worker;
  entry *entry;                       /* gone once it is settled */
  orr_id job;
  member *of;
  context *context;                   /* NULL once it is packed into `pending` */
  pending_commit *pending;
  bool failing;                       /* its context records a failure */
  bool final;                         /* ... and the job will not be tried again */
  struct run *next_waiting, **waiting_at; /* the worker's list of runs that wait for the host */
  run_failure failure;
  orr_time since;                     /* when it was begun */
  orr_time ended;                     /* when the committer answered, if that is logged */
  bool waited;                        /* for the host, while other jobs ran */
  siblings *siblings;                 /* that its submitted batch was published to; NULL: none */
  siblings_waiter quiet;              /* called when all batches of its siblings are answered */
  bool resting;                       /* waits for that */
  bool submitted;                     /* its batch is with the committer */
  bool settled;                       /* its answer was acted on (worker/answers.c) */
  atomic_bool over;                   /* the job is done; only memory is left to free */
  struct run *next;                   /* inbox, free list */
  struct run *next_active, **at_active; /* worker.runs */
} run;

typedef struct taken_job {
  orr_id job;
  const member *of;
} taken_job;

/* What the store has of the jobs of a local queue, fetched in one query. */
typedef struct job_prefetch {
  taken_job taken[LOCAL_QUEUE_MAX];        /* in order; other workers may have begun some */
  uint32_t count, at;                 /* at: the job that was begun last */
  store_prefetched *fetched;          /* NULL: the store is near */
  const member *of;                   /* whose store */
} job_prefetch;

/* A call that may block, noted by the script host before it began. */
typedef struct noted_call {
  orr_id job;
  orr_time since;
  int line;                           /* 0: none was noted */
  char source[60];
} noted_call;

typedef struct worker {
  struct orr_executor *executor;
  uint32_t index;
  pthread_t thread;
  bool started;
  uv_loop_t loop;
  uv_async_t wake;
  atomic_bool sleeping;               /* it waits for its loop's next event, and runs nothing */
  local_queue local;                      /* what it has taken and not begun */
  job_prefetch prefetch;                 /* fetched for it; the thread's own */
  pthread_mutex_t inbox_mutex;
  run *inbox, **inbox_last;           /* answers of the committer */
  atomic_bool unread;                 /* some of them any thread may settle */
  atomic_uint_fast32_t rounds;        /* how often it has read its inbox */
  uint_fast32_t rounds_seen;           /* the acquisition thread's */
  run *idle;                          /* runs for reuse */
  pending_commit *spare_commits;      /* for reuse, each of WORKER_COMMIT_BYTES; the thread's own */
  uint32_t n_spare_commits;
  run *runs;                          /* begun and not ended; the thread's own */
  noted_call noted;                   /* inbox_mutex guards it */
  atomic_bool asked;                  /* inspect.c: there is a question */
  inspection *question;               /* ask_mutex guards it */
  atomic_uint_fast64_t current_job;   /* begun and not yet let go of; 0: none */
  atomic_int_fast64_t current_since;
  orr_engine *_Atomic current_engine;
  call_place place;                   /* the call that it runs */
  atomic_bool replaced;               /* past a time limit in C: another thread has its place (time_limit.h) */
  atomic_bool retired;                /* it was replaced and has come back: begins nothing more */
  atomic_bool waits_limited, overdue; /* some waiting runs have deadlines; check these now */
  int64_t over_deadline;              /* of the call found overdue last; acquisition's, like the next: */
  bool over_told;                     /* logged: it was replaced, or could not be */
  uint32_t active, waiting;           /* runs begun and not ended; of these, those that wait for the host */
  run *first_waiting;
  uv_timer_t look;                    /* while runs wait: checks whether their jobs are still theirs */
  bool looks;                         /* that is due */
  run *next_look;                     /* of those that wait; NULL: the first */
  bool opened[EXECUTOR_ENGINES_MAX];  /* by member: this thread has entered the engine */
} worker;

struct orr_executor {
  orr_env env;
  orr_executor_options options;
  char owner[OWNER_BYTES_MAX];        /* from the options, else "" */
  orr_value bounds[2];                /* what the options' priority_min and priority_max point at */
  pthread_mutex_t mutex;
  pthread_cond_t acquire;             /* acquisition sleeps on it */
  pthread_cond_t progress;            /* those that wait for idleness, or for the end, sleep on it */
  member *members[EXECUTOR_ENGINES_MAX];
  uint32_t n_members, next_member;    /* whose queue is next */
  worker *workers;
  _Atomic uint32_t n_workers;         /* started ever, replacements and retired ones included */
  uint32_t n_threads, n_slots;        /* threads wanted; size of `workers` */
  pthread_t acquirer;
  bool running, stopping, wake;
  bool news;                          /* another process has committed to a store */
  bool drained;                       /* no worker runs anything */
  atomic_bool watching;               /* the acquisition thread checks inboxes */
  atomic_bool limiting;               /* ... and deadlines */
  int64_t limits_look_ns;             /* when it checks these again; its own */
  int64_t drain_until_ns;             /* when a stop gives up on what still runs; 0: no stop */
  bool abandoning;                    /* the time for draining is over: workers leave what waits for the host */
  uint32_t n_working;                 /* workers in their loops */
  uint64_t cycles_asked, cycles_done; /* rounds of acquisition, for those that wait for idleness */
  entry *delayed;
  entry *idle_entries;
  pthread_mutex_t ask_mutex;          /* guards questions and their answers */
  bool asking;                        /* one question at a time, and none while threads begin or end */
  pthread_cond_t answered;
  bool private_to_engine;             /* made by orr_engine_executor_start */
};

/* pool.c. The functions take the mutex, except those whose names end in _locked: */
/* The engine's place in the executor; NULL: it does not belong to it. The mutex is held. */
member *pool_member(orr_executor *x, const orr_engine *engine);
/* Queues a job that this executor has locked, or chains it behind the queued or running job of its
 * `exclusive` instance (0: none). Nothing happens for a job that is in flight already. Without
 * memory the job is dropped here, and its lock counts as lost (engine->locks_lost), so that the
 * owner looks for it. */
void pool_enqueue(member *m, const placed_job *job);
/* Refills the worker's local queue, which is empty, from the queue, engine by engine; from an empty
 * queue, with half of what another worker has taken and not begun. Notes in `prefetch` which jobs
 * these are. Takes nothing when the executor stops. */
void pool_take(struct worker *w);
/* Is there a job that a worker could begin, in the queue or in another worker's local queue? The caller
 * holds the mutex. */
bool pool_has_work_locked(const orr_executor *x);
/* From here on no job is begun: what workers have taken and not begun goes back into the queue. */
void pool_stop(orr_executor *x);
/* Is every thread at a job? The caller holds the mutex. */
bool pool_all_busy_locked(const orr_executor *x);
/* The run of this job begins to wait for the host, on the thread of this number (from 1); 0: it
 * goes on. */
void pool_set_waiting(entry *e, uint32_t thread);
/* Removes an entry whose job is done, and queues the next one of its chain. */
void pool_finished(entry *e);
/* Queues a job that has lost a race again, after `wait_ms`. */
void pool_delay(entry *e, int64_t wait_ms);
/* The run is over and its commit under way. Another run of the same job may be queued before the
 * commit is answered: it does not concern this entry. */
void pool_committing(entry *e);
/* Takes pool_committing back: the run goes on after all. */
void pool_running_on(entry *e);
/* Moves delayed entries whose time has come into the queue; returns when the next one is due, or INT64_MAX. */
int64_t pool_wake_delayed_locked(orr_executor *x, int64_t now_ns);
/* Takes everything queued or delayed out of a member, for giving it back; `chains`: also what is
 * chained behind jobs that run. Returns an array of ids (env memory); NULL: no memory, or nothing
 * is in flight. */
orr_id *pool_drain(member *m, bool chains, size_t *count, size_t *capacity);

/* worker/job_prefetch.c; the thread's own. */
/* What was prefetched for an entry that the worker is about to begin; fetches again where there is
 * nothing, or it is too old. The prefetch keeps it. NULL: the store is near. */
store_prefetched *job_prefetch_for(job_prefetch *a, const entry *e);
/* Lets go of it. */
void job_prefetch_drop(job_prefetch *a);

/* worker/answers.c, for the acquisition thread: */
/* How often it looks after inboxes: what a job's outcome waits for, twice at most, while its worker
 * is in another delegate. */
#define ANSWERS_LOOK_MS 2
/* Settles what is in the inboxes of workers that have not come round since the last look. */
void answers_look_after(orr_executor *x);
/* When it looks next; INT64_MAX: when it is woken. */
int64_t answers_look_at_ns(const orr_executor *x, int64_t now_ns);

/* owner/front.c: what a round takes beside other executors; the acquisition thread's. */
/* Of one that knows nobody else yet. */
void front_init(shared_front *f);
/* Looks from time to time who else is at work. How many jobs a round takes at most. */
uint32_t front_look(member *m);
/* acquire_jobs, of the member's share as long as there is any of it. */
int front_acquire(member *m, acquisition *a, orr_error *err);

/* acquisition.c */
/* Is a job that is locked for `member` known to be right here? (acquire_jobs) */
bool pool_still_mine(void *member, orr_id job);
/* The acquisition thread, from start to stop; answers NULL. */
void *acquisition_main(void *executor);

/* worker/worker.c */
/* Makes the loop and the thread of a worker that is all zero. 0 or an error, after which nothing is left of it. */
int worker_start(worker *w, orr_executor *x, uint32_t index, orr_error *err);
/* The loop of the worker looks at its inbox. Any thread; nothing before it has started. */
void worker_wake(worker *w);
/* Waits until its thread has ended, and frees its loop. Nothing when it never started. */
void worker_join(worker *w);

#endif
