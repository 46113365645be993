/* Which addresses a model may call. The decision is made on the binary address that a name was resolved to, just before
 * the socket is opened and for every hop of a redirect, so that no spelling of an address, no second answer of a name
 * server and no IPv4 address inside an IPv6 one gets past it. What is not understood is refused.
 *
 * A model never reaches the process that it runs in by a port at which that serves
 * (base/serving.h), whatever the policy: there it could deploy what runs without a sandbox. Only a
 * rule with that very port opens it. */
#ifndef ORR_ADDRESS_GUARD_H
#define ORR_ADDRESS_GUARD_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/socket.h>

#include "orrery.h"

typedef enum address_guard_policy {
  GUARD_ANY,    /* any but link-local ones, where clouds keep their metadata: who deploys is trusted as the host program is */
  GUARD_PUBLIC, /* public ones only */
  GUARD_NONE,   /* none but the exceptions */
} address_guard_policy;

typedef enum address_guard_verdict {
  GUARD_FINE,
  GUARD_ADDRESS, /* the policy does not allow the address */
  GUARD_OWN,     /* this process itself serves there */
} address_guard_verdict;

typedef struct address_guard address_guard;

/* `hosts` are exceptions that are always allowed: "name", "name:port", "[IPv6]:port", an address,
 * or a CIDR such as "10.0.0.0/8". A rule that is none of these is an error. NULL with `err` filled;
 * free with address_guard_free. */
address_guard *address_guard_new(const orr_allocator *allocator, address_guard_policy policy,
                                 const char *const *hosts, size_t count, orr_error *err);
/* Frees it; NULL is fine. */
void address_guard_free(address_guard *g);

/* May a socket to this address be opened for a URL of this host and port? */
address_guard_verdict address_guard_of_address(const address_guard *g, const struct sockaddr *address, const char *host,
                               int port);
/* May this host be asked for through a proxy, which resolves the name itself? So of names at a port
 * of our own only "localhost", what is below it, and this machine's name are known to be ours. */
address_guard_verdict address_guard_of_proxied(const address_guard *g, const char *host, int port);
/* What a verdict that is not GUARD_FINE says, into `out`. */
void address_guard_explain(address_guard_verdict verdict, const char *host, int port, char *out, size_t size);

/* Is the host in a list of names, addresses and CIDRs, separated by commas, with "*" for all and a name for its
 * subdomains, too? */
bool address_guard_list_has(const char *list, const char *host);

#endif
