/* Whose turn it is to write to the store on disk, and what becomes of a store whose turn never
 * comes.
 *
 * One thread of one process writes at a time. A process that keeps the writers' lock for too
 * long, since it is stopped or its disk is, makes the store stay away for the others, as a
 * database does that cannot be reached: calls that write fail at once, nothing of them is done,
 * and a later try may succeed. Reading goes on. The store is back as soon as the lock has
 * changed hands. */
#include <inttypes.h>

#include "base/error.h"
#include "store/lmdb/lmdb_internal.h"

#define NS_OF_MS 1000000

static int64_t turn_now_ns(const lmdb_store *s) { return s->outside.mono_ns(s->outside.ud); }

static int hold_error(const lmdb_store *s, const writer_holder *holder, orr_error *err) {
  if (holder->pid == 0)
    return error_set(err, ORR_E_STORE, "nothing was written to %s: a process that cannot be seen from "
                     "here holds its write lock", s->path);
  if (holder->stopped)
    return error_set(err, ORR_E_STORE, "nothing was written to %s: process %ld holds its write lock "
                     "and is stopped; let it go on, or end it", s->path, holder->pid);
  return error_set(err, ORR_E_STORE, "nothing was written to %s: process %ld has held its write lock "
                   "for %d s", s->path, holder->pid, WRITER_RUNNING_MS / 1000);
}

/* Nobody waits for this hold any more. Of those who notice at once, one tells. */
static void stay_away(lmdb_store *s, const writer_holder *holder) {
  if (atomic_exchange(&s->given_up, holder->turn) != 0) return;
  orr_error why = {0};
  atomic_store(&s->away_since_ns, turn_now_ns(s));
  (void)hold_error(s, holder, &why);
  if (s->base.watcher) s->base.watcher(s->base.watcher_ud, &why, 0);
  orr_error_clear(&why);
}

static void end_absence(lmdb_store *s) {
  if (atomic_load(&s->given_up) == 0) return;
  int64_t ns = turn_now_ns(s) - atomic_load(&s->away_since_ns);
  bool ends = atomic_exchange(&s->given_up, 0) != 0;
  if (ends && s->base.watcher) s->base.watcher(s->base.watcher_ud, NULL, ns / NS_OF_MS);
}

int lmdb_take_turn(lmdb_store *s, orr_error *err) {
  writer_holder holder;
  pthread_mutex_lock(&s->writing);
  if (writer_lock_take(&s->writer_lock, atomic_load(&s->given_up), &holder)) {
    end_absence(s);
    return 0;
  }
  pthread_mutex_unlock(&s->writing);
  stay_away(s, &holder);
  int rc = hold_error(s, &holder, err);
  (void)error_mark(err, STORE_AWAY);
  return rc;
}

void lmdb_end_turn(lmdb_store *s) {
  writer_lock_give(&s->writer_lock);
  pthread_mutex_unlock(&s->writing);
}

/* A process that only reads waits for nobody. It learns of a hold that does not end by looking
 * twice. */
static void look_at_hold(lmdb_store *s) {
  uint64_t turn = writer_lock_turn(&s->writer_lock);
  if (turn == 0) return;
  int64_t now = turn_now_ns(s);
  if (atomic_exchange(&s->seen_turn, turn) != turn) {
    atomic_store(&s->seen_ns, now);
    return;
  }
  int64_t held_ms = (now - atomic_load(&s->seen_ns)) / NS_OF_MS;
  if (held_ms < WRITER_STOPPED_MS) return;
  writer_holder holder = writer_lock_holder(&s->writer_lock);
  bool patient = holder.pid == s->writer_lock.pid || held_ms < writer_lock_patience_ms(&holder);
  if (!patient && holder.turn == turn && !writer_lock_free(&s->writer_lock)) stay_away(s, &holder);
}

static bool hold_is_over(lmdb_store *s, uint64_t turn) {
  return writer_lock_turn(&s->writer_lock) != turn || writer_lock_free(&s->writer_lock);
}

store_state lmdb_state(store *base) {
  lmdb_store *s = (lmdb_store *)base;
  if (atomic_load(&s->failed)) return STORE_FAILED;
  uint64_t given_up = atomic_load(&s->given_up);
  if (given_up == 0) look_at_hold(s);
  else if (hold_is_over(s, given_up)) end_absence(s);
  return atomic_load(&s->given_up) != 0 ? STORE_STAYS_AWAY : STORE_WELL;
}
