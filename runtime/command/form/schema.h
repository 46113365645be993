/* Camunda Forms: files of JSON (*.form), which form-js draws. Of one its id and its fields are
 * read. */
#ifndef ORR_COMMAND_SCHEMA_H
#define ORR_COMMAND_SCHEMA_H

#include "state/context.h"
#include "model/form.h"

/* Is this the name of a Camunda Form's file? */
bool schema_is_form(const char *name, size_t size);
/* The form's id, into the context's arena: NULL when the text is no JSON of a form, or has none.
 * ORR_E_MEMORY. */
int schema_id(context *c, const char *text, size_t size, const char **out);
/* Its fields, into the context's arena. Buttons, texts and what repeats or nests values are none.
 * ORR_E_ARGUMENT: it is no JSON of a form. */
int schema_fields(context *c, const char *text, size_t size, const form_field **out, uint32_t *n);

#endif
