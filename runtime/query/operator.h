/* Operators of filters: equal, less, like, one of …, each also negated, and without regard to case.
 * Fields and variables are compared by the same rules. */
#ifndef ORR_QUERY_OPERATOR_H
#define ORR_QUERY_OPERATOR_H

#include "state/context.h"

typedef enum operator_kind {
  OPERATOR_EQ, OPERATOR_IN, OPERATOR_LIKE, OPERATOR_LT, OPERATOR_LE, OPERATOR_GT, OPERATOR_GE,
} operator_kind;

typedef struct value_operator {
  operator_kind kind;
  bool negated;
  bool folded; /* texts are compared without regard to case */
} value_operator;

/* Its name in filters: eq ne in not_in like not_like lt le gt ge before after, and ieq ine ilike
 * not_ilike. */
bool operator_named(const char *name, size_t size, value_operator *out);

/* Does a value fit? A missing value (ORR_NIL, null) equals null; a negated operator never fits a
 * missing value, except that `ne` of null fits every value that exists. So only equality with null
 * finds what is not set. `want` of an operator that folds must be folded already: operator_fold. */
int operator_fits(context *c, value_operator op, const orr_value *have, const orr_value *want, bool *out);
/* A text, or the texts of an array, in small letters, in the context's arena; anything else as it is. */
int operator_fold(context *c, const orr_value *value, orr_value *out);

static inline bool operand_is_null(const orr_value *v) { return v->type == ORR_NIL || v->type == ORR_NULL; }

/* SQL's LIKE: % any run, _ any one byte; \% \_ \\ are themselves. */
bool like_matches(const char *text, size_t size, const char *pattern, size_t pattern_size);

#endif
