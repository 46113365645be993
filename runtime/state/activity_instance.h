/* Ids of activity instances: one run of an activity by one token. A token keeps its id from
 * activity to activity. So the id is the token's and, where history is kept, the number of its
 * history row: "8388610:3". The process has its instance's own id. The tree, tasks, variables and
 * history show the same activity instance by the same id. */
#ifndef ORR_EXEC_ACTIVITY_INSTANCE_H
#define ORR_EXEC_ACTIVITY_INSTANCE_H

#include "state/execution.h"

/* The id as text; `number` is rec_execution's activity_instance, or 0 for none. ORR_NIL for
 * execution 0, or when memory is out (c->error). */
orr_value activity_instance_text(context *c, orr_id execution, int64_t number);
/* The id of what a token, or an instance, is at now. ORR_NIL: it is gone. */
int activity_instance_of(context *c, orr_id execution, orr_value *out);
/* The activity instance around a token's: of the nearest scope that has one, else of the
 * process. */
int activity_instance_around(context *c, const rec_execution *e, orr_id *execution, int64_t *number);
/* The token that an id names, if it is still at that activity instance. A token's own id names it,
 * too. 0 with c->error: it is no such id, or memory is out. */
orr_id activity_instance_token(context *c, const orr_value *id);

#endif
