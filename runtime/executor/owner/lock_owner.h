/* Who has jobs locked: an executor with one engine, or a thread that runs jobs itself (run_jobs, poll).
 *
 * An owner has a record in the store, with a number that no other ever has, and a lease: a time until which its locks
 * count, prolonged by one put for all of them. A locked job holds the owner's number alone. When the lease is over, or the
 * process is gone, others give its locks back (reclaim.h): first they *fence* the owner, by moving its record to another
 * key. Who locks relies on the record under its first key (lock_owner_rely), so a fenced owner locks nothing more; what it
 * runs was given back, or will be, and its commits find their jobs changed. One that notices registers again, under a new
 * number.
 *
 * Locks that its process has lost sight of, since giving them back failed, count in engine->locks_lost: each owner then looks
 * for its own (claims.h). */
#ifndef ORR_LOCK_OWNER_H
#define ORR_LOCK_OWNER_H

#include <pthread.h>
#include <stdatomic.h>

#include "executor/owner/owner_name.h"

typedef struct lock_owner {
  orr_engine *engine;
  char name[OWNER_BYTES_MAX];
  int64_t lock_ms;
  pthread_mutex_t mutex;          /* who writes the record */
  atomic_uint_fast64_t number;    /* 0: not registered. Any thread reads these two */
  atomic_int_fast64_t expires;
  atomic_int_fast64_t judges;     /* by the engine's clock: before it takes nothing from others; 0: at any time */
  uint64_t audited;               /* of engine->locks_lost; its acquirer's, as is: */
  /* Adds what its executor says of itself to the record, whenever that is written; NULL: nothing. 0 or ORR_E_MEMORY. */
  int (*tell)(void *ud, context *c, rec_owner *r);
  void *tell_ud;
} lock_owner;

/* Nothing is written yet. `name` is copied; longer ones are ORR_E_LIMIT. */
int lock_owner_init(lock_owner *o, orr_engine *engine, const char *name, int64_t lock_ms, orr_error *err);
/* Registers, or prolongs the lease when a quarter of it is over: the owner may lock. Commits by itself, so the thread has no
 * view open. */
int lock_owner_keep(lock_owner *o, orr_error *err);
/* May what it has locked begin? Not on a shared store when two thirds of its lease have passed without its being prolonged:
 * the server does not answer, and what begins now would most likely lose to whoever takes the job over. */
bool lock_owner_begins(const lock_owner *o);
/* May the owner take the locks of others whose lease is over? An executor that was itself out of touch with a shared store
 * for longer than its own lease is as late as they may be: all of them were cut off, or the store's server was away. It gives
 * them the time of a lease. */
bool lock_owner_judges(const lock_owner *o);
/* The owner ends, and has no locks any more but those that were lost sight of, which are given back. What fails expires. */
void lock_owner_end(lock_owner *o);
/* Of one that was initialized; it need not have ended. */
void lock_owner_destroy(lock_owner *o);

/* The commit must find the owner as one who may lock. */
int lock_owner_rely(context *c, uint64_t number);

#endif
