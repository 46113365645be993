/* Checks of commands' arguments: maps and texts. Each fills c->error (ORR_E_ARGUMENT) when an
 * argument is wrong. */
#ifndef ORR_OPERANDS_H
#define ORR_OPERANDS_H

#include "command/lookup.h"

/* Accepts nothing, a map, or an empty array, which is what an empty table of a script may
 * become. */
int operand_map(context *c, const orr_value *value, const char *name);
/* A job stores no transient variables: refuses them, in either map. `what` begins the message: "a
 * signal that jobs deliver". */
int operand_stored(context *c, const orr_value *variables, const orr_value *transient, const char *what);
/* A text that must be given and not empty. */
int operand_text(context *c, const char *text, const char *what);

#endif
