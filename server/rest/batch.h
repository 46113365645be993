/* Batches as Camunda's operations make them. */
#ifndef SERVER_REST_BATCH_H
#define SERVER_REST_BATCH_H

#include "server/transport/request.h"

/* What is wanted of the engine, and the filter that it points at. */
typedef struct batch_order {
  orr_batch_options options;
  orr_value filter;
} batch_order;

/* Fills `out` with a batch over the records of a list whose `key` is among `ids`, one in each job, as Camunda has it; the
 * caller adds what the action wants. False: the request has failed. */
bool batch_open(request *q, batch_order *out, const char *action, const char *list, const char *key, const orr_value *ids);
/* The same over the running instances that the body names. */
bool batch_of_instances(request *q, batch_order *out, const char *action);
/* Takes what the body says of skipping listeners and mappings. */
void batch_skips(request *q, batch_order *b);
/* Makes it, and answers with it, unless the request has failed. */
int batch_close(request *q, const batch_order *b);
/* The same; what the engine refuses is answered by `fail`, which clears the error. */
int batch_close_or(request *q, const batch_order *b, int (*fail)(request *q, orr_error *err));
/* The same, with one of the three ways to say when; `by_definition`: it may be calculated. */
int batch_removal(request *q, batch_order *b, bool by_definition);
/* The same, with the retries and the body's `dueDate`. */
int batch_retries(request *q, batch_order *b, int64_t retries);
/* The member `retries`; false: it is missing or negative, and the request has failed. */
bool rest_retries(request *q, int64_t *out);

#endif
