/* Bodies of forms with files: kept until they are whole, then read part by part. */
#ifndef SERVER_MULTIPART_H
#define SERVER_MULTIPART_H

#include "server/transport/request.h"

enum { PARTS_MAX = 1000 };

/* Takes the boundary from a Content-Type. False: it names none, and the request has failed. */
bool multipart_begin(request *q, const char *type);
/* Reads the parts of the whole body, which they point into. False: it makes no sense, and the
 * request has failed. */
bool multipart_read(request *q);
/* The part of a name; NULL: none. Its data ends with a NUL that does not count. */
const part *multipart_part(const request *q, const char *name);

#endif
