/* The standard's way of passing variables to a called process and back: <dataInputAssociation> and
 * <dataOutputAssociation>. They become mappings as <in> and <out> do.
 *
 * A reference names the variable, or an element whose name is the variable's: a <dataObject> or <property> around, a
 * <dataInput> or <dataOutput> of the activity's own <ioSpecification>. */
#include <string.h>

#include "model/parse/parse_internal.h"

/* ---- Names ----------------------------------------------------------------------------------- */

static bool is_item(const xml_element *e) {
  static const char *const ITEMS[] = {"dataObject", "property", "dataInput", "dataOutput", "dataObjectReference"};
  for (size_t i = 0; i < sizeof ITEMS / sizeof *ITEMS; i++)
    if (is_bpmn(e, ITEMS[i])) return true;
  return false;
}

static const xml_element *item_among(const xml_element *host, const char *id) {
  for (const xml_element *e = host->first; e; e = e->next) {
    const char *own = xml_value(e, "id");
    if (own && is_item(e) && strcmp(own, id) == 0) return e;
  }
  return NULL;
}

/* In the activity's specification, then from the activity outwards. */
static const xml_element *item_named(const xml_element *activity, const char *id) {
  const xml_element *specification = bpmn_child(activity, "ioSpecification");
  const xml_element *found = specification ? item_among(specification, id) : NULL;
  for (const xml_element *e = activity; e && !found; e = e->parent) found = item_among(e, id);
  return found;
}

static const char *variable_named(parser *p, const xml_element *activity, const char *reference) {
  const xml_element *item = item_named(activity, reference);
  const char *to = item ? xml_value(item, "dataObjectRef") : NULL;
  if (to) item = item_named(activity, to);
  const char *name = item ? parse_trimmed(p, xml_value(item, "name")) : NULL;
  return name ? name : reference;
}

/* ---- Mappings -------------------------------------------------------------------------------- */


/* The value is a variable's, or what an expression gives. */
static void parse_source(parser *p, const xml_element *activity, const xml_element *e, call_mapping *m) {
  const char *text = e ? parse_trimmed(p, e->text) : NULL;
  if (!text) return;
  parse_expr_text(p, e, &m->source_expression);
  if (m->source_expression.kind != EXPR_LITERAL) return;
  m->source_expression = (expr){0};
  m->source = variable_named(p, activity, text);
}

/* "y", or "${y}" as assignments write it. */
static void parse_target(parser *p, const xml_element *activity, const xml_element *e, call_mapping *m) {
  const char *text = e ? parse_trimmed(p, e->text) : NULL;
  expr whole = {0};
  if (!text) return;
  parse_expr_text(p, e, &whole);
  if (whole.kind == EXPR_LITERAL) m->target = variable_named(p, activity, text);
  else if (whole.kind == EXPR_VARIABLE) m->target = variable_named(p, activity, whole.name);
  else parse_error(p, e, NULL, "<%s> must name a variable, not be \"%.60s\"", e->name, m->target = text);
}

static void check_association(parser *p, const xml_element *e, const call_mapping *m) {
  if (!m->source && !expr_given(&m->source_expression))
    parse_error(p, e, NULL, "<%s> does not say what it passes: a <sourceRef>, <transformation> or <from> is missing", e->name);
  else if (!m->target)
    parse_error(p, e, NULL, "<%s> does not say where to: a <targetRef> or <to> is missing", e->name);
}

static const xml_element *assignment_next(const xml_element *association, const xml_element *after) {
  const xml_element *e = after ? after->next : association->first;
  while (e && !is_bpmn(e, "assignment")) e = e->next;
  return e;
}

static uint32_t association_count(const xml_element *association) {
  uint32_t count = 0;
  for (const xml_element *e = NULL; (e = assignment_next(association, e));) count++;
  return count ? count : 1;
}

/* One mapping for each assignment, or one of the whole. */
static call_mapping *parse_association(parser *p, const xml_element *activity, const xml_element *association,
                                       call_mapping *m) {
  const xml_element *e = assignment_next(association, NULL);
  if (!e) {
    const xml_element *transformation = bpmn_child(association, "transformation");
    parse_source(p, activity, transformation ? transformation : bpmn_child(association, "sourceRef"), m);
    parse_target(p, activity, bpmn_child(association, "targetRef"), m);
    check_association(p, association, m);
    return m + 1;
  }
  for (; e; e = assignment_next(association, e), m++) {
    parse_source(p, activity, bpmn_child(e, "from"), m);
    parse_target(p, activity, bpmn_child(e, "to"), m);
    check_association(p, e, m);
  }
  return m;
}

void parse_associations(parser *p, const xml_element *activity, const char *name, const call_mapping **mappings, uint32_t *n) {
  uint32_t count = *n;
  for (const xml_element *e = activity->first; e; e = e->next)
    if (is_bpmn(e, name)) count += association_count(e);
  if (count == *n) return;
  call_mapping *items = PARSE_ARRAY(p, call_mapping, count), *next = items + *n;
  if (*n) memcpy(items, *mappings, *n * sizeof *items);
  for (const xml_element *e = activity->first; e; e = e->next)
    if (is_bpmn(e, name)) next = parse_association(p, activity, e, next);
  *mappings = items;
  *n = count;
}
