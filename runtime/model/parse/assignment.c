/* Who: user tasks with every notation for assignment, and identity links. */
#include <string.h>

#include "model/parse/parse_internal.h"

/* The length of the text up to the next comma that stands outside of ${…}, quotes and brackets. */
static size_t item_size(const char *text) {
  size_t n = 0;
  int braces = 0, brackets = 0;
  for (char quote = 0; text[n]; n++) {
    char c = text[n];
    if (quote) {
      if (c == quote) quote = 0;
    } else if (braces && (c == '\'' || c == '"')) {
      quote = c;
    } else if (c == '{') {
      braces++;
    } else if (c == '}') {
      braces--;
    } else if (c == '(') {
      brackets++;
    } else if (c == ')') {
      brackets--;
    } else if (c == ',' && braces <= 0 && brackets <= 0) {
      break;
    }
  }
  return n;
}

static uint32_t count_items(const char *text) {
  uint32_t count = 1;
  for (size_t n = item_size(text); text[n]; n = item_size(text)) {
    text += n + 1;
    count++;
  }
  return count;
}

static void parse_item(parser *p, const text_source *list, const char *text, size_t size, expr *out) {
  char *copy = arena_strndup(p->arena, text, size);
  if (!copy) parse_memory(p);
  text_source s = *list;
  s.text = copy;
  parse_expr(p, &s, out);
}

/* An identity list has room for the least power of two that holds its items: so a full one shows by its count. */
static expr *new_identities(parser *p, uint32_t count) {
  uint32_t room = 1;
  while (room < count) room *= 2;
  return PARSE_ARRAY(p, expr, room);
}

static void add_identity(parser *p, const expr **items, uint32_t *n, const expr *item) {
  if (!expr_given(item)) return;
  expr *list = (expr *)(uintptr_t)*items; /* the parser's own until it is done */
  if ((*n & (*n - 1)) == 0) {
    list = new_identities(p, *n + 1);
    if (*n) memcpy(list, *items, *n * sizeof *list);
    *items = list;
  }
  list[(*n)++] = *item;
}

void parse_identity_list(parser *p, const xml_element *e, const xml_attribute *a, const expr **out, uint32_t *n) {
  if (!a) return;
  text_source list = source_of_attribute(e, a);
  uint32_t count = count_items(a->value);
  expr *items = new_identities(p, count);
  uint32_t kept = 0;
  for (const char *at = a->value;; at++) {
    size_t size = item_size(at);
    parse_item(p, &list, at, size, &items[kept]);
    kept += expr_given(&items[kept]);
    at += size;
    if (!*at) break;
  }
  *out = items;
  *n = kept;
}

/* "user(kermit) group(management)": what looks like one entry is two. Within ${…} it is the expression's matter. */
static bool lacks_comma(const char *text, size_t size) {
  if (memmem(text, size, "${", 2) || memmem(text, size, "#{", 2)) return false;
  const char *close = memchr(text, ')', size);
  bool opens = memmem(text, size, "user(", 5) || memmem(text, size, "group(", 6);
  bool begins = (size > 4 && strncmp(text, "user(", 5) == 0) || (size > 5 && strncmp(text, "group(", 6) == 0);
  return opens && (!begins || (close && close != text + size - 1));
}

/* "user(kermit), group(management), ${…}": what is neither is a group. */
static void parse_owner(parser *p, const text_source *s, const char *text, size_t size, identity_links *out) {
  while (size && strchr(" \t\r\n", *text)) text++, size--;
  while (size && strchr(" \t\r\n", text[size - 1])) size--;
  if (lacks_comma(text, size)) {
    parse_error(p, s->element, NULL,
                "a comma is missing in \"%.*s\": users and groups are written as user(kermit), group(management)",
                size < 100 ? (int)size : 100, text);
    return;
  }
  bool user = size > 6 && strncmp(text, "user(", 5) == 0 && text[size - 1] == ')';
  bool group = size > 7 && strncmp(text, "group(", 6) == 0 && text[size - 1] == ')';
  expr item = {0};
  if (user) parse_item(p, s, text + 5, size - 6, &item);
  else if (group) parse_item(p, s, text + 6, size - 7, &item);
  else parse_item(p, s, text, size, &item);
  if (user) add_identity(p, &out->users, &out->n_users, &item);
  else add_identity(p, &out->groups, &out->n_groups, &item);
}

static const xml_element *formal_expression(const xml_element *e) {
  const xml_element *assignment = bpmn_child(e, "resourceAssignmentExpression");
  if (!assignment) assignment = child_next(e, NULL, "resourceAssignmentExpression");
  return assignment ? child_next(assignment, NULL, "formalExpression") : NULL;
}

/* A role that refers to a resource instead of naming somebody. */
static bool parse_resource(parser *p, const xml_element *role, identity_links *out) {
  const xml_element *ref = bpmn_child(role, "resourceRef");
  if (!ref || formal_expression(role)) return false;
  const char *id = parse_trimmed(p, ref->text);
  const char *colon = id ? strrchr(id, ':') : NULL;
  const xml_element *resource = id ? names_get(&p->resources, colon ? colon + 1 : id) : NULL;
  const char *name = resource ? parse_trimmed(p, xml_value(resource, "name")) : NULL;
  expr group = {0};
  if (!resource) parse_warning(p, ref, NULL, "there is no resource with id \"%s\"", id ? id : "");
  if (!name || !p->dialect->resource_is_group) return true;
  parse_text_literal(p, name, ref->line, &group);
  add_identity(p, &out->groups, &out->n_groups, &group);
  return true;
}

void parse_assignment_expression(parser *p, const xml_element *e, identity_links *out) {
  const xml_element *expression = formal_expression(e);
  if (!expression) {
    parse_error(p, e, NULL, "<%s> must hold <resourceAssignmentExpression><formalExpression>", e->name);
    return;
  }
  text_source s = source_of_text(expression);
  for (const char *at = s.text;; at++) {
    size_t size = item_size(at);
    parse_owner(p, &s, at, size, out);
    at += size;
    if (!*at) break;
  }
}

/* ---- User tasks ------------------------------------------------------------------------------ */

static void parse_assignee(parser *p, const xml_element *e, user_task *u) {
  const xml_element *performer = bpmn_child(e, "humanPerformer");
  const xml_attribute *assignee = vendor_attribute(e, "assignee");
  vendor_expr(p, e, "assignee", &u->assignee);
  if (!performer) return;
  for (const xml_element *other = performer->next; other; other = other->next)
    if (is_bpmn(other, "humanPerformer")) parse_error(p, other, NULL, "a second <humanPerformer>; a task has one assignee");
  if (assignee) {
    parse_error(p, performer, NULL,
                "Invalid usage: duplicate assignee declaration, by attribute 'assignee' and by <humanPerformer>");
    return;
  }
  if (parse_resource(p, performer, &u->candidates)) return;
  const xml_element *expression = formal_expression(performer);
  if (expression) parse_expr_text(p, expression, &u->assignee);
  else parse_error(p, performer, NULL, "<humanPerformer> must hold <resourceAssignmentExpression><formalExpression>");
}

static void parse_custom_links(parser *p, const xml_element *e, user_task *u) {
  for (const xml_element *r = NULL; (r = extension_next(e, r, "customResource"));) u->n_links++;
  custom_link *link = u->n_links ? PARSE_ARRAY(p, custom_link, u->n_links) : NULL;
  u->links = link;
  for (const xml_element *r = NULL; (r = extension_next(e, r, "customResource")); link++) {
    link->type = any_text(p, r, "name");
    if (!link->type) parse_error(p, r, NULL, "<customResource> must have a name: the type of the identity link");
    parse_assignment_expression(p, r, &link->who);
  }
}

static void parse_priority(parser *p, const xml_element *e, user_task *u) {
  int64_t n = 0;
  vendor_expr(p, e, "priority", &u->priority);
  if (u->priority.kind == EXPR_LITERAL && !parse_integer(u->priority.text, &n))
    parse_error(p, e, vendor_attribute(e, "priority"), "priority \"%.60s\" is not a whole number", u->priority.text);
}

void parse_user_task(parser *p, const xml_element *e, node *n) {
  user_task *u = n->user = PARSE_NEW(p, user_task);
  parse_identity_list(p, e, vendor_attribute(e, "candidateUsers"), &u->candidates.users, &u->candidates.n_users);
  parse_identity_list(p, e, vendor_attribute(e, "candidateGroups"), &u->candidates.groups, &u->candidates.n_groups);
  parse_assignee(p, e, u);
  for (const xml_element *child = e->first; child; child = child->next)
    if (is_bpmn(child, "potentialOwner") && !parse_resource(p, child, &u->candidates))
      parse_assignment_expression(p, child, &u->candidates);
  parse_custom_links(p, e, u);
  vendor_expr(p, e, "owner", &u->owner);
  vendor_expr(p, e, "dueDate", &u->due);
  vendor_expr(p, e, "followUpDate", &u->follow_up);
  vendor_expr(p, e, "category", &u->category);
  vendor_expr(p, e, "formKey", &u->form_key);
  parse_form(p, e, n);
  vendor_expr(p, e, "skipExpression", &n->skip);
  parse_calendar(p, e, &u->calendar);
  parse_priority(p, e, u);
  parse_expr_attribute(p, e, xml_attribute_of(e, "name"), &u->name);
  parse_expr_text(p, bpmn_child(e, "documentation"), &u->description);
  parse_task_listeners(p, e, &u->listeners);
  vendor_expr(p, e, "taskIdVariableName", &u->id_variable);
  vendor_expr(p, e, "taskCompleterVariableName", &u->completer_variable);
}
