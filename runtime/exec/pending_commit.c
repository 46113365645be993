/* Packing: batch, jobs, operations, hooks and the operations' bytes lie in one piece. */
#include "exec/pending_commit.h"

#include <string.h>

#include "state/tracing.h"

static size_t bytes_of(const store_batch *batch) {
  size_t size = 0;
  for (size_t i = 0; i < batch->count; i++) size += batch->ops[i].key.size + batch->ops[i].value.size;
  return size;
}

size_t pending_commit_size(const context *c, const store_batch *batch) {
  if (!unit_ends_with_batch(c->u)) return 0;
  return sizeof(pending_commit) + c->created.count * sizeof(placed_job) +
         batch->count * sizeof(store_op) + unit_hooks_size(c->u) +
         bytes_of(batch);
}

static store_bytes pack_bytes(uint8_t **at, store_bytes bytes) {
  store_bytes packed = {*at, bytes.size};
  if (bytes.size) memcpy(*at, bytes.data, bytes.size);
  *at += bytes.size;
  return packed;
}

pending_commit *pending_commit_pack(context *c, const store_batch *batch, void *memory, size_t size) {
  pending_commit *p = memory;
  *p = (pending_commit){.size = size, .batch = *batch, .engine = c->engine,
                        .counted = c->counted, .jobs = (placed_job *)(p + 1)};
  p->spans = tracing_take(c);
  p->n_jobs = c->engine->hooks->jobs_placed(c, 0, p->jobs, c->created.count);
  store_op *ops = (store_op *)(p->jobs + c->created.count);
  uint8_t *at = (uint8_t *)(ops + batch->count);
  p->hooks = unit_hooks_pack(c->u, at);
  at += unit_hooks_size(c->u);
  for (size_t i = 0; i < batch->count; i++) {
    const store_op *op = &batch->ops[i];
    ops[i] = (store_op){op->kind, op->expected, pack_bytes(&at, op->key), pack_bytes(&at, op->value)};
  }
  p->batch.ops = ops;
  return p;
}

void pending_commit_done(const pending_commit *p, int status) {
  if (status == 0) unit_hooks_run(p->hooks);
  if (status == 0) context_count(p->engine, &p->counted);
  tracing_end(p->spans, status ? orr_error_kind(status) : NULL);
  p->engine->hooks->commit_done(p->engine, p->jobs, p->n_jobs, status);
}
