/* What commands take: maps and texts. Each fills c->error (ORR_E_ARGUMENT) when the caller's word does not hold. */
#ifndef ORR_OPERANDS_H
#define ORR_OPERANDS_H

#include "command/lookup.h"

/* Not given, a map, or an empty array, which is how a script's empty table may arrive. */
int operand_map(context *c, const orr_value *value, const char *name);
/* What a job does later keeps no transient variables, neither among these nor beside them. `what` begins the refusal: "a
 * signal that jobs deliver". */
int operand_stored(context *c, const orr_value *variables, const orr_value *transient, const char *what);
/* A text that must be there and hold something. */
int operand_text(context *c, const char *text, const char *what);

#endif
