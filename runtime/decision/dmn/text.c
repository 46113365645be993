/* The texts of a model, in each language: FEEL, JUEL (plain or in ${…}), Lua. */
#include <string.h>

#include "decision/dmn/dmn_internal.h"
#include "model/uel/uel.h"

/* ---- Language -------------------------------------------------------------------------------- */

static dmn_language language_named(const char *name) {
  static const char *const JUEL[] = {"juel", "uel", "JUEL", "el"};
  for (size_t i = 0; i < sizeof JUEL / sizeof *JUEL; i++)
    if (strcmp(name, JUEL[i]) == 0) return DMN_JUEL;
  if (strcmp(name, "lua") == 0 || strcmp(name, "Lua") == 0) return DMN_LUA;
  return strstr(name, "feel") || strstr(name, "FEEL") ? DMN_FEEL : DMN_UNKNOWN;
}

static bool is_juel(const char *text) {
  text += strspn(text, " \t\r\n");
  return (text[0] == '$' || text[0] == '#') && text[1] == '{';
}

dmn_text dmn_text_in(dmn_build *b, const xml_element *e, bool entry) {
  dmn_text t = {.element = e, .place = dmn_child(e, "text"), .text = ""};
  if (!e) return t;
  if (t.place) t.text = t.place->text;
  t.language = entry ? b->model->entry_language : b->model->language;
  const char *said = dmn_attribute(b, e, "expressionLanguage");
  if (said) t.language = language_named(said);
  else if (is_juel(t.text)) t.language = DMN_JUEL;
  if (t.language == DMN_UNKNOWN)
    dmn_problem(b, b->options->lenient, e, e->line, e->column,
                "expressions in \"%.100s\" are not supported; the languages are feel, juel and lua", said);
  return t;
}

bool dmn_text_blank(const dmn_text *t) { return t->text[strspn(t->text, " \t\r\n")] == '\0'; }

/* ---- Problems -------------------------------------------------------------------------------- */

/* A compiler's message names a place in the text. The problem has that place itself, and is one
 * line. */
static const char *on_one_line(dmn_build *b, const char *message) {
  dmn_out out = {0};
  const char *place = NULL;
  for (const char *at = message; (at = strstr(at, " at line ")); at++) place = at;
  for (const char *p = message; *p && p != place;) {
    size_t blanks = strspn(p, " \t\r\n"), word = strcspn(p + blanks, " \t\r\n");
    if (place && p + blanks + word > place) word = (size_t)(place - p) - blanks;
    dmn_addf(b, &out, "%s%.*s", blanks && out.size ? " " : "", (int)word, p + blanks);
    p += blanks + word;
  }
  return dmn_text_of(&out);
}

/* Lines and columns of a text count from its beginning, behind the start tag of <text>. */
static void text_report(dmn_build *b, bool warning, const dmn_text *t, feel_place where, const char *message) {
  const xml_element *e = t->place ? t->place : t->element;
  int line = where.line > 0 ? where.line - 1 : 0;
  int column = where.line > 1 ? where.column
               : t->place     ? e->column + (int)strlen("<text>") + (where.column ? where.column - 1 : 0)
                              : 0;
  dmn_problem(b, warning, e, e->text_line + line, column, "%s", message);
}

static void text_refuse(dmn_build *b, const dmn_text *t, feel_place where, const char *message) {
  text_report(b, b->options->lenient, t, where, on_one_line(b, message));
}

static void report_call(dmn_build *b, const dmn_text *t, const feel_unknown_call *call) {
  const char *what = call->camunda ? "is a function of Camunda's FEEL, and null in another dialect"
                                   : "is no function: it is null";
  text_report(b, true, t, call->place, dmn_printf(b, "\"%.100s\" %s", call->name, what));
}

static dmn_piece null_piece(void) {
  static const feel_type nothing = {.kind = FEEL_NULL};
  return (dmn_piece){.lua = "nil", .literal = true, .type = &nothing};
}

/* ---- FEEL ------------------------------------------------------------------------------------ */

static feel_scope with_types(const dmn_build *b, const feel_scope *scope) {
  return (feel_scope){.outer = scope, .types = b->model->types, .n_types = b->model->n_types};
}

static bool compile_feel(dmn_build *b, const dmn_text *t, feel_request request, dmn_piece *out) {
  feel_code code = {0};
  feel_place where = {0};
  orr_error err = {0};
  feel_scope scope = with_types(b, request.scope);
  request.text = t->text;
  request.size = strlen(t->text);
  request.scope = &scope;
  request.camunda = b->model->vendor == DMN_CAMUNDA;
  int rc = feel_compile(b->unit, &request, &code, &where, &err);
  if (rc) {
    text_refuse(b, t, where, dmn_take_error(b, rc, &err));
    return false;
  }
  for (size_t i = 0; i < code.n_unknown && t->place; i++)
    dmn_warning(b, t->place, "\"%.100s\" is not known here and is null: nothing of this name is required or declared",
                code.unknown[i]);
  for (size_t i = 0; i < code.n_calls && t->place; i++) report_call(b, t, &code.calls[i]);
  *out = (dmn_piece){.lua = code.lua, .type = code.type, .literal = code.literal, .names = code.names, .n_names = code.n_names};
  return true;
}

/* ---- JUEL and Lua ---------------------------------------------------------------------------- */

/* A FEEL name in scope, and so what a text in another language may read. */
static void text_add_names(dmn_build *b, const feel_scope *scope, dmn_out *out) {
  for (size_t i = 0; scope && i < scope->n_names; i++) {
    if (!scope->names[i].lua) continue;
    dmn_add(b, out, "[");
    dmn_add_quoted(b, out, scope->names[i].name);
    dmn_addf(b, out, "] = %s, ", scope->names[i].lua);
  }
  if (scope && scope->outer) text_add_names(b, scope->outer, out);
}

/* Outer names come first, because the last of equal keys wins in a table constructor. */
static const char *visible_names(dmn_build *b, const feel_scope *scope) {
  dmn_out out = {0};
  const feel_scope *levels[ORR_XML_DEPTH_MAX * 2];
  size_t n = 0;
  for (; scope && n < sizeof levels / sizeof *levels; scope = scope->outer) levels[n++] = scope;
  dmn_add(b, &out, "{");
  while (n--) {
    feel_scope one = *levels[n];
    one.outer = NULL;
    text_add_names(b, &one, &out);
  }
  dmn_add(b, &out, "}");
  return out.text;
}

/* Older Flowable files call the date functions by other names. */
static const char *with_date_functions(dmn_build *b, const char *text) {
  static const struct { const char *old, *name; } FUNCTIONS[] = {
    {"fn_date", "date:toDate"}, {"fn_addDate", "date:addDate"}, {"fn_subtractDate", "date:subtractDate"},
        {"fn_now", "date:now"},
  };
  for (size_t i = 0; i < sizeof FUNCTIONS / sizeof *FUNCTIONS; i++)
    for (const char *at = text; (at = strstr(at, FUNCTIONS[i].old));) {
      size_t before = (size_t)(at - text);
      text = dmn_printf(b, "%.*s%s%s", (int)before, text, FUNCTIONS[i].name, at + strlen(FUNCTIONS[i].old));
      at = text + before + strlen(FUNCTIONS[i].name);
    }
  return text;
}

static const char *juel_code(dmn_build *b, const dmn_text *t, const char *text) {
  uel_code code = {0};
  orr_error err = {0};
  const char *trimmed = dmn_trimmed(b, with_date_functions(b, text));
  int rc = uel_compile(b->arena, trimmed, strlen(trimmed), is_juel(trimmed) ? UEL_TEXT : UEL_BARE, &code, &err);
  if (rc) text_refuse(b, t, (feel_place){1, 1}, dmn_take_error(b, rc, &err));
  if (rc) return NULL;
  return code.code ? code.code : dmn_printf(b, "return %s", dmn_quoted(b, code.text));
}

static const char *lua_code(dmn_build *b, const dmn_text *t) {
  orr_error err = {0};
  int line = 0;
  int (*check)(void *, const char *, size_t, int *, orr_error *) = b->options->check_script;
  int rc = check ? check(b->options->ud, t->text, strlen(t->text), &line, &err) : 0;
  if (rc) text_refuse(b, t, (feel_place){line, 1}, dmn_take_error(b, rc, &err));
  return rc ? NULL : t->text;
}

/* The call of a text in another language: D.juel(J[n], s, names) or D.lua(…). */
static dmn_piece foreign(dmn_build *b, const char *call, const char *made, const feel_scope *scope) {
  uint32_t number = ++b->n_codes;
  dmn_addf(b, &b->parts, "J[%u] = ", number);
  dmn_add(b, &b->parts, made);
  dmn_add(b, &b->parts, "\n");
  const char *open = b->model->vendor == DMN_FLOWABLE ? ", true" : "";
  return (dmn_piece){.lua = dmn_printf(b, "D.%s(J[%u], s, %s%s)", call, number, visible_names(b, scope), open)};
}

static dmn_piece compile_juel(dmn_build *b, const dmn_text *t, const char *text, const feel_scope *scope) {
  const char *code = juel_code(b, t, text);
  return code ? foreign(b, "juel", dmn_printf(b, "function(...) %s end", code), scope) : null_piece();
}

static dmn_piece compile_lua(dmn_build *b, const dmn_text *t, const feel_scope *scope) {
  const char *code = lua_code(b, t);
  return code ? foreign(b, "lua", dmn_printf(b, "D.script(%s)", dmn_quoted(b, code)), scope) : null_piece();
}

/* ---- Expressions ----------------------------------------------------------------------------- */

/* Can it be read as JUEL? Users write FEEL where older Camunda files default to JUEL, so a text
 * that is no JUEL is tried as FEEL. */
static bool reads_as_juel(dmn_build *b, const dmn_text *t) {
  uel_code code = {0};
  orr_error err = {0};
  const char *text = with_date_functions(b, t->text);
  int rc = uel_compile(b->arena, text, strlen(text), is_juel(text) ? UEL_TEXT : UEL_BARE, &code, &err);
  orr_error_clear(&err);
  if (rc == ORR_E_MEMORY) dmn_memory(b);
  return !rc;
}

static bool by_default(const dmn_text *t) { return !xml_value(t->element, "expressionLanguage"); }

/* A string, number or boolean, which both languages write alike. */
static bool is_plain_literal(const char *text) {
  size_t n = strlen(text);
  if (strcmp(text, "true") == 0 || strcmp(text, "false") == 0) return true;
  if (n >= 2 && text[0] == '"') return strcspn(text + 1, "\"\\") == n - 2 && text[n - 1] == '"';
  size_t digits = strspn(text + (text[0] == '-'), "0123456789") + (text[0] == '-');
  return digits > (text[0] == '-') && !text[digits];
}

dmn_piece dmn_compile_text(dmn_build *b, const dmn_text *t, const feel_scope *scope) {
  dmn_piece piece = null_piece();
  if (dmn_text_blank(t) || t->language == DMN_UNKNOWN) return piece;
  if (t->language == DMN_LUA) return compile_lua(b, t, scope);
  bool juel = t->language == DMN_JUEL && !is_plain_literal(dmn_trimmed(b, t->text)) &&
              (is_juel(t->text) || !by_default(t) || reads_as_juel(b, t));
  if (juel) return compile_juel(b, t, t->text, scope);
  feel_request request = {.form = FEEL_EXPRESSION, .scope = scope};
  if (!compile_feel(b, t, request, &piece)) return null_piece();
  return piece;
}

/* ---- Tests ----------------------------------------------------------------------------------- */

static bool starts_with_any(const char *text, const char *const *prefixes, size_t n) {
  for (size_t i = 0; i < n; i++)
    if (strncmp(text, prefixes[i], strlen(prefixes[i])) == 0) return true;
  return false;
}

/* Flowable's cells continue the input: an operator and a value, a method of the input, or a value
 * alone. Camunda's are conditions. */
static const char *juel_condition(dmn_build *b, const char *text) {
  static const char *const OPERATORS[] = {"==", "!=", "<", ">"};
  if (is_juel(text)) return text;
  if (starts_with_any(text, OPERATORS, 4)) return dmn_printf(b, "cellInput %s", text);
  if (*text == '.') return dmn_printf(b, "cellInput%s", text);
  return b->model->vendor == DMN_FLOWABLE ? dmn_printf(b, "cellInput == %s", text) : text;
}

/* A cell that compares with a literal becomes the equivalent FEEL test, once the input has the type
 * of the literal: `== "X"` is `"X"`. */
static const char *test_in_feel(const dmn_build *b, const char *text, const feel_type *type) {
  if (!type || (type->kind != FEEL_STRING && type->kind != FEEL_NUMBER && type->kind != FEEL_BOOLEAN)) return NULL;
  bool equals = text[0] == '=' && text[1] == '=';
  if (!equals && b->model->vendor != DMN_FLOWABLE) return NULL;
  bool compares = type->kind == FEEL_NUMBER && (text[0] == '<' || text[0] == '>');
  const char *value = text + (equals ? 2 : compares ? 1 + (text[1] == '=') : 0);
  value += strspn(value, " \t");
  if (!is_plain_literal(value)) return NULL;
  return equals ? value : text;
}

/* In cells of other languages, and in Camunda's, the input is called cellInput, or as
 * camunda:inputVariable says. */
static size_t input_names(dmn_build *b, const dmn_text *t, const char *input, const feel_type *type,
                          feel_name names_of_input[2]) {
  const xml_element *column = NULL, *entry = t->element;
  const xml_element *table = entry && entry->parent ? entry->parent->parent : NULL;
  for (const xml_element *e = entry ? dmn_child(entry->parent, "inputEntry") : NULL; e;
       e = dmn_next(entry->parent, e, "inputEntry")) {
    column = table ? dmn_next(table, column, "input") : NULL;
    if (e == entry) break;
  }
  const char *own = column ? dmn_vendor_attribute(b, column, "inputVariable") : NULL;
  names_of_input[0] = (feel_name){.name = "cellInput", .type = type, .lua = input};
  names_of_input[1] = (feel_name){.name = own ? own : "cellInput", .type = type, .lua = input};
  return own ? 2 : 1;
}

static dmn_piece juel_test(dmn_build *b, const dmn_text *t, const char *text, const feel_scope *scope, const char *input) {
  const char *code = juel_code(b, t, juel_condition(b, text));
  if (!code) return null_piece();
  feel_name own[2];
  feel_scope inner = {.outer = scope, .names = own, .n_names = input_names(b, t, input, NULL, own)};
  return foreign(b, "juel_test", dmn_printf(b, "function(...) %s end", code), &inner);
}

dmn_piece dmn_compile_test(dmn_build *b, const dmn_text *t, const feel_scope *scope, const char *input, const feel_type *type) {
  dmn_piece piece = null_piece();
  const char *text = dmn_trimmed(b, t->text);
  if (!text || strcmp(text, "-") == 0) return (dmn_piece){.lua = "true", .literal = true};
  if (t->language == DMN_UNKNOWN) return piece;
  bool equals = text[0] == '=' && text[1] == '='; /* no FEEL text begins like this */
  bool juel = t->language == DMN_JUEL || (equals && by_default(t));
  const char *in_feel = juel ? test_in_feel(b, text, type) : NULL;
  if (juel && !in_feel) return juel_test(b, t, text, scope, input);
  feel_name own[2];
  feel_scope inner = {.outer = scope, .names = own};
  if (b->model->vendor == DMN_CAMUNDA || t->language == DMN_LUA) inner.n_names = input_names(b, t, input, type, own);
  if (t->language == DMN_LUA) return compile_lua(b, t, &inner);
  feel_request request = {.form = FEEL_UNARY_TESTS, .scope = &inner, .input = input, .input_type = type};
  dmn_text same = *t;
  if (in_feel) same.text = in_feel;
  return compile_feel(b, &same, request, &piece) ? piece : null_piece();
}
