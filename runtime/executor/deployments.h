/* Which deployments this engine knows code for: in a cluster of unlike engines each runs the jobs of its own. */
#ifndef ORR_DEPLOYMENTS_H
#define ORR_DEPLOYMENTS_H

#include "engine/engine.h"

/* Any thread; forgotten when the engine closes. Registering one again, or giving up one that is not registered, does
 * nothing. */
bool deployment_registered(orr_engine *engine, orr_id deployment);
int deployment_register(orr_engine *engine, orr_id deployment, orr_error *err);
void deployment_unregister(orr_engine *engine, orr_id deployment);

#endif
