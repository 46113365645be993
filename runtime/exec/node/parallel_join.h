/* Tokens that wait at a joining gateway, as rows (record/records.lua: join): one per incoming flow with the tokens that
 * came by it, and one with flow 0 that counts the flows that have one (by dialect, the tokens), so an arrival costs the
 * same whatever waits already. */
#ifndef ORR_JOIN_H
#define ORR_JOIN_H

#include "state/execution.h"

/* A token arrives at a parallel gateway: waits, or takes one token of every flow along (by dialect, all that wait, once
 * there are as many as flows) and leaves. */
int parallel_join_arrive(context *c, rec_execution *e, const node *gateway);
/* Puts a token among those that wait, by its flow, or by the first flow where none waits; *distinct: flows that have one,
 * when it was the first of its flow, or tokens that wait, where those count. */
int join_wait(context *c, rec_execution *e, const node *gateway, int64_t *distinct);
/* A waiting token is removed by something else. */
int join_forget(context *c, rec_execution *e);
/* The scope goes, and with it what its joins have counted. */
int join_drop_scope(context *c, orr_id scope_id);
/* Ends a token that another one goes on for. */
int join_merge(context *c, rec_execution *waiting);

#endif
