/* What a query may not ask for at once, and what it may not ask for alone. */
#ifndef SERVER_MAPPING_CLASH_H
#define SERVER_MAPPING_CLASH_H

#include "server/transport/request.h"

/* Camunda's refusals of the parameters of a list, in the query string or in `body` (NULL: none).
 * False: the request has failed. */
bool clash_none(request *q, const char *list, const json_t *body);

#endif
