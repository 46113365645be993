/* What the variables of the store are shown as. */
#ifndef ORR_QUERY_ROW_VARIABLE_H
#define ORR_QUERY_ROW_VARIABLE_H

#include "query/row_related.h"

extern const row_relation row_of_variables[];
extern const size_t n_row_of_variables;

/* A variable's id is its scope's, ":", or "~" where it belongs to the branch of a token, and its name. The key of the record
 * that an id names, its name in the arena; false: it is no such id. */
bool row_variable_key(context *c, const orr_value *id, rec_variable *out);
/* Is it one of the runtime's own, which no list shows? */
bool row_variable_hidden(const rec_variable *v);

#endif
