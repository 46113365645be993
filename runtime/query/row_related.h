/* Fields of a record that follow from other records: of its definition, its instance, its job. They are for filters and
 * orders alone. */
#ifndef ORR_QUERY_ROW_RELATED_H
#define ORR_QUERY_ROW_RELATED_H

#include "query/row.h"

typedef struct row_relation {
  const rec_type *type; /* of which kind of record */
  row_field field;
} row_relation;

/* What names the model of a decision: the first decision of its resource. 0 or a code with c->error. */
int decision_model(context *c, const rec_decision *d, orr_id *out);

extern const row_relation row_related[];
extern const size_t n_row_related;

#endif
