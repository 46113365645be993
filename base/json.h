/* JSON texts and values. A whole number beyond 64 bits becomes a float in a value. */
#ifndef ORR_BASE_JSON_H
#define ORR_BASE_JSON_H

#include "base/builder.h"

/* To whom a JSON text is told, in its order. What it lends is good until the function returns. */
typedef struct json_visitor {
  void (*open)(void *to, bool map); /* an object or an array begins */
  void (*close)(void *to, bool map);
  void (*key)(void *to, const char *text, size_t size);
  void (*scalar)(void *to, const orr_value *value);
  void (*wide)(void *to, const char *digits, size_t size); /* NULL: a whole number beyond 64 bits is a float */
} json_visitor;

/* Why a text is no JSON that a value may be. */
typedef struct json_problem {
  size_t at;            /* where: bytes before it */
  const char *expected; /* what is expected there; NULL: it nests deeper than a value may */
} json_problem;

/* Tells what the text says. 0, or ORR_E_ARGUMENT with the problem; the visitor has heard of what
 * stands before it by then. `scratch` is the caller's, one byte larger than the text. A visitor may
 * leave by longjmp. */
int json_visit(const char *text, size_t size, char *scratch, const json_visitor *visitor, void *to,
               json_problem *problem);

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
