/* The parts of a deployment that need a script host. */
#ifndef ORR_DEPLOY_SCRIPTS_H
#define ORR_DEPLOY_SCRIPTS_H

#include "command/deploy/models.h"

/* For an engine without one: adds a problem for each expression, script and task type, and a
 * warning for each decision model, which can be read but not evaluated. A delegate's name is no
 * problem, because a C function may have it. */
void scripts_refuse(parsed_models *models);

#endif
