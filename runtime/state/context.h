/* A command's context: one unit of work with its agenda, and where it runs. What Camunda calls the
 * command context.
 *
 * An API call, a job or a transaction block makes one; nested calls of delegates join it. It ends by
 * a commit, or is thrown away whole. A failure needs no clean-up, because only memory has changed.
 *
 *   context_begin -> commands plan operations -> context_run
 *     -> (pending: the context is kept; await_wake continues it) -> context_commit -> end
 *
 * A context belongs to one OS thread at a time. For every function of this room that takes one,
 * unless it says otherwise:
 *   - an int is 0, or an ORR_E_* code, which is in c->error with its message;
 *   - a NULL pointer means a failure in c->error or, with c->error.code 0, that nothing was found;
 *   - the records, texts and values that it gives live in c->arena until the context ends; it copies
 *     what it is given when it keeps it;
 *   - a map of variables that is NULL or ORR_NIL is empty. */
#ifndef ORR_CONTEXT_H
#define ORR_CONTEXT_H

#include "base/trace.h"
#include "engine/host.h"
#include "uow/uow.h"

typedef struct operation operation;

typedef struct agenda {
  operation *items; /* a stack: the top runs next */
  uint32_t count, capacity;
  uint32_t planned; /* operations on top that the running one has planned, still in reverse */
  uint32_t base;    /* the size below the running branch */
  orr_id execution; /* what the running operation is about */
  uint32_t runs;    /* operations that have run */
} agenda;

typedef struct context_counts {
  uint32_t activities_started, activities_ended, roots_started, instances_ended;
  uint32_t cleaned_instances, cleaned_decisions, cleaned_batches; /* by clean-up of history */
} context_counts;

/* The branches that one run of the agenda has queued; exec/branch_queue.h. */
typedef struct branch_queue {
  struct queued_branch *first, *last;
  const struct branch_queue *outer; /* of the run around this one */
} branch_queue;

/* The calls that one run of the agenda awaits; exec/awaiting.h. */
typedef struct await_frame {
  struct awaited_call *first, *last;       /* unanswered, in the order of the calls */
  struct awaited_call *woken, *woken_last; /* answered or dropped, in that order: may continue */
  struct awaited_call *blocking;           /* holds up the whole agenda; in neither list */
  struct await_frame *outer;
} await_frame;

/* How long the scripts of one transaction have awaited something; for the host alone
 * (bindings/host/fiber_wait.h). */
typedef struct script_waits {
  int64_t used_ms, from_ms; /* used_ms: until from_ms, when the first that awaits now began */
  uint32_t count;           /* scripts that await now */
} script_waits;

typedef enum context_state {
  CONTEXT_READY,
  CONTEXT_RUNNING,
  CONTEXT_PENDING,
  CONTEXT_FAILED,
  CONTEXT_ENDED
} context_state;

/* Lists that a context keeps for one file each. */
typedef struct context_lists {
  /* changes that conditional events have not seen yet: exec/event/condition.c */
  struct variable_change *changes, **changes_tail;
  /* scopes whose inclusive joins may be complete now: exec/node/inclusive_join.c */
  struct join_check *join_checks;
  /* instances whose overviews may be out of date: exec/node/multi_overview.c */
  struct overview_check *overviews;
  /* where sequential multi-instances are in their collections: exec/node/multi_collection.c */
  struct multi_cursor *cursors;
  /* what callees see: in use (newest first), and to be used again: execution.c */
  struct view_slot *views, *free_views;
  /* about counters that siblings change as well: exec/assumption.c */
  struct assumption *assumptions;
  struct transient *transients; /* transient variables: transient.c */
  struct put_off *put_off;      /* ends that wait for tokens which are being canceled: exec/cancel.c */
} context_lists;

/* The numbers that the running job has reserved in its instance; numbers.h. */
typedef struct context_numbers {
  orr_id instance; /* 0: none are reserved */
  int64_t local, local_end, sequence, sequence_end;
} context_numbers;

/* What was looked up last, because most operations in a row are about one token. */
typedef struct context_last {
  rec_execution *execution;
  rec_instance *instance;
  definition *definition; /* of the instance */
} context_last;

struct context {
  orr_engine *engine;
  unit *u;
  orr_arena *arena;  /* the unit's */
  host_thread *host; /* of this OS thread; NULL without a script host */
  agenda agenda;
  branch_queue branches;                /* that advance side by side */
  struct queued_branch *spare_branches; /* to be used again */
  context_state state;
  orr_time now;     /* the engine's clock when the unit began: a job sees one time */
  rec_job *job;     /* that it runs, or NULL */
  orr_time job_due; /* when the job was due as it began; its delegate may change the record's */
  context_numbers numbers;
  const char *user;

  /* Traces; tracing.h. */
  const trace_context *trace;        /* that new spans and records belong to; NULL: none */
  const trace_context *own_trace;    /* of the command or job itself; `trace` may be an instance's */
  const trace_context *joined_trace; /* of the last instance met that has another one; NULL: none */
  trace_span *spans;                 /* begun here; the commit ends them */
  uint32_t n_spans;

  orr_id operation_id;   /* of the running command's rows in the log of users' operations; 0: none yet */
  orr_error error;       /* CONTEXT_FAILED */
  const node *failed_at; /* where the error was raised, for failed_activity_id */
  uint64_t steps;        /* operations run; bounds.h */
  /* how many more tokens this instance may have, as counted last; bounds.c */
  struct { orr_id instance; int64_t room; } tokens;

  /* Nesting; command/frame.c. */
  uint32_t depth;            /* nested begins: transactions, and API calls of delegates */
  uint32_t depth_outside;    /* those of `depth` that no delegate made */
  uint32_t command_depth;    /* commands that run now, one in another's delegate */
  bool read_only;            /* what runs now may change nothing */
  bool rollback_only;        /* a nested part failed, and nobody caught it: the commit will refuse */
  orr_error rollback_reason; /* cleared by context_end */
  bool transaction;          /* begun by orr_engine_begin: its outermost commit or rollback ends it */

  /* The running operation, and calls to the host. */
  orr_id about;            /* what the operation is about; 0 while host code runs, or without one */
  operation *waiting;      /* set by agenda_call: the operation that continues with the host's result */
  operation *continuation; /* the memory of `waiting` */
  uint32_t floor;          /* the agenda's size at which the innermost nested run is done */
  host_result result;      /* of the last call */
  struct awaited_call *pending_call; /* set by agenda_call: the host has not answered yet */
  await_frame *awaits, outermost;    /* of the innermost run, and of the context's own */
  struct awaited_call *spare_awaited; /* to be used again */
  struct awaited_call *queue_behind; /* what the running operation plans waits for this call, */
  uint32_t queue_since;              /* and so does all that was planned since this run */
  bool branches_overtake; /* a listener of something canceled awaits, and other branches run on */
  script_waits script_waits;

  /* How it waits; exec/context_run.h. */
  void (*on_done)(context *c, void *ud); /* a pending context ended or failed; for workers */
  void *on_done_ud;
  int (*check_wait)(context *c, void *ud); /* is it still worth waiting for? NULL: always */
  void *check_wait_ud;
  bool may_pend;           /* the caller can do other things while this context awaits something */
  bool leaves_clock_waits; /* context_wait returns when only the manual clock could end the wait */
  bool waits_for_clock;    /* it has returned for that */

  context_lists lists;
  context_last last;
  /* new jobs, for the hand-over to this process's executor after the commit */
  struct { rec_head **jobs; uint32_t count, capacity; } created;
  /* definitions in use, by id; released at the end. `capacity` is a power of two */
  struct { struct definition **slots; uint32_t count, capacity; } pins;
  bool skip_listeners, skip_io_mappings;
  bool ignores_failures;     /* failures of delegates are only logged: the instance goes in any case */
  context_counts counted;    /* for the metrics, once it has committed */
  const char *delete_reason; /* of the instance being deleted, for listeners and its tasks' history */
  orr_id held_by;            /* the suspended caller that kept a called instance from ending; executor/run.c */
  void *worker;              /* the executor's worker that runs this, or NULL */
  struct call_place *place;  /* where the worker notes the running call, or NULL; exec/node/call_place.h */
};

/* `host` NULL: this OS thread's own (or none). Closes the view of what this thread is in the middle of.
 * NULL with err on failure. */
context *context_begin(orr_engine *engine, host_thread *host, orr_error *err);
/* The same, but reads through the view of `lender`, as unit_begin_beside does. */
context *context_begin_beside(orr_engine *engine, unit *lender, orr_error *err);
/* A run's answer while a call to the host is pending: neither done nor failed (codes are negative). */
#define RUN_PENDING 1
/* An operation's answer when an expression that it evaluated has canceled the token or scope that it
 * is about. The operation is over, and that is no failure. Code that ignores an expression's failure
 * must pass this on. */
#define RUN_CANCELED (-1000)
/* The two halves of a commit, for a caller that gets the store's answer elsewhere. context_flush
 * makes the batch, once the engine's hooks have decided which new jobs are handed over. */
int context_flush(context *c, store_batch **out, orr_error *err);
/* In between, for a caller that waits: has the committer write the batch. 0, or why it is not written. */
int context_commit_batch(context *c, store_batch *batch, orr_error *err);
/* The other half, once the store has answered (`status`: 0 or an error): runs the hooks and the
 * hand-over, and ends the context. */
void context_committed(context *c, int status);
/* Adds to the engine's metrics. */
void context_count(orr_engine *engine, const context_counts *counted);
/* Commits, in a group with what others commit, and ends. The context is gone afterwards, whatever
 * the answer. */
int context_commit(context *c, orr_error *err);
/* Ends it without a commit, or after one: frees its memory, releases its definitions, abandons calls
 * that wait. May be called at any point. */
void context_end(context *c);
/* Sets who acts from here on, in this context alone: other contexts of its thread keep their users. */
int context_set_user(context *c, const char *user, orr_error *err);
/* Does the engine run the calling code: a delegate, a listener, an expression, or what these call?
 * False between the commands of a transaction. */
bool context_inside(orr_engine *engine);

/* Fails with a new error: `return context_error(c, ORR_E_STATE, "…", …);`
 * The context's state becomes FAILED when the operation returns. */
#define context_error(c, ...) error_set(&(c)->error, __VA_ARGS__)
#define context_memory(c) error_memory(&(c)->error)

/* unit_touch, with the reason in c->error. Call it before the first change of a record. 0 or
 * ORR_E_MEMORY. */
static inline int context_touch(context *c, void *record) { return unit_touch(c->u, record) ? context_memory(c) : 0; }

/* Now, for a record's time of an event. There 0 means "not set", so the first millisecond of 1970
 * becomes its second. */
static inline orr_time context_stamp(const context *c) { return c->now ? c->now : 1; }

/* The bytes of a text that is a name or an id. One with a zero byte is refused; the refusal calls it
 * `what`. */
const char *context_text(context *c, const orr_value *text, const char *what);

/* The definition with this id, from the engine's cache or rebuilt; pinned until the context ends. NULL with err. */
definition *context_definition(context *c, orr_id id, orr_error *err);
/* The definition of the instance that this id belongs to. */
definition *context_definition_of(context *c, orr_id any_id_of_instance, orr_error *err);
/* That instance. NULL with `err`: it does not run, or the store failed. */
rec_instance *context_instance(context *c, orr_id any_id_of_instance, orr_error *err);

#endif
