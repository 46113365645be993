/* Fields of a record that follow from other records: of its definition, its instance, its job. They are for filters and
 * orders alone. */
#ifndef ORR_QUERY_ROW_RELATED_H
#define ORR_QUERY_ROW_RELATED_H

#include "query/row.h"

typedef struct row_relation {
  const rec_type *type; /* of which kind of record */
  row_field field;
} row_relation;

extern const row_relation row_related[];
extern const size_t n_row_related;

#endif
