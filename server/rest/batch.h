/* Batches as Camunda's operations make them. */
#ifndef SERVER_REST_BATCH_H
#define SERVER_REST_BATCH_H

#include "server/transport/request.h"

/* A batch over the records of a list whose `key` is among `ids`, one in each job, as Camunda has it. The map is left open
 * for what the action wants. NULL: the request has failed. */
orr_builder *batch_open(request *q, const char *action, const char *list, const char *key, const orr_value *ids);
/* Makes it, and answers with it. `b` NULL: the request has failed. */
int batch_close(request *q, orr_builder *b);
/* The same; what the engine refuses is answered by `fail`, which clears the error. */
int batch_close_or(request *q, orr_builder *b, int (*fail)(request *q, orr_error *err));
/* The same, with one of the three ways to say when; `by_definition`: it may be calculated. */
int batch_removal(request *q, orr_builder *b, bool by_definition);
/* One over the running instances that the body names. NULL: the request has failed. */
orr_builder *batch_of_instances(request *q, const char *action);
/* Puts what the body says of skipping listeners and mappings. Returns `b`, which may be NULL in these three. */
orr_builder *batch_skips(request *q, orr_builder *b);
/* Puts true under our name when a member of the body is true. */
void batch_put_true(request *q, orr_builder *b, const char *theirs, const char *ours);
/* Puts a text of the body under our name when it is given. */
void batch_put_text(request *q, orr_builder *b, const char *theirs, const char *ours);
/* The same as batch_close, with the retries and the body's `dueDate`. */
int batch_retries(request *q, orr_builder *b, int64_t retries);
/* The member `retries`; false: it is missing or negative, and the request has failed. */
bool rest_retries(request *q, int64_t *out);

#endif
