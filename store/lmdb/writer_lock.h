/* The lock that writers of a store on disk take before LMDB's own.
 *
 * LMDB waits for its lock without a bound. A process that is stopped inside a commit (SIGSTOP, a
 * debugger, a frozen container) would hold up every other writer without a word. This lock lies
 * in a file of its own beside the data. Its waiters give up after a while, and it names its
 * holder. LMDB's lock still guards the data: where this one cannot be had, writers do without
 * it. */
#ifndef ORR_STORE_WRITER_LOCK_H
#define ORR_STORE_WRITER_LOCK_H

#include <stdbool.h>
#include <stdint.h>

#include "base/env.h"

#define WRITER_LOCK_FILE "writer.lock"
/* So long a waiter waits while one process keeps the lock that is stopped, or that it cannot
 * see. */
#define WRITER_STOPPED_MS 5000
/* So long it waits for one that runs: a slow disk may hold up its commit. */
#define WRITER_RUNNING_MS 20000

typedef struct writer_page writer_page; /* what the processes share */

/* For one thread at a time, but for writer_lock_turn, writer_lock_free and writer_lock_holder. */
typedef struct writer_lock {
  const orr_env *env;
  writer_page *page; /* NULL: there is none */
  int file;          /* -1: there is none */
  long pid; /* this process, as its holds show it: its id, its start and its namespace (base/env.h) */
  uint64_t start, namespace;
  bool held;
} writer_lock;

/* Who holds the lock. */
typedef struct writer_holder {
  uint64_t turn; /* each time that the lock is taken has a number of its own; 0: nobody holds it */
  long pid;      /* 0: a process of another namespace, which has no number here */
  bool stopped;
} writer_holder;

/* Opens the lock of the store in the folder. 0, or errno's code when descriptors or memory are out.
 * Where the file cannot be had otherwise (it is another user's, the disk is full, or locks no files)
 * the lock has no page; taking it then succeeds at once. */
int writer_lock_open(writer_lock *lock, const char *folder, const orr_env *env);
/* Leaves it to the other processes. Nobody holds it here. */
void writer_lock_close(writer_lock *lock);

/* Takes the lock. False: one and the same holder, told in *holder, has kept it for too long. A
 * hold whose turn is `given_up` (0: none) is not waited for. */
bool writer_lock_take(writer_lock *lock, uint64_t given_up, writer_holder *holder);
/* Gives it back. Nothing when it is not held. */
void writer_lock_give(writer_lock *lock);

/* The holder's turn, or 0. Costs a look into memory. A holder that was killed is shown until
 * somebody takes the lock. */
uint64_t writer_lock_turn(const writer_lock *lock);
/* Could the lock be taken now? */
bool writer_lock_free(writer_lock *lock);
/* Who holds it. Looks at the system's list of processes. */
writer_holder writer_lock_holder(const writer_lock *lock);
/* So long one may hold it until nobody waits for it any more. */
int64_t writer_lock_patience_ms(const writer_holder *holder);

#endif
