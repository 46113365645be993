/* Stakes of a round of acquisition. */
#include "executor/stakes.h"

/* A few jobs, as ids of instances are spaced; it doubles, so what it is hardly matters. */
#define REACH_MIN (UINT64_C(1) << 24)

void stakes_begin(stakes *k, store *s) {
  k->store = s;
  k->count = k->at = 0;
  k->known_to = k->theirs_to = 0;
  k->reach = REACH_MIN;
  k->low = k->high = 0;
}

static orr_id reach_from(const stakes *k, orr_id id) { return id > UINT64_MAX - k->reach ? UINT64_MAX : id + k->reach; }

/* The run goes on where the last one ends, so that to others it is one. */
static orr_id begin_of_run(const stakes *k, orr_id id) {
  bool joins = k->count > 0 && k->runs[k->count - 1].to == k->known_to && k->known_to > k->theirs_to;
  return joins ? k->known_to + 1 : id;
}

static void add_run(stakes *k, orr_id from, orr_id to) {
  if (k->count > 0 && k->runs[k->count - 1].to + 1 == from) k->runs[k->count - 1].to = to;
  else k->runs[k->count++] = (stakes_run){from, to};
  if (k->high == 0) k->low = from;
  if (to > k->high) k->high = to;
  k->known_to = to;
}

stakes_answer stakes_try(stakes *k, orr_id id) {
  while (id > k->known_to || k->count == 0) {
    if (id <= k->theirs_to) return STAKES_THEIRS;
    if (k->count == STAKES_MAX) return STAKES_FULL;
    orr_id from = begin_of_run(k, id), to = reach_from(k, id);
    if (store_stake(k->store, from, &to)) {
      add_run(k, from, to);
      k->reach = k->reach < UINT64_MAX / 2 ? k->reach * 2 : k->reach;
    } else {
      k->theirs_to = to;
    }
  }
  return STAKES_OURS;
}

void stakes_trim(stakes *k, orr_id last) {
  if (k->count == 0 || k->runs[k->count - 1].to <= last) return;
  store_unstake(k->store, last + 1, k->runs[k->count - 1].to);
  k->runs[k->count - 1].to = k->known_to = last;
}

bool stakes_has(stakes *k, orr_id id, bool *past) {
  while (k->at < k->count && k->runs[k->at].to < id) k->at++;
  *past = k->at == k->count;
  return !*past && k->runs[k->at].from <= id;
}

void stakes_forget(stakes *k) { k->count = k->at = 0; }

void stakes_end(stakes *k) {
  if (k->high > 0) store_unstake(k->store, k->low, k->high);
  k->high = 0;
}
