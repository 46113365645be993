/* What every call begins with, whatever it calls: how it is ended early. */
#ifndef ORR_NET_CALL_H
#define ORR_NET_CALL_H

#include "net/client.h"

struct net_call {
  void (*cancel)(net_call *call);
};

#endif
