/* Checks of the fields of built-in task types, row by row of task_types.def. */
#include "model/parse/task_type.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "model/parse/grammar.h"

enum { FIELD_REQUIRED = 1, FIELD_BOOLEAN = 2, FIELD_NUMBER = 4, FIELD_ATTRIBUTE = 8, FIELD_HANDLER = 16 };

typedef struct field_row {
  const char *type, *name;
  unsigned checks;
  const char *words;
} field_row;

static const field_row FIELDS[] = {
#define TASK_TYPE(name, own)
#define TASK_FIELD(type, name, checks, words) {#type, #name, checks, words},
#define TASK_ONE_OF(type, names, problem)
#include "model/parse/task_types.def"
#undef TASK_FIELD
#define TASK_FIELD(type, name, checks, words)
};
#undef TASK_ONE_OF

typedef struct choice_row {
  const char *type, *names, *problem;
} choice_row;

static const choice_row CHOICES[] = {
#define TASK_ONE_OF(type, names, problem) {#type, names, problem},
#include "model/parse/task_types.def"
  {"", "", ""},
};
#undef TASK_TYPE
#undef TASK_ONE_OF

static const struct type_row { const char *name; bool own; } TYPES[] = {
#define TASK_TYPE(name, own) {#name, own},
#define TASK_ONE_OF(type, names, problem)
#include "model/parse/task_types.def"
};
#undef TASK_TYPE
#undef TASK_FIELD
#undef TASK_ONE_OF

enum {
  FIELD_COUNT = sizeof FIELDS / sizeof *FIELDS,
  CHOICE_COUNT = sizeof CHOICES / sizeof *CHOICES,
  TYPE_COUNT = sizeof TYPES / sizeof *TYPES,
};

bool task_type_built_in(const char *type) {
  for (size_t i = 0; i < TYPE_COUNT; i++)
    if (TYPES[i].own && strcmp(TYPES[i].name, type) == 0) return true;
  return false;
}

const char *task_type_names(parser *p) {
  const char *list = "external external-worker";
  for (size_t i = 0; i < TYPE_COUNT; i++)
    if (TYPES[i].own) list = parse_printf(p, "%s %s", list, TYPES[i].name);
  return list;
}

/* ---- Fields that are no <field> -------------------------------------------------------------- */

static void parse_handler(parser *p, const xml_element *e, expr *out) {
  const xml_attribute *class_name = any_attribute(e, "class");
  const xml_attribute *delegate = any_attribute(e, "delegateExpression");
  const xml_element *script = child_next(e, NULL, "script");
  if (!!class_name + !!delegate + !!script != 1) {
    parse_error(p, e, NULL, "<%s> must have one of class, delegateExpression and <script>", e->name);
  } else if (class_name) {
    parse_text_literal(p, class_name->value, class_name->line, out);
  } else if (delegate) {
    parse_expr_attribute(p, e, delegate, out);
  } else {
    const xml_attribute *format = any_attribute(script, "scriptFormat");
    text_source s = source_of_text(script);
    if (!format) format = any_attribute(script, "language");
    parse_script(p, &s, format, any_attribute(script, "resource"), out);
  }
}

static bool given(const field_row *row, const xml_element *e) {
  if (row->checks & FIELD_ATTRIBUTE) return vendor_attribute(e, row->name);
  return row->checks & FIELD_HANDLER && extension_next(e, NULL, row->name);
}

uint32_t task_type_other_fields(parser *p, const xml_element *e, const char *type, field *out) {
  uint32_t count = 0;
  for (size_t i = 0; type && i < FIELD_COUNT; i++) {
    const field_row *row = &FIELDS[i];
    if (strcmp(row->type, type) != 0 || !given(row, e)) continue;
    field *f = out ? &out[count] : NULL;
    count++;
    if (!f) continue;
    f->name = row->name;
    if (row->checks & FIELD_HANDLER) parse_handler(p, extension_next(e, NULL, row->name), &f->value);
    else parse_expr_attribute(p, e, vendor_attribute(e, row->name), &f->value);
  }
  return count;
}

/* ---- Checks ---------------------------------------------------------------------------------- */

static const field *find(const implementation *run, const char *name) {
  for (uint32_t i = 0; i < run->n_fields; i++)
    if (run->fields[i].name && strcmp(run->fields[i].name, name) == 0) return &run->fields[i];
  return NULL;
}

static bool is_empty(const field *f) {
  const expr *value = &f->value;
  return !expr_given(value) ||
         (value->kind == EXPR_LITERAL && (!value->text || value->text[strspn(value->text, " \t\r\n")] == '\0'));
}

static bool has_word(const char *words, const char *word) {
  for (size_t size; *words; words += size + strspn(words + size, " ")) {
    size = strcspn(words, " ");
    if (strlen(word) == size && strncasecmp(words, word, size) == 0) return true;
  }
  return false;
}

static bool is_number(const char *text) {
  char *end;
  double n = strtod(text, &end);
  return end != text && end[strspn(end, " \t\r\n")] == '\0' && n >= 0;
}

static void check_literal(parser *p, const xml_element *e, const field_row *row, const char *text) {
  if (row->checks & FIELD_BOOLEAN && !has_word("true false", text))
    parse_error(p, e, NULL, "the field \"%s\" must be true or false, not \"%.60s\"", row->name, text);
  if (row->checks & FIELD_NUMBER && !is_number(text))
    parse_error(p, e, NULL, "the field \"%s\" must be a number that is not negative, not \"%.60s\"", row->name, text);
  if (row->words && !has_word(row->words, text))
    parse_error(p, e, NULL, "the field \"%s\" must be one of %s, not \"%.60s\"", row->name, row->words, text);
}

static void check_row(parser *p, const xml_element *e, const field_row *row, const implementation *run) {
  const field *f = find(run, row->name);
  bool missing = !f || is_empty(f);
  if (missing && row->checks & FIELD_REQUIRED)
    parse_error(p, e, NULL, "a task of type \"%s\" needs the field \"%s\"", row->type, row->name);
  if (missing || f->value.kind != EXPR_LITERAL || row->checks & FIELD_HANDLER) return;
  const char *text = parse_trimmed(p, f->value.text);
  if (text) check_literal(p, e, row, text);
}

static bool one_given(const implementation *run, const char *list) {
  for (uint32_t i = 0; i < run->n_fields; i++)
    if (run->fields[i].name && grammar_list_has(list, run->fields[i].name) && !is_empty(&run->fields[i])) return true;
  return false;
}

static void check_known(parser *p, const xml_element *e, const char *type, const char *name) {
  const char *list = "";
  for (size_t i = 0; i < FIELD_COUNT; i++) {
    if (strcmp(FIELDS[i].type, type) != 0) continue;
    if (strcmp(FIELDS[i].name, name) == 0) return;
    list = parse_printf(p, "%s %s", list, FIELDS[i].name);
  }
  nearest best = grammar_nearest(list + (*list == ' '), name);
  parse_warning(p, e, NULL, "a task of type \"%s\" has no field \"%s\"%s", type, name,
                best.name ? grammar_suggestion(p, best) : "");
}

static bool is_set(const xml_element *e, const char *name) {
  const xml_attribute *a = vendor_attribute(e, name);
  return a && strcmp(a->value, "false") != 0;
}

/* A call comes before the commit: without a boundary of its own it is repeated with all that is
 * repeated around it. */
static void check_repetition(parser *p, const xml_element *e, const implementation *run) {
  const field *method = find(run, "requestMethod");
  if (strcmp(run->type_name, "http") != 0 || !method || method->value.kind != EXPR_LITERAL) return;
  const char *text = parse_trimmed(p, method->value.text);
  if (!text || !has_word("POST PATCH", text)) return;
  if (is_set(e, "async") || is_set(e, "asyncBefore") || find(run, "idempotencyKey")) return;
  parse_warning(p, e, NULL, "a %s is sent again when its transaction is: make the task asynchronous (async, asyncBefore), or "
                            "give it idempotencyKey", text);
}

static void check_text_variables(parser *p, const xml_element *e, const implementation *run) {
  if (strcmp(run->type_name, "mail") != 0 || !p->dialect->text_variables_compute) return;
  if (!one_given(run, "textVar htmlVar")) return;
  parse_warning(p, e, NULL, "expressions in the text of textVar and htmlVar are replaced: whoever writes that text reads all "
                            "variables of the instance by it; a field text or html with ${variable} takes it as it is");
}

void task_type_check_fields(parser *p, const xml_element *e, const implementation *run) {
  const char *type = run->type_name;
  for (size_t i = 0; i < FIELD_COUNT; i++)
    if (strcmp(FIELDS[i].type, type) == 0) check_row(p, e, &FIELDS[i], run);
  for (size_t i = 0; i < CHOICE_COUNT; i++) {
    if (strcmp(CHOICES[i].type, type) != 0 || one_given(run, CHOICES[i].names)) continue;
    parse_error(p, e, NULL, "%s", CHOICES[i].problem);
  }
  if (strcmp(type, "mail") == 0 && p->dialect->model_checks_strict && one_given(run, "cc bcc") && !one_given(run, "to"))
    parse_error(p, e, NULL, "No recipient is defined on the mail activity: it needs the field to");
  check_repetition(p, e, run);
  check_text_variables(p, e, run);
  for (uint32_t i = 0; i < run->n_fields; i++)
    if (run->fields[i].name) check_known(p, e, type, run->fields[i].name);
}
