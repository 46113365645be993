/* After parsing: ids become pointers, and what follows from the shape of the graph is derived. Unresolved references are
 * problems; whatever they would have filled stays NULL, which the checks allow for. */
#include <string.h>

#include "model/parse/parse_internal.h"

/* ---- Arrays and ids -------------------------------------------------------------------------- */

static void *copy_items(parser *p, const vector *v) {
  void **items = PARSE_ARRAY(p, void *, v->count);
  if (v->count) memcpy(items, v->items, v->count * sizeof *items);
  return items;
}

static names *new_names(parser *p) {
  names *map = PARSE_NEW(p, names);
  map->arena = p->arena;
  return map;
}

static void put_reference(parser *p, names *map, const char *id, void *value) {
  if (id && !names_get(map, id) && !names_put(map, id, value)) parse_memory(p); /* doubles were reported with the ids */
}

static void collect_nodes(parser *p) {
  definition *d = p->d;
  d->nodes = copy_items(p, &p->nodes);
  d->n_nodes = p->nodes.count;
  d->flows = copy_items(p, &p->flows);
  d->n_flows = p->flows.count;
  p->handlers = ARENA_ARRAY(p->scratch, bool, d->n_nodes);
  p->compensated = ARENA_ARRAY(p->scratch, bool, d->n_nodes);
  p->cut = ARENA_ARRAY(p->scratch, bool, d->n_nodes);
  if (!p->handlers || !p->compensated || !p->cut) parse_memory(p);
  names *nodes = new_names(p), *flows = new_names(p);
  for (uint32_t i = 0; i < d->n_nodes; i++) put_reference(p, nodes, d->nodes[i]->id, d->nodes[i]);
  for (uint32_t i = 0; i < d->n_flows; i++) put_reference(p, flows, d->flows[i]->id, d->flows[i]);
  d->node_ids = nodes;
  d->flow_ids = flows;
}

static node *referred(parser *p, const xml_element *e, const char *attribute) {
  const char *id = parse_trimmed(p, xml_value(e, attribute));
  return id ? definition_node(p->d, id) : NULL;
}

/* Does the attribute refer to an element that was refused already? */
static bool refers_to_refused(parser *p, const xml_element *e, const char *attribute) {
  const char *id = parse_trimmed(p, xml_value(e, attribute));
  return id && names_get(&p->left_out, id);
}

/* ---- Flows ----------------------------------------------------------------------------------- */

static node *flow_end(parser *p, const flow *f, const char *attribute, const char *what) {
  const xml_element *e = element_of_flow(p, f);
  const xml_attribute *a = xml_attribute_of(e, attribute);
  node *n = referred(p, e, attribute);
  if (!n && !refers_to_refused(p, e, attribute))
    parse_error(p, e, a, "Invalid %s \"%.200s\" of sequence flow \"%s\"%s", what, a ? a->value : "", f->id ? f->id : "",
                a ? ": there is no such element" : "");
  return n;
}

static void link_flow(parser *p, flow *f) {
  node *source = flow_end(p, f, "sourceRef", "source"), *target = flow_end(p, f, "targetRef", "destination");
  const xml_element *e = element_of_flow(p, f);
  if (source && !target && refers_to_refused(p, e, "targetRef")) p->cut[source->index] = true;
  if (target && !source && refers_to_refused(p, e, "sourceRef")) p->cut[target->index] = true;
  if (!source || !target) return;
  if (source->scope != target->scope) {
    parse_error(p, element_of_flow(p, f), NULL, "the sequence flow \"%s\" from \"%s\" to \"%s\" crosses the "
                                                "border of a sub-process or process",
                f->id ? f->id : "", source->id, target->id);
    return;
  }
  f->source = source;
  f->target = target;
  source->n_outgoing++;
  target->n_incoming++;
}

static void link_flows(parser *p) {
  definition *d = p->d;
  for (uint32_t i = 0; i < d->n_flows; i++) link_flow(p, d->flows[i]);
  for (uint32_t i = 0; i < d->n_nodes; i++) {
    node *n = d->nodes[i];
    n->incoming = PARSE_ARRAY(p, flow *, n->n_incoming);
    n->outgoing = PARSE_ARRAY(p, flow *, n->n_outgoing);
    n->n_incoming = n->n_outgoing = 0;
  }
  for (uint32_t i = 0; i < d->n_flows; i++) {
    flow *f = d->flows[i];
    if (!f->source) continue;
    f->source->outgoing[f->source->n_outgoing++] = f;
    f->target->incoming[f->target->n_incoming++] = f;
    node *scope = f->target->scope;
    uint32_t least = p->dialect->inclusive_join == INCLUSIVE_JOIN_ALL ? 1 : 2;
    f->target->joins = f->target->type == NODE_INCLUSIVE_GATEWAY && f->target->n_incoming >= least;
    if (scope && f->target->joins) scope->joins_inclusively = true;
  }
}

static void link_default_flow(parser *p, node *n) {
  const xml_element *e = element_of(p, n);
  const xml_attribute *a = n->type == NODE_PROCESS ? NULL : xml_attribute_of(e, "default");
  const char *id = a ? parse_trimmed(p, a->value) : NULL;
  if (!id) return;
  for (uint32_t i = 0; i < n->n_outgoing; i++)
    if (n->outgoing[i]->id && strcmp(n->outgoing[i]->id, id) == 0) n->default_flow = n->outgoing[i];
  if (!n->default_flow && !p->cut[n->index])
    parse_error(p, e, a, "the default flow \"%s\" of %s is not one of its outgoing sequence flows", id, node_label(p, n));
}

/* ---- Boundary events ------------------------------------------------------------------------- */

static void link_boundary_event(parser *p, node *n) {
  const xml_element *e = element_of(p, n);
  const xml_attribute *a = xml_attribute_of(e, "attachedToRef");
  node *activity = referred(p, e, "attachedToRef");
  if (!a) {
    parse_error(p, e, NULL, "%s must have an attachedToRef: the activity it belongs to", node_label(p, n));
  } else if (!activity && refers_to_refused(p, e, "attachedToRef")) {
    p->cut[n->index] = true;
  } else if (!activity || !node_is_activity(activity)) {
    parse_error(p, e, a, "%s is attached to \"%.200s\", which is no activity of this process", node_label(p, n), a->value);
  } else if (activity->scope != n->scope) {
    parse_error(p, e, a, "Invalid reference in boundary event \"%s\": the activity \"%s\" must be in the same scope", n->id,
                activity->id);
  } else {
    n->attached_to = activity;
    activity->n_boundary++;
  }
}

static void link_boundary_events(parser *p) {
  definition *d = p->d;
  for (uint32_t i = 0; i < d->n_nodes; i++)
    if (d->nodes[i]->type == NODE_BOUNDARY_EVENT) link_boundary_event(p, d->nodes[i]);
  for (uint32_t i = 0; i < d->n_nodes; i++) {
    node *n = d->nodes[i];
    n->boundary = PARSE_ARRAY(p, node *, n->n_boundary);
    n->n_boundary = 0;
  }
  for (uint32_t i = 0; i < d->n_nodes; i++) {
    node *activity = d->nodes[i]->attached_to;
    if (!activity) continue;
    activity->boundary[activity->n_boundary++] = d->nodes[i];
    if (d->nodes[i]->event.type == EVENT_COMPENSATE) p->compensated[activity->index] = true;
  }
}

/* ---- Compensation ---------------------------------------------------------------------------- */

static void link_handler(parser *p, const xml_element *association, node *boundary, node *handler) {
  node *activity = boundary->attached_to;
  if (handler) p->handlers[handler->index] = true;
  if (!handler || !node_is_activity(handler)) return; /* an annotation */
  if (!handler->for_compensation) {
    parse_error(p, association, NULL,
                "compensation boundary catch must be connected to element with isForCompensation=true, but \"%s\" is not",
                handler->id);
  } else if (activity && activity->compensation_handler && activity->compensation_handler != handler) {
    parse_error(p, association, NULL, "the activity \"%s\" has two compensation handlers: \"%s\" and \"%s\"", activity->id,
                activity->compensation_handler->id, handler->id);
  } else if (activity) {
    activity->compensation_handler = handler;
  }
}

static bool is_compensation_boundary(const node *n) {
  return n && n->type == NODE_BOUNDARY_EVENT && n->event.type == EVENT_COMPENSATE;
}

static void check_association_ends(parser *p, const xml_element *e) {
  static const char *const ends[] = {"sourceRef", "targetRef"};
  for (size_t i = 0; i < sizeof ends / sizeof *ends; i++) {
    const char *id = xml_value(e, ends[i]);
    if (!id || *id == '\0') parse_error(p, e, NULL, "association element has no %s", ends[i]);
  }
}

/* Associations say which activity compensates; drawn either way round. */
static void link_associations(parser *p) {
  for (uint32_t i = 0; i < p->associations.count; i++) {
    const xml_element *e = p->associations.items[i];
    check_association_ends(p, e);
    node *source = referred(p, e, "sourceRef"), *target = referred(p, e, "targetRef");
    if (is_compensation_boundary(source) && refers_to_refused(p, e, "targetRef")) p->cut[source->index] = true;
    if (is_compensation_boundary(target) && refers_to_refused(p, e, "sourceRef")) p->cut[target->index] = true;
    if (is_compensation_boundary(source)) link_handler(p, e, source, target);
    else if (is_compensation_boundary(target)) link_handler(p, e, target, source);
  }
}

/* What a throw event may name: an activity beside it, or, from within an event sub-process, beside that. */
static void link_activity_ref(parser *p, node *n) {
  const char *ref = n->event.activity_ref;
  if (!ref || names_get(&p->left_out, ref)) return;
  node *activity = definition_node(p->d, ref);
  bool near = activity &&
              (activity->scope == n->scope || (n->scope->type == NODE_EVENT_SUB_PROCESS && activity->scope == n->scope->scope));
  if (activity && node_is_activity(activity) && (near || p->dialect->model_checks_lenient)) n->event.activity = activity;
  else
    parse_error(p, element_of(p, n), NULL,
                "Invalid attribute value for 'activityRef': no activity with id \"%s\" in scope \"%s\"", ref, n->scope->id);
}

/* ---- Links, starts, scopes ------------------------------------------------------------------- */

static bool is_link(const node *n, node_type type) {
  return n->type == type && n->event.type == EVENT_LINK && n->scope && expr_given(&n->event.name) && n->event.name.text;
}

/* A link's catching event by its scope and name; of several the last, which is reported. */
static const char *link_event_key(parser *p, const node *n) {
  return parse_printf(p, "%u:%s", (unsigned)n->scope->index, n->event.name.text);
}

static void link_links(parser *p) {
  const definition *d = p->d;
  names catches = {.arena = p->scratch};
  for (uint32_t i = 0; i < d->n_nodes; i++)
    if (is_link(d->nodes[i], NODE_CATCH_EVENT) && !names_put(&catches, link_event_key(p, d->nodes[i]), d->nodes[i]))
      parse_memory(p);
  for (uint32_t i = 0; i < d->n_nodes; i++) {
    node *n = d->nodes[i];
    if (!is_link(n, NODE_THROW_EVENT)) continue;
    n->link_target = names_get(&catches, link_event_key(p, n));
    if (!n->link_target)
      parse_error(p, element_of(p, n), NULL, "the link \"%s\" of %s has no catching link event of that name in its scope",
                  n->event.name.text, node_label(p, n));
  }
}

static void link_scope(parser *p, node *scope) {
  scope->event_subprocesses = PARSE_ARRAY(p, node *, scope->n_children);
  node *first = NULL;
  for (uint32_t i = 0; i < scope->n_children; i++) {
    node *n = scope->children[i];
    if (n->type == NODE_EVENT_SUB_PROCESS) scope->event_subprocesses[scope->n_event_subprocesses++] = n;
    if (n->type != NODE_START_EVENT) continue;
    if (!first) first = n;
    if (n->event.type == EVENT_NONE && !scope->start) scope->start = n;
  }
  if (scope->type == NODE_EVENT_SUB_PROCESS) scope->start = first;
}

/* A worker's local variables need a place of their own. */
static bool link_is_external(const node *n) {
  bool service = n->type == NODE_SERVICE_TASK || n->type == NODE_SEND_TASK || n->type == NODE_BUSINESS_RULE_TASK;
  return service && n->service && n->service->run.kind == IMPLEMENTATION_EXTERNAL;
}

/* Camunda's decision task, whose decisionResult is the task's own. */
static bool link_is_decision(const node *n) {
  return n->type == NODE_BUSINESS_RULE_TASK && n->service && n->service->run.kind == IMPLEMENTATION_TYPE &&
         strcmp(n->service->run.type_name, "dmn") == 0;
}

static bool needs_scope(const node *n) {
  if (node_is_scope(n) || link_is_external(n) || link_is_decision(n)) return true;
  if (n->type == NODE_CALL_ACTIVITY) return true; /* its mappings may be local to it */
  for (uint32_t i = 0; i < n->n_boundary; i++)
    if (n->boundary[i]->event.type != EVENT_COMPENSATE) return true;
  return n->n_inputs || n->n_outputs || n->multi || n->loop;
}

static bool waits_for_condition(const node *n) {
  bool starts_process = n->type == NODE_START_EVENT && n->scope->type == NODE_PROCESS;
  return n->event.type == EVENT_CONDITIONAL && !starts_process;
}

void link_definition(parser *p) {
  collect_nodes(p);
  link_flows(p);
  link_boundary_events(p);
  link_associations(p);
  definition *d = p->d;
  for (uint32_t i = 0; i < d->n_nodes; i++) {
    node *n = d->nodes[i];
    link_default_flow(p, n);
    link_activity_ref(p, n);
    if (node_is_scope(n)) link_scope(p, n);
    n->needs_scope = needs_scope(n);
    d->waits_for_conditions = d->waits_for_conditions || waits_for_condition(n);
  }
  link_links(p);
  d->exprs = copy_items(p, &p->exprs);
  d->n_exprs = p->exprs.count;
}
