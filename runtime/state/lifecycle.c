/* Which state may follow which. */
#include "state/lifecycle.h"

#include <inttypes.h>
#include <assert.h>

#include "state/context.h"

#define TO(state) (1u << EXECUTION_##state)

/* A token that moves to the next node arrives there: LEAVING -> ARRIVING. A standard loop starts again: LEAVING -> STARTING.
 * An error of an end listener, caught within: LEAVING -> ACTIVE. */
static const unsigned allowed[EXECUTION_STATES] = {
    [EXECUTION_ARRIVING] = TO(ARRIVING) | TO(STARTING) | TO(ACTIVE) | TO(LEAVING) | TO(CANCELING) | TO(ENDED),
    [EXECUTION_STARTING] = TO(ACTIVE) | TO(LEAVING) | TO(CANCELING) | TO(ENDED),
    [EXECUTION_ACTIVE] = TO(ACTIVE) | TO(JOINING) | TO(LEAVING) | TO(CANCELING) | TO(ENDED),
    [EXECUTION_JOINING] = TO(ACTIVE) | TO(LEAVING) | TO(CANCELING) | TO(ENDED),
    [EXECUTION_LEAVING] = TO(ARRIVING) | TO(STARTING) | TO(ACTIVE) | TO(LEAVING) | TO(CANCELING) | TO(ENDED),
    [EXECUTION_CANCELING] = TO(CANCELING) | TO(ENDED),
    [EXECUTION_ENDED] = 0,
};

int lifecycle_move(context *c, rec_execution *e, execution_state to) {
  bool legal = e->state < EXECUTION_STATES && (allowed[e->state] & 1u << to);
  assert(legal);
  if (!legal)
    return context_error(c, ORR_E_STATE, "execution %" PRIu64 " cannot go from state %d to %d", e->id, e->state, (int)to);
  if (context_touch(c, e)) return c->error.code;
  e->state = (uint8_t)to;
  return 0;
}
