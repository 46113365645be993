/* What is done with a request: which operation it asks for, whether its body is in order, its run. */
#ifndef SERVER_DISPATCH_H
#define SERVER_DISPATCH_H

#include "server/request.h"

/* May a request be sent to this name (a Host header)? */
bool dispatch_host_known(const server *s, const char *host);
/* Is a page of this origin (NULL: no page, or its own browser does not tell) one of ours, or admitted? */
bool dispatch_origin_known(const server *s, const char *origin, const char *host);
/* Is the origin one that the configuration admits? */
bool dispatch_cors(const server *s, const char *origin);
/* Finds operation and engine. False: the request has failed. */
bool dispatch_route(request *q);
/* The body is whole: reads it. False: the request has failed. */
bool dispatch_body(request *q);
/* May a read walk all there is? A count may, a list without a page, and what the table says so of: other clients of its loop
 * would wait for it. */
bool dispatch_is_slow(const request *q);
/* Runs a read on the loop, in one read transaction. */
void dispatch_read(request *q);
/* The same on a thread of the pool, for what reads much; the loop sends the answer. */
void dispatch_slow(request *q);
/* Runs a command on a thread of the pool, and has the loop send the answer. */
void dispatch_command(request *q);
/* Gives back what was locked for an answer that did not arrive, and frees the request. */
void dispatch_unlock(request *q);

#endif
