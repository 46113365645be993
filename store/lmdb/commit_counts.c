/* Numbers are given out in order under the writers' lock, so those before a commit that is being made are all done. */
#include "store/lmdb/commit_counts.h"

#include "store/store.h"

void commit_counts_init(commit_counts *l) {
  *l = (commit_counts){0};
  pthread_mutex_init(&l->mutex, NULL);
}

void commit_counts_destroy(commit_counts *l) { pthread_mutex_destroy(&l->mutex); }

void commit_counts_begin(commit_counts *l, uint64_t number) {
  pthread_mutex_lock(&l->mutex);
  l->making = number;
  pthread_mutex_unlock(&l->mutex);
}

void commit_counts_end(commit_counts *l, bool committed) {
  pthread_mutex_lock(&l->mutex);
  if (committed) {
    l->own++;
    l->last = l->making;
  }
  l->making = 0;
  pthread_mutex_unlock(&l->mutex);
}

uint64_t commit_counts_own(commit_counts *l) {
  pthread_mutex_lock(&l->mutex);
  uint64_t own = l->own + (l->making != 0);
  pthread_mutex_unlock(&l->mutex);
  return own;
}

uint64_t commit_counts_foreign(commit_counts *l, uint64_t seen) {
  pthread_mutex_lock(&l->mutex);
  bool sure = l->making ? seen + 1 == l->making : seen >= l->last;
  uint64_t foreign = sure ? seen - l->own : STORE_FOREIGN_UNKNOWN;
  pthread_mutex_unlock(&l->mutex);
  return foreign;
}
