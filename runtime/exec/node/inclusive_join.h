/* Joins at inclusive gateways. One is complete once no token of the scope can still reach the
 * gateway by a flow where none waits. */
#ifndef ORR_INCLUSIVE_JOIN_H
#define ORR_INCLUSIVE_JOIN_H

#include "exec/node/behavior.h"

/* A token arrives: it waits or, if it is the last, continues for all. */
int inclusive_join_arrive(context *c, rec_execution *e, const node *gateway);
/* Looks at one scope that state/notices.h has noted (there is one), and continues the joins that
 * are complete. For the agenda, when nothing else is planned. */
int inclusive_join_check(context *c);

#endif
