/* What of a deployment only a script host could run. */
#ifndef ORR_DEPLOY_SCRIPTS_H
#define ORR_DEPLOY_SCRIPTS_H

#include "command/deploy/models.h"

/* Adds a problem for each expression, script, task type and decision model. A delegate's name is none: a function in C may
 * have it. */
void scripts_refuse(parsed_models *models);

#endif
