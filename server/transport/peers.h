/* How many connections each address has, over all loops: one client must not take the room of all. */
#ifndef SERVER_PEERS_H
#define SERVER_PEERS_H

#include <netinet/in.h>
#include <stdbool.h>
#include <sys/socket.h>

typedef struct peers peers;

/* An address that connections come from; IPv4 in its form within IPv6. */
typedef struct peer_address {
  struct in6_addr ip;
} peer_address;

/* At most this many of one address; NULL: out of memory. */
peers *peers_new(int most);
/* NULL is fine; every connection must have left. */
void peers_free(peers *p);
/* False: it has no address of the internet (a Unix socket). */
bool peer_of(const struct sockaddr *from, peer_address *out);
/* Counts a connection; false: it is one too many, or memory is out, and is not counted. Any thread. */
bool peers_enter(peers *p, const peer_address *from);
/* The end of a connection that was counted. Any thread. */
void peers_leave(peers *p, const peer_address *from);

#endif
