/* Joining at parallel gateways. */
#include "exec/node/parallel_join.h"

#include <string.h>

#include "exec/listener.h"
#include "exec/node/behavior.h"
#include "exec/token.h"
#include "exec/assumption.h"
#include "state/history.h"
#include "state/variable.h"
#include "uow/find.h"
#include "uow/siblings.h"

static rec_join *row_get(context *c, orr_id scope_id, const node *gateway, uint32_t flow_number) {
  rec_join key = {.scope = scope_id, .node = gateway->index, .flow = flow_number};
  return unit_join_key(c->u, &key, &c->error);
}

/* The row, made when it is missing. NULL: c->error. */
static rec_join *row_take(context *c, orr_id scope_id, const node *gateway, uint32_t flow_number) {
  rec_join *row = row_get(c, scope_id, gateway, flow_number);
  if (c->error.code) return NULL;
  rec_join key = {.scope = scope_id, .node = gateway->index, .flow = flow_number};
  if (!row) row = unit_new_join(c->u, &key);
  else if (unit_touch(c->u, row)) row = NULL;
  if (!row) context_memory(c);
  return row;
}

static int append(context *c, rec_join *row, orr_id id) {
  orr_id *ids = arena_alloc(c->arena, (row->waiting.count + 1) * sizeof *ids);
  if (!ids) return context_memory(c);
  if (row->waiting.count) memcpy(ids, row->waiting.items, row->waiting.count * sizeof *ids);
  ids[row->waiting.count] = id;
  row->waiting = (rec_ids){ids, row->waiting.count + 1};
  return 0;
}

static int delete_row(context *c, rec_join *row) { return unit_delete(c->u, row) ? context_memory(c) : 0; }

/* Removes the id at `at` from a row; *emptied: it was the last. */
static int take_out_of_join(context *c, rec_join *row, size_t at, bool *emptied) {
  *emptied = row->waiting.count == 1;
  if (*emptied) return delete_row(c, row);
  if (context_touch(c, row)) return c->error.code;
  size_t left = row->waiting.count - 1;
  orr_id *ids = arena_alloc(c->arena, left * sizeof *ids);
  if (!ids) return context_memory(c);
  memcpy(ids, row->waiting.items, at * sizeof *ids);
  memcpy(ids + at, row->waiting.items + at + 1, (left - at) * sizeof *ids);
  row->waiting = (rec_ids){ids, left};
  return 0;
}

static int count_flow(context *c, orr_id scope_id, const node *gateway, int64_t by, int64_t *out) {
  rec_join *total = row_get(c, scope_id, gateway, 0);
  if (c->error.code) return c->error.code;
  bool alone = by > 0 && (!total || total->head.state == REC_CLEAN || total->head.counts_only);
  total = row_take(c, scope_id, gateway, 0);
  if (!total) return c->error.code;
  if (alone) unit_changed_counter(c->u, total);
  total->distinct += by;
  *out = total->distinct;
  return total->distinct == 0 ? delete_row(c, total) : 0;
}

/* A token that came by no flow (something put it here) counts for the first flow where none
 * waits. */
static int arrival_flow(context *c, const rec_execution *e, const node *gateway, uint32_t *out) {
  *out = e->flow;
  for (uint32_t i = 0; i < gateway->n_incoming && !*out; i++) {
    uint32_t flow_number = gateway->incoming[i]->index + 1;
    if (!row_get(c, e->parent, gateway, flow_number)) *out = flow_number;
    if (c->error.code) return c->error.code;
  }
  if (!*out) *out = gateway->incoming[0]->index + 1;
  return 0;
}

static int merge_waiting(context *c, rec_execution *waiting) {
  int rc = history_activity_ended(c, waiting, false);
  if (!rc) rc = lifecycle_move(c, waiting, EXECUTION_ENDED);
  return rc ? rc : execution_remove(c, waiting);
}

static int op_merge(context *c, operation *op) {
  rec_execution *e = execution_get(c, op->execution);
  return e && e->state == EXECUTION_LEAVING ? merge_waiting(c, e) : c->error.code;
}

/* By dialect its end listeners run first. */
int join_merge(context *c, rec_execution *waiting) {
  const definition *d = context_definition_of(c, waiting->id, &c->error);
  if (!d) return c->error.code;
  const node *gateway = d->nodes[waiting->node - 1];
  bool listens = gateway->listeners.count && d->dialect->join_listeners_for_each;
  if (!listens) return merge_waiting(c, waiting);
  int rc = lifecycle_move(c, waiting, EXECUTION_LEAVING);
  if (!rc) rc = listeners_plan(c, waiting->id, gateway, NULL, LISTENER_END, 0, NULL);
  return rc ? rc : plan_on(c, op_merge, waiting->id, gateway, 0);
}

/* By dialect, a join counts waiting tokens instead of flows. */
static int counts_tokens(context *c, orr_id scope_id, bool *out) {
  const definition *d = context_definition_of(c, scope_id, &c->error);
  if (!d) return c->error.code;
  *out = d->dialect->parallel_join_counts_tokens;
  return 0;
}

/* Removes the token at `at` from the row of its flow; `last` continues for it. */
static int join_one(context *c, const rec_execution *last, const node *gateway, rec_join *row, size_t at, bool tokens,
                    bool *emptied) {
  orr_id id = row->waiting.items[at];
  int64_t left;
  int rc = take_out_of_join(c, row, at, emptied);
  if (!rc && (*emptied || tokens)) rc = count_flow(c, last->parent, gateway, -1, &left);
  rec_execution *merged = rc || id == last->id ? NULL : execution_get(c, id);
  if (merged) rc = join_merge(c, merged);
  return rc ? rc : c->error.code;
}

/* As many tokens wait as there are flows: all of them join. */
static int join_tokens(context *c, const rec_execution *last, const node *gateway) {
  for (uint32_t i = 0; i < gateway->n_incoming; i++) {
    rec_join *row = row_get(c, last->parent, gateway, gateway->incoming[i]->index + 1);
    if (c->error.code) return c->error.code;
    bool emptied = !row;
    while (!emptied) {
      int rc = join_one(c, last, gateway, row, 0, true, &emptied);
      if (rc) return rc;
    }
  }
  return 0;
}

/* One token of every flow waits: these join. */
static int join_flows(context *c, const rec_execution *last, const node *gateway, uint32_t last_flow) {
  for (uint32_t i = 0; i < gateway->n_incoming; i++) {
    uint32_t flow_number = gateway->incoming[i]->index + 1;
    rec_join *row = row_get(c, last->parent, gateway, flow_number);
    if (!row)
      return c->error.code ? c->error.code : context_error(c, ORR_E_STORE, "join row of \"%s\" is missing", gateway->id);
    bool emptied;
    int rc = join_one(c, last, gateway, row, flow_number == last_flow ? row->waiting.count - 1 : 0, false, &emptied);
    if (rc) return rc;
  }
  return 0;
}

static int complete_join(context *c, rec_execution *last, const node *gateway) {
  bool tokens = false;
  int rc = counts_tokens(c, last->parent, &tokens);
  if (!rc) rc = tokens ? join_tokens(c, last, gateway) : join_flows(c, last, gateway, last->flow);
  if (!rc) rc = variable_join_branch(c, last);
  return rc ? rc : plan_leave(c, last, gateway);
}

int join_wait(context *c, rec_execution *e, const node *gateway, int64_t *distinct) {
  uint32_t flow_number;
  *distinct = 0;
  int rc = arrival_flow(c, e, gateway, &flow_number);
  if (rc) return rc;
  e->flow = flow_number;
  rec_join *row = row_take(c, e->parent, gateway, flow_number);
  if (!row) return c->error.code;
  bool counts = false;
  rc = counts_tokens(c, e->parent, &counts);
  counts = counts || row->waiting.count == 0;
  if (!rc) rc = append(c, row, e->id);
  if (!rc) rc = counts ? count_flow(c, e->parent, gateway, 1, distinct) : 0;
  scope parent;
  if (!rc) rc = scope_of(c, e, &parent);
  return rc ? rc : scope_flag(c, &parent, ORR_SCOPE_JOINS);
}

/* The assumption is broken: the others have come meanwhile. */
static int op_join(context *c, operation *op) {
  rec_execution *e = execution_get(c, op->execution);
  if (!e || e->state != EXECUTION_JOINING) return c->error.code;
  return complete_join(c, e, op->node);
}

static int wait_for_others(context *c, const rec_execution *e, const node *gateway) {
  rec_join *total = row_get(c, e->parent, gateway, 0);
  if (!total) return c->error.code;
  return assumption_keep(c, &(assumption){.record = &total->head, .counter = &total->distinct, .bound = gateway->n_incoming,
                                   .run = op_join, .execution = e->id, .node = gateway});
}

int parallel_join_arrive(context *c, rec_execution *e, const node *gateway) {
  unit_catch_up(c->u);
  int64_t distinct;
  int rc = join_wait(c, e, gateway, &distinct);
  if (!rc) rc = lifecycle_move(c, e, EXECUTION_JOINING);
  if (rc) return rc;
  return distinct < gateway->n_incoming ? wait_for_others(c, e, gateway) : complete_join(c, e, gateway);
}

int join_forget(context *c, rec_execution *e) {
  bool tokens = false, emptied;
  const node *gateway = execution_node(c, e);
  if (!gateway || counts_tokens(c, e->parent, &tokens)) return c->error.code;
  rec_join *row = row_get(c, e->parent, gateway, e->flow);
  if (!row) return c->error.code; /* an inclusive gateway keeps no rows */
  for (size_t i = 0; i < row->waiting.count; i++) {
    if (row->waiting.items[i] != e->id) continue;
    int64_t left;
    int rc = take_out_of_join(c, row, i, &emptied);
    return !rc && (emptied || tokens) ? count_flow(c, e->parent, gateway, -1, &left) : rc;
  }
  return 0;
}

int join_drop_scope(context *c, orr_id scope_id) {
  unit_found rows;
  int rc = unit_find_keys(c->u, &rec_join_type, &(rec_key){.id = scope_id}, 1, &rows, &c->error);
  for (size_t i = 0; !rc && i < rows.count; i++) rc = unit_delete(c->u, rows.items[i]) ? context_memory(c) : 0;
  return rc;
}
