/* A record as the API shows it: stored fields by their API names, and derived ones (a job's type,
 * where an execution is). Filters, orders and results all read records through here, so they agree
 * on names and values. Some derived fields are for filters and orders alone: they come from other
 * records (the business key of a task's instance), and would cost a look-up for each result. */
#ifndef ORR_ROW_H
#define ORR_ROW_H

#include "state/context.h"

typedef enum row_kind { ROW_TEXT, ROW_INT, ROW_BOOL, ROW_TIME, ROW_ID, ROW_VALUE } row_kind;

typedef struct row_field {
  const char *name;
  row_kind kind;
  const rec_field *stored;                                         /* NULL: derived */
  int (*derive)(context *c, const rec_head *record, orr_value *out); /* 0 or a code with c->error */
} row_field;

#define ROW_FIELDS_MAX 48

typedef struct row_type {
  const rec_type *record;
  row_field fields[ROW_FIELDS_MAX]; /* those that are for filters and orders alone come last */
  uint32_t n_fields, n_shown;
} row_type;

/* The fields of a kind of record, made anew into `out`. */
void row_type_of(const rec_type *type, row_type *out);
/* The same, made once for all calls. */
const row_type *row_type_shown(const rec_type *type);
/* The field of that name, or NULL. */
const row_field *row_field_named(const row_type *type, const char *name, size_t size);
/* What was declared with the value of a File or an Object; ORR_NIL: nothing. */
int row_value_info(context *c, const orr_value *value, orr_value *out);
/* Times are whole milliseconds (ORR_INT) here; results.c turns them into seconds. ORR_NIL: not
 * set. */
int row_value(context *c, const row_field *column, const rec_head *record, orr_value *out);

#endif
