/* Polls for external tasks that wait for one (fetchAndLock with asyncResponseTimeout).
 *
 * DESIGN. A poll that found nothing waits in a list for each of its topics; its connection is
 * suspended and costs no thread. One thread an engine watches these topics by the change feed, and
 * sleeps until the feed reports one, a poll's time is over, or a lock ends. It then asks how many tasks of
 * the topic are free, and has as many polls tried again on the pool, first come first served. Every poll
 * remembers the generation (the count of what was heard) that it last saw, read *before* it looked, and
 * a topic the one in which it changed: so no wake-up is lost between a poll's look and its registration,
 * and one whose other criteria do not fit lets the next one have a try. Polls whose topics have no task
 * cost nothing. Looking takes at most a fifth of a core, however much is told. */
#ifndef SERVER_PARKED_H
#define SERVER_PARKED_H

#include "server/transport/request.h"

enum { PARKED_MAX_MS = 30 * 60 * 1000 }; /* the longest a poll may wait, as Camunda has it */

typedef struct parked_room parked_room;

/* Starts the thread that answers an engine's polls that wait; parked_close ends it, before the engine
 * is closed. NULL with `err`: out of memory, threads or descriptors. */
parked_room *parked_open(struct server *s, struct server_engine *e, orr_error *err);
/* Answers those that wait with nothing, and takes no more. */
void parked_drain(parked_room *room);
void parked_close(parked_room *room); /* NULL is fine */
/* To be asked before a poll looks for tasks. */
uint64_t parked_generation(parked_room *room);
/* Has a poll for these topics wait until `deadline_ns`; it looked after `generation`. It is answered with an empty list in
 * time, or tried again by `again` on the pool. False: it cannot wait; the caller answers. */
bool parked_wait(parked_room *room, request *q, const char **topics, size_t n_topics, int64_t deadline_ns, uint64_t generation,
                 void (*again)(request *q));

#endif
