/* Heads of requests: what is refused because another program on the way may have read it otherwise.
 */
#ifndef SERVER_GUARD_HEAD_H
#define SERVER_GUARD_HEAD_H

#include <microhttpd.h>

#include "server/transport/request.h"

/* A request line as the library has cut it, in its buffer. */
typedef struct request_line {
  const char *method, *target, *version;
} request_line;

/* Two ways to say how long a body is, or bytes that others read otherwise, are how requests are
 * smuggled. False: the request has failed, and its connection ends with it. What the library
 * refuses itself does not come here. */
bool head_sound(request *q, struct MHD_Connection *mhd, const request_line *line);

#endif
