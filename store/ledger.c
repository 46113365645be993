/* Numbers are given out in order under the writers' lock, so those before a commit that is being made are all done. */
#include "store/ledger.h"

#include "store/store.h"

void ledger_init(ledger *l) {
  *l = (ledger){0};
  pthread_mutex_init(&l->mutex, NULL);
}

void ledger_destroy(ledger *l) { pthread_mutex_destroy(&l->mutex); }

void ledger_begin(ledger *l, uint64_t number) {
  pthread_mutex_lock(&l->mutex);
  l->making = number;
  pthread_mutex_unlock(&l->mutex);
}

void ledger_end(ledger *l, bool committed) {
  pthread_mutex_lock(&l->mutex);
  if (committed) {
    l->own++;
    l->last = l->making;
  }
  l->making = 0;
  pthread_mutex_unlock(&l->mutex);
}

uint64_t ledger_own(ledger *l) {
  pthread_mutex_lock(&l->mutex);
  uint64_t own = l->own + (l->making != 0);
  pthread_mutex_unlock(&l->mutex);
  return own;
}

uint64_t ledger_foreign(ledger *l, uint64_t seen) {
  pthread_mutex_lock(&l->mutex);
  bool sure = l->making ? seen + 1 == l->making : seen >= l->last;
  uint64_t foreign = sure ? seen - l->own : STORE_FOREIGN_UNKNOWN;
  pthread_mutex_unlock(&l->mutex);
  return foreign;
}
