/* Many things that one body names. */
#ifndef SERVER_MAPPING_SELECTION_H
#define SERVER_MAPPING_SELECTION_H

#include "server/transport/request.h"

/* The ids that a body names: by `ids` (a list) and `query` (an object of the query `is`); false: the request has failed.
 * `out` is an array. */
bool selected_ids(request *q, const char *ids, const char *member, const listing *is, orr_value *out);
/* The same of process instances: by `ids`, and by queries for running and for historic ones, of each as many as are given. */
bool selected_instances(request *q, const char *ids, orr_value *out);

/* Is the list empty by which a query for a command's targets names them? In a list that asks for
 * nothing; here it would find all. */
bool selection_names_none(const json_t *body, const listing *is);

#endif
