/* Ids of activity instances: one run of an activity by one token. A token keeps its id from activity to activity, so the id
 * is the token's and, where history is kept, the number of its history row: "8388610:3". Of the process it is the
 * instance's own. What is the same activity instance has the same id in the tree, tasks, variables and history. */
#ifndef ORR_EXEC_ACTIVITY_INSTANCE_H
#define ORR_EXEC_ACTIVITY_INSTANCE_H

#include "state/execution.h"

/* The text; `number` as rec_execution's activity_instance: 0 is none. ORR_NIL for execution 0, or when memory is out, which
 * then stands in c->error. */
orr_value activity_instance_text(context *c, orr_id execution, int64_t number);
/* Of what a token, or an instance, is at now. ORR_NIL: it is gone. */
int activity_instance_of(context *c, orr_id execution, orr_value *out);
/* The activity instance around a token's: the nearest scope that has one, else the process instance. */
int activity_instance_around(context *c, const rec_execution *e, orr_id *execution, int64_t *number);
/* The token that an id names, if it is still at that activity instance; 0 with c->error: the id is none, or memory is out. A
 * token's own id names it, too. */
orr_id activity_instance_token(context *c, const orr_value *id);

#endif
