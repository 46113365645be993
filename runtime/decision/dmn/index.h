/* The index over the rules of a decision table. */
#ifndef ORR_DMN_INDEX_H
#define ORR_DMN_INDEX_H

#include "decision/dmn/table.h"

/* "H[n]", a function from the value of an input to the numbers of the rules that it leaves, and which input that
 * is; NULL when no input divides the rules well. The tests of that input need not be made then. */
const char *dmn_make_index(dmn_build *b, const dmn_table *t, uint32_t *input);

#endif
