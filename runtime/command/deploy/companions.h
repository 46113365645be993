/* Files that processes need beside them, and that a deployment leaves out. */
#ifndef ORR_COMPANIONS_H
#define ORR_COMPANIONS_H

#include "command/deploy/models.h"

/* Adds warnings to the models' problems, and has them logged with the commit: of files that no
 * process will see, because none is deployed with them, and of modules that the version before had
 * and this one lacks. The deployment's records exist. `before`: the version before of each model's
 * process; NULL: there is none. */
int companions_warn(context *c, const rec_deployment *deployment, const orr_value *resources,
                    parsed_models *models, const rec_definition *const *before);

#endif
