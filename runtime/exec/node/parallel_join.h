/* Tokens that wait at a joining gateway, as rows (record/records.lua: join). One row for each
 * incoming flow has the tokens that came by it. One with flow 0 counts the flows that have tokens
 * or, by dialect, the tokens. So an arrival costs the same however many wait. */
#ifndef ORR_JOIN_H
#define ORR_JOIN_H

#include "state/execution.h"

/* A token arrives at a parallel gateway. It waits, or leaves with one token of every flow (by
 * dialect, with all that wait, once there are as many as flows). */
int parallel_join_arrive(context *c, rec_execution *e, const node *gateway);
/* Adds a token to those that wait, by its flow, or by the first flow where none waits. *distinct:
 * how many flows have tokens, if it was the first of its flow; where tokens count, how many
 * wait. */
int join_wait(context *c, rec_execution *e, const node *gateway, int64_t *distinct);
/* Removes a token that something else takes from the gateway. */
int join_forget(context *c, rec_execution *e);
/* The scope goes: deletes the rows of its joins. */
int join_drop_scope(context *c, orr_id scope_id);
/* Ends a token for which another one continues. */
int join_merge(context *c, rec_execution *waiting);

#endif
