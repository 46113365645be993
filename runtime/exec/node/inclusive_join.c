/* Joining at inclusive gateways. */
#include "exec/node/inclusive_join.h"

#include <string.h>

#include "exec/node/parallel_join.h"
#include "exec/token.h"
#include "state/notices.h"
#include "state/variable.h"

/* ---- Reachability ---------------------------------------------------------------------------- */

typedef struct reach {
  bool *node;        /* by index: from here the gateway can be reached by a flow where no token waits */
  const node **todo;
  uint32_t n_todo;
} reach;

static void reach_add(reach *r, const node *n, const node *gateway) {
  if (n == gateway || r->node[n->index]) return;
  r->node[n->index] = true;
  r->todo[r->n_todo++] = n;
}

/* A link's catch event is reached from its throws. A boundary event is not reached from its
 * activity, so a token in that activity does not hold up the join. */
static void reach_sources(reach *r, const definition *d, const node *n, const node *gateway) {
  for (uint32_t i = 0; i < n->n_incoming; i++) reach_add(r, n->incoming[i]->source, gateway);
  if (n->type != NODE_CATCH_EVENT || n->event.type != EVENT_LINK) return;
  for (uint32_t i = 0; i < d->n_nodes; i++)
    if (d->nodes[i]->link_target == n) reach_add(r, d->nodes[i], gateway);
}

static int reach_find(context *c, const definition *d, const node *gateway, const bool *visited, reach *r) {
  r->node = ARENA_ARRAY(c->arena, bool, d->n_nodes);
  r->todo = ARENA_ARRAY(c->arena, const node *, d->n_nodes);
  r->n_todo = 0;
  if (!r->node || !r->todo) return context_memory(c);
  for (uint32_t i = 0; i < gateway->n_incoming; i++)
    if (!visited[gateway->incoming[i]->index]) reach_add(r, gateway->incoming[i]->source, gateway);
  while (r->n_todo > 0) reach_sources(r, d, r->todo[--r->n_todo], gateway);
  return 0;
}

/* ---- One gateway in one scope ---------------------------------------------------------------- */

static bool waits_at(const rec_execution *e, const node *gateway) {
  return e->state == EXECUTION_JOINING && e->node == gateway->index + 1;
}

/* Could this token of the same scope still arrive? A token on a flow counts as being at its end. */
static bool may_arrive(const definition *d, const rec_execution *e, const node *gateway, const bool *visited, const reach *r) {
  const node *at = d->nodes[e->node - 1];
  if (at == gateway && e->state <= EXECUTION_ACTIVE) return true; /* it waits for a job or a start listener, and will join */
  if (e->state != EXECUTION_LEAVING || !e->flow) return r->node[at->index];
  const flow *f = d->flows[e->flow - 1];
  if (f->source != at) return r->node[at->index];
  return f->target == gateway ? !visited[f->index] : r->node[f->target->index];
}

/* Looks at the newest tokens first, because what a fork has just made is most likely still on its
 * way. */
static int is_complete(context *c, const definition *d, const node *gateway, rec_execution **tokens, uint32_t count,
                       bool *out) {
  bool *visited = ARENA_ARRAY(c->arena, bool, d->n_flows + 1); /* by index: did a token that waits come by this flow? */
  if (!visited) return context_memory(c);
  uint32_t waiting = 0;
  for (uint32_t i = 0; i < count; i++)
    if (waits_at(tokens[i], gateway)) {
      if (tokens[i]->flow) visited[tokens[i]->flow - 1] = true;
      waiting++;
    }
  *out = true;
  if (waiting == count) return 0;
  /* here tokens by any flow count */
  if (d->dialect->inclusive_join != INCLUSIVE_JOIN_FREE_FLOWS) memset(visited, 0, (d->n_flows + 1) * sizeof *visited);
  reach r;
  int rc = reach_find(c, d, gateway, visited, &r);
  for (uint32_t i = count; !rc && *out && i > 0; i--)
    if (!waits_at(tokens[i - 1], gateway) && may_arrive(d, tokens[i - 1], gateway, visited, &r)) *out = false;
  return rc;
}

/* `last` continues for all that wait. */
static int join_all(context *c, const node *gateway, rec_execution *last, rec_execution **tokens, uint32_t count) {
  for (uint32_t i = 0; i < count; i++) {
    if (tokens[i] == last || !waits_at(tokens[i], gateway)) continue;
    int rc = join_merge(c, tokens[i]);
    if (rc) return rc;
  }
  int rc = variable_join_branch(c, last);
  return rc ? rc : plan_leave(c, last, gateway);
}

/* By dialect it is enough that as many tokens wait as there are flows, whichever they came by. */
static int join_if_enough(context *c, rec_execution *e, const node *gateway, const scope *parent, bool *joined) {
  rec_execution **tokens;
  uint32_t count, waiting = 0;
  int rc = scope_child_list(c, parent, &tokens, &count);
  for (uint32_t i = 0; !rc && i < count; i++) waiting += waits_at(tokens[i], gateway);
  *joined = !rc && waiting >= gateway->n_incoming;
  return *joined ? join_all(c, gateway, e, tokens, count) : rc;
}

int inclusive_join_arrive(context *c, rec_execution *e, const node *gateway) {
  scope parent;
  definition *d = context_definition_of(c, e->id, &c->error);
  if (!d) return c->error.code;
  int rc = scope_of(c, e, &parent);
  if (!rc) rc = lifecycle_move(c, e, EXECUTION_JOINING);
  if (!rc) rc = context_touch(c, parent.record); /* where it waited for a job it has not moved */
  if (!rc && scope_children(&parent) == 1) return join_all(c, gateway, e, NULL, 0);
  bool joined = false;
  if (!rc && d->dialect->inclusive_join == INCLUSIVE_JOIN_ALL_OR_ENOUGH) rc = join_if_enough(c, e, gateway, &parent, &joined);
  if (rc || joined) return rc;
  rc = scope_flag(c, &parent, ORR_SCOPE_INCLUSIVE);
  return rc ? rc : notice_tokens(c, &parent);
}

/* ---- Looking again --------------------------------------------------------------------------- */

static bool seen_before(rec_execution **tokens, uint32_t i) {
  for (uint32_t k = 0; k < i; k++)
    if (tokens[k]->state == EXECUTION_JOINING && tokens[k]->node == tokens[i]->node) return true;
  return false;
}

/* Joins the first gateway that is complete. What that sets going may complete or hold up others, so
 * those wait for the next check. */
static int check_joins_of_scope(context *c, orr_id scope_id) {
  scope s;
  rec_execution **tokens;
  uint32_t count;
  definition *d = context_definition_of(c, scope_id, &c->error);
  if (!d) return c->error.code;
  int rc = scope_get(c, scope_id, &s);
  if (!rc) rc = scope_child_list(c, &s, &tokens, &count);
  for (uint32_t i = 0; !rc && i < count; i++) {
    const node *at = d->nodes[tokens[i]->node - 1];
    if (tokens[i]->state != EXECUTION_JOINING || at->type != NODE_INCLUSIVE_GATEWAY || seen_before(tokens, i)) continue;
    bool whole = false;
    rc = is_complete(c, d, at, tokens, count, &whole);
    if (rc || !whole) continue;
    rec_execution *last = tokens[i];
    for (uint32_t k = i; k < count; k++)
      if (waits_at(tokens[k], at)) last = tokens[k];
    rc = join_all(c, at, last, tokens, count);
    return rc ? rc : notice_tokens(c, &s);
  }
  return rc;
}

static bool scope_lives(context *c, orr_id id) {
  if (orr_id_local(id) == 1) return unit_instance(c->u, id, &c->error);
  return execution_get(c, id);
}

int inclusive_join_check(context *c) {
  const struct join_check *check = c->lists.join_checks;
  c->lists.join_checks = check->next;
  bool lives = scope_lives(c, check->scope);
  if (c->error.code) return c->error.code;
  return lives ? check_joins_of_scope(c, check->scope) : 0;
}
