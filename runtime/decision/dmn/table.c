/* Decision tables: inputs, hit policies, results. */
#include "decision/dmn/rules.h"

#include <string.h>

/* ---- Reading --------------------------------------------------------------------------------- */

static void read_policy(dmn_build *b, dmn_table *t) {
  static const struct { const char *name; char letter; dmn_matching matching; } POLICIES[] = {
    {"UNIQUE", 'U', DMN_ONLY},      {"ANY", 'A', DMN_EVERY},          {"PRIORITY", 'P', DMN_EVERY},
        {"FIRST", 'F', DMN_FIRST},
    {"COLLECT", 'C', DMN_EVERY},    {"RULE ORDER", 'R', DMN_EVERY},   {"OUTPUT ORDER", 'O', DMN_EVERY},
    {"RULE_ORDER", 'R', DMN_EVERY}, {"OUTPUT_ORDER", 'O', DMN_EVERY},
  };
  static const struct { const char *name; char sign; } AGGREGATIONS[] = {{"SUM", '+'}, {"COUNT", '#'}, {"MIN", '<'},
                                                                         {"MAX", '>'}};
  const char *policy = dmn_attribute(b, t->element, "hitPolicy");
  const char *sum = dmn_attribute(b, t->element, "aggregation");
  t->policy = policy ? '\0' : 'U';
  t->matching = DMN_ONLY;
  for (size_t i = 0; policy && i < sizeof POLICIES / sizeof *POLICIES; i++) {
    bool letter =
        policy[0] == POLICIES[i].letter && (!policy[1] || (policy[0] == 'C' && strchr("+<>#", policy[1]) && !policy[2]));
    if (t->policy || (!letter && strcmp(policy, POLICIES[i].name) != 0)) continue;
    t->policy = POLICIES[i].letter;
    t->matching = POLICIES[i].matching;
    if (letter && policy[1]) t->aggregation = policy[1];
  }
  if (!t->policy)
    dmn_error(b, t->element, "hit policy \"%.40s\" is none of UNIQUE, ANY, PRIORITY, FIRST, COLLECT, RULE ORDER, OUTPUT ORDER",
              policy);
  for (size_t i = 0; sum && i < sizeof AGGREGATIONS / sizeof *AGGREGATIONS; i++)
    if (strcmp(sum, AGGREGATIONS[i].name) == 0) t->aggregation = AGGREGATIONS[i].sign;
  if (sum && !t->aggregation)
    dmn_error(b, t->element, "aggregation \"%.40s\" is none of SUM, COUNT, MIN, MAX", sum);
  if (sum && t->policy != 'C')
    dmn_warning(b, t->element, "the aggregation has no effect: it belongs to the hit policy COLLECT");
  if (t->policy != 'C') t->aggregation = '\0';
}

static void read_rules(dmn_build *b, dmn_table *t) {
  uint32_t count = dmn_count(t->element, "rule");
  if (count > ORR_DECISION_RULES_MAX)
    dmn_error(b, t->element, "the table has %u rules; the limit is %d", count, ORR_DECISION_RULES_MAX);
  if (t->n_inputs > ORR_DECISION_COLUMNS_MAX || t->n_outputs > ORR_DECISION_COLUMNS_MAX)
    dmn_error(b, t->element, "the table has %u inputs and %u outputs; the limit is %d of each", t->n_inputs, t->n_outputs,
              ORR_DECISION_COLUMNS_MAX);
  t->rules = DMN_ARRAY(b, const xml_element *, count + 1);
  for (const xml_element *e = NULL; count <= ORR_DECISION_RULES_MAX && (e = dmn_next(t->element, e, "rule"));)
    t->rules[t->n_rules++] = e;
}

const char *dmn_part(dmn_build *b, const char *lua) {
  uint32_t number = ++b->n_parts;
  dmn_addf(b, &b->parts, "H[%u] = ", number);
  dmn_add(b, &b->parts, lua);
  dmn_add(b, &b->parts, "\n");
  return dmn_printf(b, "H[%u]", number);
}

/* ---- Inputs ---------------------------------------------------------------------------------- */

/* Vendors convert their inputs ("5" to an integer); the standard only checks them. */
static const char *conversion(dmn_build *b, const xml_element *e) {
  const char *type = dmn_attribute(b, e, "typeRef");
  if (!type || names_get(&b->model->items, type)) return NULL;
  return b->model->vendor != DMN_STANDARD || dmn_type_is_foreign_number(type) ? type : NULL;
}

dmn_piece dmn_converted(dmn_build *b, dmn_piece piece, const char *convert, const feel_type *type) {
  if (!convert) return dmn_coerced(b, piece, type);
  if (piece.literal && dmn_type_fits(piece.type, type)) return piece;
  return (dmn_piece){.lua = dmn_printf(b, "D.convert(%s, %s)", piece.lua, dmn_quoted(b, convert)), .type = type};
}

static void add_input_check(dmn_build *b, const dmn_table *t, const dmn_input *input, dmn_out *out) {
  dmn_text allowed = dmn_text_in(b, dmn_child(input->element, "inputValues"), true);
  if (!allowed.element || dmn_text_blank(&allowed)) return;
  if (b->model->vendor != DMN_STANDARD) return; /* a help for their editors, which their engines do not look at */
  dmn_piece test = dmn_compile_test(b, &allowed, t->scope, input->local, input->type);
  if (strcmp(test.lua, "true") == 0) return;
  dmn_addf(b, out, "if %s ~= nil and not (%s) then return D.refused(%s, %s) end\n", input->local, test.lua, t->label,
           input->local);
}

static void table_add_input(dmn_build *b, dmn_table *t, const xml_element *e, dmn_out *out) {
  const xml_element *expression = dmn_child(e, "inputExpression");
  dmn_text text = dmn_text_in(b, expression, false);
  const char *label = dmn_attribute(b, e, "label");
  bool lenient = b->options->lenient || b->model->vendor != DMN_STANDARD; /* to the peers it is null */
  if (!expression || dmn_text_blank(&text))
    dmn_problem(b, lenient, e, e->line, e->column, "the input \"%s\" has no expression", label ? label : "");
  const feel_type *type = dmn_type_of(b, b->model, expression, "typeRef");
  dmn_piece piece = dmn_converted(b, dmn_compile_text(b, &text, t->scope), expression ? conversion(b, expression) : NULL, type);
  dmn_input *input = &t->inputs[t->n_inputs++];
  *input = (dmn_input){.element = e, .local = dmn_local(b), .type = dmn_type_any(piece.type) ? type : piece.type};
  dmn_addf(b, out, "local %s = ", input->local);
  dmn_add(b, out, piece.lua);
  dmn_add(b, out, "\n");
  add_input_check(b, t, input, out);
}

/* ---- Outputs --------------------------------------------------------------------------------- */

/* The end of the first of several tests: a comma outside of brackets and strings. */
static size_t first_test_size(const char *text) {
  int depth = 0;
  size_t i = 0;
  for (; text[i]; i++) {
    if (text[i] == '"') {
      for (i++; text[i] && text[i] != '"'; i++)
        if (text[i] == '\\' && text[i + 1]) i++;
      if (!text[i]) break;
    } else if (strchr("([{", text[i])) {
      depth++;
    } else if (strchr(")]}", text[i])) {
      depth--;
    } else if (text[i] == ',' && depth == 0) {
      break;
    }
  }
  return i;
}

/* A function from an output to the position of the first output value that matches it. */
static const char *make_rank(dmn_build *b, const dmn_table *t, const dmn_output *output) {
  dmn_text values = dmn_text_in(b, dmn_child(output->element, "outputValues"), true);
  if (!values.element || dmn_text_blank(&values)) return NULL;
  dmn_out body = {0};
  const char *local = dmn_local(b);
  uint32_t place = 0;
  dmn_addf(b, &body, "function(%s) ", local);
  for (const char *at = values.text; *at;) {
    size_t size = first_test_size(at);
    dmn_text one = values;
    one.text = dmn_printf(b, "%.*s", (int)size, at);
    if (values.language == DMN_JUEL) one.language = DMN_FEEL; /* they are lists of literals everywhere */
    dmn_piece test =
        dmn_compile_test(b, &one, NULL, local, dmn_type_any(output->type) || output->type->lua ? NULL : output->type);
    dmn_addf(b, &body, "if %s then return %u end ", test.lua, ++place);
    at += size + (at[size] == ',');
  }
  dmn_add(b, &body, "end");
  (void)t;
  return dmn_part(b, body.text);
}

static void read_output(dmn_build *b, dmn_table *t, const xml_element *e, const feel_type *whole) {
  dmn_output *output = &t->outputs[t->n_outputs++];
  bool single = dmn_count(t->element, "output") == 1;
  const char *name = dmn_attribute(b, e, "name"), *label = dmn_attribute(b, e, "label");
  *output = (dmn_output){.element = e, .name = name ? name : label, .type = dmn_type_of(b, b->model, e, "typeRef"),
                         .convert = conversion(b, e)};
  if (single && dmn_type_any(output->type) && t->matching != DMN_EVERY) output->type = whole;
  if (!single && !output->name) {
    dmn_error(b, e, "one of several outputs must have a name");
    output->name = "";
  }
  output->rank = make_rank(b, t, output);
}

/* ---- Results --------------------------------------------------------------------------------- */

static dmn_piece default_value(dmn_build *b, const dmn_table *t, const dmn_output *output, bool *given) {
  dmn_text text = dmn_text_in(b, dmn_child(output->element, "defaultOutputEntry"), false);
  if (!text.element || dmn_text_blank(&text)) return (dmn_piece){.lua = "nil"};
  *given = true;
  return dmn_converted(b, dmn_compile_text(b, &text, t->scope), output->convert, output->type);
}

/* The result when no rule hits. */
static const char *default_output(dmn_build *b, const dmn_table *t) {
  bool given = false;
  dmn_out keys = {0}, values = {0};
  dmn_piece piece = {.lua = "nil"};
  for (uint32_t i = 0; i < t->n_outputs; i++) {
    piece = default_value(b, t, &t->outputs[i], &given);
    if (t->n_outputs == 1) break;
    dmn_addf(b, &keys, "%s, ", dmn_quoted(b, t->outputs[i].name));
    dmn_addf(b, &values, "[%s] = %s, ", dmn_quoted(b, t->outputs[i].name), piece.lua);
  }
  if (given) return t->n_outputs == 1 ? piece.lua : dmn_printf(b, "f.ctx{%s%s}", keys.text, values.text);
  if (t->policy == 'C' && !t->aggregation) return "f.list{n = 0}";
  return t->aggregation == '#' ? "0" : "nil";
}

/* The ranks of the outputs, by column. */
static const char *ranks(dmn_build *b, const dmn_table *t) {
  dmn_out out = {0};
  bool any = false;
  dmn_add(b, &out, "{");
  for (uint32_t i = 0; i < t->n_outputs; i++) {
    const char *name = t->n_outputs > 1 ? dmn_quoted(b, t->outputs[i].name) : "false";
    if (t->outputs[i].rank) dmn_addf(b, &out, "{%s, %s}, ", name, t->outputs[i].rank);
    any = any || t->outputs[i].rank;
  }
  dmn_add(b, &out, "}");
  return any ? dmn_part(b, out.text) : "nil";
}

static void add_trace(dmn_build *b, const dmn_table *t, dmn_out *out) {
  dmn_add(b, out, "if s.trace then D.trace_table(s, ");
  dmn_add(b, out, t->matching == DMN_EVERY ? "h, n, {" : "h and {h} or {}, h and 1 or 0, {");
  for (uint32_t i = 0; i < t->n_inputs; i++) dmn_addf(b, out, "[%u] = %s, ", i + 1, t->inputs[i].local);
  dmn_addf(b, out, "}, %u) end\n", t->n_inputs);
}

static void return_single(dmn_build *b, dmn_table *t, const char *ranked, dmn_out *out) {
  const char *value = dmn_output_of(b, t, "h");
  if (strcmp(ranked, "nil") != 0 && !t->constant) value = dmn_printf(b, "D.allowed(%s, %s, %s)", value, ranked, t->label);
  const char *traced = b->state ? "if s.trace then D.trace_outputs(s, {n = 1, o}) end " : "";
  dmn_addf(b, out, "if h then local o = %s %sreturn o end\n", value, traced);
}

static void return_several(dmn_build *b, dmn_table *t, const char *ranked, dmn_out *out) {
  char policy[] = {t->aggregation ? t->aggregation : t->policy, '\0'};
  dmn_addf(b, out, "if n > 0 then\nlocal o = {n = n}\nfor i = 1, n do o[i] = %s end\n", dmn_output_of(b, t, "h[i]"));
  if (b->state) dmn_add(b, out, "if s.trace then D.trace_outputs(s, o) end\n");
  dmn_addf(b, out, "return D.policy[\"%s\"](o, %s, %s)\nend\n", policy, ranked, t->label);
}

/* Is a single output known to be of the type that is wanted of the whole? */
static bool result_fits(const dmn_table *t, const feel_type *type) {
  if (dmn_type_any(type)) return true;
  return t->n_outputs == 1 && t->matching != DMN_EVERY && dmn_type_fits(t->outputs[0].type, type);
}

static void add_result(dmn_build *b, dmn_table *t, dmn_out *out) {
  const char *ranked = ranks(b, t);
  if (b->state) add_trace(b, t, out);
  if (t->matching == DMN_EVERY) return_several(b, t, ranked, out);
  else return_single(b, t, ranked, out);
  dmn_addf(b, out, "return %s\n", default_output(b, t));
}

static void table_statements(dmn_build *b, dmn_table *t, const feel_type *whole, dmn_out *out) {
  t->inputs = DMN_ARRAY(b, dmn_input, dmn_count(t->element, "input") + 1);
  t->outputs = DMN_ARRAY(b, dmn_output, dmn_count(t->element, "output") + 1);
  for (const xml_element *e = NULL; (e = dmn_next(t->element, e, "input"));) table_add_input(b, t, e, out);
  for (const xml_element *e = NULL; (e = dmn_next(t->element, e, "output"));) read_output(b, t, e, whole);
  if (!t->n_outputs) dmn_error(b, t->element, "a decision table must have an output");
  read_rules(b, t);
  dmn_compile_rules(b, t);
  dmn_match_rules(b, t, out);
  add_result(b, t, out);
}

static const char *label_of(dmn_build *b, const xml_element *e) {
  for (; e; e = e->parent) {
    const char *name = xml_value(e, "name");
    if (name && *name) return dmn_quoted(b, name);
  }
  return "\"\"";
}

void dmn_table_body(dmn_build *b, const xml_element *e, const feel_scope *scope, const feel_type *type, dmn_out *out) {
  dmn_table t = {.element = e, .scope = scope, .label = label_of(b, e)};
  dmn_out body = {0};
  read_policy(b, &t);
  table_statements(b, &t, type, &body);
  if (result_fits(&t, type)) {
    dmn_add(b, out, dmn_text_of(&body));
    return;
  }
  dmn_add(b, out, "return f.coerce((function()\n");
  dmn_add(b, out, dmn_text_of(&body));
  dmn_addf(b, out, "end)(), %s)\n", dmn_type_lua(b, type));
}
