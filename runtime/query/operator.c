/* Comparing one value with what a filter wants. */
#include "query/operator.h"

#include <string.h>

#include "base/builder.h"
#include "base/fold.h"
#include "base/value.h"
#include "engine/engine.h"

/* ---- Patterns -------------------------------------------------------------------------------- */

/* Does the pattern at `p` match the byte? *next: where the pattern continues. */
static bool takes(const char *pattern, size_t pattern_size, size_t p, char byte, size_t *next) {
  if (p == pattern_size) return false;
  bool escaped = pattern[p] == '\\' && p + 1 < pattern_size && strchr("%_\\", pattern[p + 1]);
  if (escaped) p++;
  *next = p + 1;
  return pattern[p] == byte || (pattern[p] == '_' && !escaped);
}

bool like_matches(const char *text, size_t size, const char *pattern, size_t pattern_size) {
  size_t t = 0, p = 0, star = SIZE_MAX, mark = 0, next;
  while (t < size) {
    if (p < pattern_size && pattern[p] == '%') {
      star = p++;
      mark = t;
    } else if (takes(pattern, pattern_size, p, text[t], &next)) {
      p = next;
      t++;
    } else if (star != SIZE_MAX) { /* let the last % take one more */
      p = star + 1;
      t = ++mark;
    } else {
      return false;
    }
  }
  while (p < pattern_size && pattern[p] == '%') p++;
  return p == pattern_size;
}

/* ---- Case ------------------------------------------------------------------------------------ */

static int fold_string(context *c, const orr_value *value, orr_value *out) {
  char *folded = arena_alloc(c->arena, FOLD_BOUND((size_t)value->size) + 1);
  if (!folded) return context_memory(c);
  *out = orr_bytes(folded, fold_text(value->as.bytes, value->size, folded));
  return 0;
}

static int fold_array(context *c, const orr_value *array, orr_value *out) {
  orr_builder *b = builder_new(&c->engine->env.allocator);
  if (!b) return context_memory(c);
  orr_iterator i = orr_iterate(array);
  orr_value item, folded;
  int rc = 0;
  orr_builder_array(b);
  while (!rc && orr_next(&i, NULL, &item)) {
    rc = operator_fold(c, &item, &folded);
    if (!rc) orr_builder_add(b, &folded);
  }
  orr_builder_end(b);
  if (!rc) rc = builder_copy(b, c->arena, out, &c->error);
  orr_builder_free(b);
  return rc;
}

int operator_fold(context *c, const orr_value *value, orr_value *out) {
  if (value->type == ORR_STRING) return fold_string(c, value, out);
  if (value->type == ORR_ARRAY) return fold_array(c, value, out);
  *out = *value;
  return 0;
}

/* ---- Comparing ------------------------------------------------------------------------------- */

static bool equals(const orr_value *have, const orr_value *want) {
  if (operand_is_null(have) || operand_is_null(want)) return operand_is_null(have) && operand_is_null(want);
  return value_equal(have, want);
}

static bool equals_one_of(const orr_value *have, const orr_value *list) {
  orr_iterator i = orr_iterate(list);
  orr_value one;
  while (orr_next(&i, NULL, &one))
    if (equals(have, &one)) return true;
  return false;
}

static bool in_order(operator_kind kind, const orr_value *have, const orr_value *want, bool *comparable) {
  int order = value_compare(have, want, comparable);
  return kind == OPERATOR_LT ? order < 0 : kind == OPERATOR_LE ? order <= 0 : kind == OPERATOR_GT ? order > 0 : order >= 0;
}

static bool text_is_like(const orr_value *have, const orr_value *pattern) {
  return like_matches(have->as.bytes, have->size, pattern->as.bytes, pattern->size);
}

static bool compares(value_operator op, const orr_value *have, const orr_value *want) {
  if (op.kind == OPERATOR_EQ && operand_is_null(want)) return operand_is_null(have) != op.negated;
  if (op.kind == OPERATOR_IN && !op.negated) return equals_one_of(have, want); /* null may be one of them */
  if (operand_is_null(have) || operand_is_null(want)) return false;
  bool comparable = true, fits;
  switch (op.kind) {
    case OPERATOR_EQ: fits = value_equal(have, want); break;
    case OPERATOR_IN: fits = equals_one_of(have, want); break;
    case OPERATOR_LIKE:
      comparable = have->type == ORR_STRING && want->type == ORR_STRING;
      fits = comparable && text_is_like(have, want);
      break;
    default: fits = in_order(op.kind, have, want, &comparable);
  }
  return comparable && fits != op.negated;
}

int operator_fits(context *c, value_operator op, const orr_value *have, const orr_value *want, bool *out) {
  if (!op.folded || have->type != ORR_STRING) {
    *out = compares(op, have, want);
    return 0;
  }
  char small[FOLD_BOUND(256)]; /* nearly all texts; a long one takes memory for as long as it is compared */
  size_t room = FOLD_BOUND((size_t)have->size);
  char *folded = room <= sizeof small ? small : env_alloc(&c->engine->env.allocator, room);
  if (!folded) return context_memory(c);
  orr_value text = orr_bytes(folded, fold_text(have->as.bytes, have->size, folded));
  *out = compares(op, &text, want);
  if (folded != small) env_free(&c->engine->env.allocator, folded, room);
  return 0;
}

/* ---- Names ----------------------------------------------------------------------------------- */

static const struct operator_name {
  const char *name;
  value_operator op;
} operator_names[] = {
    {"eq", {OPERATOR_EQ, false, false}},          {"ne", {OPERATOR_EQ, true, false}},
    {"in", {OPERATOR_IN, false, false}},          {"not_in", {OPERATOR_IN, true, false}},
    {"like", {OPERATOR_LIKE, false, false}},      {"not_like", {OPERATOR_LIKE, true, false}},
    {"ieq", {OPERATOR_EQ, false, true}},          {"ine", {OPERATOR_EQ, true, true}},
    {"ilike", {OPERATOR_LIKE, false, true}},      {"not_ilike", {OPERATOR_LIKE, true, true}},
    {"before", {OPERATOR_LT, false, false}},      {"after", {OPERATOR_GT, false, false}},
    {"gt", {OPERATOR_GT, false, false}},          {"ge", {OPERATOR_GE, false, false}},
    {"lt", {OPERATOR_LT, false, false}},          {"le", {OPERATOR_LE, false, false}},
};

bool operator_named(const char *name, size_t size, value_operator *out) {
  for (size_t i = 0; i < sizeof operator_names / sizeof operator_names[0]; i++) {
    if (strlen(operator_names[i].name) != size || memcmp(operator_names[i].name, name, size) != 0) continue;
    *out = operator_names[i].op;
    return true;
  }
  return false;
}
