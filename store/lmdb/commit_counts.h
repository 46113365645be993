/* How many of a store's commits this process has made, and how many others have. LMDB numbers
 * transactions over all processes, and a view shows the commits up to its number. Any thread. */
#ifndef ORR_STORE_COMMIT_COUNTS_H
#define ORR_STORE_COMMIT_COUNTS_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

typedef struct commit_counts {
  pthread_mutex_t mutex;
  uint64_t own;    /* commits made through this handle */
  uint64_t last;   /* the number of the latest of them */
  uint64_t making; /* the number of one that is being made, which may be seen or fail; 0: none */
} commit_counts;

/* Nothing was committed. */
void commit_counts_init(commit_counts *l);
/* No thread uses it any more. */
void commit_counts_destroy(commit_counts *l);
/* Around a commit, under the writers' lock. */
void commit_counts_begin(commit_counts *l, uint64_t number);
/* What it was: `committed` or not. */
void commit_counts_end(commit_counts *l, bool committed);
/* One's own commits, the one that is being made included. */
uint64_t commit_counts_own(commit_counts *l);
/* How many commits of others a view shows whose number is `seen`: exactly, or STORE_FOREIGN_UNKNOWN while it cannot be
 * told, since own ones are newer than the view, or one is being made. */
uint64_t commit_counts_foreign(commit_counts *l, uint64_t seen);

#endif
