/* A process instance as a whole: how it begins, and how it is deleted. */
#ifndef ORR_INSTANCE_H
#define ORR_INSTANCE_H

#include "state/execution.h"

/* What an instance begins with. Everything is borrowed until the call returns. */
typedef struct start_request {
  definition *definition;
  const node *start;             /* NULL: the none start event */
  bool elsewhere;                /* it begins at no start event: the caller plans what runs first */
  const orr_value *variables;    /* maps; NULL: none */
  const orr_value *transient;
  const orr_value *local;        /* for the waiting scope, which of what starts is the instance; set after `variables` */
  const orr_value *triggered;    /* what its start event brought; set after `local` */
  const char *business_key, *initiator; /* initiator NULL: the thread's user */
  const char *tenant;            /* NULL: the definition's */
  orr_id super_execution, parent_instance, root_instance; /* of a called one; 0: nobody called it */
  int64_t call_depth;
} start_request;

/* The instance with its variables and history; nothing is planned. Fills request->start unless it begins elsewhere.
 * Refuses suspended definitions and calls too deep. */
int instance_create(context *c, start_request *request, rec_instance **out);
/* Plans its first steps: process listeners, then a token at `start` (NULL: none). `flags`: OP_SKIP_*. */
int instance_begin(context *c, orr_id instance, const node *start, uint32_t flags);
/* Both, for whatever starts instances without being asked about details: events, timers, call activities. */
int instance_start(context *c, start_request *request, rec_instance **out);

/* Plan the deletion of an instance with all that is in it. `reason` may be NULL; `flags`: OP_SKIP_*. The first does to its
 * caller, if a call activity started it, what the dialect says: it is canceled too, or goes on. The second is for a
 * caller that is being canceled itself. */
int instance_delete(context *c, rec_instance *i, const char *reason, uint32_t flags);
/* The same for an instance that is called, whose caller is being canceled: nothing goes on there. */
int instance_delete_called(context *c, rec_instance *i, const char *reason);
/* Before an instance is deleted: what it has called goes on, as if nobody had called it. */
int instance_release_called(context *c, const rec_instance *i);
/* Plans the canceling of tokens, each with every enclosing scope that it leaves without tokens, and
 * with the instance itself. All of them are marked before the first listener runs (cancel.h). The
 * ids stay the caller's until then. */
int plan_cancel_upwards(context *c, const orr_id *tokens, uint32_t count, const char *reason,
                        uint32_t flags);
/* Plans the second half of that alone: canceling a scope, and what is around it, if it has no tokens then. */
int plan_prune(context *c, orr_id id, const char *reason, uint32_t flags);

#endif
