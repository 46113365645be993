/* Event-based gateways: the first event wins. */
#ifndef ORR_EXEC_NODE_GATEWAY_H
#define ORR_EXEC_NODE_GATEWAY_H

#include "exec/node/behavior.h"

/* `event`, one of the gateway's targets, happened first: disarms the others, and moves the token
 * there. */
int event_gateway_won(context *c, rec_execution *e, const node *gateway, const node *event);

#endif
