/* Camunda Forms: JSON files (*.form), which form-js draws. Of a form, its id and its fields are
 * read. */
#ifndef ORR_COMMAND_SCHEMA_H
#define ORR_COMMAND_SCHEMA_H

#include "state/context.h"
#include "model/form.h"

/* Is this the name of a Camunda Form's file? */
bool schema_is_form(const char *name, size_t size);
/* The form's id, in the context's arena; NULL: the text is no form, or has no id. ORR_E_MEMORY. */
int schema_id(context *c, const char *text, size_t size, const char **out);
/* Its fields, in the context's arena, without buttons, texts, and components that repeat or nest
 * values. ORR_E_ARGUMENT: the text is no form. */
int schema_fields(context *c, const char *text, size_t size, const form_field **out, uint32_t *n);

#endif
