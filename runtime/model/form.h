/* Forms: what a user task or a start event asks people for. A form's fields come from the model
 * (camunda:formData, flowable:formProperty) or from a Camunda Form (command/form/schema.h); both
 * are of this shape. */
#ifndef ORR_FORM_H
#define ORR_FORM_H

#include "model/definition.h"
#include "time/zone.h"

typedef enum form_type {
  FORM_STRING,
  FORM_LONG,
  FORM_DOUBLE,
  FORM_BOOLEAN,
  FORM_DATE,
  FORM_ENUM,
  FORM_ANY
} form_type;

#define FORM_DATE_PATTERN "dd/MM/yyyy" /* of a date field that names none */

typedef struct form_choice { /* of an enum */
  const char *id, *name;
} form_choice;

typedef struct form_constraint { /* as the model has it, for whoever shows the form */
  const char *name, *config;
} form_constraint;

typedef struct form_field {
  const char *id, *label;
  const char *type_name; /* as the model has it */
  form_type type;
  const char *variable; /* that holds its value; mostly its id */
  expr
      expression; /* flowable:formProperty: gives its value, in place of a variable */
  expr default_value;
  const char *date_pattern; /* dates; NULL: ISO 8601 */
  const form_choice *choices;
  const form_constraint *constraints;
  const struct property *properties;
  uint32_t n_choices, n_constraints, n_properties;
  bool required, readonly,
      hidden;         /* hidden: flowable's readable="false", a field that is only written */
  bool many;          /* of a Camunda Form: its value is a list of choices */
  orr_value min, max; /* ORR_NIL: none */
  int64_t min_length, max_length; /* in characters; -1: none */
  int line;
} form_field;

typedef enum form_binding { FORM_LATEST, FORM_DEPLOYMENT, FORM_VERSION } form_binding;

struct form {
  const form_field *fields;
  uint32_t n_fields;
  const char
      *business_key; /* the id of the field whose value becomes the business key; NULL: none */
  expr reference;    /* camunda:formRef: the id of a Camunda Form */
  form_binding binding;
  expr version; /* FORM_VERSION */
};

/* A field without limits, of a type. */
form_field form_field_of(const char *id, form_type type);
/* False: there is no type of this name. */
bool form_type_named(const char *name, form_type *out);
/* "latest", "deployment", "version". */
const char *form_binding_name(form_binding binding);
/* The field of this id, or NULL. */
const form_field *form_field_named(const form_field *fields, uint32_t n, const char *id,
                                   size_t size);

/* A value that was submitted, or a default, as the field's type keeps it: a date may be a text of
 * the pattern or of ISO 8601, a number a text of digits, and an empty text is null but for strings.
 * ORR_E_ARGUMENT, with the details `field` and `constraint`, when it is no such value. Texts are
 * borrowed from `in`, or lie in the arena. */
int form_convert(const form_field *f, const orr_value *in, const orr_zone *zone, orr_arena *arena,
                 orr_value *out, orr_error *err);
/* Does a converted value meet what the field asks for? ORR_E_ARGUMENT, with the same details. */
int form_check(const form_field *f, const orr_value *value, orr_error *err);
/* A converted value as the form shows it: a date as a text of its pattern, the rest as it is.
 * ORR_E_MEMORY. */
int form_show(const form_field *f, const orr_value *value, const orr_zone *zone, orr_arena *arena,
              orr_value *out, orr_error *err);
/* How much of a text a message shows: at most so many bytes, and no part of a character. */
int form_shown_size(const char *text, size_t size, size_t most);
/* Says what is wrong with a field: `constraint` is the name of what it does not meet. Returns
 * ORR_E_ARGUMENT. */
int form_refuse(const form_field *f, const char *constraint, orr_error *err, const char *format,
                ...) __attribute__((format(printf, 4, 5)));

#endif
