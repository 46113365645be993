/* Tasks by the ids that clients gave them: to a client such an id is the task's only one. */
#ifndef SERVER_MAPPING_TASKS_H
#define SERVER_MAPPING_TASKS_H

#include "server/transport/request.h"

/* What the engine knows a client's id by: digits, or the same text when no task has it. NULL: the
 * request has failed. */
const char *task_id_text(request *q, const char *id);
/* The same as a number; INT64_MAX when there is no such task, or the request has failed. */
orr_id task_id_number(request *q, const char *id);

#endif
