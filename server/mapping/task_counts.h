/* How many user tasks have ended, by their names or by their processes. */
#ifndef SERVER_MAPPING_TASK_COUNTS_H
#define SERVER_MAPPING_TASK_COUNTS_H

#include "server/transport/request.h"

/* Answers with them; returns the status. The operation's arguments from `first` on are those of a
 * list, and groupBy says by what. */
int task_counts_answer(request *q, size_t first);

#endif
