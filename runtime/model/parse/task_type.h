/* The fields of tasks whose type Orrery brings with it: task_types.def. */
#ifndef ORR_TASK_TYPE_H
#define ORR_TASK_TYPE_H

#include "model/parse/parse_internal.h"

/* Is it a type that a model may ask for by type="…"? */
bool task_type_built_in(const char *type);
/* Their names, separated by blanks, for suggestions. */
const char *task_type_names(parser *p);

/* Fields of this type (NULL: none) that the element gives as attributes or as handlers' elements, instead of by <field>.
 * `out` may be NULL, to count them. */
uint32_t task_type_other_fields(parser *p, const xml_element *e, const char *type, field *out);
/* Reports what is missing, what is no boolean, number or known word, and (a warning) what is not known. */
void task_type_check_fields(parser *p, const xml_element *e, const implementation *run);

#endif
