/* Answers that are made of the engine's values as they are. */
#ifndef SERVER_OPERATOR_MEMBER_H
#define SERVER_OPERATOR_MEMBER_H

#include "server/transport/request.h"

/* Answers with what a call of the engine, which answered `rc`, put into a builder; returns the status. */
int answer_value(request *q, int rc, orr_builder *b, orr_error *err);
/* A member, of a value as it is. */
void member_value(json_out *out, const char *key, const orr_value *value);
/* A field of the first of some records; null where there is none. */
void member_field(json_out *out, const char *key, const orr_records *of, const char *field);
/* An id as a text, or null for 0. */
void member_id(json_out *out, const char *key, orr_id id);

#endif
