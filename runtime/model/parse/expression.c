/* Texts that are evaluated: expressions, conditions, scripts. Each is compiled or checked here, so that a wrong one is a
 * problem of the deployment with its place in the file. */
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "base/limits.h"
#include "decision/feel/unit.h"
#include "decision/feel/source.h"
#include "model/parse/parse_internal.h"
#include "model/uel/uel.h"

text_source source_of_attribute(const xml_element *e, const xml_attribute *a) {
  return (text_source){e, a, a ? a->value : NULL, a ? a->line : e->line, a ? a->column : e->column};
}

text_source source_of_text(const xml_element *e) { return (text_source){e, NULL, e->text, e->text_line, e->column}; }

static bool expression_is_space(char c) { return c == ' ' || c == '\t' || c == '\r' || c == '\n'; }

/* Cuts white space off both ends, keeping count of lines. */
static text_source trimmed(const text_source *s) {
  text_source t = *s;
  if (!t.text) return t;
  for (; expression_is_space(*t.text); t.text++)
    if (*t.text == '\n') {
      t.line++;
      t.column = 1;
    }
  return t;
}

static size_t trimmed_size(const char *text) {
  size_t n = strlen(text);
  while (n > 0 && expression_is_space(text[n - 1])) n--;
  return n;
}

static bool is_expression(const char *text) {
  return (text[0] == '$' || text[0] == '#') && text[1] == '{';
}

/* Gives the expression its slot. The registered copy is for script hosts; the given one may move on. */
static void register_expr(parser *p, expr *e) {
  e->index = p->exprs.count;
  expr *copy = PARSE_NEW(p, expr);
  *copy = *e;
  vector_add(p, &p->exprs, copy);
}

void parse_text_literal(parser *p, const char *text, int line, expr *out) {
  *out = (expr){.kind = EXPR_LITERAL, .text = parse_keep(p, text), .size = strlen(text), .line = line};
  register_expr(p, out);
}

void parse_literal(parser *p, const text_source *s, expr *out) { parse_text_literal(p, s->text, s->line, out); }

static void keep_roots(const uel_code *code, expr *out) {
  if (code->n_roots == 0) return;
  out->names = code->roots;
  out->n_names = (uint32_t)code->n_roots;
}

/* Compiles a text, already trimmed, into `out`; false when it is wrong, which is reported. */
static bool compile_expression(parser *p, const text_source *s, enum uel_mode mode, expr *out) {
  uel_code code = {0};
  orr_error err = {0};
  size_t size = trimmed_size(s->text);
  int rc = uel_compile(p->arena, s->text, size, mode, &code, &err);
  if (rc == ORR_E_MEMORY) {
    orr_error_clear(&err);
    parse_memory(p);
  }
  char *text = arena_strndup(p->arena, s->text, size);
  if (!text) {
    orr_error_clear(&err);
    parse_memory(p);
  }
  *out = (expr){.text = text, .size = size, .line = s->line};
  if (rc) {
    parse_report(p, false, s->element, s->line, s->column, "%s", err.message ? err.message : orr_strerror(rc));
    orr_error_clear(&err);
    out->kind = EXPR_LITERAL;
    return false;
  }
  keep_roots(&code, out);
  if (code.kind == UEL_LITERAL) {
    out->kind = EXPR_LITERAL;
    out->text = code.text;
    out->size = code.size;
  } else if (code.kind == UEL_VARIABLE) {
    out->kind = EXPR_VARIABLE;
    out->name = code.text;
  } else {
    out->kind = EXPR_CODE;
  }
  out->code = code.code;
  out->code_size = code.code_size;
  return true;
}

void parse_expr(parser *p, const text_source *s, expr *out) {
  *out = (expr){0};
  if (!s->text) return;
  text_source t = trimmed(s);
  if (!*t.text) return;
  compile_expression(p, &t, UEL_TEXT, out);
  register_expr(p, out);
}

void parse_expr_attribute(parser *p, const xml_element *e, const xml_attribute *a, expr *out) {
  text_source s = source_of_attribute(e, a);
  parse_expr(p, &s, out);
}

void vendor_expr(parser *p, const xml_element *e, const char *name, expr *out) {
  parse_expr_attribute(p, e, vendor_attribute(e, name), out);
}

void parse_expr_text(parser *p, const xml_element *e, expr *out) {
  *out = (expr){0};
  if (!e) return;
  text_source s = source_of_text(e);
  parse_expr(p, &s, out);
}

/* ---- FEEL ------------------------------------------------------------------------------------ */

static bool is_feel(const char *language) {
  size_t n = strlen(language), suffix = strlen("/FEEL/"); /* a DMN namespace may name it, too */
  return strcasecmp(language, "feel") == 0 ||
         (n > suffix && strncmp(language, "http", 4) == 0 && strcasecmp(language + n - suffix, "/FEEL/") == 0);
}

/* The chunk that the host loads. What does not change is made once for each text of it. */
static const char *feel_chunk(parser *p, feel_unit *unit, const feel_code *code) {
  const char *constants = feel_unit_constants(unit);
  if (!constants) parse_memory(p);
  const char *quoted = source_quote(p->scratch, constants, strlen(constants));
  if (!quoted) parse_memory(p);
  const char *shared = feel_unit_constant_count(unit) > 0 ? parse_printf(p, "f.shared(%s)", quoted) : "nil";
  return parse_printf(
      p, "local el, scope = ... local f = el.feel local K = %s return f.host(scope, \"%s\", function(scope) return %s end)",
      shared, p->dialect->name, code->lua);
}

static void feel_report(parser *p, bool warning, const text_source *s, const feel_place *where, const char *message) {
  /* The first line stands behind a tag or an attribute's name, of which only the beginning is known. */
  int line = s->line + where->line - 1, column = where->line == 1 ? s->column : where->column;
  parse_report(p, warning, s->element, line, column, "%s", message);
}

static void feel_problem(parser *p, const text_source *s, const feel_place *where, orr_error *err) {
  const char *message = parse_printf(p, "%s", err->message ? err->message : orr_strerror(err->code));
  orr_error_clear(err);
  feel_report(p, false, s, where, message);
}

static void report_calls(parser *p, const text_source *s, const feel_code *code) {
  for (size_t i = 0; i < code->n_calls; i++) {
    const char *what = code->calls[i].camunda ? "is a function of Camunda's FEEL, and null in this dialect"
                                              : "is no function: it is null";
    feel_report(p, true, s, &code->calls[i].place, parse_printf(p, "\"%.100s\" %s", code->calls[i].name, what));
  }
}

/* Lua has bounds of its own, such as on the locals that a function reads from around it: better met now than at run time. */
static void check_feel_chunk(parser *p, const text_source *s, const expr *e) {
  int line = 0;
  orr_error err = {0};
  if (!p->options->check_script) return;
  int rc = p->options->check_script(p->options->ud, e->code, e->code_size, &line, &err);
  if (rc == ORR_E_MEMORY) {
    orr_error_clear(&err);
    parse_memory(p);
  }
  if (!rc) return;
  const char *message = parse_printf(p, "%s", err.message ? err.message : orr_strerror(rc));
  orr_error_clear(&err);
  parse_report(p, false, s->element, s->line, s->column, "the FEEL expression is too large: %s", message);
}

/* The compiler's memory goes with the parse. */
static void keep_feel_names(parser *p, const feel_code *code, expr *out) {
  if (code->n_names == 0) return;
  const char **kept = PARSE_ARRAY(p, const char *, code->n_names);
  for (size_t i = 0; i < code->n_names; i++) kept[i] = parse_keep(p, code->names[i]);
  out->names = kept;
  out->n_names = (uint32_t)code->n_names;
}

/* A condition, mapping or script in FEEL: names that it does not declare are variables. */
static void take_feel(parser *p, const text_source *s, const char *text, size_t size, expr *out) {
  feel_scope scope = {.open = true};
  feel_request request = {.form = FEEL_EXPRESSION, .text = text, .size = size, .scope = &scope,
                          .camunda = p->dialect == &dialect_camunda};
  feel_code code;
  feel_place where;
  orr_error err = {0};
  feel_unit *unit = feel_unit_new(p->scratch);
  *out = (expr){.kind = EXPR_LITERAL, .text = parse_keep(p, parse_printf(p, "%.*s", (int)size, text)), .size = size,
                .line = s->line};
  if (!unit) parse_memory(p);
  int rc = feel_compile(unit, &request, &code, &where, &err);
  if (rc == ORR_E_MEMORY) {
    orr_error_clear(&err);
    parse_memory(p);
  }
  if (rc) {
    feel_problem(p, s, &where, &err);
  } else {
    out->kind = EXPR_CODE;
    out->code = parse_keep(p, feel_chunk(p, unit, &code));
    out->code_size = strlen(out->code);
    keep_feel_names(p, &code, out);
    report_calls(p, s, &code);
    check_feel_chunk(p, s, out);
  }
  register_expr(p, out);
}

/* ---- Scripts --------------------------------------------------------------------------------- */

/* Lua text: its size, that it is text, and its syntax. `named` says what it is when it lies in a resource, else NULL. */
static void check_lua(parser *p, const text_source *s, const char *code, size_t size, const char *named) {
  const char *of = named ? parse_printf(p, " of resource \"%s\"", named) : "";
  if (size > ORR_SCRIPT_BYTES_MAX) {
    parse_report(p, false, s->element, s->line, s->column, "the script%s has %zu bytes; the limit is %d", of, size,
                 ORR_SCRIPT_BYTES_MAX);
    return;
  }
  if (size > 0 && code[0] == '\x1B') {
    parse_report(p, false, s->element, s->line, s->column, "the script%s is Lua bytecode; only Lua text is accepted", of);
    return;
  }
  if (!p->options->check_script) return;
  int line = 0;
  orr_error err = {0};
  int rc = p->options->check_script(p->options->ud, code, size, &line, &err);
  if (rc == ORR_E_MEMORY) {
    orr_error_clear(&err);
    parse_memory(p);
  }
  const char *message = err.message ? parse_printf(p, "%s", err.message) : orr_strerror(rc);
  orr_error_clear(&err);
  if (!rc) return;
  if (named) parse_report(p, false, s->element, s->line, s->column, "the Lua script%s, line %d: %s", of, line, message);
  else parse_report(p, false, s->element, line > 0 ? s->line + line - 1 : s->line, s->column, "this is not Lua: %s", message);
}

static void take_lua(parser *p, const text_source *s, const char *code, size_t size, const char *named, expr *out) {
  char *copy = arena_strndup(p->arena, code, size);
  if (!copy) parse_memory(p);
  *out = (expr){.kind = EXPR_SCRIPT, .text = copy, .size = size, .code = copy, .code_size = size, .line = s->line};
  check_lua(p, s, copy, size, named);
  register_expr(p, out);
}

/* A script's source that only an expression gives. */
static void take_computed(parser *p, const text_source *s, expr_kind kind, expr *out) {
  text_source t = trimmed(s);
  compile_expression(p, &t, UEL_TEXT, out);
  out->kind = kind;
  register_expr(p, out);
}

/* The last part of a path. */
static const char *file_name(const char *path) {
  const char *slash = strrchr(path, '/');
  return slash ? slash + 1 : path;
}

/* The deployment's resource that a script refers to: by its whole name, or by its file name, for class paths end in it. */
static orr_value find_resource(const orr_value *resources, const char *name) {
  if (!resources) return (orr_value){0};
  orr_value found = orr_map_get(resources, name);
  if (found.type != ORR_NIL) return found;
  orr_iterator it = orr_iterate(resources);
  orr_value key, value;
  const char *file = file_name(name);
  size_t n = strlen(file);
  while (orr_next(&it, &key, &value))
    if (key.size >= n && memcmp(key.as.bytes + key.size - n, file, n) == 0 && (key.size == n ||
        key.as.bytes[key.size - n - 1] == '/')) return value;
  return (orr_value){0};
}

/* What has been refused is there all the same: nobody shall say that it is missing. */
static void take_refused(const text_source *s, expr *out) {
  *out = (expr){.kind = EXPR_LITERAL, .text = "", .line = s->line};
}

static void take_resource(parser *p, const text_source *s, const xml_attribute *a, bool feel, expr *out) {
  text_source at = source_of_attribute(s->element, a);
  const char *path = parse_trimmed(p, a->value);
  if (path && (strstr(path, "${") || strstr(path, "#{"))) {
    take_computed(p, &at, EXPR_SCRIPT_RESOURCE, out);
    return;
  }
  const char *scheme = path ? strstr(path, "://") : NULL;
  const char *name = scheme ? scheme + 3 : path;
  orr_value found = name ? find_resource(p->options->resources, name) : (orr_value){0};
  if (found.type != ORR_STRING) {
    parse_error(p, s->element, a, "the script resource \"%s\" is not among the deployment's resources", path ? path : "");
    take_refused(s, out);
    return;
  }
  if (feel) take_feel(p, &at, found.as.bytes, found.size, out);
  else take_lua(p, &at, found.as.bytes, found.size, name, out);
}

static bool is_lua(const char *format) {
  return strcasecmp(format, "lua") == 0 || strcasecmp(format, "text/x-lua") == 0 ||
         strcasecmp(format, "application/x-lua") == 0;
}

void parse_script(parser *p, const text_source *s, const xml_attribute *format, const xml_attribute *resource, expr *out) {
  *out = (expr){0};
  const char *language = format ? parse_trimmed(p, format->value) : NULL;
  bool el = language && (strcasecmp(language, "juel") == 0 || strcasecmp(language, "uel") == 0);
  bool feel = language && is_feel(language);
  if (language && !el && !feel && !is_lua(language)) {
    parse_error(p, s->element, format,
                "scripts in \"%.60s\" are not supported; supported are lua, feel and juel (an expression)", language);
    take_refused(s, out);
    return;
  }
  if (resource) {
    take_resource(p, s, resource, feel, out);
    return;
  }
  text_source t = trimmed(s);
  if (!t.text || !*t.text) return;
  if (feel) {
    take_feel(p, s, s->text, trimmed_size(s->text), out); /* untrimmed: places count from its beginning */
  } else if (el || (!language && is_expression(t.text))) {
    compile_expression(p, &t, strstr(t.text, "${") || strstr(t.text, "#{") ? UEL_TEXT : UEL_BARE, out);
    register_expr(p, out);
  } else if (is_expression(t.text)) {
    take_computed(p, s, EXPR_SCRIPT_TEXT, out); /* lua, but an expression gives the text */
  } else {
    take_lua(p, s, s->text, strlen(s->text), NULL, out);
  }
}

/* `xsi:type` of a condition. Its prefix is left alone: what it may stand for has one such type. */
static void check_condition_type(parser *p, const xml_element *e) {
  for (uint32_t i = 0; i < e->n_attributes; i++) {
    const xml_attribute *a = &e->attributes[i];
    if (!a->ns || strcmp(a->ns, XSI_NS) != 0 || strcmp(a->name, "type") != 0) continue;
    const char *colon = strchr(a->value, ':');
    if (strcmp(colon ? colon + 1 : a->value, "tFormalExpression") == 0) return;
    parse_report(p, !p->dialect->model_checks_strict, e, a->line, a->column,
                 "Invalid type \"%.60s\" of <%s>, only tFormalExpression is supported", a->value, e->name);
  }
}

void parse_condition(parser *p, const xml_element *e, expr *out) {
  *out = (expr){0};
  if (!e) return;
  check_condition_type(p, e);
  const xml_attribute *language = xml_attribute_of(e, "language"), *resource = vendor_attribute(e, "resource");
  const char *name = language ? parse_trimmed(p, language->value) : NULL;
  bool el = !name || strcasecmp(name, "juel") == 0 || strcasecmp(name, "uel") == 0 ||
            (strncmp(name, "http", 4) == 0 && !is_feel(name));
  text_source s = source_of_text(e);
  if (!el || resource) {
    parse_script(p, &s, language, resource, out);
    return;
  }
  parse_expr(p, &s, out);
  /* an expression that failed is told */
  if (out->kind != EXPR_LITERAL || strstr(out->text, "${") || strstr(out->text, "#{")) return;
  if (strcmp(out->text, "true") == 0 || strcmp(out->text, "false") == 0) return;
  parse_warning(p, e, NULL, "the condition \"%.100s\" is a constant text; write ${…}, or language=\"lua\"", out->text);
}
