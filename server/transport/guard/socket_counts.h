/* The system's counts of a socket: bytes that its peer has taken, and bytes that still wait. */
#ifndef SERVER_GUARD_SOCKET_COUNTS_H
#define SERVER_GUARD_SOCKET_COUNTS_H

#include <stdint.h>

/* Bytes that the other side has taken, ever; negative: it is no socket of TCP. */
int64_t socket_taken(int fd);
/* Bytes that the system has, and the other side has not taken. */
int socket_waiting(int fd);

#endif
