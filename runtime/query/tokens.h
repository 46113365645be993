/* Where the tokens of an instance stand, for filters. */
#ifndef ORR_QUERY_TOKENS_H
#define ORR_QUERY_TOKENS_H

#include "state/context.h"

/* Is a token at an activity? A scope with tokens inside does not count. `activity`: its id, or an
 * array of ids of which one is enough. An instance that has ended has no tokens. */
int tokens_stand_at(context *c, orr_id instance, const orr_value *activity, bool *out);

#endif
