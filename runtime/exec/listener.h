/* Execution listeners: start, end, take. */
#ifndef ORR_LISTENERS_H
#define ORR_LISTENERS_H

#include "state/execution.h"

/* Plans the listeners of an event, one after the other. What is planned behind them runs when all
 * are done, and must expect that one of them moved the token elsewhere by a BPMN error. `of` is an
 * execution, or the instance for the process's own. Plans nothing when there are none, or when
 * `flags` (OP_*) or the context skip them. `reason`: why it is deleted, for OP_CANCELED. */
int listeners_plan(context *c, orr_id of, const node *n, const flow *f, listener_event event, uint32_t flags,
                   const char *reason);
/* The same for the process's own listeners, at the instance's start and end. `at`: the start or end
 * event, for their activity_id. */
int listeners_plan_process(context *c, orr_id instance, const node *process, const node *at, listener_event event,
                           uint32_t flags, const char *reason);

/* Are the listeners of this instance, or of this task or execution, skipped? The context may say
 * so, or the way in which the instance ends. */
bool listeners_skipped(context *c, orr_id of);

/* After a listener's script: stores its result in the variable that the listener names. For task
 * listeners, too. */
int listener_keep_result(context *c, const listener *l, orr_id scope_id, const node *at);

static inline bool listeners_any(const listeners *list, listener_event event) {
  for (uint32_t i = 0; i < list->count; i++)
    if (list->items[i].event == event) return true;
  return false;
}

/* Before a listener is called: if an expression gives its script's language, the language must be
 * Lua. */
int listener_check_language(context *c, const listener *l, orr_id scope_id, const node *at);

#endif
