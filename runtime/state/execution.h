/* The token and scope tree, and its invariants.
 *
 * An instance (rec_instance) is the root scope. Executions (rec_execution) are tokens: each stands at one node. A token
 * that enters an activity with a scope of its own (needs_scope) becomes that scope (scope = true) and keeps its id: local
 * variables, armed boundary events and child tokens hang on it until it leaves. So a sub-process is a token with children;
 * nothing is created for it.
 *
 *   instance
 *   ├─ token at userTask
 *   └─ token at subProcess (scope)
 *      ├─ token at parallelJoin (state JOINING)
 *      └─ token at an event sub-process (scope)
 *         └─ token at serviceTask
 *
 * Multi-instance: the token becomes the body (kind MULTI_BODY, scope, counters in its variables and data); inner instances
 * are child tokens (kind MULTI_INSTANCE, loop_counter = index + 1) at the same node. Event scopes (kind EVENT_SCOPE) keep
 * the variables of a completed scope for compensation; they are no live children.
 *
 * Invariants (the specs in spec/sim hold random runs to them):
 *   - parent.children = number of live children (kinds other than EVENT_SCOPE);
 *   - a scope with children = 0 is about to end or waits for nothing but its own events;
 *   - a token's node lies directly in the node of its parent scope (boundary and event sub-process tokens too);
 *   - every token that waits has a reason: task, job, subscription, called instance, join, children.
 * All changes to the tree go through these functions. */
#ifndef ORR_EXECUTION_H
#define ORR_EXECUTION_H

#include "state/context.h"
#include "state/lifecycle.h"

typedef enum execution_kind {
  EXECUTION_TOKEN = 0, EXECUTION_MULTI_BODY, EXECUTION_MULTI_INSTANCE, EXECUTION_EVENT_SCOPE,
  EXECUTION_COMPENSATION /* an event scope whose compensation runs: live, above the handlers' tokens */
} execution_kind;

/* Flags of a scope. Most say what may belong to it: such a flag is set when something is added, and
 * never cleared, so that leaving looks only for what there may be. Others say what became of it. */
enum {
  ORR_SCOPE_VARIABLES = 1, ORR_SCOPE_SUBSCRIPTIONS = 2, ORR_SCOPE_JOBS = 4, ORR_SCOPE_EVENT_SCOPES = 8, ORR_SCOPE_JOINS = 16,
  ORR_SCOPE_INCIDENTS = 32, ORR_SCOPE_TRANSIENTS = 64, ORR_SCOPE_CONDITIONS = 128,
  ORR_SCOPE_LISTENS = 256, /* event sub-processes are armed */
  ORR_SCOPE_INCLUSIVE = 512, /* tokens wait at an inclusive gateway */
  ORR_SCOPE_OVERVIEWS = 1024, /* an instance: variable aggregations keep overviews */
  ORR_SCOPE_INTERRUPTED = 4096, /* by its own event sub-process: its start events are disarmed */
  ORR_SCOPE_UNBOUND = 8192, /* that also disarmed its boundary events, except for errors */
  ORR_SCOPE_ENDING = 16384, /* an instance that is being deleted */
  ORR_SCOPE_QUIET = 65536, /* an instance that is being deleted, without listeners */
  ORR_SCOPE_UNMAPPED = 131072, /* an instance that is being deleted, without output mappings */
  ORR_SCOPE_BRANCH = 32768, /* a token whose branch has variables, which follow it */
  /* flags that only say where to look: siblings may set them at the same time (uow/siblings.c) */
  ORR_SCOPE_MAY_HAVE = ORR_SCOPE_VARIABLES | ORR_SCOPE_SUBSCRIPTIONS | ORR_SCOPE_JOBS | ORR_SCOPE_EVENT_SCOPES |
                       ORR_SCOPE_JOINS | ORR_SCOPE_INCIDENTS,
  ORR_SCOPE_GATHERS = 2048, /* an inner instance whose variables are aggregated: new variables stay in it */
};

/* A scope is an execution or the instance; this view hides the difference. */
typedef struct scope {
  rec_head *record;
  rec_instance *instance;   /* set when it is the root */
  rec_execution *execution; /* set otherwise */
  rec_task *task;           /* for levels of variables: a task without a process; the two above are NULL */
  orr_id id;
  const node *node;
  bool branch;              /* for levels of variables: the branch of `execution`, not the scope that it may be */
} scope;

rec_execution *execution_get(context *c, orr_id id);              /* NULL: gone, or c->error filled on a store failure */
int scope_get(context *c, orr_id id, scope *out);                 /* by the id of an instance or execution */
int scope_of(context *c, const rec_execution *e, scope *out);     /* the scope that encloses a token */
const node *execution_node(context *c, const rec_execution *e);   /* where it stands; NULL: the context's error */
int64_t scope_children(const scope *s);                           /* how many tokens are in it */
int64_t scope_flags(const scope *s);                              /* those that are set */
int scope_flag(context *c, const scope *s, int64_t flag);         /* sets a flag; 0 or the context's error */

/* To be called before host code runs in the middle of an operation: what the operation is about, or
 * 0 if that is gone. */
orr_id execution_step_out(context *c);
/* To be called after that code: `rc`, or RUN_CANCELED if `rc` was 0 and the code has canceled what
 * the operation is about. */
int execution_step_in(context *c, orr_id about, int rc);

/* A new token in `parent`, standing at `at`. NULL: c->error. Counts it in the parent. */
rec_execution *execution_create(context *c, const scope *parent, const node *at, execution_kind kind);
/* Moves a token. Only this function changes `node`. */
int execution_move(context *c, rec_execution *e, const node *to, const flow *by);
/* Removes a token and whatever still belongs to it (variables, subscriptions, jobs, tasks, event
 * scopes, incidents) without listeners, and uncounts it in its parent. The caller has ended it
 * properly, and ends the parent scope if need be. */
int execution_remove(context *c, rec_execution *e);
/* Deletes the job that would have continued a token, because the token has continued without it. */
int execution_forget_job(context *c, rec_execution *e);
/* The user task or external task that a token waited for is gone. The token may be gone, too. */
int execution_forget_task(context *c, orr_id execution, orr_id task);
/* Deletes whatever belongs to a scope: subscriptions, timers, event scopes, joins, variables,
 * incidents. */
int scope_drop(context *c, const scope *s);
/* Moves a token, with everything below it, into another scope of its instance. The scope that it
 * leaves does not end, even if it is empty. */
int execution_reparent(context *c, rec_execution *e, const scope *to);
/* Makes an event scope a live child again, for its compensation. */
int execution_revive(context *c, rec_execution *event_scope);
/* The live child tokens of a scope, in the order of their creation. */
int scope_child_list(context *c, const scope *s, rec_execution ***out, uint32_t *count);

/* Does suspension hold it up? An instance that is being deleted goes, suspended or not. */
static inline bool instance_held(const rec_instance *i) {
  return i->suspended && !(i->flags & ORR_SCOPE_ENDING);
}

/* What a callee sees. It is valid until the running operation, with its continuations, has
 * ended. */
orr_execution *execution_view(context *c, orr_id id, const node *at, const char *event_name);
/* Is a callee working on an execution of this instance? */
bool execution_viewed(const context *c, orr_id instance);
/* Takes back every view made since `mark` was c->lists.views, so a loop of a million steps needs
 * the memory of one. */
void execution_views_release(context *c, const struct view_slot *mark);
/* For an operation that is parked: takes its views out of c->lists.views. Then one of the next
 * two: */
struct view_slot *execution_views_detach(context *c, const struct view_slot *mark);
/* The operation continues: its views are in use again. */
void execution_views_attach(context *c, struct view_slot *views);
/* It never will: its views may be used for other calls. */
void execution_views_recycle(context *c, struct view_slot *views);

#endif
