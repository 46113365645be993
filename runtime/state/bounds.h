/* Bounds of one transaction: operations, memory, tokens of an instance. A process that loops
 * without a wait state, or forks without end, meets one of them, and the message names the loop.
 * limits.h has the defaults; the engine's options steps_max, memory_max and tokens_max change
 * them. */
#ifndef ORR_BOUNDS_H
#define ORR_BOUNDS_H

#include "engine/engine.h"
#include "state/context.h"

/* May the context run one more operation? */
static inline bool bounds_allow(context *c) {
  const orr_config *config = &c->engine->config;
  return ++c->steps <= (uint64_t)config->steps_max && arena_used(c->arena) <= (uint64_t)config->memory_max;
}
/* Fails with ORR_E_LIMIT; c->error says which bound was met, and where: at node `at` or, if that is
 * NULL, at the node of the token or scope. */
int bounds_refuse(context *c, orr_id about, const node *at);
/* May the instance have one token more, at `at`? Does not count an instance that never had more
 * records than it may have tokens; counts others now and then, so it may notice a large bound a
 * sixteenth late. 0 or ORR_E_LIMIT. */
int bounds_check_tokens(context *c, orr_id token, const node *at);

#endif
