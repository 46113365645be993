/* Answers that are a file: its type, the name to save it by. No browser shows them as a page. */
#ifndef SERVER_MAPPING_DOWNLOAD_H
#define SERVER_MAPPING_DOWNLOAD_H

#include "server/transport/request.h"

/* What a file is said to be. Members that are no texts are not known. */
typedef struct download {
  orr_value name;     /* as it was saved */
  orr_value type;     /* a media type; one that is none is left out */
  orr_value encoding; /* of its characters */
} download;

/* Ends the request with these bytes. What has no type gets the one that its name has, when
 * `by_name`, else application/octet-stream. Returns the status. */
int download_answer(request *q, const download *is, bool by_name, const orr_value *bytes);

#endif
