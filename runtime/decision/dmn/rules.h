/* The rules of a decision table: their cells as tests and values, and what finds the hits. */
#ifndef ORR_DMN_RULES_H
#define ORR_DMN_RULES_H

#include "decision/dmn/table.h"

/* Compiles the cells into tests and values, and finds the arguments. */
void dmn_compile_rules(dmn_build *b, dmn_table *t);
/* Statements that leave the hits in the local h: a rule's number or nil; with DMN_EVERY an array with its size in the
 * local n. */
void dmn_match_rules(dmn_build *b, dmn_table *t, dmn_out *out);
/* The Lua expression of the output of the rule whose number the expression `rule` gives. */
const char *dmn_output_of(dmn_build *b, dmn_table *t, const char *rule);

#endif
