/* A worker's local queue: the jobs that it has taken from the executor's queue at once and not begun.
 * A delegate may compute or block for long, so an idle worker may steal what waits behind it.
 *
 * The worker that owns the local queue takes from it without a lock. Filling it and stealing from it
 * need the lock of the executor's queue, so that a worker that finds that queue empty sees what the
 * others have taken from it. */
#ifndef ORR_LOCAL_QUEUE_H
#define ORR_LOCAL_QUEUE_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

/* Few enough to stay fair between workers, enough to prefetch for in one query (uow/prefetch.h). */
#define LOCAL_QUEUE_MAX 32

struct entry;

/* All zero: empty. */
typedef struct local_queue {
  atomic_uint_fast64_t state; /* local_queue.c */
  struct entry *_Atomic entries[LOCAL_QUEUE_MAX];
} local_queue;

/* By its owner, when it is empty, with the queue's lock held; at most LOCAL_QUEUE_MAX. */
void local_queue_fill(local_queue *s, struct entry *const *entries, uint32_t count);
/* How many are left. Any thread. */
uint32_t local_queue_left(const local_queue *s);
/* Is this entry left? Any thread that holds the queue's lock; the answer may be over soon. */
bool local_queue_has(const local_queue *s, const struct entry *e);
/* Takes the next entry, to begin it; NULL: none is left. The owner, or any thread that holds the queue's lock. */
struct entry *local_queue_next(local_queue *s);
/* Takes the first half of what is left, or the last entry; returns how many. Any thread that holds
 * the executor's queue's lock. */
uint32_t local_queue_steal(local_queue *s, struct entry **out);

#endif
