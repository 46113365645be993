/* Back-off as a pure function. */
#include "executor/backoff.h"

static int64_t backoff_or_default(int64_t given, int64_t standard) { return given > 0 ? given : standard; }

backoff_rules backoff_rules_of(const orr_executor_options *options) {
  return (backoff_rules){
      .idle_ms = backoff_or_default(options->wait_time, 5000),
      .idle_max_ms = backoff_or_default(options->max_wait, 60000),
      .conflict_ms = backoff_or_default(options->backoff_time, 25),
      .conflict_max_ms = backoff_or_default(options->max_backoff, 5000),
      .factor = options->backoff_factor > 1 ? options->backoff_factor : 2,
      .decrease_after = 100,
  };
}

/* first * factor^(level - 1), at most `max`; 0 at level 0. */
static int64_t grown(int64_t first, int64_t max, double factor, uint32_t level) {
  if (level == 0) return 0;
  double wait = (double)first;
  for (uint32_t i = 1; i < level && wait < (double)max; i++) wait *= factor;
  return wait < (double)max ? (int64_t)wait : max;
}

/* Between half the wait and the whole of it. */
static int64_t jittered(int64_t wait, uint64_t random) {
  if (wait < 2) return wait;
  return wait / 2 + (int64_t)(random % (uint64_t)(wait - wait / 2 + 1));
}

/* A level above the one where the wait stops growing would only take longer to sink. */
static uint32_t raised(uint32_t level, int64_t first, int64_t max, double factor) {
  return grown(first, max, factor, level) < max ? level + 1 : level;
}

int64_t backoff_next(const backoff_rules *rules, backoff_state *state, const backoff_outcome *outcome, uint64_t random) {
  state->lost = outcome->lost > 0;
  if (state->lost) {
    state->conflict_level = raised(state->conflict_level, rules->conflict_ms, rules->conflict_max_ms, rules->factor);
    state->calm = 0;
  } else if (state->conflict_level > 0 && ++state->calm >= rules->decrease_after) {
    state->conflict_level--;
    state->calm = 0;
  }
  if (outcome->acquired > 0 || outcome->lost > 0 || outcome->left) state->idle_level = 0;
  else state->idle_level = raised(state->idle_level, rules->idle_ms, rules->idle_max_ms, rules->factor);

  int64_t conflict = jittered(grown(rules->conflict_ms, rules->conflict_max_ms, rules->factor, state->conflict_level), random);
  if (outcome->lost > 0) return conflict;
  if (outcome->acquired >= outcome->asked && outcome->asked > 0) return 0;
  if (outcome->left) return conflict > 0 ? conflict : jittered(rules->conflict_ms, random);
  if (outcome->acquired > 0) return conflict;
  return grown(rules->idle_ms, rules->idle_max_ms, rules->factor, state->idle_level);
}

int64_t backoff_conflict(const backoff_rules *rules, uint32_t attempt, uint64_t random) {
  return jittered(grown(rules->conflict_ms, rules->conflict_max_ms, rules->factor, attempt), random);
}
