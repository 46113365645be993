/* Ends of requests, values of builders, orders and pages: what every operation may need. */
#ifndef SERVER_MAPPING_OPERATION_H
#define SERVER_MAPPING_OPERATION_H

#include "server/transport/request.h"

/* The finished value of a builder. False: the request has failed. */
bool rest_value(request *q, orr_builder *b, orr_value *out);
/* The same of a call that may give nothing: ORR_NIL. */
void rest_optional(orr_builder *b, orr_value *out);
/* The engine that the request's path names. */
orr_engine *rest_engine(const request *q);
/* Ends a command: 204, or the failure; not_found says what the table says of the operation. */
int rest_end(request *q, int rc, orr_error *err);
/* Ends it as one whose id leads nowhere. */
int rest_missing(request *q);
/* The body's member `suspended`. False: it is not given, or the request has failed otherwise. */
bool rest_suspension(request *q, bool *suspend);
/* What a DELETE says of instances and history that go with the thing. */
orr_cascade rest_cascade_of(const request *q);
/* The key order_by of an open filter: one field. */
void rest_order(orr_builder *b, const char *field, const char *direction);
/* The page that a list of the server's own is asked for: from `first` on, `most` of them. False: the request has failed. */
bool rest_page(request *q, int64_t *first, int64_t *most);

#endif
