/* Which addresses a model may call. The decision is made on the binary address that a name was resolved to, just before
 * the socket is opened and for every hop of a redirect, so that no spelling of an address, no second answer of a name
 * server and no IPv4 address inside an IPv6 one gets past it. What is not understood is refused. */
#ifndef ORR_NET_GUARD_H
#define ORR_NET_GUARD_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/socket.h>

#include "orrery.h"

typedef enum guard_policy {
  GUARD_ANY,    /* any but link-local ones, where clouds keep their metadata: who deploys is trusted as the host program is */
  GUARD_PUBLIC, /* public ones only */
} guard_policy;

typedef struct guard guard;

/* `hosts` are exceptions that are always allowed: "name", "name:port", an address, or a CIDR such as "10.0.0.0/8". A rule
 * that is none of these is an error. NULL with `err` filled; free with guard_free. */
guard *guard_new(const orr_allocator *allocator, guard_policy policy, const char *const *hosts, size_t count, orr_error *err);
/* Frees it; NULL is fine. */
void guard_free(guard *g);

/* May a socket to this address be opened for a URL of this host and port? */
bool guard_allows_address(const guard *g, const struct sockaddr *address, const char *host, int port);
/* May this host be asked for through a proxy, which resolves the name itself? */
bool guard_allows_proxied(const guard *g, const char *host, int port);

/* Is the host in a list of names, addresses and CIDRs, separated by commas, with "*" for all and a name for its
 * subdomains, too? */
bool guard_list_has(const char *list, const char *host);

#endif
