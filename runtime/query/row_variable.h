/* How the store's variables are shown. */
#ifndef ORR_QUERY_ROW_VARIABLE_H
#define ORR_QUERY_ROW_VARIABLE_H

#include "query/row_related.h"

extern const row_relation row_of_variables[];
extern const size_t n_row_of_variables;

/* A variable's id is its scope's, then ":" (or "~" if it belongs to the branch of a token), then
 * its name. The key of the record that an id names; the name is in the arena. False: it is no such
 * id. */
bool row_variable_key(context *c, const orr_value *id, rec_variable *out);
/* Is it one of the runtime's own, which no list shows? */
bool row_variable_hidden(const rec_variable *v);

#endif
