/* Records that operations need beside those that a client's query finds: by an id, or by a filter made here. What a filter is
 * made of is freed at once, so rows may ask, however many there are. */
#ifndef SERVER_MAPPING_RECORDS_H
#define SERVER_MAPPING_RECORDS_H

#include "server/transport/request.h"

/* One key of a filter; with ORR_NIL as its value it is left out. */
typedef struct key_value {
  const char *key;
  orr_value value;
} key_value;

/* What a verb lists. NULL: the request has failed. The caller frees. */
orr_records *records_list(request *q, const char *verb, const orr_value *filter);
/* The same with a filter of `n` keys. */
orr_records *records_by(request *q, const char *verb, const key_value *keys, size_t n);
/* The same, but NULL when nothing is found, too. */
orr_records *records_first(request *q, const char *verb, const key_value *keys, size_t n);
/* How many a filter of `n` keys finds; -1: the request has failed. */
int64_t records_total(request *q, const char *verb, const key_value *keys, size_t n);
/* One record by its id; NULL: there is none, or the request has failed. The caller frees. */
orr_records *records_one(request *q, const char *verb, orr_id id);
/* The first record of a verb whose fields are the parts of the path's key, "instance:job:sequence", in their order. NULL: there
 * is none, or the request has failed. */
orr_records *records_with_key(request *q, const char *verb, const char *const *fields, size_t n);
/* Cuts "instance:job:sequence" into `n` numbers; false: it is no such key. */
bool records_key_parts(const char *text, int64_t *out, size_t n);
/* A definition, kept with the request: rows that name one ask for it again and again. NULL: there is none. */
const orr_records *records_definition(request *q, orr_id id);

#endif
