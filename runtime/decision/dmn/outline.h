/* A decision as its file shows it: what people read, not what runs. */
#ifndef ORR_DMN_OUTLINE_H
#define ORR_DMN_OUTLINE_H

#include "base/arena.h"
#include "base/error.h"

/* What the file says of the table of the decision `id`: a map of inputs, outputs and rules, as orr_engine_decision_table
 * gives it. Whatever imports there are does not matter. */
int dmn_outline(orr_arena *arena, const void *bytes, size_t size, const char *id, orr_builder *out, orr_error *err);

#endif
