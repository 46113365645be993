/* Answers on their way: how much of them clients have not read, and who does not read. */
#ifndef SERVER_GUARD_UNREAD_H
#define SERVER_GUARD_UNREAD_H

#include "server/transport/request.h"

enum {
  /* Who reads less than a KB in a second, or nothing at all of a stream, is cut off. */
  ANSWER_WINDOW_SECONDS = 10,
  ANSWER_BYTES_A_WINDOW = ANSWER_WINDOW_SECONDS * 1024,
  /* A small answer is always taken: there are no more of them than connections. */
  ANSWER_SMALL_BYTES = 16 * 1024,
  /* No answer that is younger makes room for another one. */
  ANSWER_GRACE_SECONDS = 1,
};

/* The answer of a request, of so many bytes, begins. Where all that is not read would be too much,
 * the connections of this loop that read most slowly are cut off. False: there is no room all the
 * same. */
bool answer_begin(request *q, size_t bytes);
/* The answer is sent, or its client has gone. */
void answer_end(connection *c);
/* Has the client of a connection that is answered stopped reading? To be asked every now and then.
 */
bool answer_stuck(connection *c, int64_t now_ns);

#endif
