/* A form's fields by name: so that each of many submitted values finds its field at once. */
#ifndef ORR_COMMAND_FIELD_INDEX_H
#define ORR_COMMAND_FIELD_INDEX_H

#include "model/form.h"

typedef struct field_row {
  const char *name; /* the field's id, or its variable */
  size_t size;
  const form_field *field;
} field_row;

typedef struct field_index { /* sorted by name; in an arena */
  field_row *by_id, *by_variable;
  uint32_t count;
} field_index;

/* False when memory is out. */
bool field_index_make(const form_field *fields, uint32_t n, orr_arena *arena, field_index *out);
/* The first field of this id, or NULL. */
const form_field *field_index_by_id(const field_index *all, const char *name, size_t size);
/* The first field of this variable, or NULL. */
const form_field *field_index_by_variable(const field_index *all, const char *name, size_t size);

#endif
