/* What all headers of the operations stand on: the table's types, a request, the server's inside. */
#ifndef SERVER_MAPPING_SHARED_H
#define SERVER_MAPPING_SHARED_H

#include "rest_table.h"
#include "server/transport/json_in.h"
#include "server/mapping/records.h"
#include "server/server_internal.h"

#endif
