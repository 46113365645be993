/* A request's query as a filter of the engine's, and Camunda's names in our words. */
#ifndef SERVER_MAPPING_QUERY_H
#define SERVER_MAPPING_QUERY_H

#include "server/transport/request.h"

/* The filter that a request asks for: of its query string, or of `body` (an object; NULL: none). `paged`: with order and
 * limits. False: the request has failed. */
bool query_filter(request *q, const listing *is, const json_t *body, bool paged, orr_value *out);
/* A name of Camunda's in our words, or itself. */
const char *names_ours(const char *which, const char *name);
/* One of ours in Camunda's words, or itself. */
const char *names_theirs(const char *which, const char *name);
/* Answers with the first of some records, in a shape, and frees them. NULL: there is none, or the request has failed. */
int rest_answer_one(request *q, const dto *shape, orr_records *found);
/* The same with the record of a verb that has this id. */
int rest_find_one(request *q, const char *verb, const dto *shape, orr_id id);

#endif
