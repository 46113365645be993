/* Fields of a record that come from other records: its definition, its instance, its job. They are
 * for filters and orders alone. */
#ifndef ORR_QUERY_ROW_RELATED_H
#define ORR_QUERY_ROW_RELATED_H

#include "query/row.h"

typedef struct row_relation {
  const rec_type *type; /* the kind of record that has it */
  row_field field;
} row_relation;

/* The first decision of a decision's resource, whose id names its model. 0 or a code with
 * c->error. */
int decision_model(context *c, const rec_decision *d, orr_id *out);

extern const row_relation row_related[];
extern const size_t n_row_related;

#endif
