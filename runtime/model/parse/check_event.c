/* The rules of events: which definition may stand on which event, and what may not stand twice. */
#include <string.h>

#include "model/parse/parse_internal.h"

/* ---- Which definition where ------------------------------------------------------------------ */

#define BIT(type) (1u << EVENT_##type)

static uint32_t allowed_types(node_type type) {
  switch (type) {
    case NODE_END_EVENT:
      return BIT(NONE) | BIT(ERROR) | BIT(TERMINATE) | BIT(CANCEL) | BIT(MESSAGE) | BIT(SIGNAL) | BIT(ESCALATION) |
             BIT(COMPENSATE);
    case NODE_CATCH_EVENT: return BIT(TIMER) | BIT(MESSAGE) | BIT(SIGNAL) | BIT(CONDITIONAL) | BIT(LINK);
    case NODE_THROW_EVENT: return BIT(NONE) | BIT(MESSAGE) | BIT(SIGNAL) | BIT(ESCALATION) | BIT(COMPENSATE) | BIT(LINK);
    case NODE_BOUNDARY_EVENT:
      return BIT(TIMER) | BIT(MESSAGE) | BIT(SIGNAL) | BIT(ERROR) | BIT(ESCALATION) | BIT(CONDITIONAL) | BIT(COMPENSATE) |
             BIT(CANCEL);
    default: return UINT32_MAX; /* start events are judged with their scope */
  }
}

static const char *events_of(parser *p, uint32_t types) {
  const char *list = "";
  for (event_type t = EVENT_TIMER; t <= EVENT_TERMINATE; t++)
    if (types & (1u << t)) list = parse_printf(p, "%s%s%s", list, *list ? ", " : "", event_type_name(t));
  return list;
}

/* An event whose definition the grammar refused has been reported already. */
static bool has_unknown_definition(const xml_element *e) {
  for (const xml_element *child = e->first; child; child = child->next) {
    size_t n = strlen(child->name);
    if (n > 15 && strcmp(child->name + n - 15, "EventDefinition") == 0) return true;
    if (is_bpmn(child, "eventDefinitionRef")) return true;
  }
  return extension_next(e, NULL, "eventType") || extension_next(e, NULL, "variableListenerEventDefinition");
}

static void check_event_type(parser *p, const node *n) {
  const xml_element *e = element_of(p, n);
  uint32_t allowed = allowed_types(n->type);
  if (n->type == NODE_END_EVENT && p->dialect->end_events_restricted) allowed &= ~(BIT(SIGNAL) | BIT(COMPENSATE));
  if (allowed & (1u << n->event.type)) return;
  if (n->event.type != EVENT_NONE)
    parse_error(p, e, NULL, "%s cannot have a %s definition; allowed: %s", node_label(p, n), event_type_name(n->event.type),
                events_of(p, allowed));
  else if (!has_unknown_definition(e))
    parse_error(p, e, NULL, "%s has no event definition; it must have one of: %s", node_label(p, n), events_of(p, allowed));
}

static bool has_cancel_boundary(const node *transaction) {
  for (uint32_t i = 0; i < transaction->n_boundary; i++)
    if (transaction->boundary[i]->event.type == EVENT_CANCEL) return true;
  return false;
}

static void check_cancel_end(parser *p, const node *n) {
  if (n->type != NODE_END_EVENT || n->event.type != EVENT_CANCEL) return;
  if (n->scope->type != NODE_TRANSACTION)
    parse_error(p, element_of(p, n), NULL, "end event \"%s\" with cancelEventDefinition only supported inside "
                                           "transaction subprocess", n->id);
  else if (!has_cancel_boundary(n->scope))
    parse_warning(p, element_of(p, n), NULL,
                  "transaction \"%s\" has no cancel boundary event: when \"%s\" cancels it, its path ends", n->scope->id,
                  n->id);
}

/* ---- What may not stand twice ---------------------------------------------------------------- */

/* The first event of these that a key stands for; this one when there was none. */
static const node *first_of(parser *p, names *seen, const char *kind, const char *text, const node *n) {
  const char *key = parse_printf(p, "%s:%s", kind, text);
  const node *first = names_get(seen, key);
  if (!first && !names_put(seen, key, (void *)(uintptr_t)n)) parse_memory(p);
  return first ? first : n;
}

static const node *first_known(parser *p, const names *seen, const char *kind, const char *text) {
  return names_get(seen, parse_printf(p, "%s:%s", kind, text));
}

/* An escalation event without a code catches every code. */
static const node *same_escalation(parser *p, names *seen, const node *n) {
  bool given = expr_given(&n->event.name);
  if (p->dialect->model_checks_lenient) return NULL;
  const node *first = first_of(p, seen, "escalation", "", n);
  const node *alike = first_of(p, seen, given ? "code" : "every code", given ? n->event.name.text : "", n);
  if (!given) return first;
  const node *every = first_known(p, seen, "every code", "");
  return alike == n && every ? every : alike;
}

/* The first event of an activity or scope that would be triggered by what triggers this one: NULL or the event itself:
 * there is none. */
static const node *same_trigger(parser *p, names *seen, const node *n) {
  const expr *name = &n->event.name, *condition = &n->event.condition;
  switch (n->event.type) {
    case EVENT_MESSAGE: return expr_given(name) ? first_of(p, seen, "message", name->text, n) : NULL;
    case EVENT_SIGNAL:
      return expr_given(name) && !p->dialect->signal_twice_in_scope_allowed ? first_of(p, seen, "signal", name->text, n) : NULL;
    case EVENT_CONDITIONAL:
      return n->type == NODE_START_EVENT && expr_given(condition) ? first_of(p, seen, "condition", condition->text, n) : NULL;
    case EVENT_ESCALATION: return same_escalation(p, seen, n);
    case EVENT_COMPENSATE: return first_of(p, seen, "compensation", "", n);
    case EVENT_CANCEL: return first_of(p, seen, "cancel", "", n);
    default: return NULL;
  }
}

static void report_same(parser *p, const node *a, const node *b, const node *owner) {
  const xml_element *e = element_of(p, b);
  const char *name = expr_given(&b->event.name) ? b->event.name.text : "";
  switch (b->event.type) {
    case EVENT_MESSAGE:
    case EVENT_SIGNAL:
      parse_error(p, e, NULL,
                  "Cannot have more than one %s event subscription with name \"%s\" for scope \"%s\": \"%s\" and \"%s\"",
                  event_type_name(b->event.type), name, owner->id, a->id, b->id);
      return;
    case EVENT_CONDITIONAL:
      parse_error(p, e, NULL, "Cannot have more than one conditional event subscription with the same condition \"%s\"",
                  b->event.condition.text);
      return;
    case EVENT_ESCALATION:
      parse_error(
          p, e, NULL,
          "multiple escalation events with the same escalationCode \"%s\" (none catches every code) are not supported on the "
          "same scope \"%s\": \"%s\" and \"%s\"",
          name, owner->id, a->id, b->id);
      return;
    case EVENT_COMPENSATE:
      parse_error(p, e, NULL,
                  "multiple %s with compensation events are not supported on the same scope \"%s\": \"%s\" and \"%s\"",
                  b->type == NODE_BOUNDARY_EVENT ? "boundary events" : "event subprocesses", owner->id, a->id, b->id);
      return;
    default:
      parse_error(
          p, e, NULL,
          "multiple boundary events with cancelEventDefinition not supported on same transaction subprocess: \"%s\" and \"%s\"",
          a->id, b->id);
  }
}

/* Each event is held against the first like it, not against each: that is one problem for each that is too many. */
static void check_same(parser *p, names *seen, const node *n, const node *owner) {
  const node *first = same_trigger(p, seen, n);
  if (first && first != n) report_same(p, first, n, owner);
}

/* Start events of the scope itself (a process) and of its event sub-processes. */
static void check_scope_starts(parser *p, const node *scope) {
  names own = {.arena = p->scratch}, inner = {.arena = p->scratch};
  for (uint32_t i = 0; i < scope->n_children; i++)
    if (scope->children[i]->type == NODE_START_EVENT) check_same(p, &own, scope->children[i], scope);
  for (uint32_t i = 0; i < scope->n_event_subprocesses; i++)
    if (scope->event_subprocesses[i]->start) check_same(p, &inner, scope->event_subprocesses[i]->start, scope);
}

static void check_links(parser *p, const node *scope) {
  names seen = {.arena = p->scratch};
  for (uint32_t i = 0; i < scope->n_children; i++) {
    const node *n = scope->children[i];
    if (n->type != NODE_CATCH_EVENT || n->event.type != EVENT_LINK || !expr_given(&n->event.name)) continue;
    if (first_of(p, &seen, "link", n->event.name.text, n) != n)
      parse_error(p, element_of(p, n), NULL,
                  "Multiple Intermediate Catch Events with the same link event name (\"%s\") are not allowed",
                  n->event.name.text);
  }
}

/* ---- Boundary events ------------------------------------------------------------------------- */

static void check_boundary_event(parser *p, const node *n) {
  const xml_element *e = element_of(p, n);
  const node *activity = n->attached_to;
  event_type type = n->event.type;
  if (type == EVENT_CANCEL && activity->type != NODE_TRANSACTION)
    parse_error(p, e, NULL, "boundary event \"%s\" with cancelEventDefinition only supported on transaction subprocesses",
                n->id);
  if (type == EVENT_ESCALATION && !p->dialect->model_checks_lenient && !node_is_scope(activity) &&
      activity->type != NODE_CALL_ACTIVITY && activity->type != NODE_USER_TASK)
    parse_error(
        p, e, NULL,
        "An escalation boundary event should only be attached to a subprocess, a call activity or an user "
        "task, but \"%s\" is %s",
        activity->id, activity->element);
  if (type == EVENT_COMPENSATE && !activity->compensation_handler && !p->cut[n->index])
    parse_report(p, p->dialect->idle_elements_warn, e, e->line, e->column,
                 "compensation boundary catch \"%s\" must be connected to element with isForCompensation=true", n->id);
  if (activity->triggered_by_event)
    parse_report(p, p->dialect->model_checks_lenient, e, e->line, e->column,
                 "event sub-process \"%s\" cannot have the boundary event \"%s\"", activity->id, n->id);
}

static bool is_named_event(const node *n) {
  return (n->event.type == EVENT_MESSAGE || n->event.type == EVENT_SIGNAL) && expr_given(&n->event.name);
}

void check_boundary_events(parser *p, const node *activity) {
  names seen = {.arena = p->scratch};
  /* A receive task waits beside its boundary events; one that is multi-instance waits within. */
  bool waits_itself = activity->type == NODE_RECEIVE_TASK && is_named_event(activity) && !activity->multi;
  if (waits_itself && !p->dialect->signal_twice_in_scope_allowed) (void)same_trigger(p, &seen, activity);
  for (uint32_t i = 0; i < activity->n_boundary; i++) {
    check_boundary_event(p, activity->boundary[i]);
    check_same(p, &seen, activity->boundary[i], activity);
  }
}

void check_gateway_events(parser *p, const node *gateway) {
  names seen = {.arena = p->scratch};
  if (p->dialect->signal_twice_in_scope_allowed) return;
  for (uint32_t i = 0; i < gateway->n_outgoing; i++)
    if (is_named_event(gateway->outgoing[i]->target)) check_same(p, &seen, gateway->outgoing[i]->target, gateway);
}

/* Where an activity and its events are one scope for subscriptions, its boundary events and the event sub-processes inside
 * it share it. */
static void check_shared_names(parser *p, const node *activity) {
  names seen = {.arena = p->scratch};
  for (uint32_t i = 0; i < activity->n_boundary; i++) {
    const node *boundary = activity->boundary[i];
    if (is_named_event(boundary))
      (void)first_of(p, &seen, event_type_name(boundary->event.type), boundary->event.name.text, boundary);
  }
  for (uint32_t i = 0; i < activity->n_event_subprocesses; i++) {
    const node *start = activity->event_subprocesses[i]->start;
    if (!start || !is_named_event(start)) continue;
    const node *boundary = first_known(p, &seen, event_type_name(start->event.type), start->event.name.text);
    if (boundary) report_same(p, boundary, start, activity);
  }
}

void check_events(parser *p, const node *n) {
  if (node_is_scope(n)) {
    check_scope_starts(p, n);
    if (p->dialect->event_names_shared) check_shared_names(p, n);
    check_links(p, n);
  } else if (n->type >= NODE_START_EVENT && n->type <= NODE_BOUNDARY_EVENT) {
    check_event_type(p, n);
    check_cancel_end(p, n);
  }
}
