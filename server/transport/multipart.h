/* Bodies of forms with files: kept part by part as they arrive. */
#ifndef SERVER_MULTIPART_H
#define SERVER_MULTIPART_H

#include "server/transport/request.h"

struct MHD_Connection;

enum { PARTS_MAX = 1000 };

/* False: the body is no multipart/form-data, or memory is out. */
bool multipart_begin(request *q, struct MHD_Connection *mhd);
/* False: memory is out. A body that makes no sense is noticed at its end. */
bool multipart_add(request *q, const char *data, size_t size);
/* The body is whole: false when it was none that could be read. Frees the parser; the parts stay. */
bool multipart_end(request *q);
/* The part of a name; NULL: none. Its data ends with a NUL that does not count. */
const part *multipart_part(const request *q, const char *name);

#endif
