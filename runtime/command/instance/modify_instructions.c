/* Reading the instructions of a modification, and what goes when one moves a token. */
#include "command/instance/modify_instructions.h"

#include <string.h>

#include "base/value.h"
#include "command/operands.h"
#include "state/activity_instance.h"

/* ---- Reading --------------------------------------------------------------------------------- */

static const char body_suffix[] = "#multiInstanceBody";

int modify_wrong(context *c, const instruction *in, const char *what, const char *name) {
  return context_error(c, ORR_E_ARGUMENT, "instruction %u: %s%s%s%s", in->number, name ? "\"" : "",
                       name ? name : "", name ? "\" " : "", what);
}

static int read_node(context *c, const definition *d, const orr_value *value, instruction *in) {
  if (value->type != ORR_STRING)
    return modify_wrong(c, in, "the id of an activity must be a text", NULL);
  if (!context_text(c, value, "the id of an activity")) return c->error.code;
  char *id = arena_strndup(c->arena, value->as.bytes, value->size);
  if (!id) return context_memory(c);
  size_t size = value->size, suffix = sizeof body_suffix - 1;
  in->body = size > suffix && strcmp(id + size - suffix, body_suffix) == 0;
  if (in->body) id[size - suffix] = '\0';
  in->node = definition_node(d, id);
  if (!in->node || in->node->type == NODE_PROCESS)
    return modify_wrong(c, in, "is no activity of the process", id);
  if (in->body && !in->node->multi) return modify_wrong(c, in, "is no multi-instance activity", id);
  return 0;
}

static int read_start_after(context *c, const definition *d, instruction *in) {
  const node *n = in->node;
  if (n->multi && !in->body && d->dialect->modification_after_whole)
    return modify_wrong(c, in, "is multi-instance: start_after names it as …#multiInstanceBody",
                        n->id);
  if (n->n_outgoing == 0)
    return modify_wrong(c, in, "has no outgoing flow that could be taken", n->id);
  if (n->n_outgoing > 1)
    return modify_wrong(c, in, "has several outgoing flows: name one as transition", n->id);
  in->flow = n->outgoing[0];
  return 0;
}

static int read_transition(context *c, const definition *d, const orr_value *value,
                           instruction *in) {
  if (value->type != ORR_STRING)
    return modify_wrong(c, in, "the id of a flow must be a text", NULL);
  const char *id = context_text(c, value, "the id of a flow");
  if (!id) return c->error.code;
  in->flow = definition_flow(d, id);
  if (!in->flow) return modify_wrong(c, in, "is no sequence flow of the process", id);
  in->node = in->flow->source;
  return 0;
}

static int read_instruction_id(context *c, const orr_value *value, instruction *in, orr_id *out) {
  *out = activity_instance_token(c, value);
  if (*out != 0 || c->error.code) return c->error.code;
  if (value->type != ORR_STRING)
    return modify_wrong(c, in, "the id of an activity instance is needed", NULL);
  return modify_wrong(c, in, "is no id of an activity instance",
                      arena_strndup(c->arena, value->as.bytes, value->size));
}

static int read_field(context *c, const definition *d, const char *name, const orr_value *value,
                      instruction *in, uint32_t *kinds) {
  static const char *const kind_names[] = {"cancel", "cancel_instance", "start_before",
                                           "start_after", "transition"};
  for (uint32_t k = 0; k < sizeof kind_names / sizeof *kind_names; k++) {
    if (strcmp(name, kind_names[k]) != 0) continue;
    ++*kinds;
    in->kind = (instruction_kind)k;
    if (in->kind == CANCEL_INSTANCE) return read_instruction_id(c, value, in, &in->instance);
    if (in->kind == TRANSITION) return read_transition(c, d, value, in);
    int rc = read_node(c, d, value, in);
    if (!rc && in->kind == START_BEFORE && in->node->multi && d->dialect->modification_starts_all)
      in->body = true;
    if (!rc && in->kind == START_BEFORE && in->node->type == NODE_BOUNDARY_EVENT &&
        in->node->event.type == EVENT_COMPENSATE)
      return modify_wrong(c, in,
                          "is a compensation boundary event: only a throw starts compensation",
                          in->node->id);
    return !rc && in->kind == START_AFTER ? read_start_after(c, d, in) : rc;
  }
  if (strcmp(name, "ancestor") == 0) return read_instruction_id(c, value, in, &in->ancestor);
  if (strcmp(name, "variables") == 0)
    return value_copy(c->arena, value, &in->variables) ? context_memory(c) : 0;
  if (strcmp(name, "transient") == 0)
    return value_copy(c->arena, value, &in->transient) ? context_memory(c) : 0;
  if (strcmp(name, "local_variables") == 0)
    return value_copy(c->arena, value, &in->local_variables) ? context_memory(c) : 0;
  return modify_wrong(
      c, in,
      "is unknown; cancel, cancel_instance, start_before, start_after and transition are known",
      name);
}

static int read_one(context *c, const definition *d, const orr_value *map, bool starting,
                    instruction *in) {
  if (map->type != ORR_MAP) return modify_wrong(c, in, "a map is needed", NULL);
  orr_iterator at = orr_iterate(map);
  orr_value key, value;
  uint32_t kinds = 0;
  while (orr_next(&at, &key, &value)) {
    const char *name = context_text(c, &key, "a field of an instruction");
    if (!name) return c->error.code;
    int rc = read_field(c, d, name, &value, in, &kinds);
    if (rc) return rc;
  }
  if (kinds != 1)
    return modify_wrong(c, in,
                        "exactly one of cancel, cancel_instance, start_before, start_after "
                        "and transition is needed",
                        NULL);
  bool cancels = in->kind == CANCEL || in->kind == CANCEL_INSTANCE;
  if (cancels && starting)
    return modify_wrong(c, in, "nothing runs yet that could be canceled", NULL);
  bool brings = in->variables.type == ORR_MAP || in->local_variables.type == ORR_MAP ||
                in->transient.type == ORR_MAP;
  if (cancels && (brings || in->ancestor != 0))
    return modify_wrong(c, in, "variables and ancestor belong to what is started", NULL);
  return 0;
}

/* By dialect a cancel and the start_before behind it move what the one cancels to where the other
 * starts. */
static void pair_moves(const definition *d, modification *m) {
  for (uint32_t i = 0; d->dialect->modification_moves && i + 1 < m->count; i++) {
    instruction *from = &m->items[i], *to = &m->items[i + 1];
    if (from->kind != CANCEL || to->kind != START_BEFORE) continue;
    from->moves = to;
    to->moves = from;
    from->body = from->body || from->node->multi;
  }
}

int modify_read(context *c, const definition *d, const orr_value *list, bool starting,
                modification *out) {
  if (list->type != ORR_ARRAY)
    return context_error(c, ORR_E_ARGUMENT, "instructions must be an array of maps");
  size_t count = orr_count(list);
  out->items = ARENA_ARRAY(c->arena, instruction, count + 1);
  if (!out->items) return context_memory(c);
  orr_iterator at = orr_iterate(list);
  orr_value map;
  int rc = 0;
  while (!rc && orr_next(&at, NULL, &map)) {
    instruction *in = &out->items[out->count++];
    in->number = out->count;
    rc = read_one(c, d, &map, starting, in);
  }
  if (!rc) pair_moves(d, out);
  return rc;
}

/* ---- Moving ---------------------------------------------------------------------------------- */

/* Is the second node the first, or inside it? */
static bool holds_place(const node *around, const node *n) {
  while (n && n != around) n = n->scope;
  return n == around;
}

int move_is_alone(context *c, const rec_execution *e, bool *out) {
  *out = true;
  while (e && *out) {
    *out = e->kind != EXECUTION_MULTI_BODY && e->kind != EXECUTION_MULTI_INSTANCE;
    e = orr_id_local(e->parent) == 1 ? NULL : execution_get(c, e->parent);
  }
  return c->error.code;
}

const rec_execution *move_whole(context *c, const definition *d, const rec_execution *e,
                                const node *to) {
  while (orr_id_local(e->parent) != 1) {
    const rec_execution *around = execution_get(c, e->parent);
    if (!around) return NULL;
    if (holds_place(d->nodes[around->node - 1], to)) break;
    e = around;
  }
  return e;
}
