/* A parcel is what the committer gets of a context: its batch, and what follows the answer to it. It is some hundred bytes and
 * the context ends when it is packed, so a thread with thousands of batches at the committer works in one unit, over and over,
 * which stays in the processor's cache. */
#ifndef ORR_COMMIT_PARCEL_H
#define ORR_COMMIT_PARCEL_H

#include "engine/engine.h"
#include "state/context.h"

typedef struct parcel {
  struct parcel *next; /* for the holder's lists */
  size_t size;         /* of its memory */
  store_batch batch;
  orr_engine *engine;
  context_counts counted;
  uint32_t n_jobs;
  placed_job *jobs;
  trace_span *spans;   /* they end when the store has answered */
  unit_hook *hooks;
} parcel;

/* How large a parcel the context comes to, whose batch context_flush has made; 0: more than a batch and jobs follows its
 * commit, so that it must be kept until that is answered. */
size_t parcel_size(const context *c, const store_batch *batch);
/* Makes it in `memory` of at least that size. The context may end then, by context_end. */
parcel *parcel_pack(context *c, const store_batch *batch, void *memory, size_t size);
/* What context_committed does for a context. The memory is the caller's to free. */
void parcel_committed(const parcel *p, int status);

#endif
