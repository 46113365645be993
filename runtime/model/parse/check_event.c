/* The rules of events: which definition may stand on which event, and what may not stand twice. */
#include <string.h>

#include "model/parse/parse_internal.h"

/* ---- Which definition where --------------------------------------------------------------------------------------------------- */

#define BIT(type) (1u << EVENT_##type)

static uint32_t allowed_types(node_type type) {
  switch (type) {
    case NODE_END_EVENT:
      return BIT(NONE) | BIT(ERROR) | BIT(TERMINATE) | BIT(CANCEL) | BIT(MESSAGE) | BIT(SIGNAL) | BIT(ESCALATION) | BIT(COMPENSATE);
    case NODE_CATCH_EVENT: return BIT(TIMER) | BIT(MESSAGE) | BIT(SIGNAL) | BIT(CONDITIONAL) | BIT(LINK);
    case NODE_THROW_EVENT: return BIT(NONE) | BIT(MESSAGE) | BIT(SIGNAL) | BIT(ESCALATION) | BIT(COMPENSATE) | BIT(LINK);
    case NODE_BOUNDARY_EVENT:
      return BIT(TIMER) | BIT(MESSAGE) | BIT(SIGNAL) | BIT(ERROR) | BIT(ESCALATION) | BIT(CONDITIONAL) | BIT(COMPENSATE) | BIT(CANCEL);
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
  if (n->type == NODE_END_EVENT && p->dialect->end_events_few) allowed &= ~(BIT(SIGNAL) | BIT(COMPENSATE));
  if (allowed & (1u << n->event.type)) return;
  if (n->event.type != EVENT_NONE)
    parse_error(p, e, NULL, "%s cannot have a %s definition; allowed: %s", node_label(p, n), event_type_name(n->event.type),
                events_of(p, allowed));
  else if (!has_unknown_definition(e))
    parse_error(p, e, NULL, "%s has no event definition; it must have one of: %s", node_label(p, n), events_of(p, allowed));
}

static void check_cancel_end(parser *p, const node *n) {
  if (n->type == NODE_END_EVENT && n->event.type == EVENT_CANCEL && n->scope->type != NODE_TRANSACTION)
    parse_error(p, element_of(p, n), NULL, "end event \"%s\" with cancelEventDefinition only supported inside "
                                           "transaction subprocess", n->id);
}

/* ---- What may not stand twice ------------------------------------------------------------------------------------------------- */

static bool same_text(const expr *a, const expr *b) {
  if (!expr_given(a) || !expr_given(b)) return expr_given(a) == expr_given(b);
  return strcmp(a->text, b->text) == 0;
}

/* Two events of one activity or scope that the same thing would trigger. */
static void check_pair(parser *p, const node *a, const node *b, const node *owner) {
  const xml_element *e = element_of(p, b);
  event_type type = a->event.type;
  if (type != b->event.type) return;
  bool lenient = p->dialect->model_checks_lenient;
  const char *name = expr_given(&b->event.name) ? b->event.name.text : "";
  if (type == EVENT_MESSAGE && expr_given(&a->event.name) && same_text(&a->event.name, &b->event.name))
    parse_error(p, e, NULL, "Cannot have more than one message event subscription with name \"%s\" for scope "
                            "\"%s\": \"%s\" and \"%s\"", name,
                owner->id, a->id, b->id);
  if (type == EVENT_SIGNAL && expr_given(&a->event.name) && same_text(&a->event.name, &b->event.name) &&
      !p->dialect->signal_twice_in_scope_allowed && b->type == NODE_START_EVENT && (a->interrupting || b->interrupting))
    parse_error(p, e, NULL, "Cannot have more than one signal event subscription with name \"%s\" for scope "
                            "\"%s\": \"%s\" and \"%s\"", name,
                owner->id, a->id, b->id);
  if (type == EVENT_CONDITIONAL && b->type == NODE_START_EVENT && expr_given(&a->event.condition) &&
      same_text(&a->event.condition, &b->event.condition))
    parse_error(p, e, NULL, "Cannot have more than one conditional event subscription with the same condition \"%s\"",
                b->event.condition.text);
  if (type == EVENT_ESCALATION && !lenient &&
      (same_text(&a->event.name, &b->event.name) || !expr_given(&a->event.name) || !expr_given(&b->event.name)))
    parse_error(
        p, e, NULL,
        "multiple escalation events with the same escalationCode \"%s\" (none catches every code) are not "
        "supported on the same scope \"%s\": "
        "\"%s\" and \"%s\"",
        name, owner->id, a->id, b->id);
  if (type == EVENT_COMPENSATE)
    parse_error(p, e, NULL, "multiple %s with compensation events are not supported on the same scope \"%s\": \"%s\" and \"%s\"",
                b->type == NODE_BOUNDARY_EVENT ? "boundary events" : "event subprocesses", owner->id, a->id, b->id);
  if (type == EVENT_CANCEL)
    parse_error(p, e, NULL,
                "multiple boundary events with cancelEventDefinition not supported on same transaction "
                "subprocess: \"%s\" and \"%s\"", a->id,
                b->id);
}

/* Start events of the scope itself (a process) and of its event sub-processes. */
static void check_scope_starts(parser *p, const node *scope) {
  node **starts = ARENA_ARRAY(p->scratch, node *, scope->n_children + 1);
  if (!starts) parse_memory(p);
  uint32_t count = 0;
  for (uint32_t i = 0; i < scope->n_children; i++)
    if (scope->children[i]->type == NODE_START_EVENT) starts[count++] = scope->children[i];
  for (uint32_t i = 0; i < count; i++)
    for (uint32_t k = 0; k < i; k++) check_pair(p, starts[k], starts[i], scope);
  count = 0;
  for (uint32_t i = 0; i < scope->n_event_subprocesses; i++)
    if (scope->event_subprocesses[i]->start) starts[count++] = scope->event_subprocesses[i]->start;
  for (uint32_t i = 0; i < count; i++)
    for (uint32_t k = 0; k < i; k++) check_pair(p, starts[k], starts[i], scope);
}

static void check_links(parser *p, const node *scope) {
  for (uint32_t i = 0; i < scope->n_children; i++) {
    const node *a = scope->children[i];
    if (a->type != NODE_CATCH_EVENT || a->event.type != EVENT_LINK || !expr_given(&a->event.name)) continue;
    for (uint32_t k = 0; k < i; k++) {
      const node *b = scope->children[k];
      if (b->type == NODE_CATCH_EVENT && b->event.type == EVENT_LINK && expr_given(&b->event.name) &&
          same_text(&a->event.name, &b->event.name))
        parse_error(p, element_of(p, a), NULL, "Multiple Intermediate Catch Events with the same link event name (\"%s\") are not allowed",
                    a->event.name.text);
    }
  }
}

/* ---- Boundary events ---------------------------------------------------------------------------------------------------------- */

static void check_boundary_event(parser *p, const node *n) {
  const xml_element *e = element_of(p, n);
  const node *activity = n->attached_to;
  event_type type = n->event.type;
  if (type == EVENT_CANCEL && activity->type != NODE_TRANSACTION)
    parse_error(p, e, NULL, "boundary event \"%s\" with cancelEventDefinition only supported on transaction subprocesses", n->id);
  if (type == EVENT_ESCALATION && !p->dialect->model_checks_lenient && !node_is_scope(activity) &&
      activity->type != NODE_CALL_ACTIVITY && activity->type != NODE_USER_TASK)
    parse_error(p, e, NULL,
                "An escalation boundary event should only be attached to a subprocess, a call activity or an user task, but \"%s\" is %s",
                activity->id, activity->element);
  if (type == EVENT_COMPENSATE && !activity->compensation_handler && !p->cut[n->index])
    parse_report(p, p->dialect->idle_elements_warn, e, e->line, e->column,
                 "compensation boundary catch \"%s\" must be connected to element with isForCompensation=true", n->id);
  if (activity->triggered_by_event)
    parse_report(p, p->dialect->model_checks_lenient, e, e->line, e->column,
                 "event sub-process \"%s\" cannot have the boundary event \"%s\"", activity->id, n->id);
}

void check_boundary_events(parser *p, const node *activity) {
  for (uint32_t i = 0; i < activity->n_boundary; i++) {
    check_boundary_event(p, activity->boundary[i]);
    for (uint32_t k = 0; k < i; k++) check_pair(p, activity->boundary[k], activity->boundary[i], activity);
  }
}

/* Where an activity and its events are one scope for subscriptions, its boundary events and the event sub-processes inside it share it. */
static void check_shared_names(parser *p, const node *activity) {
  for (uint32_t i = 0; i < activity->n_boundary; i++)
    for (uint32_t k = 0; k < activity->n_event_subprocesses; k++) {
      const node *boundary = activity->boundary[i], *start = activity->event_subprocesses[k]->start;
      event_type type = boundary->event.type;
      bool named = type == EVENT_MESSAGE || type == EVENT_SIGNAL;
      if (!start || start->event.type != type || !named || !expr_given(&boundary->event.name)) continue;
      if (same_text(&boundary->event.name, &start->event.name))
        parse_error(p, element_of(p, start), NULL, "Cannot have more than one %s event subscription with name \"%s\" for scope \"%s\": "
                    "\"%s\" and \"%s\"", event_type_name(type), boundary->event.name.text, activity->id, boundary->id, start->id);
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
