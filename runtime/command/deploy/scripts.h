/* What of a deployment only a script host could run. */
#ifndef ORR_DEPLOY_SCRIPTS_H
#define ORR_DEPLOY_SCRIPTS_H

#include "command/deploy/models.h"

/* Adds a problem for each expression, script and task type, and a warning for each decision model,
 * which can be read without being evaluated. A delegate's name is no problem: a function in C may have
 * it. */
void scripts_refuse(parsed_models *models);

#endif
