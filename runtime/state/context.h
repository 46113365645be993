/* A command's context: one unit of work with its agenda, and where it runs. What Camunda calls the command context.
 *
 * An API call, a job or a transaction block makes one; nested calls from delegates join it. It ends by commit, or is
 * thrown away whole:
 * failing needs no clean-up because nothing but memory has changed.
 *
 *   context_begin -> commands plan operations -> context_run -> (pending: kept; await_wake goes on) -> context_commit -> end
 *
 * A context belongs to one OS thread at a time. What holds for every function of this room that takes one, unless it
 * says otherwise:
 *   - an int is 0, or an ORR_E_* code that stands in c->error with its message;
 *   - a pointer that is NULL means a failure in c->error, or, with c->error.code 0, that there is no such thing (any more);
 *   - records, texts and values that it hands out live in c->arena until the context ends; what it is given is copied
 *     when it is kept;
 *   - maps of variables may be NULL or ORR_NIL: there are none. */
#ifndef ORR_CONTEXT_H
#define ORR_CONTEXT_H

#include "base/trace.h"
#include "engine/host.h"
#include "uow/uow.h"

typedef struct operation operation;

typedef struct agenda {
  operation *items; /* a stack: the top runs next */
  uint32_t count, capacity;
  uint32_t planned;  /* operations that the running one has planned, at the top, still in reverse */
  uint32_t base;     /* the size below the running branch */
  orr_id execution;  /* what the running operation is about */
  uint32_t runs;     /* how many operations have run */
} agenda;

typedef struct context_counts {
  uint32_t activities_started, activities_ended, roots_started, instances_ended;
  uint32_t cleaned_instances, cleaned_decisions, cleaned_batches; /* by clean-up of history */
} context_counts;

/* The branches that one run of the agenda has queued; exec/branch_queue.h. */
typedef struct branch_queue {
  struct queued_branch *first, *last;
  const struct branch_queue *outer; /* of the run around */
} branch_queue;

/* The calls that one run of the agenda waits for; awaiting.h. */
typedef struct await_frame {
  struct awaiting *first, *last;       /* not answered, in the order of their calls */
  struct awaiting *woken, *woken_last; /* may go on, answered or dropped, in the order in which they were */
  struct awaiting *alone;              /* holds up the agenda; in neither list */
  struct await_frame *outer;
} await_frame;

/* How long the scripts of one transaction have awaited something; the host's (bindings/host/fiber_wait.h). */
typedef struct script_waits {
  int64_t used_ms, from_ms; /* until `from_ms`, when the first of those that await now began */
  uint32_t count;           /* that await now */
} script_waits;

typedef enum context_state { CONTEXT_READY, CONTEXT_RUNNING, CONTEXT_PENDING, CONTEXT_FAILED, CONTEXT_ENDED } context_state;

/* What single files keep with a context: each list is its file's own. */
typedef struct context_lists {
  struct variable_change *changes, **changes_tail; /* not yet shown to conditional events: event/condition.c */
  struct join_check *join_checks;       /* scopes whose inclusive joins may have become complete: node/inclusive_join.c */
  struct overview_check *overviews;     /* instances whose overviews may be out of date: node/multi_overview.c */
  struct multi_cursor *cursors;         /* of sequential multi-instances in their collections: node/multi_collection.c */
  struct view_slot *views, *free_views; /* what callees see, in use (newest first) and to be used again: execution.c */
  struct assumption *assumptions;             /* conclusions from counters that siblings change as well: assumption.c */
  struct transient *transients;         /* transient variables: state/transient.c */
  struct put_off *put_off;              /* ends that wait for tokens which callers take away: cancel.c */
} context_lists;

/* Numbers that the job which runs has set aside, and where those end; state/numbers.h. */
typedef struct context_numbers {
  orr_id instance; /* 0: there are none */
  int64_t local, local_end, sequence, sequence_end;
} context_numbers;

/* What was looked up last: most operations in a row are about one token. */
typedef struct context_last {
  rec_execution *execution;
  rec_instance *instance;
  definition *definition; /* of the instance */
} context_last;

struct context {
  orr_engine *engine;
  unit *u;
  orr_arena *arena;       /* the unit's */
  host_thread *host;      /* of this OS thread; NULL without a script host */
  agenda agenda;
  branch_queue branches;  /* that advance side by side; exec/branch_queue.h */
  struct queued_branch *spare_branches; /* to be used again */
  context_state state;
  orr_time now;           /* the engine's clock when the unit began; a job sees one time */
  rec_job *job;           /* the job it runs, or NULL */
  orr_time job_due;       /* when that was due as it began: its delegate may have set another time */
  context_numbers numbers;
  const char *user;
  const trace_context *trace; /* what is made here belongs to it; NULL: to none. state/tracing.h */
  const trace_context *asked; /* the trace of the command or job itself, which may go on in an instance's */
  const trace_context *joined; /* of the instance last met whose trace that is not; NULL: none */
  trace_span *spans;      /* begun here; they end with the commit */
  uint32_t n_spans;
  orr_id operation_id;    /* of the running command's rows in the log of users' operations; 0: none yet */
  orr_error error;        /* CONTEXT_FAILED */
  const node *failed_at;  /* where an error was raised, for failed_activity_id */
  uint64_t steps;         /* operations run; state/bounds.h */
  struct { orr_id instance; int64_t room; } tokens; /* how many more this instance may have, as was counted; state/bounds.c */
  uint32_t depth;         /* nested begins (transactions, API calls in delegates) */
  uint32_t outside;       /* those of `depth` that no delegate made */
  uint32_t nest;          /* commands that run now, one in another's delegate */
  bool looking;           /* what runs now may change nothing: command/frame.c */
  bool doomed;            /* a nested part failed and was caught by nobody: the outermost commit refuses */
  orr_error doom;         /* why; cleared by context_end */
  bool transaction;       /* begun by orr_engine_begin: ends with its outermost commit or rollback */

  orr_id about;           /* what the engine's own code is about, as long as no host code runs; 0: no operation's */
  operation *waiting;     /* set by agenda_call: the operation that goes on with the host's result */
  struct awaiting *pended; /* set by agenda_call: the host has not answered yet */
  await_frame *awaits, outermost; /* of the innermost run, and of the context's own */
  struct awaiting *free_awaiting;
  struct awaiting *behind; /* the running operation plans what must wait for this one */
  uint32_t behind_since;   /* with all that is planned since this run */
  bool parted;             /* an awaited listener of something canceled has let other branches go on */
  operation *continuation;/* where it lies */
  uint32_t floor;         /* the agenda's size at which the running part (the innermost nested one) is done */
  host_result result;     /* of the last call */
  script_waits script_waits;
  void (*on_done)(context *c, void *ud); /* a pending context reached its end or failed (workers) */
  void *on_done_ud;
  int (*look)(context *c, void *ud); /* is waiting on the caller's thread still worth it? NULL: as context_wait says */
  void *look_ud;
  bool leaves;  /* who runs it goes on with others while it awaits something */
  bool may_nap; /* context_wait leaves what only a move of the manual clock would end */
  bool naps;    /* set by the host's wait: it came to that */

  context_lists lists;
  context_last last;
  /* jobs, for hand-over to this process's executor after commit */
  struct { rec_head **jobs; uint32_t count, capacity; } created;
  /* definitions in use; released at the end */
  struct { struct definition **slots; uint32_t count, capacity; } pins; /* by id; a power of two of slots */
  bool skip_listeners, skip_io_mappings;
  /* what a delegate or listener fails with is logged, and no failure: its instance is to go in any case */
  bool forgiving;
  context_counts counted;       /* for the metrics, once it has committed */
  const char *delete_reason;    /* of the instance that is being deleted; listeners and history of its tasks tell it */
  orr_id held_by;               /* a suspended caller that could not go on when its called instance ended; executor/run.c */
  void *worker;                 /* the executor's worker that runs this, or NULL */
  struct call_place *place;     /* where that shows which call runs, or NULL; exec/node/call_place.h */
};

/* `host` NULL: this OS thread's own (or none). NULL with err on failure. What this thread is in the middle of lets go of
 * its view. */
context *context_begin(orr_engine *engine, host_thread *host, orr_error *err);
/* The same, but reads through the view of `lender`, as unit_begin_beside does. */
context *context_begin_beside(orr_engine *engine, unit *lender, orr_error *err);
/* What running answers when a call to the host is pending: neither done nor failed (codes are negative). */
#define RUN_PENDING 1
/* What an operation answers when an expression that it evaluated has canceled the token or scope that it is about: it is over,
 * and that is no failure. Whoever passes over an expression that fails passes this on. */
#define RUN_CANCELED (-1000)
/* The two halves of a commit, for a caller that gets the store's answer elsewhere. context_flush
 * makes the batch, once the engine's hooks have decided which new jobs are handed over;
 * context_committed does what follows the answer: hooks, hand-over, and the end of the context. */
int context_flush(context *c, store_batch **out, orr_error *err);
/* In between, for a caller that waits: has the committer write the batch. 0, or why it is not written. */
int context_commit_batch(context *c, store_batch *batch, orr_error *err);
/* What follows the store's answer (`status`: 0 or an error) for a batch that context_flush made. */
void context_committed(context *c, int status);
/* Adds to the engine's metrics. */
void context_count(orr_engine *engine, const context_counts *counted);
/* Commits, in a group with what others commit, and ends. The context is gone afterwards, whatever
 * the answer. */
int context_commit(context *c, orr_error *err);
/* Ends it without committing, or behind its commit: its memory, definitions and calls that wait
 * go. Fine at any point. */
void context_end(context *c);
/* Who acts from here on, in this context alone: what else its thread runs while it waits has users of its own. */
int context_set_user(context *c, const char *user, orr_error *err);
/* Does the engine run the calling code: a delegate, a listener, an expression, or what these call? Not so between the
 * commands of a transaction. */
bool context_inside(orr_engine *engine);

/* Fail with a new error: `return context_error(c, ORR_E_STATE, "…", …);`
 * The context's state becomes FAILED when the operation returns. */
#define context_error(c, ...) error_set(&(c)->error, __VA_ARGS__)
#define context_memory(c) error_memory(&(c)->error)

/* unit_touch, with the reason in c->error: to be called before the first change of a record. 0 or ORR_E_MEMORY. */
static inline int context_touch(context *c, void *record) { return unit_touch(c->u, record) ? context_memory(c) : 0; }

/* Now, as a record says when something happened: there, 0 is "not set", so that the first millisecond of 1970 counts as
 * its second. */
static inline orr_time context_stamp(const context *c) { return c->now ? c->now : 1; }

/* The bytes of a text as a name or an id, which holds no zero byte; `what` it is, for the refusal. */
const char *context_text(context *c, const orr_value *text, const char *what);

/* The definition with this id, from the engine's cache or rebuilt; pinned until the context ends. NULL with err. */
definition *context_definition(context *c, orr_id id, orr_error *err);
/* The definition and node of an execution or the instance's own. */
definition *context_definition_of(context *c, orr_id any_id_of_instance, orr_error *err);
/* The instance of any id of its group; NULL with `err`: it does not run, or the store failed. */
rec_instance *context_instance(context *c, orr_id any_id_of_instance, orr_error *err);

#endif
