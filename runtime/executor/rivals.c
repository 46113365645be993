/* Rivals as a pure function. */
#include "executor/rivals.h"

void rivals_look(rivals *r, bool committed) {
  if (committed) r->there = RIVALS_ROUNDS;
  else if (r->there > 0) r->there--;
}

bool rivals_stake(const rivals *r) { return r->there > 0 && !r->impatient; }

bool rivals_wary(const rivals *r, bool stakes) { return r->there > 0 && (!stakes || r->heedless > 0); }

void rivals_settle(rivals *r, const rivals_outcome *outcome, int64_t now_ns) {
  if (outcome->lost && !r->impatient) r->heedless = RIVALS_ROUNDS;
  else if (r->heedless > 0) r->heedless--;
  if (outcome->first) r->there = RIVALS_ROUNDS;
  if (outcome->first != r->first) r->since_ns = now_ns;
  r->first = outcome->first;
  r->impatient = r->first && now_ns - r->since_ns >= RIVALS_PATIENCE_NS;
}
