/* Batches as Camunda's operations make them. */
#ifndef SERVER_REST_BATCH_H
#define SERVER_REST_BATCH_H

#include "server/mapping/shared.h"

/* A batch over the records of a list whose `key` is among `ids`, one in each job, as Camunda has it. The map is left open
 * for what the action wants. NULL: the request has failed. */
orr_builder *batch_open(request *q, const char *action, const char *list, const char *key, const orr_value *ids);
/* Makes it, and answers with it. `b` NULL: the request has failed. */
int batch_close(request *q, orr_builder *b);
/* The same, with one of the three ways to say when; `by_definition`: it may be calculated. */
int batch_removal(request *q, orr_builder *b, bool by_definition);
/* The member `retries`; false: it is missing or negative, and the request has failed. */
bool rest_retries(request *q, int64_t *out);

#endif
