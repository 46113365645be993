/* Notices of changes in an instance: notes in the context's lists, which the agenda reads when
 * nothing else is planned. Each function is 0 or the context's error. It costs no more than a look
 * where nobody waits for such a notice. */
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

/* `event`: "create", "update" or "delete", not copied; the name is. Both NULL: the scope was
 * entered. */
int notice_variable(context *c, orr_id scope_id, const char *name, const char *event);
/* A token of this scope ended, moved on or chose its flows. */
int notice_tokens(context *c, const scope *s);
/* Something in the process instance has changed. */
int notice_overview(context *c, const rec_instance *instance);

#endif
