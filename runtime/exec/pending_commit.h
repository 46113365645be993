/* What the committer gets of a context: its batch, and what follows the store's answer. It takes
 * some hundred bytes, and the context ends once it is packed. So a thread with thousands of batches
 * at the committer uses one unit over and over, which stays in the processor's cache. */
#ifndef ORR_PENDING_COMMIT_H
#define ORR_PENDING_COMMIT_H

#include "engine/engine.h"
#include "state/context.h"

typedef struct pending_commit {
  struct pending_commit *next; /* for the holder's lists */
  size_t size;         /* of its memory */
  store_batch batch;
  orr_engine *engine;
  context_counts counted;
  uint32_t n_jobs;
  placed_job *jobs;
  trace_span *spans;   /* they end when the store has answered */
  unit_hook *hooks;
} pending_commit;

/* The size of what the context leaves behind, once context_flush has made its batch. 0: more than
 * the batch and jobs follows the commit, so the caller must keep the context until the answer. */
size_t pending_commit_size(const context *c, const store_batch *batch);
/* Packs it into `memory` of at least that size. context_end may end the context then. */
pending_commit *pending_commit_pack(context *c, const store_batch *batch, void *memory, size_t size);
/* Does what context_committed does for a context. The caller frees the memory. */
void pending_commit_done(const pending_commit *p, int status);

#endif
