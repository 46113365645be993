/* The rule index: an input whose cells are texts or ranges of numbers leaves few rules of a large
 * table to check. Cells are read here only if they are literals; a rule with any other cell is
 * always checked. */
#include <string.h>

#include "decision/dmn/index.h"

#define INDEX_RULES_MIN 32 /* below, scanning is as fast */
#define INDEX_KEYS_MIN 8   /* an input with fewer different cells leaves too many rules */

#define INDEX_COPIES_MAX 16 /* places of a rule in the index, on average */

typedef enum cell_kind { CELL_ANY, CELL_TEXTS, CELL_RANGE } cell_kind;

/* A cell in the index: Lua that D.index_texts and D.index_numbers read. */
typedef struct cell {
  cell_kind kind;
  const char *lua;
} cell;

/* ---- Reading cells --------------------------------------------------------------------------- */

static const char *cell_skip_blanks(const char *p) { return p + strspn(p, " \t\r\n"); }

/* The Lua number at `p`, and where it ends; NULL: there is none. */
static const char *read_number(dmn_build *b, const char *p, const char **end) {
  size_t sign = *p == '-', digits = strspn(p + sign, "0123456789");
  size_t size = sign + digits;
  if (!digits) return NULL;
  size_t fraction = p[size] == '.' ? strspn(p + size + 1, "0123456789") : 0;
  if (fraction) size += 1 + fraction;
  *end = p + size;
  if (!fraction && digits < 18) return dmn_printf(b, "%.*s", (int)size, p);
  return dmn_printf(b, "f.number(\"%.*s\")", (int)size, p);
}

/* "a", "b". False: there is something else. */
static bool read_texts(dmn_build *b, const char *p, cell *out) {
  dmn_out lua = {0};
  dmn_add(b, &lua, "{");
  do {
    p = cell_skip_blanks(p + (*p == ','));
    if (*p != '"') return false;
    size_t size = strcspn(p + 1, "\"\\");
    if (p[1 + size] != '"') return false;
    dmn_addf(b, &lua, "%s, ", dmn_quoted(b, dmn_printf(b, "%.*s", (int)size, p + 1)));
    p = cell_skip_blanks(p + size + 2);
  } while (*p == ',');
  dmn_add(b, &lua, "}");
  *out = (cell){CELL_TEXTS, lua.text};
  return !*p;
}

static bool read_comparison(dmn_build *b, const char *p, cell *out) {
  char sign = *p;
  bool equal = p[1] == '=';
  const char *end, *number = read_number(b, cell_skip_blanks(p + 1 + equal), &end);
  if (!number || *cell_skip_blanks(end)) return false;
  const char *included = equal ? "true" : "false";
  *out = (cell){CELL_RANGE, sign == '<' ? dmn_printf(b, "{nil, false, %s, %s}", number, included)
                                        : dmn_printf(b, "{%s, %s, nil, false}", number, included)};
  return true;
}

static bool read_interval(dmn_build *b, const char *p, cell *out) {
  const char *end, *low, *high;
  bool low_in = *p == '[';
  low = read_number(b, cell_skip_blanks(p + 1), &end);
  if (!low) return false;
  p = cell_skip_blanks(end);
  if (strncmp(p, "..", 2) != 0) return false;
  high = read_number(b, cell_skip_blanks(p + 2), &end);
  p = high ? cell_skip_blanks(end) : p;
  if (!high || !strchr("])[", *p) || !*p || *cell_skip_blanks(p + 1)) return false;
  *out = (cell){CELL_RANGE, dmn_printf(b, "{%s, %s, %s, %s}", low, low_in ? "true" : "false", high,
                *p == ']' ? "true" : "false")};
  return true;
}

static bool read_range(dmn_build *b, const char *p, cell *out) {
  const char *end;
  if (*p == '<' || *p == '>') return read_comparison(b, p, out);
  if (*p == '[' || *p == '(' || *p == ']') return read_interval(b, p, out);
  const char *number = read_number(b, p, &end);
  if (!number || *cell_skip_blanks(end)) return false;
  *out = (cell){CELL_RANGE, dmn_printf(b, "{%s, true, %s, true}", number, number)};
  return true;
}

/* "== x" is "x" in the cells that compile as FEEL. */
static cell read_cell(dmn_build *b, const xml_element *e, const feel_type *type) {
  dmn_text t = dmn_text_in(b, e, true);
  const char *p = cell_skip_blanks(t.text);
  cell out = {0};
  if (t.language == DMN_JUEL && p[0] == '=' && p[1] == '=') p = cell_skip_blanks(p + 2);
  else if (t.language == DMN_JUEL && b->model->vendor != DMN_FLOWABLE) return out;
  if (t.language != DMN_FEEL && t.language != DMN_JUEL) return out;
  if (type->kind == FEEL_STRING && read_texts(b, p, &out)) return out;
  if (type->kind == FEEL_NUMBER && read_range(b, p, &out)) return out;
  return (cell){0};
}

/* ---- Choosing -------------------------------------------------------------------------------- */

typedef struct column {
  cell *cells;
  uint32_t any, keys; /* rules that it always leaves; different cells */
  cell_kind kind;
} column;

static const xml_element *entry_of(const xml_element *rule, uint32_t input) {
  const xml_element *e = dmn_child(rule, "inputEntry");
  while (e && input--) e = dmn_next(rule, e, "inputEntry");
  return e;
}

static column read_column(dmn_build *b, const dmn_table *t, uint32_t input) {
  column c = {.cells = DMN_ARRAY(b, cell, t->n_rules)};
  const feel_type *type = t->inputs[input].type;
  names seen = {.arena = b->arena};
  if (!type || (type->kind != FEEL_STRING && type->kind != FEEL_NUMBER)) return c;
  c.kind = type->kind == FEEL_STRING ? CELL_TEXTS : CELL_RANGE;
  for (uint32_t i = 0; i < t->n_rules; i++) {
    const xml_element *e = entry_of(t->rules[i], input);
    if (e) c.cells[i] = read_cell(b, e, type);
    if (c.cells[i].kind == CELL_ANY) c.any++;
    else if (!names_get(&seen, c.cells[i].lua)) {
      c.keys++;
      if (!names_put(&seen, c.cells[i].lua, &c)) dmn_memory(b);
    }
  }
  return c;
}

static const char *write_column(dmn_build *b, const dmn_table *t, const column *c) {
  dmn_out out = {0};
  dmn_add(b, &out, c->kind == CELL_TEXTS ? "D.index_texts({\n" : "D.index_numbers({\n");
  for (uint32_t i = 0; i < t->n_rules; i++) {
    dmn_add(b, &out, c->cells[i].lua ? c->cells[i].lua : "false");
    dmn_add(b, &out, ",\n");
  }
  dmn_addf(b, &out, "}, %u)", t->n_rules);
  return out.text;
}

/* Takes only an input of which all cells can be read, because other tests would be lost. */
static bool all_read(const dmn_table *t, const column *c, uint32_t input) {
  for (uint32_t i = 0; i < t->n_rules; i++)
    if (c->cells[i].kind == CELL_ANY && strcmp(t->tests[i][input].lua, "true") != 0) return false;
  return true;
}

const char *dmn_make_index(dmn_build *b, const dmn_table *t, uint32_t *input) {
  column best = {0};
  if (t->n_rules < INDEX_RULES_MIN) return NULL;
  for (uint32_t i = 0; i < t->n_inputs; i++) {
    column c = read_column(b, t, i);
    bool small = (uint64_t)c.keys * c.any <= (uint64_t)t->n_rules * INDEX_COPIES_MAX;
    if (c.keys < INDEX_KEYS_MIN || c.any > t->n_rules / 4 || !small || c.keys <= best.keys || !all_read(t, &c, i)) continue;
    best = c;
    *input = i;
  }
  return best.keys ? dmn_part(b, write_column(b, t, &best)) : NULL;
}
