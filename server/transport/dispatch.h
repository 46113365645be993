/* The way of a request: finding its operation and engine, checking host, origin and body, running
 * it on the loop or in the pool. */
#ifndef SERVER_DISPATCH_H
#define SERVER_DISPATCH_H

#include "server/transport/request.h"

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
/* May this read take long? Whatever asks a database may, and what may walk through everything:
 * counts, lists that ask for more than PAGE_ROWS rows, and operations that the table marks. Such a
 * read goes to the engine's pool, since the other clients of its loop would wait for it. */
bool dispatch_is_slow(const request *q);
/* Runs a read on the loop, in one read transaction. */
int dispatch_read(request *q); /* REQUEST_PARKED: it waits, and is answered by another */
/* The same on a thread of the pool, for what reads much; the loop sends the answer. */
void dispatch_slow(request *q);
/* Runs a read that asks each engine: its handler is called for one after the other, on a thread of
 * that engine's pool, until it has answered, with the last one at the latest. So no thread that
 * serves one engine waits for the store of another. The loop sends the answer. */
void dispatch_each(request *q);
/* Is it the last engine's turn? */
bool dispatch_is_last(const request *q);
/* Compresses an answer that is there on a thread of the pool; the loop sends it. */
void dispatch_compress(request *q);
/* Runs a command on a thread of the pool, and has the loop send the answer. */
void dispatch_command(request *q);
/* Waits for the request's deferred commit. For handlers that ask the engine for more after their
 * command. */
void dispatch_wait(request *q);
/* Gives back what was locked for an answer that did not arrive, and frees the request. */
void dispatch_unlock(request *q);

#endif
