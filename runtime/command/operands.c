/* Checking what commands are given: maps and texts. */
#include "command/operands.h"

int operand_map(context *c, const orr_value *value, const char *name) {
  if (!value || value->type == ORR_NIL || value->type == ORR_MAP) return 0;
  if (value->type == ORR_ARRAY && orr_count(value) == 0) return 0;
  return context_error(c, ORR_E_ARGUMENT, "%s must be a map of names to values", name);
}

/* The name of the first that is declared transient, or NIL. */
static orr_value transient_among(const orr_value *variables) {
  orr_value key, value;
  if (!variables || variables->type != ORR_MAP) return (orr_value){0};
  orr_iterator i = orr_iterate(variables);
  while (orr_next(&i, &key, &value))
    if (value.transient) return key;
  return (orr_value){0};
}

int operand_stored(context *c, const orr_value *variables, const orr_value *transient, const char *what) {
  orr_value name = transient_among(variables);
  if (name.type == ORR_STRING)
    return context_error(c, ORR_E_ARGUMENT, "%s takes no transient variables, as \"%.*s\" is: jobs are stored", what,
                         (int)name.size, name.as.bytes);
  if (!map_given(transient)) return 0;
  return context_error(c, ORR_E_ARGUMENT, "%s takes no transient variables: jobs are stored", what);
}

int operand_text(context *c, const char *text, const char *what) {
  return text && *text ? 0 : context_error(c, ORR_E_ARGUMENT, "%s must not be empty", what);
}
