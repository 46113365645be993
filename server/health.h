/* /health and /metrics: how the server is, for what watches it. Beside the interface of Camunda, and without a table. */
#ifndef SERVER_HEALTH_H
#define SERVER_HEALTH_H

#include "server/table.h"

extern const operation health_operations[];
extern const size_t n_health_operations;

#endif
