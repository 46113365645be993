/* Resources of deployments. */
#ifndef SERVER_REST_DEPLOYMENT_H
#define SERVER_REST_DEPLOYMENT_H

#include "server/transport/request.h"

/* A resource of a deployment, kept with the request; false: the request has failed. */
bool rest_resource_bytes(request *q, orr_id deployment, const orr_value *name, orr_value *out);

#endif
