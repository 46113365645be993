/* What one transaction may do by itself: operations, memory, tokens of an instance. A process that goes round and round
 * without a wait state, or forks without end, meets one of them, and the message names the way round. limits.h has the
 * defaults; the engine's options steps_max, memory_max and tokens_max say otherwise. */
#ifndef ORR_BOUNDS_H
#define ORR_BOUNDS_H

#include "engine/engine.h"
#include "state/context.h"

/* Is one operation more within the bounds? */
static inline bool bounds_allow(context *c) {
  const orr_config *config = &c->engine->config;
  return ++c->steps <= (uint64_t)config->steps_max && arena_used(c->arena) <= (uint64_t)config->memory_max;
}
/* It is not: ORR_E_LIMIT, and c->error says which bound, and where: at the node, or (NULL) at that of the token or scope. */
int bounds_refuse(context *c, orr_id about, const node *at);
/* Has the instance room for one token more, at `at`? One that has had no more records than it may have tokens is not
 * looked at; another now and then, so that a large bound is met within about a sixteenth of it. 0 or ORR_E_LIMIT. */
int bounds_check_tokens(context *c, orr_id token, const node *at);

#endif
