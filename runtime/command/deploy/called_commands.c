/* What the call activities of a definition call. */
#include <string.h>

#include "base/builder.h"
#include "command/lookup.h"
#include "exec/node/call_target.h"

typedef struct called_call {
  orr_id definition;
  orr_builder *out;
} called_call;

/* A call activity, and what it calls. */
typedef struct called_pair {
  const node *at;
  orr_id called;
} called_pair;

static void put_called(orr_builder *out, const called_pair *pairs, uint32_t n, uint32_t first) {
  orr_builder_map(out);
  orr_builder_put(out, "definition_id", orr_int((int64_t)pairs[first].called));
  orr_builder_key(out, "activity_ids", strlen("activity_ids"));
  orr_builder_array(out);
  for (uint32_t i = first; i < n; i++) {
    orr_value id = orr_string(pairs[i].at->id);
    if (pairs[i].called == pairs[first].called) orr_builder_add(out, &id);
  }
  orr_builder_end(out);
  orr_builder_end(out);
}

static bool called_before(const called_pair *pairs, uint32_t at) {
  for (uint32_t i = 0; i < at; i++)
    if (pairs[i].called == pairs[at].called) return true;
  return false;
}

static int called_body(context *c, void *ud) {
  const called_call *call = ud;
  const rec_definition *calling = lookup_definition(c, call->definition), *record = calling;
  const definition *d = calling ? context_definition(c, call->definition, &c->error) : NULL;
  called_pair *pairs = d ? arena_alloc(c->arena, (d->n_nodes + 1) * sizeof *pairs) : NULL;
  uint32_t n = 0;
  if (!d || !pairs) return c->error.code ? c->error.code : context_memory(c);
  for (uint32_t i = 0; i < d->n_nodes; i++) {
    rec_definition *found;
    if (d->nodes[i]->type != NODE_CALL_ACTIVITY) continue;
    int rc = call_target_static(c, record, d->nodes[i], &found);
    if (rc) return rc;
    if (found) pairs[n++] = (called_pair){d->nodes[i], found->id};
  }
  orr_builder_array(call->out);
  for (uint32_t i = 0; i < n; i++)
    if (!called_before(pairs, i)) put_called(call->out, pairs, n, i);
  orr_builder_end(call->out);
  return 0;
}

int orr_engine_definition_calls(orr_engine *engine, orr_id definition_id, orr_builder *out, orr_error *err) {
  called_call call = {definition_id, out};
  return command_read(engine, called_body, &call, err);
}
