/* What the units of an engine share: the store, blocks of group ids, and pools of units and
 * snapshots. Any thread may call these functions. */
#ifndef ORR_UOW_SOURCE_H
#define ORR_UOW_SOURCE_H

#include "base/env.h"
#include "uow/uow.h"

typedef struct unit_source_options {
  uint32_t idle_units_max; /* units kept for reuse; 0: 256 */
} unit_source_options;

/* The store stays the caller's and must outlive the source. `options` may be NULL. NULL: out of memory. */
unit_source *unit_source_new(const orr_env *env, store *s, const unit_source_options *options, orr_error *err);
/* All units must have ended. NULL is fine. */
void unit_source_free(unit_source *source);

store *unit_source_store(const unit_source *source); /* the store that its units work on */
const orr_env *unit_source_env(const unit_source *source); /* the environment that it was made with */
/* A count of the commits of all processes. Costs a look into memory. */
uint64_t unit_source_changes(const unit_source *source);

/* The next unused group; 0 with err. Groups come from the store in blocks; a crash loses the unused
 * groups of a block. `asking` (or NULL) is the caller's unit, whose view is closed when a block has
 * to be taken. */
uint64_t unit_source_group(unit_source *source, unit *asking, orr_error *err);

#endif
