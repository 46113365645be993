/* dmn.def as a table, and the walk that checks a document against it. */
#include <string.h>

#include "base/nearest.h"
#include "decision/dmn/dmn_internal.h"

typedef enum dmn_use {
  DMN_PART,
  DMN_NODE,
  DMN_EXPRESSION,
  DMN_IGNORED,     /* for people and tools; what is inside is not looked at */
  DMN_UNSUPPORTED, /* known, not built: a deployment error */
} dmn_use;

typedef struct dmn_row {
  const char *name;
  dmn_use use;
  const char *parents, *attributes;
} dmn_row;

static const dmn_row ROWS[] = {
#define DMN(name, use, parents, attributes) {#name, use, parents, attributes},
#include "decision/dmn/dmn.def"
#undef DMN
};
enum { ROW_COUNT = sizeof ROWS / sizeof *ROWS };

/* What holds one boxed expression or several. */
static const char HOLDERS[] =
    "decision encapsulatedLogic invocation binding contextEntry functionDefinition list row if then else in "
    "return satisfies match";

static const dmn_row *dmn_find_row(const char *name) {
  for (size_t i = 0; i < ROW_COUNT; i++)
    if (strcmp(ROWS[i].name, name) == 0) return &ROWS[i];
  return NULL;
}

static bool list_has(const char *list, const char *word) {
  size_t n = strlen(word);
  for (const char *p = list; *p; p += strspn(p, " ")) {
    size_t size = strcspn(p, " ");
    if (size == n && memcmp(p, word, n) == 0) return true;
    p += size;
  }
  return false;
}

static bool may_stand_in(const dmn_row *row, const char *parent) {
  if (list_has(row->parents, "@any") || list_has(row->parents, parent)) return true;
  return list_has(row->parents, "@expression") && list_has(HOLDERS, parent);
}

const xml_element *dmn_expression_in(const xml_element *e) {
  for (const xml_element *child = e ? e->first : NULL; child; child = child->next) {
    const dmn_row *row = dmn_version(child->ns) ? dmn_find_row(child->name) : NULL;
    if (row && row->use == DMN_EXPRESSION) return child;
  }
  return NULL;
}

/* ---- The walk -------------------------------------------------------------------------------- */

static const char *suggestion(dmn_build *b, nearest best) {
  return best.name ? dmn_printf(b, "; did you mean \"%.*s\"?", (int)best.size, best.name) : "";
}

static void check_attribute(dmn_build *b, const xml_element *e, const dmn_row *row, const xml_attribute *a) {
  if (a->ns || list_has("id label", a->name) || list_has(row->attributes, a->name)) return;
  nearest best = nearest_to(a->name, strlen(a->name));
  for (const char *p = row->attributes; *p; p += strspn(p, " ")) {
    size_t size = strcspn(p, " ");
    nearest_offer(&best, p, size);
    p += size;
  }
  dmn_problem(b, true, e, a->line, a->column, "<%s> has no attribute \"%.100s\"; it is ignored%s", e->name, a->name,
              suggestion(b, best));
}

static void dmn_check_element(dmn_build *b, const xml_element *e);

static void check_inside(dmn_build *b, const xml_element *e, const dmn_row *row) {
  for (uint32_t i = 0; i < e->n_attributes; i++) check_attribute(b, e, row, &e->attributes[i]);
  if (row->use == DMN_IGNORED) return;
  for (const xml_element *child = e->first; child; child = child->next)
    if (child->ns && e->ns && strcmp(child->ns, e->ns) == 0) dmn_check_element(b, child);
}

static nearest nearest_child(const char *parent, const char *word) {
  nearest best = nearest_to(word, strlen(word));
  for (size_t i = 0; i < ROW_COUNT; i++)
    if (may_stand_in(&ROWS[i], parent)) nearest_offer(&best, ROWS[i].name, strlen(ROWS[i].name));
  return best;
}

static void dmn_check_element(dmn_build *b, const xml_element *e) {
  const dmn_row *row = dmn_find_row(e->name);
  if (!row) {
    dmn_error(b, e, "there is no DMN element <%.100s>%s", e->name, suggestion(b, nearest_child(e->parent->name, e->name)));
  } else if (!may_stand_in(row, e->parent->name)) {
    dmn_error(b, e, "<%s> may not stand inside <%s>", e->name, e->parent->name);
  } else if (row->use == DMN_UNSUPPORTED) {
    dmn_error(b, e, "<%s> is known, but not supported", e->name);
  } else {
    check_inside(b, e, row);
  }
}

void dmn_check_grammar(dmn_build *b, const xml_element *root) { check_inside(b, root, dmn_find_row("definitions")); }
