/* What a deployment takes of its resources when it shall take only what changed. */
#ifndef ORR_CHANGED_H
#define ORR_CHANGED_H

#include "command/frame.h"
#include "uow/find.h"

/* Leaves in *out, a map, what differs from what the latest of `earlier` that has it holds, and what
 * goes with that: a process finds modules, scripts and forms in its own deployment alone.
 * `earlier`: deployments, oldest first. */
int changed_resources(context *c, const unit_found *earlier, const orr_value *resources,
                      const orr_value **out);

#endif
