/* Deferred commits. */
#include "exec/deferred_commit.h"

#include "base/null.h"
#include "exec/pending_commit.h"
#include "uow/committer.h"

typedef struct deferred_commit {
  commit_request request; /* first: `done` casts */
  orr_commit_fn done;
  void *ud;
  pending_commit *pending;         /* lies behind this */
} deferred_commit;

/* On the committer's thread. What follows the commit comes before the caller is told, as when a
 * command waits. */
static void deferred_answered(commit_request *request, const orr_error *err) {
  deferred_commit *d = (deferred_commit *)request;
  orr_error lost = {0};
  int status = err ? err->code : unit_batch_status(request->batches, &lost);
  pending_commit_done(d->pending, status);
  d->done(d->ud, status ? err ? err : &lost : NULL);
  orr_error_clear(&lost);
  env_free(&d->pending->engine->env.allocator, d, sizeof *d + d->pending->size);
}

/* NULL: it cannot be deferred. */
static deferred_commit *deferred_make(context *c, const store_batch *batch, const commit_deferral *how) {
  size_t size = pending_commit_size(c, batch);
  deferred_commit *d = size ? env_alloc(&c->engine->env.allocator, sizeof *d + size) : NULL;
  if (!d) return NULL;
  *d = (deferred_commit){.done = how->done, .ud = how->ud, .pending = pending_commit_pack(c, batch, d + 1, size)};
  d->request = (commit_request){.batches = &d->pending->batch, .count = 1, .done = deferred_answered};
  return d;
}

int context_commit_deferred(context *c, commit_deferral *how, orr_error *err) {
  if (!how->done || !committer_has_thread(c->engine->committer)) return context_commit(c, err);
  store_batch *batch = NULL;
  int rc = context_flush(c, &batch, err);
  deferred_commit *d = !rc && batch->count > 0 ? deferred_make(c, batch, how) : NULL;
  if (!d) {
    if (!rc) rc = context_commit_batch(c, batch, err);
    context_committed(c, rc);
    return rc;
  }
  how->taken = true;
  how->done = NULL;
  committer_submit(c->engine->committer, &d->request);
  context_end(c);
  return 0;
}

/* ---- Asking for it --------------------------------------------------------------------------- */

int orr_engine_commit_defer(orr_engine *engine, orr_commit_fn done, void *ud, orr_error *err) {
  REQUIRE(done);
  orr_error failure = {0};
  engine_thread *thread = engine_thread_get(engine, &failure);
  int rc = failure.code;
  if (thread && thread->current)
    rc = error_set(&failure, ORR_E_STATE, "a transaction's commit is its own business: this thread is in one");
  if (!rc) thread->deferral = (commit_deferral){.done = done, .ud = ud};
  else error_move(err, &failure);
  return rc;
}

bool orr_engine_commit_deferred(orr_engine *engine) {
  if (!engine) return false;
  engine_thread *thread = pthread_getspecific(engine->thread_key);
  if (!thread) return false;
  bool taken = thread->deferral.taken;
  thread->deferral = (commit_deferral){0};
  return taken;
}
