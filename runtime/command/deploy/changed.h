/* Deployments with `filter` = "changed": which of their resources have changed. */
#ifndef ORR_CHANGED_H
#define ORR_CHANGED_H

#include "command/frame.h"
#include "uow/find.h"

/* Leaves in *out, a map, the resources that differ from those of the latest deployment that has
 * them, and what goes with these: a process finds modules, scripts and forms in its own deployment
 * alone. `earlier`: deployments, oldest first. */
int changed_resources(context *c, const unit_found *earlier, const orr_value *resources,
                      const orr_value **out);

#endif
