/* The members of a body that the table knows, each brought to its kind. */
#ifndef SERVER_MEMBERS_H
#define SERVER_MEMBERS_H

#include "server/transport/request.h"

/* Those of the whole body, by the operation's table: handlers need not ask for their kinds then.
 * False: one cannot be of its kind, or is not built and would change what happens; the request
 * has failed. */
bool members_read(request *q);
/* The same of an object within the body, by a table of the caller's. `of`: what the object is
 * called when it is no object. */
bool members_read_of(request *q, json_t *object, const char *of, const body_field *fields,
                     size_t n);

#endif
