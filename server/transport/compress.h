/* Answers as gzip, for clients that take it. What is small, what streams, and what a page of
 * another site has asked for stays as it is: the last could guess at the text by its length. */
#ifndef SERVER_COMPRESS_H
#define SERVER_COMPRESS_H

#include "server/transport/request.h"

enum {
  COMPRESS_LEAST_BYTES = 1024,        /* less is not worth it */
  COMPRESS_ON_LOOP_BYTES = 64 * 1024, /* more is not for a loop's thread, which serves others */
};

/* Does an Accept-Encoding header (NULL: none) take gzip? */
bool compress_taken(const char *accept_encoding);
/* Would its length depend on whether it may be compressed? Then caches must know what was asked. */
bool compress_may(const request *q);
/* Is there an answer to compress that is more than a loop's thread should? */
bool compress_is_slow(const request *q);
/* Compresses the answer in its place, where that is asked for and makes it shorter. Needs as much
 * memory again for a moment; without that the answer stays as it is. */
void compress_answer(request *q);

#endif
