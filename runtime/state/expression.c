/* Expressions of a model. Literals and plain variables are evaluated here; the script host does the
 * rest. */
#include "state/expression.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/value.h"
#include "engine/engine.h"
#include "engine/time_zone.h"
#include "state/variable.h"
#include "time/iso8601.h"

/* Adds the place in the model and the expression to a failure. A BPMN error keeps its text. */
static int fail_at(context *c, const expr *e, const node *at) {
  if (!c->failed_at) c->failed_at = at;
  if (c->error.code == ORR_E_BPMN_ERROR) return c->error.code;
  if (at && at->id) return error_wrap(&c->error, "\"%s\", line %d, expression \"%.80s\"", at->id, e->line, e->text);
  return error_wrap(&c->error, "expression \"%.80s\"", e->text);
}

static int wrong_kind(context *c, const expr *e, const node *at, const char *wanted, const orr_value *got) {
  static const char *const kinds[] = {"nothing", "null", "a boolean", "an integer", "a float", "a string", "an array", "a map"};
  if (got->type == ORR_STRING) {
    error_set(&c->error, ORR_E_EXPRESSION, "gives the string \"%.*s\" where %s is expected",
              (int)(got->size < 60 ? got->size : 60), got->as.bytes, wanted);
  } else {
    error_set(&c->error, ORR_E_EXPRESSION, "gives %s where %s is expected", kinds[got->type], wanted);
  }
  return fail_at(c, e, at);
}

static int host_value(context *c, const expr *e, orr_execution *x, const orr_value *variables, bool missing_is_nil,
                      orr_arena *arena, orr_value *out) {
  if (!c->host) {
    if (missing_is_nil && e->kind == EXPR_VARIABLE) return 0;
    return e->kind == EXPR_VARIABLE
               ? error_set(&c->error, ORR_E_EXPRESSION, "there is no variable \"%s\"", e->name)
               : error_set(&c->error, ORR_E_EXPRESSION, "it needs Lua, and this engine has none; "
                                                         "orr_lua_use of orrery/lua.h adds it");
  }
  orr_id about = execution_step_out(c);
  int rc =
      c->host->methods->evaluate(c->host, e, x, variables, missing_is_nil, arena, out, &c->error);
  return execution_step_in(c, about, rc);
}

static int scope_value(context *c, const expr *e, orr_id scope_id, const node *at,
                       bool missing_is_nil, orr_arena *arena, orr_value *out) {
  *out = (orr_value){0};
  if (!expr_given(e)) return 0;
  if (e->kind == EXPR_LITERAL) {
    *out = orr_bytes(e->text, e->size);
    return 0;
  }
  if (e->kind == EXPR_VARIABLE) {
    int rc = variable_get(c, scope_id, e->name, out);
    if (rc || out->type != ORR_NIL) return rc;
  }
  orr_execution *x = execution_view(c, scope_id, at, NULL);
  if (!x) return c->error.code;
  int rc = host_value(c, e, x, NULL, missing_is_nil, arena, out);
  return rc ? fail_at(c, e, at) : 0;
}

int expr_value(context *c, const expr *e, orr_id scope_id, const node *at, orr_value *out) {
  return scope_value(c, e, scope_id, at, false, c->arena, out);
}

int expr_value_into(context *c, const expr *e, orr_id scope_id, const node *at, orr_arena *arena,
                    orr_value *out) {
  return scope_value(c, e, scope_id, at, false, arena, out);
}

int expr_value_over(context *c, const expr *e, const orr_value *variables, orr_value *out) {
  *out = (orr_value){0};
  if (!expr_given(e)) return 0;
  if (e->kind == EXPR_LITERAL) {
    *out = orr_bytes(e->text, e->size);
    return 0;
  }
  if (e->kind == EXPR_VARIABLE && variables && variables->type == ORR_MAP) {
    *out = orr_map_get(variables, e->name);
    if (out->type != ORR_NIL) return 0;
  }
  orr_execution *x = ARENA_NEW(c->arena, orr_execution);
  if (!x) return context_memory(c);
  x->context = c;
  int rc = host_value(c, e, x, variables, false, c->arena, out);
  return rc ? fail_at(c, e, NULL) : 0;
}

/* ---- Kinds ----------------------------------------------------------------------------------- */

/* A float that is whole shows its point, as in Lua and in the expression language. */
static char *float_text(orr_arena *arena, double n) {
  char *text = arena_printf(arena, "%.14g", n);
  return text && isfinite(n) && !strpbrk(text, ".eE") ? arena_printf(arena, "%s.0", text) : text;
}

static int expression_text(context *c, const expr *e, const node *at, const orr_value *v, const char **out) {
  switch (v->type) {
    case ORR_NIL: case ORR_NULL: return 0;
    case ORR_BOOL: *out = v->as.boolean ? "true" : "false"; return 0;
    case ORR_INT: *out = arena_printf(c->arena, "%" PRId64, v->as.integer); break;
    case ORR_FLOAT: *out = float_text(c->arena, v->as.number); break;
    case ORR_STRING: *out = e->kind == EXPR_LITERAL ? e->text : arena_strndup(c->arena, v->as.bytes, v->size); break;
    default: return wrong_kind(c, e, at, "a text", v);
  }
  return *out ? 0 : context_memory(c);
}

int expr_text(context *c, const expr *e, orr_id scope_id, const node *at, const char **out) {
  orr_value v;
  *out = NULL;
  int rc = expr_value(c, e, scope_id, at, &v);
  return rc ? rc : expression_text(c, e, at, &v, out);
}

int expr_text_over(context *c, const expr *e, const orr_value *variables, const char **out) {
  orr_value v;
  *out = NULL;
  int rc = expr_value_over(c, e, variables, &v);
  return rc ? rc : expression_text(c, e, NULL, &v, out);
}

/* The words for a boolean in literals and text variables. */
static bool boolean_word(const orr_value *v, bool *out) {
  if (value_is_text(v, "true")) *out = true;
  else if (value_is_text(v, "false")) *out = false;
  else return false;
  return true;
}

int expr_boolean(context *c, const expr *e, orr_id scope_id, const node *at, bool *out) {
  orr_value v;
  *out = false;
  int rc = expr_value(c, e, scope_id, at, &v);
  if (rc) return rc;
  if (v.type == ORR_BOOL) *out = v.as.boolean;
  else if (e->kind != EXPR_LITERAL || !boolean_word(&v, out)) return wrong_kind(c, e, at, "a boolean", &v);
  return 0;
}

int expr_condition(context *c, const expr *e, orr_id scope_id, const node *at, bool *out) {
  orr_value v;
  *out = false;
  int rc = scope_value(c, e, scope_id, at, true, c->arena, &v);
  if (rc || v.type == ORR_NIL || v.type == ORR_NULL) return rc;
  if (v.type == ORR_BOOL) *out = v.as.boolean;
  else if (e->kind != EXPR_LITERAL || !boolean_word(&v, out)) return wrong_kind(c, e, at, "a boolean", &v);
  return 0;
}

/* The variables that enable skip expressions, by either name. A value that is no boolean is an
 * error: it must not skip silently, nor run silently. */
static int skips_enabled(context *c, const expr *e, orr_id scope_id, const node *at, bool *out) {
  static const char *const switches[] = {"_FLOWABLE_SKIP_EXPRESSION_ENABLED", "_ACTIVITI_SKIP_EXPRESSION_ENABLED"};
  for (size_t i = 0; i < sizeof switches / sizeof *switches && !*out; i++) {
    orr_value v;
    int rc = variable_get(c, scope_id, switches[i], &v);
    if (rc) return rc;
    if (v.type == ORR_BOOL) *out = v.as.boolean;
    else if (v.type != ORR_NIL && v.type != ORR_NULL) {
      error_set(&c->error, ORR_E_EXPRESSION, "the variable %s holds no boolean", switches[i]);
      return fail_at(c, e, at);
    }
  }
  return 0;
}

int expr_skip(context *c, const expr *e, orr_id scope_id, const node *at, bool *counts, bool *holds) {
  *counts = *holds = false;
  if (!expr_given(e)) return 0;
  int rc = skips_enabled(c, e, scope_id, at, counts);
  return rc || !*counts ? rc : expr_boolean(c, e, scope_id, at, holds);
}

int expr_skips(context *c, const expr *e, orr_id scope_id, const node *at, bool *out) {
  bool counts;
  return expr_skip(c, e, scope_id, at, &counts, out);
}

static bool integer_of_text(orr_arena *arena, const orr_value *v, int64_t *out) {
  if (v->type == ORR_INT) {
    *out = v->as.integer;
    return true;
  }
  if (v->type == ORR_FLOAT) {
    if (!(v->as.number >= -0x1p63 && v->as.number < 0x1p63) || v->as.number != floor(v->as.number)) return false;
    *out = (int64_t)v->as.number;
    return true;
  }
  if (v->type != ORR_STRING || v->size == 0) return false;
  const char *text = arena_strndup(arena, v->as.bytes, v->size);
  char *end;
  if (!text) return false;
  errno = 0;
  *out = strtoll(text, &end, 10);
  while (*end == ' ') end++;
  return end != text && *end == '\0' && errno == 0;
}

int expr_integer_from(context *c, const expr *e, const node *at, const orr_value *v, int64_t *out) {
  *out = 0;
  return integer_of_text(c->arena, v, out) ? 0 : wrong_kind(c, e, at, "an integer", v);
}

int expr_integer(context *c, const expr *e, orr_id scope_id, const node *at, int64_t *out) {
  orr_value v;
  *out = 0;
  int rc = expr_value(c, e, scope_id, at, &v);
  return rc ? rc : expr_integer_from(c, e, at, &v, out);
}

static int text_time(context *c, const char *text, size_t size, orr_time *out) {
  const orr_zone *zone = time_zone(c);
  if (!zone) return c->error.code;
  if (!iso_is_duration(text, size)) return iso_parse_time(text, size, zone, out, &c->error);
  orr_period period;
  int rc = iso_parse_duration(text, size, &period, &c->error);
  return rc ? rc : iso_add(c->now, zone, &period, 1, out, &c->error);
}

static int read_time_value(context *c, const orr_value *v, orr_time *out) {
  *out = 0;
  switch (v->type) {
    case ORR_INT:
      if (v->as.integer < ISO_TIME_MIN / 1000 || v->as.integer > ISO_TIME_MAX / 1000) break;
      *out = v->as.integer * 1000;
      return 0;
    case ORR_FLOAT:
      if (!(v->as.number >= (double)(ISO_TIME_MIN / 1000) && v->as.number <= (double)(ISO_TIME_MAX / 1000))) break;
      *out = llround(v->as.number * 1000);
      return 0;
    case ORR_STRING: return text_time(c, v->as.bytes, v->size, out);
    default: break;
  }
  return context_error(c, ORR_E_ARGUMENT,
                       "a time must be a number of seconds since the epoch, an ISO 8601 date, or an ISO 8601 duration");
}

/* 0 means no time, so the epoch itself becomes its next millisecond. */
int value_time(context *c, const orr_value *v, orr_time *out) {
  *out = 0;
  if (v->type == ORR_NIL || v->type == ORR_NULL || (v->type == ORR_STRING && v->size == 0)) return 0;
  int rc = read_time_value(c, v, out);
  if (!rc && *out == 0) *out = 1;
  return rc;
}

int expr_time(context *c, const expr *e, orr_id scope_id, const node *at, orr_time *out) {
  orr_value v;
  *out = 0;
  int rc = expr_value(c, e, scope_id, at, &v);
  if (rc) return rc;
  if (!value_time(c, &v, out)) return 0;
  c->error.code = ORR_E_EXPRESSION;
  return fail_at(c, e, at);
}
