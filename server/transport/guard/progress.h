/* What the system tells of a socket that is written to. */
#ifndef SERVER_GUARD_PROGRESS_H
#define SERVER_GUARD_PROGRESS_H

#include <stdint.h>

/* Bytes that the other side has taken, ever; negative: it is no socket of TCP. */
int64_t socket_taken(int fd);
/* Bytes that the system has, and the other side has not taken. */
int socket_waiting(int fd);

#endif
