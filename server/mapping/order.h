/* The order that a list is asked for in. */
#ifndef SERVER_MAPPING_ORDER_H
#define SERVER_MAPPING_ORDER_H

#include "server/transport/request.h"

/* Writes order_by: of the query string, then of `sorting` in `body` (NULL: none). False: the
 * request has failed. */
bool order_read(request *q, const listing *is, const json_t *body, orr_builder *b);
/* Is `sorting` an array of objects, or nothing? Also of a count, which is in no order. False: the
 * request has failed. */
bool order_sound(request *q, const json_t *body);

#endif
