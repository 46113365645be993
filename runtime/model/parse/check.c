/* The rules of a finished graph: flows, scopes' start events, gateways and activities. Rules about events are in
 * check_event.c. */
#include <string.h>

#include "model/parse/parse_internal.h"

/* ---- Scopes ---------------------------------------------------------------------------------- */

static bool start_allowed(const node *scope, event_type type) {
  switch (scope->type) {
    case NODE_PROCESS:
      return type == EVENT_NONE || type == EVENT_TIMER || type == EVENT_MESSAGE || type == EVENT_SIGNAL ||
             type == EVENT_CONDITIONAL;
    case NODE_EVENT_SUB_PROCESS:
      return type == EVENT_TIMER || type == EVENT_MESSAGE || type == EVENT_SIGNAL || type == EVENT_CONDITIONAL ||
             type == EVENT_ERROR || type == EVENT_ESCALATION || type == EVENT_COMPENSATE;
    default: return type == EVENT_NONE;
  }
}

static void check_start_type(parser *p, const node *scope, const node *start) {
  const xml_element *e = element_of(p, start);
  event_type type = start->event.type;
  if (start_allowed(scope, type)) return;
  if (scope->type == NODE_EVENT_SUB_PROCESS)
    parse_error(
        p, e, NULL,
        "start event \"%s\" of event sub-process \"%s\" must be of type error, message, timer, signal, "
        "escalation, compensation or "
        "conditional, not %s",
        start->id, scope->id, event_type_name(type));
  else if (scope->type == NODE_PROCESS)
    parse_error(p, e, NULL, "start event \"%s\" of a process may be none, timer, message, signal or conditional, not %s",
                start->id, event_type_name(type));
  else
    parse_error(p, e, NULL, "%sEventDefinition is not allowed on start event \"%s\" within a %s; only in an event sub-process",
                event_type_name(type), start->id, scope->element);
}

static void check_compensation_start(parser *p, const node *scope, const node *start) {
  const xml_element *e = element_of(p, start);
  const node *outer = scope->scope;
  if (start->event.type != EVENT_COMPENSATE || scope->type != NODE_EVENT_SUB_PROCESS) return;
  if (outer->type == NODE_PROCESS) {
    parse_error(p, e, NULL, "event subprocess with compensation start event is only supported for embedded subprocess");
    return;
  }
  if (p->compensated[outer->index])
    parse_error(p, element_of(p, outer), NULL,
                "compensation boundary event and event subprocess with compensation start event are not supported on "
                "the same scope \"%s\"",
                outer->id);
}

static void check_starts(parser *p, const node *scope) {
  const xml_element *e = element_of(p, scope);
  uint32_t starts = 0, plain = 0, timers = 0;
  const node *last_plain = NULL;
  for (uint32_t i = 0; i < scope->n_children; i++) {
    const node *n = scope->children[i];
    if (n->type != NODE_START_EVENT) continue;
    starts++;
    timers += n->event.type == EVENT_TIMER;
    if (n->event.type == EVENT_NONE) {
      plain++;
      last_plain = n;
    }
    check_start_type(p, scope, n);
    check_compensation_start(p, scope, n);
    if (scope->type == NODE_EVENT_SUB_PROCESS && n->event.type == EVENT_ERROR && !n->interrupting)
      parse_error(p, element_of(p, n), NULL, "error start event \"%s\" of event subprocess must be interrupting", n->id);
  }
  bool by_event = scope->type == NODE_EVENT_SUB_PROCESS;
  if (starts == 0)
    parse_report(p, p->dialect->start_event_optional && !by_event, e, e->line, e->column,
                 "%s \"%s\" must define a startEvent element", scope->element, scope->id);
  else if (plain > 1)
    parse_error(p, e, NULL, "%s \"%s\" has %u none start events, \"%s\" being the last; one is supported", scope->element,
                scope->id, plain, last_plain->id);
  else if (scope->type == NODE_PROCESS && plain + timers > 1 && !p->dialect->timer_starts_many)
    parse_error(p, e, NULL, "process \"%s\" has %u start events that are none or timer ones; one is supported", scope->id,
                plain + timers);
  else if (starts > 1 && by_event)
    parse_report(p, p->dialect->model_checks_lenient, e, e->line, e->column,
                 "event sub-process \"%s\" has %u start events; one is supported", scope->id, starts);
  else if (starts > 1 && scope->type != NODE_PROCESS)
    parse_error(p, e, NULL, "multiple start events not supported for subprocess \"%s\"", scope->id);
}

/* ---- Flows ----------------------------------------------------------------------------------- */

static void check_flow(parser *p, const flow *f) {
  const xml_element *e = element_of_flow(p, f);
  const char *id = f->id ? f->id : "";
  if (!f->source) return;
  if (f->target->type == NODE_START_EVENT) parse_error(p, e, NULL, "sequence flow \"%s\" leads into the start event \"%s\"", id,
                                                       f->target->id);
  if (f->target->type == NODE_BOUNDARY_EVENT)
    parse_error(p, e, NULL, "sequence flow \"%s\" leads into the boundary event \"%s\"", id, f->target->id);
  if (f->source->type == NODE_END_EVENT)
    parse_error(p, e, NULL, "sequence flow \"%s\" leaves the end event \"%s\"", id, f->source->id);
  if (!f->id && f->source->async_after && p->dialect->async_after_flows_named)
    parse_error(p, e, NULL, "a sequence flow out of \"%s\" needs an id, since that is asynchronous after it", f->source->id);
  const node *by_event = f->source->triggered_by_event ? f->source : f->target->triggered_by_event ? f->target : NULL;
  if (by_event)
    parse_error(p, e, NULL, "Invalid incoming or outgoing sequence flow \"%s\" of event subprocess \"%s\"", id, by_event->id);
  const node *handler = f->source->for_compensation ? f->source : f->target->for_compensation ? f->target : NULL;
  if (handler)
    parse_error(p, element_of(p, handler), NULL,
                "Invalid %s sequence flow of compensation activity \"%s\". A compensation activity should not have an "
                "incoming or outgoing sequence flow.",
                handler == f->source ? "outgoing" : "incoming", handler->id);
}

static void check_reachable(parser *p, const node *n) {
  bool entered = n->n_incoming || n->type == NODE_PROCESS || n->type == NODE_START_EVENT || n->type == NODE_BOUNDARY_EVENT ||
                 n->triggered_by_event || n->for_compensation || n->event.type == EVENT_LINK || p->cut[n->index];
  if (!entered)
    parse_warning(p, element_of(p, n), NULL, "%s has no incoming sequence flow: it is never reached", node_label(p, n));
}

/* ---- Gateways -------------------------------------------------------------------------------- */

#define LISTED_BYTES_MAX 300 /* of the flows that a message names */

static void check_exclusive(parser *p, const node *n) {
  const xml_element *e = element_of(p, n);
  const char *unconditional = "", *comma = "";
  uint32_t count = 0;
  for (uint32_t i = 0; i < n->n_outgoing; i++) {
    const flow *f = n->outgoing[i];
    const xml_element *at = element_of_flow(p, f);
    if (f == n->default_flow && expr_given(&f->condition)) {
      parse_report(p, p->dialect->exclusive_default_condition_warns, at, at->line, at->column,
                   "exclusive gateway \"%s\": sequence flow \"%s\" is the default flow but has a condition too", n->id, f->id);
    } else if (f != n->default_flow && !expr_given(&f->condition)) {
      bool told = strlen(unconditional) < LISTED_BYTES_MAX;
      if (told) unconditional = parse_printf(p, "%s%s\"%s\"", unconditional, comma, f->id ? f->id : f->target->id);
      comma = ", ";
      count++;
    }
  }
  if (count > 1 || (count && n->default_flow))
    parse_report(p, p->dialect->exclusive_unconditional_warns, e, e->line, e->column,
                 "exclusive gateway \"%s\": outgoing sequence flow without condition which is not the default flow: %.300s",
                 n->id, unconditional);
  else if (count)
    parse_warning(
        p, e, NULL,
        "exclusive gateway \"%s\": sequence flow %.100s has no condition and is not the default flow; make it the default",
        n->id, unconditional);
}

static void check_event_gateway(parser *p, const node *n) {
  const xml_element *e = element_of(p, n);
  const xml_attribute *instantiate = xml_attribute_of(e, "instantiate");
  if (parse_bool(p, e, instantiate, false))
    parse_error(p, e, instantiate, "event-based gateways that start a process (instantiate) are not supported");
  if (n->n_outgoing == 0) parse_error(p, e, NULL, "%s has no outgoing sequence flows", node_label(p, n));
  if (n->n_outgoing == 1)
    parse_warning(p, e, NULL, "%s has one outgoing sequence flow: there is nothing to choose between", node_label(p, n));
  for (uint32_t i = 0; i < n->n_outgoing; i++) {
    const node *target = n->outgoing[i]->target;
    bool catches = (target->type == NODE_CATCH_EVENT && target->event.type != EVENT_LINK) || target->type == NODE_RECEIVE_TASK;
    if (target->type == NODE_CATCH_EVENT && target->event.type == EVENT_LINK)
      parse_error(p, element_of(p, target), NULL, "IntermediateCatchLinkEvent \"%s\" is not allowed after an EventBasedGateway",
                  target->id);
    else if (!catches)
      parse_error(p, e, NULL,
                  "Event based gateway \"%s\" can only be connected to catching events and receive tasks, but \"%s\" is %s",
                  n->id, target->id, target->element);
    else if (target->n_incoming > 1)
      parse_report(
          p, p->dialect->event_gateway_extra_incoming, e, e->line, e->column,
          "Invalid incoming sequenceflow for \"%s\", connected to the event-based gateway \"%s\": it must have no other",
          target->id, n->id);
  }
  check_gateway_events(p, n);
}

static void check_gateway(parser *p, const node *n) {
  const xml_element *e = element_of(p, n);
  if (p->cut[n->index]) return; /* how many flows leave it is not known */
  if (n->type == NODE_EVENT_GATEWAY) {
    check_event_gateway(p, n);
  } else if (n->type == NODE_EXCLUSIVE_GATEWAY && n->n_outgoing == 0) {
    parse_error(p, e, NULL, "exclusive gateway \"%s\" has no outgoing sequence flows", n->id);
  } else if (n->type == NODE_EXCLUSIVE_GATEWAY && n->n_outgoing == 1) {
    if (expr_given(&n->outgoing[0]->condition))
      parse_error(p, e, NULL,
                  "exclusive gateway \"%s\" has only one outgoing sequence flow, which is not allowed to have a condition",
                  n->id);
  } else if (n->type == NODE_EXCLUSIVE_GATEWAY) {
    check_exclusive(p, n);
  }
}

/* ---- Activities ------------------------------------------------------------------------------ */

static void check_activity(parser *p, const node *n) {
  const xml_element *e = element_of(p, n);
  if (n->instantiate)
    parse_error(p, e, xml_attribute_of(e, "instantiate"), "receive tasks that start a process (instantiate) are not supported");
  if (n->for_compensation && !n->triggered_by_event && !p->handlers[n->index])
    parse_warning(p, e, NULL,
                  "%s is for compensation, but no compensation boundary event is associated with it: it is never reached",
                  node_label(p, n));
  check_boundary_events(p, n);
}

void check_definition(parser *p) {
  const definition *d = p->d;
  for (uint32_t i = 0; i < d->n_flows; i++) check_flow(p, d->flows[i]);
  for (uint32_t i = 0; i < d->n_nodes; i++) {
    const node *n = d->nodes[i];
    check_reachable(p, n);
    if (node_is_scope(n)) check_starts(p, n);
    if (node_is_activity(n)) check_activity(p, n);
    else if (node_is_gateway(n)) check_gateway(p, n);
    check_events(p, n);
  }
}
