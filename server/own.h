/* What the server answers for itself, beside the interface of Camunda: health, metrics. */
#ifndef SERVER_OWN_H
#define SERVER_OWN_H

#include "server/table.h"

extern const operation own_operations[];
extern const size_t n_own_operations;

#endif
