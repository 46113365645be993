/* A form's values: what its fields show, and what becomes of what people enter. */
#ifndef ORR_COMMAND_ANSWER_H
#define ORR_COMMAND_ANSWER_H

#include "base/builder.h"
#include "command/form/source.h"

/* Adds a map that describes the form, in the shape that orr_engine_task_form documents. If a
 * default cannot be evaluated, the field says so. */
int form_describe(context *c, const form_source *f, orr_builder *out);

/* What becomes of submitted values (a map; NULL: none). */
typedef struct form_answer {
  orr_value variables;      /* a map, in the context's arena */
  const char *business_key; /* of a start form, as it was entered; NULL: none */
} form_answer;

/* Checks and converts submitted values. ORR_E_ARGUMENT, with the details `field` and `constraint`,
 * when one does not fit. */
int form_take(context *c, const form_source *f, const orr_value *submitted, form_answer *out);

#endif
