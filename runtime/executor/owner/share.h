/* Which jobs an executor takes first, while others work on the same store.
 *
 * Instances in runs that follow each other are divided among the executors that are at work: each run belongs to the one
 * whose number, mixed with the run's, is the highest (rendezvous hashing), so one that comes or goes moves its own share
 * alone. All know this by themselves, from the records of the owners. It is a hint: those who know different ones, or look
 * beyond their share, race for a job as before, and the commit decides.
 *
 * Who finds nothing in its share, and has little to do, helps those whose second it is: it takes what these would come to
 * last. What stands at the front for long, whosever it is, is taken by anybody. */
#ifndef ORR_SHARE_H
#define ORR_SHARE_H

#include "executor/owner/lock_owner.h"

#define SHARE_NODES_MAX 256 /* among more nothing is divided */
#define SHARE_RUN_BITS 6    /* a run: so many instances, as a power of 2, whose ids follow each other */

typedef enum share_scope {
  SHARE_OWN,
  SHARE_SECOND, /* runs in which one other is before the executor, beyond what that will take next */
  SHARE_ALL
} share_scope;

typedef struct share {
  uint64_t nodes[SHARE_NODES_MAX]; /* numbers of the owners at work, whose own is the first */
  uint32_t count;                  /* less than two: there is nothing to divide */
  share_scope scope;
  orr_id from;                     /* where the scope begins; 0: at the front */
  orr_id front;                    /* the first job that was seen in the scope, wanted or not; 0: none */
  uint64_t run;                    /* that was looked at last, */
  bool wanted;                     /* and whether it belongs to the scope */
} share;

/* Who is at work on the engine's store beside `own`, which is registered; when it is not among them, nothing is divided.
 * 0 or an error, after which nothing is divided, either. */
int share_look(share *s, orr_engine *engine, uint64_t own, orr_error *err);
/* Is there something to divide? */
bool share_divides(const share *s);
/* What is wanted from now on. Each executor takes `page` jobs at once: SHARE_SECOND passes over those behind the front that
 * was seen last. */
void share_begin(share *s, share_scope which, uint32_t page);
/* The first id from `id` on that is wanted: `id` itself, when it is. */
orr_id share_next(share *s, orr_id id);

#endif
