/* What the operations' files share: how a request becomes a filter, a record JSON, a body variables. */
#ifndef SERVER_REST_H
#define SERVER_REST_H

#include "rest_table.h"
#include "server/json_in.h"
#include "server/server_internal.h"

/* A builder that lives as long as the request. NULL: the request has failed. */
orr_builder *rest_builder(request *q);
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

/* ---- Queries (query.c) ---- */
/* The filter that a request asks for: of its query string, or of `body` (an object; NULL: none). `paged`: with order and
 * limits. False: the request has failed. */
bool query_filter(request *q, const listing *is, const json_t *body, bool paged, orr_value *out);
/* Reads operators and values of variables out of JSON into `b`, as the filter key `variables` takes them. */
bool query_variables(request *q, const char *name, const json_t *list, const char *text, orr_builder *b);
/* A name of Camunda's in our words, or itself. */
const char *names_ours(const char *which, const char *name);
/* One of ours in Camunda's words, or itself. */
const char *names_theirs(const char *which, const char *name);

/* Answers with one record in a shape, or says that there is none. */
int rest_find_one(request *q, const char *verb, const dto *shape, orr_id id);

/* ---- Records (dto.c) ---- */
/* Is a switch on, in the query string or in the body of a query? */
bool rest_asked(const request *q, const char *name);
/* Writes a record as the object of that shape. */
void dto_write(request *q, const dto *shape, const orr_records *records, size_t index);
/* The members alone, of an object that the caller opened. */
void dto_write_fields(request *q, const dto *shape, const orr_records *records, size_t index);
/* One record by its id; NULL: there is none, or the request has failed. The caller frees. */
orr_records *rest_record(request *q, const char *verb, orr_id id);
/* What a filter with one key finds; NULL: the request has failed. */
orr_records *rest_records_by(request *q, const char *verb, const char *key, orr_value value);
/* The same, kept with the request: rows that name a definition ask for it again and again. NULL: none. */
const orr_records *rest_definition(request *q, orr_id id);
/* An id as a string; null for 0. */
/* Milliseconds of a time as lists give it, in seconds; 0 for another value. */
orr_time time_of_value(const orr_value *seconds);

/* The key order_by of an open filter: one field. */
void rest_order(orr_builder *b, const char *field, const char *direction);

/* ---- Variables (values.c) ---- */
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
/* An answer that is the bytes of a value: files with their names and types, texts as they are. */
int values_data(request *q, const orr_value *described);

/* ---- Resources and forms (deployment.c, definition.c) ---- */
/* A resource of a deployment, kept with the request; false: the request has failed. */
bool rest_resource_bytes(request *q, orr_id deployment, const orr_value *name, orr_value *out);
/* The definition of the path: by id, or the latest of a key that no tenant has. 0: there is none, the request has failed. */
orr_id rest_definition_of_path(request *q);
/* The page that a list of the server's own is asked for: from `first` on, `most` of them. False: the request has failed. */
bool rest_page(request *q, int64_t *first, int64_t *most);
/* Answers { key, camundaFormRef, contextPath } for a form's key; returns the status. */
int rest_form_write(request *q, const orr_value *key);
/* Answers with the form itself, which the key must name as a resource of the definition's
 * deployment; returns the status. */
int rest_form_deployed(request *q, const orr_value *key, orr_id definition);

/* ---- Of other files ---- */
/* A text field of a record as the whole answer (external.c); 204: it has none. */
int rest_text_field(request *q, const char *verb, const char *field);
/* The member `retries`; false: it is missing or negative, and the request has failed (batch.c). */
bool rest_retries(request *q, int64_t *out);
/* A plan as orr_engine_check_migration and orr_engine_migrate take it (event.c). False: the request has failed. */
bool rest_migration_plan(request *q, const json_t *plan, orr_value *out);

/* ---- Many (many.c) ---- */
/* The ids that a body names: by `ids` (a list) and `query` (an object of the query `is`); false: the request has failed.
 * `out` is an array. */
bool many_ids(request *q, const char *ids, const char *member, const listing *is, orr_value *out);
/* The same of process instances: by `ids`, and by queries for running and for historic ones, of each as many as are given. */
bool many_instances(request *q, const char *ids, orr_value *out);
/* Instructions of a modification, a start, a restart, in the words of the engine. */
bool many_instructions(request *q, const char *member, orr_value *out);

#endif
