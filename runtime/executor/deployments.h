/* Which deployments this engine knows code for: in a cluster of unlike engines each runs the jobs of its own. */
#ifndef ORR_DEPLOYMENTS_H
#define ORR_DEPLOYMENTS_H

#include "engine/engine.h"

/* Any thread; forgotten when the engine closes. Registering one again, or giving up one that is not registered, does
 * nothing. */
bool deployment_registered(orr_engine *engine, orr_id deployment);
/* Its jobs are taken from now on, where only registered deployments' are. 0 or ORR_E_MEMORY. */
int deployment_register(orr_engine *engine, orr_id deployment, orr_error *err);
/* They are not; those that are locked are run. */
void deployment_unregister(orr_engine *engine, orr_id deployment);

#endif
