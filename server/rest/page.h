/* What the files behind the operator's page share: lists with a filter made here, and fields of what is found. */
#ifndef SERVER_REST_PAGE_H
#define SERVER_REST_PAGE_H

#include "server/rest/rest.h"

/* One key of a filter. */
typedef struct key_value {
  const char *key;
  orr_value value;
} key_value;

/* What a verb finds with a filter of `n` keys. The caller frees; NULL: the request has failed. */
orr_records *page_list(request *q, const char *verb, const key_value *keys, size_t n);
/* How many a verb finds; -1: the request has failed. */
int64_t page_count(request *q, const char *verb, const key_value *keys, size_t n);
/* Answers with what a call of the engine, which answered `rc`, put into a builder. */
int page_value(request *q, int rc, orr_builder *b, orr_error *err);

/* A member, of a value as it is. */
void page_put(json_out *out, const char *key, const orr_value *value);
/* A field of the first of some records; null where there is none. */
void page_put_field(json_out *out, const char *key, const orr_records *of, const char *field);
/* An id as a text, or null for 0. */
void page_put_id(json_out *out, const char *key, orr_id id);

#endif
