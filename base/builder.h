/* Building a value tree front to back in one buffer. */
#ifndef ORR_BASE_BUILDER_H
#define ORR_BASE_BUILDER_H

#include "base/value.h"

/* orr_builder_new with an allocator of one's own. */
orr_builder *builder_new(const orr_allocator *allocator);
/* A key of the open map with its value, and the same for a value that may be not set (ORR_NIL): then nothing is put. */
void builder_put_given(orr_builder *builder, const char *key, orr_value value);
/* orr_builder_value, copied into an arena: it outlives the builder. */
int builder_copy(orr_builder *builder, orr_arena *arena, orr_value *out, orr_error *err);
/* Nothing was put in, and nothing went wrong. */
bool builder_empty(const orr_builder *builder);
/* Something went wrong, which orr_builder_value will tell: what is added now is lost. */
bool builder_failed(const orr_builder *builder);

#endif
