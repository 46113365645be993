/* What a worker asks for and tells, read from the maps of the API. Every mistake is ORR_E_ARGUMENT and names the place. */
#ifndef ORR_EXTERNAL_REQUEST_H
#define ORR_EXTERNAL_REQUEST_H

#include "exec/task/external_task.h"

/* What a topic says beyond external_topic: about the answer, not about the choice. */
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
/* The keys of a failure; what they hold is external_fail's matter. */
int request_check_failure(context *c, const orr_value *failure);

#endif
