/* What a deployment leaves out that its processes, or those of others, go with. */
#ifndef ORR_COMPANIONS_H
#define ORR_COMPANIONS_H

#include "command/deploy/models.h"

/* Adds warnings to the models' problems, and has them logged with the commit: files that no process
 * will see, because none is deployed with them, and modules that the version before had beside it
 * and this one has not. Its records are there. `before`: the version before of each model's process;
 * NULL: there is none. */
int companions_warn(context *c, const rec_deployment *deployment, const orr_value *resources,
                    parsed_models *models, const rec_definition *const *before);

#endif
