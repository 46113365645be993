/* What all headers of the operations stand on: the table's types, a request, the server's inside. */
#ifndef SERVER_REST_SHARED_H
#define SERVER_REST_SHARED_H

#include "rest_table.h"
#include "server/json_in.h"
#include "server/rest/records.h"
#include "server/server_internal.h"

#endif
