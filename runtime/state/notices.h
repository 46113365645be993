/* What changes of an instance leave to be looked at: notes in the context's lists, which the agenda follows when nothing else
 * is planned. Each function is 0 or the context's error, and costs a look where nobody waits for such a note. */
#ifndef ORR_NOTICES_H
#define ORR_NOTICES_H

#include "state/execution.h"

/* A variable has changed, or (`name` NULL) a scope was entered: exec/event/condition.c. */
struct variable_change {
  struct variable_change *next;
  orr_id scope;
  const char *name, *event;
};

/* Inclusive joins of a scope may have become complete: exec/node/inclusive_join.c. */
struct join_check {
  struct join_check *next;
  orr_id scope;
};

/* Overviews of an instance may be out of date: exec/node/multi_overview.c. */
struct overview_check {
  struct overview_check *next;
  orr_id instance;
};

/* `event`: "create", "update", "delete"; it stays where it is, the name is copied. NULL both: the scope was entered. */
int notice_variable(context *c, orr_id scope_id, const char *name, const char *event);
/* A token of this scope ended, went on or chose its way. */
int notice_tokens(context *c, const scope *s);
/* Something in the process instance has changed. */
int notice_overview(context *c, const rec_instance *instance);

#endif
