/* Execution listeners: start, end, take. */
#ifndef ORR_LISTENERS_H
#define ORR_LISTENERS_H

#include "state/execution.h"

/* Plans the listeners of an event, one after another; what is planned behind them runs when all are done, and must bear
 * that one of them threw the token elsewhere. `of` is an execution, or the instance for the process's own. Nothing is
 * planned when there are none, or when `flags` (OP_*) or the context say that they are skipped. `reason`: why it is
 * deleted, for OP_CANCELED. */
int listeners_plan(context *c, orr_id of, const node *n, const flow *f, listener_event event, uint32_t flags,
                   const char *reason);
/* The process's own, at the instance's start and end; `at`: the start or end event, for their activity_id. */
int listeners_plan_process(context *c, orr_id instance, const node *process, const node *at, listener_event event,
                           uint32_t flags, const char *reason);

/* Do those of this instance, or of the task or execution in it, stay silent? The context says so,
 * or the instance's end. */
bool listeners_skipped(context *c, orr_id of);

/* A listener's script has run: what it gave goes to the variable that it names. Task listeners too. */
int listener_keep_result(context *c, const listener *l, orr_id scope_id, const node *at);

static inline bool listeners_any(const listeners *list, listener_event event) {
  for (uint32_t i = 0; i < list->count; i++)
    if (list->items[i].event == event) return true;
  return false;
}

/* Before a listener is called: the language of its script, where an expression gives it, must be Lua. */
int listener_check_language(context *c, const listener *l, orr_id scope_id, const node *at);

#endif
