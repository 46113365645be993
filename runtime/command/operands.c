/* Checking what commands are given: maps and texts. */
#include "command/operands.h"

int operand_map(context *c, const orr_value *value, const char *name) {
  if (!value || value->type == ORR_NIL || value->type == ORR_MAP) return 0;
  if (value->type == ORR_ARRAY && orr_count(value) == 0) return 0;
  return context_error(c, ORR_E_ARGUMENT, "%s must be a map of names to values", name);
}

int operand_text(context *c, const char *text, const char *what) {
  return text && *text ? 0 : context_error(c, ORR_E_ARGUMENT, "%s must not be empty", what);
}
