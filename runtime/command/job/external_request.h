/* What a worker asks for and reports, read from the maps of the API. A mistake is ORR_E_ARGUMENT,
 * and the message names its place. */
#ifndef ORR_EXTERNAL_REQUEST_H
#define ORR_EXTERNAL_REQUEST_H

#include "exec/task/external_task.h"

/* The members of a topic that are about the answer, not about the choice of tasks. */
typedef struct topic_request {
  orr_value variables; /* an array of names; ORR_NIL: all */
  bool extension_properties;
} topic_request;

typedef struct fetch_request {
  external_fetch fetch;
  const topic_request *asked; /* by position, as fetch.topics */
} fetch_request;

/* Reads a request to fetch; texts point into `request`. ORR_E_ARGUMENT names what is wrong in it,
 * and where. */
int request_read(context *c, const orr_value *request, fetch_request *out);
/* Is `name` among the names? */
bool request_names(const orr_value *names, const orr_value *name);
/* Checks the keys of a failure; external_fail checks their values. */
int request_check_failure(context *c, const orr_value *failure);

#endif
