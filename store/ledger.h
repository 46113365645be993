/* Which of a store's commits are one's own: an LMDB transaction has a number, counted by all processes, and what a view
 * shows are the commits up to its number. Any thread. */
#ifndef ORR_STORE_LEDGER_H
#define ORR_STORE_LEDGER_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

typedef struct ledger {
  pthread_mutex_t mutex;
  uint64_t own;    /* commits made through this handle */
  uint64_t last;   /* the number of the latest of them */
  uint64_t making; /* the number of one that is being made, which may be seen or fail; 0: none */
} ledger;

/* Nothing was committed. */
void ledger_init(ledger *l);
/* No thread uses it any more. */
void ledger_destroy(ledger *l);
/* Around a commit, under the writers' lock. */
void ledger_begin(ledger *l, uint64_t number);
/* What it was: `committed` or not. */
void ledger_end(ledger *l, bool committed);
/* One's own commits, the one that is being made included. */
uint64_t ledger_own(ledger *l);
/* How many commits of others a view shows whose number is `seen`: exactly, or STORE_FOREIGN_UNKNOWN while it cannot be
 * told, since own ones are newer than the view, or one is being made. */
uint64_t ledger_foreign(ledger *l, uint64_t seen);

#endif
