/* The header Retry-After: when to come again. */
#ifndef ORR_NET_RETRY_AFTER_H
#define ORR_NET_RETRY_AFTER_H

#include "net/client.h"

/* Milliseconds from the answer on, at most INT32_MAX; -1: the headers (lines that end in "\n") do not say. A date counts
 * from the header Date, which a server with a clock sends: so neither its clock nor ours needs to be right. */
int64_t retry_after_ms(net_text headers);

#endif
