/* Values of filters. */
#include "query/filter_value.h"

#include "base/builder.h"
#include "base/error.h"
#include "base/value.h"
#include "engine/engine.h"
#include "engine/time_zone.h"
#include "time/iso8601.h"

/* Seconds beyond all times stay beyond them: a filter by "due before the end of time" finds
 * everything. */
static int64_t milliseconds_of(double seconds) {
  if (seconds >= (double)ISO_TIME_MAX) return INT64_MAX;
  if (seconds <= -(double)ISO_TIME_MAX) return INT64_MIN;
  return (int64_t)(seconds * 1000 + (seconds < 0 ? -0.5 : 0.5));
}

int filter_value_time(context *c, const char *key, orr_value *value) {
  bool no_number = value->type == ORR_FLOAT && value->as.number != value->as.number;
  if (no_number) return context_error(c, ORR_E_ARGUMENT, "%s must be a time, and is no number", key);
  if (value->type == ORR_INT) *value = orr_int(milliseconds_of((double)value->as.integer));
  else if (value->type == ORR_FLOAT) *value = orr_int(milliseconds_of(value->as.number));
  else if (value->type == ORR_STRING) {
    orr_time time;
    const orr_zone *zone = time_zone(c);
    int rc = zone ? iso_parse_time(value->as.bytes, value->size, zone, &time, &c->error) : c->error.code;
    if (rc) return error_wrap(&c->error, "%s", key);
    *value = orr_int(time);
  } else if (!operand_is_null(value)) {
    return context_error(c, ORR_E_ARGUMENT, "%s must be a time: seconds or an ISO 8601 text", key);
  }
  return 0;
}

/* An id may be a text. What is no id fits nothing. */
static orr_value id_or_none(const orr_value *value) {
  if (operand_is_null(value)) return *value;
  orr_id id = value_id(value);
  return orr_int(id ? (int64_t)id : -1);
}

static int check_operand_kind(context *c, row_kind kind, const orr_value *value, const char *key) {
  if (operand_is_null(value)) return 0;
  if (kind == ROW_TEXT && value->type != ORR_STRING) return context_error(c, ORR_E_ARGUMENT, "%s must be a text", key);
  if (kind == ROW_BOOL && value->type != ORR_BOOL)
    return context_error(c, ORR_E_ARGUMENT, "%s must be true or false", key);
  if (kind == ROW_INT && value->type != ORR_INT && value->type != ORR_FLOAT)
    return context_error(c, ORR_E_ARGUMENT, "%s must be a number", key);
  return 0;
}

/* One operand as a field of this kind has it. */
static int read_operand(context *c, row_kind kind, const char *key, orr_value *value) {
  if (kind == ROW_ID) {
    *value = id_or_none(value);
    return 0;
  }
  return kind == ROW_TIME ? filter_value_time(c, key, value) : check_operand_kind(c, kind, value, key);
}

static int read_operands(context *c, row_kind kind, const char *key, orr_value *array) {
  orr_builder *b = builder_new(&c->engine->env.allocator);
  if (!b) return context_memory(c);
  orr_iterator i = orr_iterate(array);
  orr_value item;
  int rc = 0;
  orr_builder_array(b);
  while (!rc && orr_next(&i, NULL, &item)) {
    rc = read_operand(c, kind, key, &item);
    if (!rc) orr_builder_add(b, &item);
  }
  orr_builder_end(b);
  if (!rc) rc = builder_copy(b, c->arena, array, &c->error);
  orr_builder_free(b);
  return rc;
}

static bool empty_map(const orr_value *value) { return value->type == ORR_MAP && orr_count(value) == 0; } /* {} in Lua */

static int check_array(context *c, const orr_value *value, const char *key) {
  if (value->type == ORR_ARRAY || empty_map(value)) return 0;
  return context_error(c, ORR_E_ARGUMENT, "%s must be an array", key);
}

/* Only texts have patterns and case. */
static int check_text_operator(context *c, const filter_term *term, const orr_value *value, const char *key) {
  bool of_texts = term->op.kind == OPERATOR_LIKE || term->op.folded;
  if (!of_texts) return 0;
  if (term->column->kind != ROW_TEXT && term->column->kind != ROW_VALUE)
    return context_error(c, ORR_E_ARGUMENT, "%s: %s is no text", key, term->column->name);
  return value->type == ORR_STRING ? 0 : context_error(c, ORR_E_ARGUMENT, "%s must be a text", key);
}

int filter_value_of_term(context *c, filter_term *term, const orr_value *value, const char *key) {
  bool one_of = term->op.kind == OPERATOR_IN;
  term->value = *value;
  int rc = one_of ? check_array(c, value, key) : check_text_operator(c, term, value, key);
  if (!rc && one_of) rc = read_operands(c, term->column->kind, key, &term->value);
  else if (!rc) rc = read_operand(c, term->column->kind, key, &term->value);
  return !rc && term->op.folded ? operator_fold(c, &term->value, &term->value) : rc;
}

static int check_variables(context *c, const char *key, const orr_value *value) {
  if (value->type == ORR_MAP || (value->type == ORR_ARRAY && orr_count(value) == 0)) return 0;
  return context_error(c, ORR_E_ARGUMENT, "%s must be a table of names", key);
}

int filter_value_of_special(context *c, filter_special *s, const orr_value *value) {
  const char *key = s->is->name;
  bool text = value->type == ORR_STRING, is_switch = value->type == ORR_BOOL;
  s->value = *value;
  switch (s->is->takes) {
    case TAKES_SWITCH:
      return is_switch ? 0 : context_error(c, ORR_E_ARGUMENT, "%s must be true or false", key);
    case TAKES_TEXT: return text ? 0 : context_error(c, ORR_E_ARGUMENT, "%s must be a text", key);
    case TAKES_TEXTS: case TAKES_IDS: {
      int rc = check_array(c, value, key);
      return rc ? rc : read_operands(c, s->is->takes == TAKES_IDS ? ROW_ID : ROW_TEXT, key, &s->value);
    }
    case TAKES_ID: s->value = id_or_none(value); return 0;
    case TAKES_TIME: return filter_value_time(c, key, &s->value);
    case TAKES_VARIABLES: return check_variables(c, key, value);
    default:
      return text || is_switch ? 0 : context_error(c, ORR_E_ARGUMENT, "%s must be a text, or true or false", key);
  }
}

int filter_value_texts(context *c, const char *key, const orr_value *value) {
  if (value->type == ORR_STRING) return context_text(c, value, key) ? 0 : c->error.code;
  if (value->type != ORR_ARRAY) return 0;
  orr_iterator i = orr_iterate(value);
  orr_value item;
  int rc = 0;
  while (!rc && orr_next(&i, NULL, &item)) rc = item.type == ORR_STRING && !context_text(c, &item, key) ? c->error.code : 0;
  return rc;
}
