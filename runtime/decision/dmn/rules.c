/* The rules of a table: cells become tests, tests become matches, hits become outputs.
 *
 * Up to RULES_INLINE rules are tested inline. More are tested in functions of a hundred rules each,
 * so that no Lua function becomes too large for the compiler; with an index, in functions of one
 * rule each, of which only those that it leaves are called. Outputs are constants, or functions of
 * what the cells read. */
#include <ctype.h>
#include <string.h>

#include "decision/dmn/index.h"
#include "decision/dmn/rules.h"

#define RULES_INLINE 100 /* also the size of a block */

/* "local scope = …" when the text uses names that only run time knows, else "". */
static const char *dmn_scope_local(const char *text) { return strstr(text, "scope") ? "local scope = D.scope(s) " : ""; }

/* ---- Arguments ------------------------------------------------------------------------------- */

/* The locals around the table that its cells read. The functions of the table get them as
 * arguments. */
typedef struct locals {
  const char **items;
  uint32_t count;
} locals;

static void add_local(dmn_build *b, locals *all, const char *name, size_t size) {
  for (uint32_t i = 0; i < all->count; i++)
    if (strlen(all->items[i]) == size && memcmp(all->items[i], name, size) == 0) return;
  dmn_push(b, &all->items, &all->count, dmn_printf(b, "%.*s", (int)size, name));
}

static bool is_word(char c) { return isalnum((unsigned char)c) || c == '_'; }

/* Locals are v<k> and n<m>: those that stand in a piece of Lua. */
static void add_locals_in(dmn_build *b, locals *all, const char *lua) {
  for (const char *p = lua; *p;) {
    if (*p == '"') {
      for (p++; *p && *p != '"'; p++)
        if (*p == '\\' && p[1]) p++;
      if (*p) p++;
      continue;
    }
    size_t size = 0;
    while (is_word(p[size])) size++;
    bool member = p > lua && (p[-1] == '.' || p[-1] == ':');
    if (size > 1 && !member && (*p == 'v' || *p == 'n') && strspn(p + 1, "0123456789") == size - 1) add_local(b, all, p, size);
    p += size ? size : 1;
  }
}

static void rules_add_name(dmn_build *b, locals *all, const feel_scope *scope, const char *name) {
  for (; scope; scope = scope->outer)
    for (size_t i = 0; i < scope->n_names; i++) {
      if (name && strcmp(scope->names[i].name, name) != 0) continue;
      if (scope->names[i].lua) add_locals_in(b, all, scope->names[i].lua);
      if (name) return;
    }
}

/* A piece without names (in another language than FEEL) may read all of them. */
static void rules_add_names(dmn_build *b, locals *all, const dmn_table *t, const dmn_piece *piece) {
  if (piece->literal) return;
  for (size_t i = 0; i < piece->n_names; i++) rules_add_name(b, all, t->scope, piece->names[i]);
  if (!piece->names) rules_add_name(b, all, t->scope, NULL);
}

static const char *join_arguments(dmn_build *b, const locals *all) {
  dmn_out out = {0};
  dmn_add(b, &out, "s");
  for (uint32_t i = 0; i < all->count; i++) dmn_addf(b, &out, ", %s", all->items[i]);
  return out.text;
}

/* ---- Cells ----------------------------------------------------------------------------------- */

static bool says_nothing(const dmn_piece *test) { return strcmp(test->lua, "true") == 0; }

static void compile_tests(dmn_build *b, dmn_table *t, uint32_t rule, locals *all) {
  const xml_element *e = NULL;
  dmn_piece *tests = t->tests[rule] = DMN_ARRAY(b, dmn_piece, t->n_inputs + 1);
  uint32_t count = dmn_count(t->rules[rule], "inputEntry");
  if (count != t->n_inputs)
    dmn_error(b, t->rules[rule], "the rule has %u input entr%s; the table has %u input%s", count,
              count == 1 ? "y" : "ies", t->n_inputs, t->n_inputs == 1 ? "" : "s");
  for (uint32_t i = 0; i < t->n_inputs; i++) {
    e = dmn_next(t->rules[rule], e, "inputEntry");
    if (!e && count < t->n_inputs) e = NULL;
    dmn_text text = dmn_text_in(b, e, true);
    tests[i] = dmn_compile_test(b, &text, t->scope, t->inputs[i].local, t->inputs[i].type);
    rules_add_names(b, all, t, &tests[i]);
    if (!e) break;
  }
  for (uint32_t i = 0; i < t->n_inputs; i++)
    if (!tests[i].lua) tests[i] = (dmn_piece){.lua = "true", .literal = true};
}

static dmn_piece compile_output(dmn_build *b, dmn_table *t, const xml_element *e, const dmn_output *output, locals *all) {
  dmn_text text = dmn_text_in(b, e, false);
  const feel_type *own = e ? dmn_type_of(b, b->model, e, "typeRef") : NULL;
  dmn_piece piece = dmn_compile_text(b, &text, t->scope);
  rules_add_names(b, all, t, &piece);
  dmn_piece made = dmn_converted(b, dmn_coerced(b, piece, own), output->convert, output->type);
  t->constant = t->constant && made.literal;
  return made;
}

static void compile_value(dmn_build *b, dmn_table *t, uint32_t rule, locals *all) {
  dmn_out keys = {0}, values = {0};
  const xml_element *e = NULL;
  uint32_t count = dmn_count(t->rules[rule], "outputEntry");
  if (count != t->n_outputs)
    dmn_error(b, t->rules[rule], "the rule has %u output entr%s; the table has %u output%s", count,
              count == 1 ? "y" : "ies", t->n_outputs, t->n_outputs == 1 ? "" : "s");
  t->values[rule] = "nil";
  for (uint32_t i = 0; i < t->n_outputs && (e = dmn_next(t->rules[rule], e, "outputEntry")); i++) {
    const char *lua = compile_output(b, t, e, &t->outputs[i], all).lua;
    if (t->n_outputs == 1) t->values[rule] = lua;
    if (t->n_outputs == 1) return;
    dmn_addf(b, &keys, "%s, ", dmn_quoted(b, t->outputs[i].name));
    dmn_addf(b, &values, "[%s] = %s, ", dmn_quoted(b, t->outputs[i].name), lua);
  }
  t->values[rule] = dmn_printf(b, "f.ctx{%s%s}", dmn_text_of(&keys), dmn_text_of(&values));
}

void dmn_compile_rules(dmn_build *b, dmn_table *t) {
  locals all = {0};
  t->tests = DMN_ARRAY(b, dmn_piece *, t->n_rules + 1);
  t->values = DMN_ARRAY(b, const char *, t->n_rules + 1);
  t->constant = true;
  for (uint32_t i = 0; i < t->n_inputs; i++) add_local(b, &all, t->inputs[i].local, strlen(t->inputs[i].local));
  for (uint32_t i = 0; i < t->n_rules; i++) {
    compile_tests(b, t, i, &all);
    compile_value(b, t, i, &all);
  }
  if (all.count > ORR_DECISION_NAMES_MAX)
    dmn_error(b, t->element, "the table reads %u different names; the limit is %d", all.count, ORR_DECISION_NAMES_MAX);
  t->arguments = join_arguments(b, &all);
}

/* ---- Matching -------------------------------------------------------------------------------- */

/* The test of a rule, without that of the input `but`. */
static const char *condition(dmn_build *b, const dmn_table *t, uint32_t rule, uint32_t but) {
  dmn_out out = {0};
  for (uint32_t i = 0; i < t->n_inputs; i++) {
    const dmn_piece *test = &t->tests[rule][i];
    if (i == but || says_nothing(test)) continue;
    dmn_add(b, &out, out.size ? " and (" : "(");
    dmn_add(b, &out, test->lua);
    dmn_add(b, &out, ")");
  }
  return out.text ? out.text : "true";
}

static void add_block(dmn_build *b, const dmn_table *t, uint32_t from, uint32_t to, dmn_out *out) {
  for (uint32_t i = from; i < to; i++) {
    dmn_add(b, out, "if ");
    dmn_add(b, out, condition(b, t, i, UINT32_MAX));
    if (t->matching == DMN_FIRST) dmn_addf(b, out, " then return %u end\n", i + 1);
    else if (t->matching == DMN_ONLY) dmn_addf(b, out, " then if h then return h, %u end h = %u end\n", i + 1, i + 1);
    else dmn_addf(b, out, " then n = n + 1 h[n] = %u end\n", i + 1);
  }
}

static void match_inline(dmn_build *b, dmn_table *t, dmn_out *out) {
  if (t->matching == DMN_EVERY) dmn_add(b, out, "local h, n = {}, 0\n");
  else dmn_add(b, out, "local h\n");
  if (t->matching == DMN_EVERY) add_block(b, t, 0, t->n_rules, out);
  for (uint32_t i = 0; t->matching != DMN_EVERY && i < t->n_rules; i++) {
    bool chained = t->matching == DMN_FIRST && i > 0;
    const char *test = condition(b, t, i, UINT32_MAX);
    dmn_add(b, out, chained ? "elseif " : "if ");
    dmn_add(b, out, test);
    dmn_add(b, out, " then ");
    if (t->matching == DMN_ONLY && i > 0) dmn_addf(b, out, "if h then return D.collided(%s, h, %u) end ", t->label, i + 1);
    dmn_addf(b, out, "h = %u%s", i + 1, t->matching == DMN_FIRST ? "\n" : " end\n");
  }
  if (t->matching == DMN_FIRST && t->n_rules) dmn_add(b, out, "end\n");
}

/* A function of a hundred rules. FIRST gives the hit; ONLY the hit so far and the one that collides with it; EVERY how
 * many there are. */
static const char *block_function(dmn_build *b, const dmn_table *t, uint32_t from, uint32_t to) {
  dmn_out body = {0}, out = {0};
  add_block(b, t, from, to, &body);
  const char *more = t->matching == DMN_FIRST ? "" : t->matching == DMN_ONLY ? "h, " : "h, n, ";
  dmn_addf(b, &out, "function(%s%s) %s\n", more, t->arguments, dmn_scope_local(body.text));
  dmn_add(b, &out, body.text);
  dmn_add(b, &out, t->matching == DMN_FIRST ? "end" : t->matching == DMN_ONLY ? "return h end" : "return n end");
  return dmn_part(b, out.text);
}

static void match_blocks(dmn_build *b, dmn_table *t, dmn_out *out) {
  dmn_add(b, out, t->matching == DMN_EVERY ? "local h, n = {}, 0\n" : "local h, x\n");
  for (uint32_t from = 0; from < t->n_rules; from += RULES_INLINE) {
    uint32_t to = from + RULES_INLINE < t->n_rules ? from + RULES_INLINE : t->n_rules;
    const char *block = block_function(b, t, from, to);
    const char *before = from ? "if not h then " : "", *behind = from ? " end" : "";
    if (t->matching == DMN_FIRST) dmn_addf(b, out, "%sh = %s(%s)%s\n", before, block, t->arguments, behind);
    else if (t->matching == DMN_EVERY) dmn_addf(b, out, "n = %s(h, n, %s)\n", block, t->arguments);
    else dmn_addf(b, out, "h, x = %s(h, %s) if x then return D.collided(%s, h, x) end\n", block, t->arguments, t->label);
  }
}

/* For every rule its test without the index's input, or `true` when there is no other. */
static const char *rule_functions(dmn_build *b, const dmn_table *t, uint32_t but) {
  dmn_out out = {0};
  dmn_add(b, &out, "{\n");
  for (uint32_t i = 0; i < t->n_rules; i++) {
    const char *test = condition(b, t, i, but);
    if (strcmp(test, "true") == 0) dmn_add(b, &out, "true,\n");
    else {
      dmn_addf(b, &out, "function(%s) %sreturn ", t->arguments, dmn_scope_local(test));
      dmn_add(b, &out, test);
      dmn_add(b, &out, " end,\n");
    }
  }
  dmn_add(b, &out, "}");
  return dmn_part(b, out.text);
}

static void match_indexed(dmn_build *b, dmn_table *t, const char *index, uint32_t input, dmn_out *out) {
  const char *rules = rule_functions(b, t, input);
  dmn_addf(b, out, "local h%s\nlocal c, r = %s(%s), %s\n", t->matching == DMN_EVERY ? ", n = {}, 0" : "", index,
           t->inputs[input].local, rules);
  dmn_addf(b, out, "for i = 1, #c do local k = c[i] local test = r[k]\nif test == true or test(%s) then ", t->arguments);
  if (t->matching == DMN_FIRST) dmn_add(b, out, "h = k break");
  else if (t->matching == DMN_EVERY) dmn_add(b, out, "n = n + 1 h[n] = k");
  else dmn_addf(b, out, "if h then return D.collided(%s, h, k) end h = k", t->label);
  dmn_add(b, out, " end end\n");
}

void dmn_match_rules(dmn_build *b, dmn_table *t, dmn_out *out) {
  uint32_t input = 0;
  const char *index = dmn_make_index(b, t, &input);
  if (index) match_indexed(b, t, index, input, out);
  else if (t->n_rules > RULES_INLINE) match_blocks(b, t, out);
  else match_inline(b, t, out);
}

/* ---- Outputs --------------------------------------------------------------------------------- */

static bool has_ranks(const dmn_table *t) {
  for (uint32_t i = 0; i < t->n_outputs; i++)
    if (t->outputs[i].rank) return true;
  return false;
}

/* Constants that are no allowed output values are null from the start. */
static const char *constants(dmn_build *b, const dmn_table *t) {
  dmn_out out = {0};
  dmn_add(b, &out, has_ranks(t) ? "D.constants({\n" : "{\n");
  for (uint32_t i = 0; i < t->n_rules; i++) {
    dmn_addf(b, &out, "[%u] = ", i + 1);
    dmn_add(b, &out, t->values[i]);
    dmn_add(b, &out, ",\n");
  }
  dmn_addf(b, &out, "}");
  if (!has_ranks(t)) return dmn_part(b, out.text);
  dmn_addf(b, &out, ", %u, {", t->n_rules);
  for (uint32_t i = 0; i < t->n_outputs; i++) {
    const char *name = t->n_outputs > 1 ? dmn_quoted(b, t->outputs[i].name) : "false";
    if (t->outputs[i].rank) dmn_addf(b, &out, "{%s, %s}, ", name, t->outputs[i].rank);
  }
  dmn_add(b, &out, "})");
  return dmn_part(b, out.text);
}

static const char *value_functions(dmn_build *b, const dmn_table *t) {
  dmn_out out = {0};
  dmn_add(b, &out, "{\n");
  for (uint32_t i = 0; i < t->n_rules; i++) {
    dmn_addf(b, &out, "function(%s) %sreturn ", t->arguments, dmn_scope_local(t->values[i]));
    dmn_add(b, &out, t->values[i]);
    dmn_add(b, &out, " end,\n");
  }
  dmn_add(b, &out, "}");
  return dmn_part(b, out.text);
}

const char *dmn_output_of(dmn_build *b, dmn_table *t, const char *rule) {
  if (t->constant) return dmn_printf(b, "%s[%s]", constants(b, t), rule);
  return dmn_printf(b, "%s[%s](%s)", value_functions(b, t), rule, t->arguments);
}
