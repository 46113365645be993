/* Migration plans. */
#ifndef SERVER_REST_MIGRATION_H
#define SERVER_REST_MIGRATION_H

#include "server/mapping/shared.h"

/* A plan as orr_engine_check_migration and orr_engine_migrate take it. False: the request has failed. */
bool rest_migration_plan(request *q, const json_t *plan, orr_value *out);

#endif
