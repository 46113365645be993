/* Child processes of a client; what callers use of them is in net.h. */
#ifndef ORR_NET_PROCESS_H
#define ORR_NET_PROCESS_H

#include "net/net.h"

/* Ends the processes that run, but for detached ones, which are let go. */
void processes_close(net_client *client);

#endif
