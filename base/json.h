/* JSON texts and values. A whole number beyond 64 bits becomes a float. */
#ifndef ORR_BASE_JSON_H
#define ORR_BASE_JSON_H

#include "base/builder.h"

/* Adds the value of a JSON text to the builder. ORR_E_ARGUMENT, with the place in `err`: it is no JSON, or nests deeper than
 * a value may; the builder is of no more use then. What the builder itself refuses shows when its value is asked for. */
int json_read(const char *text, size_t size, orr_builder *builder, orr_error *err);

/* The same into an arena. */
int json_value(orr_arena *arena, const orr_allocator *allocator, const char *text, size_t size, orr_value *out,
               orr_error *err);

/* Whether a value is a JSON text that stands for a tree. */
static inline bool json_is_text(const orr_value *value) {
  return value->type == ORR_STRING && value->declared == ORR_DECLARED_JSON;
}

/* Adds a value's JSON text, a string, to the builder. Keys keep their order; what is no UTF-8 becomes U+FFFD, and a float
 * that JSON has no word for null. ORR_E_MEMORY. */
int json_write(const orr_value *value, const orr_allocator *allocator, orr_builder *builder, orr_error *err);

#endif
