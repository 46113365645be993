/* What a batch may do, and to what: one row for each action. */
#ifndef ORR_COMMAND_BATCH_ACTION_H
#define ORR_COMMAND_BATCH_ACTION_H

#include "command/frame.h"

enum { BATCH_LISTS_MAX = 3 };

typedef struct batch_action {
  const char *name;
  /* What it may be done to; the first is the default. And Camunda's word for both. */
  struct { const char *list, *type; } on[BATCH_LISTS_MAX];
  /* Checks the action's own options, and puts what `run` needs into the open map. NULL: none. */
  int (*read)(context *c, const orr_batch_options *options, const rec_batch *batch, orr_builder *keep);
  /* Does it to one thing, as an operation of the agenda, and may plan more. *gone: the thing is gone, or
   * there is nothing to do. */
  int (*run)(context *c, const rec_batch *batch, orr_id id, bool *gone);
  /* The same to a decision's row in history, by an instance (0: none) and a number. NULL: never. */
  int (*run_decided)(context *c, const rec_batch *batch, orr_id instance, int64_t sequence, bool *gone);
} batch_action;

/* NULL: there is none of that name. */
const batch_action *batch_action_named(rec_text name);
/* Camunda's word for the action done to this list; NULL: it cannot be done to that. */
const char *batch_action_type(const batch_action *action, rec_text list);
/* The names of all, for a message, in the context's arena. */
const char *batch_action_names(context *c);
/* Reads the action's own options into batch->data. 0, ORR_E_ARGUMENT, ORR_E_NOT_FOUND, ... with c->error. */
int batch_action_read(context *c, const batch_action *action, const orr_batch_options *options, rec_batch *batch);

#endif
