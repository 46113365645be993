/* Checks the instructions of a plan against the two models. */
#include <string.h>

#include "command/migration/migration_internal.h"

/* One pair of an instruction. */
typedef struct pair {
  const migration *m;
  const node *from, *to;
  obstacles *obstacles;
} pair;

static struct obstacle_at at_nodes(const pair *p) {
  return (struct obstacle_at){.activity = p->from->id, .target = p->to->id};
}

/* ---- Kind ------------------------------------------------------------------------------------ */

/* Activities that wait in the same way are of one kind: all tasks that run an implementation. */
static node_type pair_kind(const node *n) {
  switch (n->type) {
    case NODE_TRANSACTION: case NODE_EVENT_SUB_PROCESS: return NODE_SUB_PROCESS;
    case NODE_SEND_TASK: case NODE_SCRIPT_TASK: case NODE_BUSINESS_RULE_TASK: return NODE_SERVICE_TASK;
    case NODE_MANUAL_TASK: return NODE_TASK;
    default: return n->type;
  }
}

static bool node_is_external(const node *n) {
  return pair_kind(n) == NODE_SERVICE_TASK && n->service->run.kind == IMPLEMENTATION_EXTERNAL;
}

static bool same_event(const node *from, const node *to) {
  return from->event.type == to->event.type || pair_kind(from) == NODE_SERVICE_TASK;
}

bool migration_same_kind(const node *from, const node *to) {
  return pair_kind(from) == pair_kind(to) && same_event(from, to) && node_is_external(from) == node_is_external(to);
}

static void check_kind(const pair *p) {
  const node *from = p->from, *to = p->to;
  if (migration_same_kind(from, to)) return;
  if (pair_kind(from) != pair_kind(to))
    obstacle_add(p->obstacles, at_nodes(p),
                 "\"%s\" is a %s and \"%s\" a %s: only activities of one kind can be mapped",
                 from->id, from->element, to->id, to->element);
  else if (!same_event(from, to))
    obstacle_add(p->obstacles, at_nodes(p),
                 "the event of \"%s\" is of type %s, that of \"%s\" of type %s", from->id,
                 event_type_name(from->event.type), to->id, event_type_name(to->event.type));
  else
    obstacle_add(p->obstacles, at_nodes(p), "only one of \"%s\" and \"%s\" is an external task",
                 from->id, to->id);
}

static const char *loop_name(const node *n) {
  if (n->loop) return "a standard loop";
  if (!n->multi) return "no loop";
  return n->multi->sequential ? "a sequential multi-instance" : "a parallel multi-instance";
}

/* The body of a multi-instance activity may vanish: its instances go on as they are. */
static void check_loop(const pair *p) {
  bool freed = p->from->multi && !p->to->multi && !p->to->loop;
  if (!freed && strcmp(loop_name(p->from), loop_name(p->to)) != 0)
    obstacle_add(p->obstacles, at_nodes(p), "\"%s\" has %s, \"%s\" %s", p->from->id,
                 loop_name(p->from), p->to->id, loop_name(p->to));
}

/* ---- Place ----------------------------------------------------------------------------------- */

static const char *scope_name(const node *n) { return n->type == NODE_PROCESS ? "the process" : n->id; }

/* The nearest scope around a node of the source that is mapped. */
static const node *mapped_around(const migration *m, const node *from) {
  const node *around = from->scope;
  while (!m->to[around->index]) around = around->scope;
  return around;
}

static bool scope_holds(const node *around, const node *n) {
  while (n && n != around) n = n->scope;
  return n == around;
}

/* Scopes may appear and vanish between a node and the nearest mapped scope around it, but that one stays around. */
static void check_pair_scope(const pair *p) {
  const node *around = mapped_around(p->m, p->from), *mapped = p->m->to[around->index];
  bool sideways = p->m->target->dialect->migration_crosses_scopes;
  if (!sideways && !scope_holds(mapped, p->to->scope)) {
    obstacle_add(p->obstacles, at_nodes(p),
                 "\"%s\" lies in %s, which is mapped to %s, but \"%s\" does not lie in that",
                 p->from->id, scope_name(around), scope_name(mapped), p->to->id);
    return;
  }
  for (const node *n = p->to->scope; n && n != mapped; n = n->scope)
    if (n->multi)
      obstacle_add(p->obstacles, at_nodes(p),
                   "\"%s\" would appear around \"%s\", and a multi-instance activity cannot", n->id,
                   p->to->id);
}

/* The start of an event sub-process waits in the scope around that. */
static void check_event_scope(const pair *p) {
  const node *from = p->from, *to = p->to;
  if (from->type != NODE_START_EVENT || from->scope->type != NODE_EVENT_SUB_PROCESS ||
      to->scope->type != NODE_EVENT_SUB_PROCESS)
    return;
  const node *mapped = p->m->to[from->scope->scope->index];
  if (mapped != to->scope->scope)
    obstacle_add(p->obstacles, at_nodes(p),
                 "\"%s\" starts in %s, which is not mapped to %s, where \"%s\" starts", from->id,
                 scope_name(from->scope->scope), scope_name(to->scope->scope), to->id);
}

static void check_attachment(const pair *p) {
  if (!p->from->attached_to || !p->to->attached_to || p->from->event.type == EVENT_COMPENSATE) return;
  const node *mapped = p->m->to[p->from->attached_to->index];
  if (mapped == p->to->attached_to) return;
  obstacle_add(p->obstacles, at_nodes(p),
               "\"%s\" is attached to \"%s\", which is %s%s, but \"%s\" to \"%s\"", p->from->id,
               p->from->attached_to->id, mapped ? "mapped to " : "not mapped",
               mapped ? mapped->id : "", p->to->id, p->to->attached_to->id);
}

/* ---- Several to one -------------------------------------------------------------------------- */

/* Tokens of several tasks may move to one; scopes, events with a trigger and joins cannot share a
 * target. */
static bool takes_one(const node *n) {
  return node_is_scope(n) || n->multi || n->n_boundary > 0 || node_is_gateway(n) || n->type == NODE_BOUNDARY_EVENT ||
         n->type == NODE_START_EVENT;
}

static void check_alone(const pair *p) {
  if (!takes_one(p->to) && !takes_one(p->from)) return;
  for (uint32_t i = 1; i < p->from->index; i++)
    if (p->m->to[i] == p->to) {
      obstacle_add(p->obstacles, at_nodes(p),
                   "\"%s\" is mapped to \"%s\" too, which can take the place of one activity only",
                   p->m->source->nodes[i]->id, p->to->id);
      return;
    }
}

static void check_join(const pair *p) {
  bool joins = p->from->type == NODE_PARALLEL_GATEWAY || p->from->type == NODE_INCLUSIVE_GATEWAY;
  if (joins && p->to->type == p->from->type && p->to->n_incoming < p->from->n_incoming)
    obstacle_add(
        p->obstacles, at_nodes(p),
        "\"%s\" joins %u flows and \"%s\" only %u: tokens that wait would find no flow to wait for",
        p->from->id, p->from->n_incoming, p->to->id, p->to->n_incoming);
}

/* ---- Triggers -------------------------------------------------------------------------------- */

static bool has_timeout(const node *n) {
  for (uint32_t i = 0; n->type == NODE_USER_TASK && i < n->user->listeners.count; i++)
    if (n->user->listeners.items[i].timer) return true;
  return false;
}

static bool node_waits_for_event(const node *n) {
  event_type type = n->event.type;
  switch (n->type) {
    case NODE_CATCH_EVENT: case NODE_BOUNDARY_EVENT: case NODE_START_EVENT: case NODE_RECEIVE_TASK: break;
    default: return false;
  }
  return type == EVENT_TIMER || type == EVENT_MESSAGE || type == EVENT_SIGNAL || type == EVENT_CONDITIONAL;
}

static void check_trigger(const pair *p) {
  if (!p->m->update[p->from->index] || node_waits_for_event(p->from) || has_timeout(p->from)) return;
  obstacle_add(p->obstacles, at_nodes(p),
               "\"%s\" waits for no event: there is no trigger to update", p->from->id);
}

/* By dialect a condition is evaluated anew only where the plan says so. */
static void check_renewal(const pair *p) {
  const node *from = p->from;
  bool waits = from->event.type == EVENT_CONDITIONAL && node_waits_for_event(from);
  if (!waits || p->m->update[from->index]) return;
  if (p->m->target->dialect->migration_conditions_asked)
    obstacle_add(p->obstacles, at_nodes(p),
                 "\"%s\" waits for a condition, which begins anew: say update_event_trigger = true",
                 from->id);
}

/* An assignee needs a task. */
static void check_assignees(const migration *m, obstacles *g) {
  for (uint32_t i = 0; i < m->count; i++) {
    const migration_instruction *in = &m->items[i];
    for (uint32_t k = 0; in->assignee && k < in->n_to; k++) {
      const node *to = definition_node(m->target, in->to[k]);
      if (to && to->type != NODE_USER_TASK)
        obstacle_add(g, (struct obstacle_at){.activity = in->from[0], .target = in->to[k]},
                     "\"%s\" is no user task that could be \"%s\"'s", in->to[k], in->assignee);
    }
  }
}

void migration_validate(const migration *m, obstacles *g) {
  check_assignees(m, g);
  for (uint32_t i = 1; i < m->source->n_nodes; i++) {
    if (!m->to[i]) continue;
    pair p = {m, m->source->nodes[i], m->to[i], g};
    check_kind(&p);
    check_loop(&p);
    check_pair_scope(&p);
    check_event_scope(&p);
    check_attachment(&p);
    check_alone(&p);
    check_join(&p);
    check_trigger(&p);
    check_renewal(&p);
  }
}
