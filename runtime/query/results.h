/* orr_records: what calls return, copied out of the unit so that it outlives it. */
#ifndef ORR_RESULTS_H
#define ORR_RESULTS_H

#include "query/row.h"

/* An empty result of a kind ("task"). NULL: out of memory. */
orr_records *records_new(const orr_allocator *allocator, const char *kind);
/* Begins the next record; fields are then added to it. 0 or ORR_E_MEMORY. */
int records_begin(orr_records *r);
int records_add(orr_records *r, const char *name, const orr_value *value); /* copies; ORR_NIL is left out */
/* One field of a stored record, to the record that was begun last. */
int records_add_field(context *c, orr_records *r, const row_field *f, const rec_head *record);
/* All fields of a stored record. */
int records_add_row(context *c, orr_records *r, const row_type *type, const rec_head *record);
/* A result of records that a command has already. */
int records_from(context *c, const rec_type *type, rec_head *const *items, size_t n, orr_records **out, orr_error *err);
/* Sets a field of a record that was begun, stored or not; copies `value`. */
int records_set(orr_records *records, size_t index, const char *name, const orr_value *value, orr_error *err);

#endif
