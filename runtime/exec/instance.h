/* A process instance as a whole: how it begins, and how it is deleted. */
#ifndef ORR_INSTANCE_H
#define ORR_INSTANCE_H

#include "state/execution.h"

/* What an instance begins with. The call borrows everything until it returns. */
typedef struct start_request {
  definition *definition;
  const node *start;             /* NULL: the none start event */
  bool elsewhere;                /* at no start event: the caller plans what runs first */
  const orr_value *variables;    /* maps; NULL: none */
  const orr_value *transient;
  const orr_value *local;        /* for the instance's own scope; set after `variables` */
  const orr_value *triggered;    /* from its start event; set after `local` */
  const char *business_key, *initiator; /* initiator NULL: the thread's user */
  const char *tenant;            /* NULL: the definition's */
  orr_id super_execution, parent_instance, root_instance; /* of a called one; 0: nobody called it */
  int64_t call_depth;
} start_request;

/* Makes the instance with its variables and history, and plans nothing. Fills request->start unless
 * the instance begins elsewhere. Refuses suspended definitions, and calls that nest too deep. */
int instance_create(context *c, start_request *request, rec_instance **out);
/* Plans its first steps: process listeners, then a token at `start` (NULL: none). `flags`:
 * OP_SKIP_*. */
int instance_begin(context *c, orr_id instance, const node *start, uint32_t flags);
/* Does both: for events, timers and call activities. */
int instance_start(context *c, start_request *request, rec_instance **out);

/* Plans the deletion of an instance with everything in it. If a call activity started it, the
 * dialect decides whether that is canceled too, or continues. `reason` may be NULL; `flags`:
 * OP_SKIP_*. */
int instance_delete(context *c, rec_instance *i, const char *reason, uint32_t flags);
/* The same for a called instance whose caller is being canceled: the caller does not continue. */
int instance_delete_called(context *c, rec_instance *i, const char *reason);
/* Before an instance is deleted: the instances that it called continue as if nobody had called
 * them. */
int instance_release_called(context *c, const rec_instance *i);
/* Plans the canceling of tokens, each with every scope around it that it leaves without tokens, and
 * with the instance itself. All of them are marked before the first listener runs (cancel.h). The
 * caller keeps `tokens` until then. */
int plan_cancel_upwards(context *c, const orr_id *tokens, uint32_t count, const char *reason,
                        uint32_t flags);
/* Plans only the second half: canceling a scope, and those around it, if it has no tokens by
 * then. */
int plan_prune(context *c, orr_id id, const char *reason, uint32_t flags);

#endif
