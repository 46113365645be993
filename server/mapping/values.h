/* Variables of a request as values, and values as variables of an answer. */
#ifndef SERVER_MAPPING_VALUES_H
#define SERVER_MAPPING_VALUES_H

#include "server/transport/request.h"

/* The variables of a body's member, as commands take them; ORR_NIL when it is not given. False: the request has failed. */
bool rest_variables(request *q, const char *member, orr_value *out);
/* Those of any object of { name: { value, type, valueInfo } }. */
bool values_read(request *q, const json_t *object, orr_value *out);
/* One variable's { value, type, valueInfo } into the builder; false: the request has failed. */
bool values_read_one(request *q, const char *name, const json_t *value, orr_builder *b);
/* { type, value, valueInfo } of what orr_builder_describe gave, whole or in parts: */
void values_write(json_out *out, const orr_value *described);
void values_write_fields(json_out *out, const orr_value *described);
void values_write_value(json_out *out, const orr_value *described, const orr_value *value);
void values_write_info(json_out *out, const orr_value *described);
/* Of all that a scope has, as an object by their names. */
void values_write_all(json_out *out, const orr_value *all);
/* The same of a plain value. */
bool values_describe(request *q, const orr_value *value, orr_value *out);
/* A map of plain values, as an object of variables. */
void values_write_plain(request *q, const orr_value *all);
/* An answer that is the bytes of a value: files with their names and types, texts as they are. */
int values_data(request *q, const orr_value *described);
/* The same of the value in the first of some records, which it frees; 404 when there are none. */
int values_data_of(request *q, orr_records *found);
/* Is it this text? */
bool values_text_is(const orr_value *value, const char *text);

#endif
