/* Bounds of a transaction, and the loops that meet them. */
#include "state/bounds.h"

#include <inttypes.h>

#include "state/execution.h"
#include "uow/find.h"

enum { NAMED_NODES_MAX = 12 /* of a loop, in a message */ };

/* ---- The way round --------------------------------------------------------------------------- */

/* May a token be kept here? Then the node is no part of a loop that never waits. */
static bool keeps_tokens(const node *n) {
  bool job = n->async_before || n->async_after;
  bool catches = n->type == NODE_CATCH_EVENT && n->event.type != EVENT_LINK;
  return job || catches || n->type == NODE_USER_TASK || n->type == NODE_RECEIVE_TASK || n->type == NODE_EVENT_GATEWAY;
}

typedef struct search {
  const definition *d;
  const node *goal;
  const node **from; /* by node index: where it is reached from */
  const node **todo; /* in the order in which they were reached, so the first path found is the shortest */
  uint32_t count;
} search;

/* True when the goal is reached. */
static bool search_add(search *s, const node *from, const node *to) {
  if (!to || s->from[to->index] || (to != s->goal && keeps_tokens(to))) return false;
  s->from[to->index] = from;
  s->todo[s->count++] = to;
  return to == s->goal;
}

static bool search_from(search *s, const node *n) {
  for (uint32_t i = 0; i < n->n_outgoing; i++)
    if (search_add(s, n, n->outgoing[i]->target)) return true;
  for (uint32_t i = 0; i < n->n_boundary; i++)
    if (search_add(s, n, n->boundary[i])) return true;
  return search_add(s, n, n->link_target);
}

static const char *name_of_node(const node *n) { return n->id ? n->id : n->element; }

/* "a" -> "b" -> "a", from the path that the search has recorded backwards. NULL: out of memory. */
static const char *told_backwards(context *c, const search *s) {
  const char *text = arena_printf(c->arena, "\"%s\"", name_of_node(s->goal));
  uint32_t named = 1;
  for (const node *n = s->from[s->goal->index]; text && n != s->goal; n = s->from[n->index])
    if (++named <= NAMED_NODES_MAX) text = arena_printf(c->arena, "\"%s\" -> %s", name_of_node(n), text);
  const char *left_out = named > NAMED_NODES_MAX ? "... -> " : "";
  return text ? arena_printf(c->arena, "\"%s\" -> %s%s", name_of_node(s->goal), left_out, text) : NULL;
}

/* The shortest path from a node back to itself; NULL: there is none, or no memory to describe
 * it. */
static const char *way_round(context *c, const definition *d, const node *n) {
  search s = {d, n, ARENA_ARRAY(c->arena, const node *, d->n_nodes), ARENA_ARRAY(c->arena, const node *, d->n_nodes), 0};
  if (!s.from || !s.todo) return NULL;
  bool found = search_from(&s, n);
  for (uint32_t at = 0; !found && at < s.count; at++) found = search_from(&s, s.todo[at]);
  return found ? told_backwards(c, &s) : NULL;
}

/* Of the node or of a scope around it. */
static const char *describe_place(context *c, const definition *d, const node *at) {
  for (const node *n = at; d && n; n = n->scope) {
    const char *way = way_round(c, d, n);
    if (way) return arena_printf(c->arena, "the loop %s does not wait", way);
  }
  return at ? arena_printf(c->arena, "it came to \"%s\"", name_of_node(at)) : "";
}

/* ---- Operations and memory ------------------------------------------------------------------- */

/* The definition of a token or scope, and the node where that stands; NULL: it is gone. */
static const definition *definition_around(context *c, orr_id id, const node **at) {
  orr_error none = {0};
  scope s;
  bool there = id && !scope_get(c, id, &s);
  const definition *d = there ? context_definition_of(c, id, &none) : NULL;
  *at = there ? s.node : NULL;
  orr_error_clear(&none);
  orr_error_clear(&c->error);
  return d;
}

int bounds_refuse(context *c, orr_id about, const node *at) {
  const orr_config *config = &c->engine->config;
  const node *stands;
  const definition *d = definition_around(c, about, &stands);
  if (!at) at = stands;
  const char *place = describe_place(c, d, at);
  bool steps = c->steps > (uint64_t)config->steps_max;
  if (!c->failed_at) c->failed_at = at;
  return context_error(c, ORR_E_LIMIT, "one transaction %s more than %" PRId64 " %s: %s", steps ? "ran" : "took",
                       steps ? config->steps_max : config->memory_max,
                       steps ? "steps (steps_max)" : "bytes of memory (memory_max)", place ? place : "");
}

/* ---- Tokens ---------------------------------------------------------------------------------- */

/* Counting looks at each token. So it is done for one token in SAMPLES_OF of the bound, and for
 * each token of an instance that was found to be crowded. The engine remembers which those are, so
 * none slips through between the samples. A count says how many more tokens there may be, and this
 * transaction need not count again for those. */
enum { SAMPLES_OF = 16, SAMPLED_FROM = 1024 };

static bool is_crowded(const orr_engine *engine, orr_id instance) {
  for (size_t i = 0; i < ENGINE_CROWDED_MAX; i++)
    if (atomic_load_explicit(&engine->crowded[i], memory_order_relaxed) == instance) return true;
  return false;
}

/* If an instance is forgotten in favor of others, the samples find it again. */
static void set_crowded(orr_engine *engine, orr_id instance, bool crowded) {
  if (is_crowded(engine, instance) == crowded) return;
  for (size_t i = 0; i < ENGINE_CROWDED_MAX; i++) {
    orr_id expected = crowded ? 0 : instance;
    if (atomic_compare_exchange_strong(&engine->crowded[i], &expected, crowded ? instance : 0)) return;
  }
  if (crowded) atomic_store(&engine->crowded[instance % ENGINE_CROWDED_MAX], instance);
}

/* Independent of the distance between the ids of tokens. */
static bool is_sampled(orr_id token, int64_t max) {
  uint64_t every = max < SAMPLED_FROM ? 1 : (uint64_t)max / SAMPLES_OF;
  return (token * UINT64_C(0x9E3779B97F4A7C15) >> 32) % every == 0;
}

static int count_tokens(context *c, orr_id instance, int64_t *out) {
  unit_found found;
  int rc = unit_find_group(c->u, &rec_execution_type, orr_id_group(instance), &found, &c->error);
  *out = 0;
  for (size_t i = 0; !rc && i < found.count; i++) {
    const rec_execution *e = (const rec_execution *)found.items[i];
    *out += !e->children && e->kind != EXECUTION_EVENT_SCOPE;
  }
  return rc;
}

static int refuse_token(context *c, orr_id instance, int64_t max, const node *at) {
  orr_error none = {0};
  const char *place = describe_place(c, context_definition_of(c, instance, &none), at);
  orr_error_clear(&none);
  if (!c->failed_at) c->failed_at = at;
  return context_error(c, ORR_E_LIMIT, "the process instance has more than %" PRId64 " tokens (tokens_max): %s", max,
                       place ? place : "");
}

int bounds_check_tokens(context *c, orr_id token, const node *at) {
  orr_engine *engine = c->engine;
  int64_t max = engine->config.tokens_max, count;
  orr_id instance = orr_id_instance(token);
  if ((int64_t)orr_id_local(token) <= max) return 0;
  if (c->tokens.instance == instance && c->tokens.room > 0) {
    c->tokens.room--;
    return 0;
  }
  if (!is_crowded(engine, instance) && !is_sampled(token, max)) return 0;
  int rc = count_tokens(c, instance, &count);
  if (rc) return rc;
  set_crowded(engine, instance, count >= max - max / SAMPLES_OF);
  if (count >= max) return refuse_token(c, instance, max, at);
  c->tokens.instance = instance;
  c->tokens.room = max - count - 1;
  return 0;
}
