/* What the files behind the operator's page share: answers made of the engine's values. */
#ifndef SERVER_REST_PAGE_H
#define SERVER_REST_PAGE_H

#include "server/rest/rest.h"


/* A member, of a value as it is. */
void page_put(json_out *out, const char *key, const orr_value *value);
/* A field of the first of some records; null where there is none. */
void page_put_field(json_out *out, const char *key, const orr_records *of, const char *field);
/* An id as a text, or null for 0. */
void page_put_id(json_out *out, const char *key, orr_id id);

#endif
