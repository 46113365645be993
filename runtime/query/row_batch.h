/* How far a batch has come. Its jobs are what remains of it: they have ids of the batch's own group, so
 * they lie together, and a job that is done is deleted.
 *
 *   local 2: the batch · 3, 4, 5: the job definitions of its seeds, its monitors, its jobs · 16 and on: these themselves */
#ifndef ORR_ROW_BATCH_H
#define ORR_ROW_BATCH_H

#include "query/row_related.h"

enum {
  BATCH_LOCAL = 2,
  BATCH_LOCAL_SEEDS,    /* job definitions */
  BATCH_LOCAL_MONITORS,
  BATCH_LOCAL_JOBS,
  BATCH_LOCAL_FIRST = 16,
};

static inline orr_id batch_relative(orr_id batch, uint32_t local) { return orr_id_make(orr_id_group(batch), local); }

/* The numbers that name one thing of a batch: two for rows of decisions in history, an instance (0:
 * none) and a sequence; one for everything else. */
static inline size_t batch_width(const rec_batch *batch) { return rec_text_is(batch->list, "history_decisions") ? 2 : 1; }

/* What is left of a running batch (record/head.h). Reads its jobs and parts. 0 or a code with
 * c->error. */
int batch_count_left(context *c, const rec_batch *batch, batch_left *out);
/* How many jobs still do the batch's work, not counting `except`; looks at `most` at most. c->error
 * may be filled. */
uint32_t batch_open_jobs(context *c, const rec_batch *batch, orr_id except, uint32_t most);
/* Is one of these jobs locked, so that somebody runs it, or is about to? c->error may be filled. */
bool batch_is_at_work(context *c, const rec_batch *batch);
/* The batch that a job works for; 0: for none. */
orr_id batch_of_job(const rec_job *job);

/* The derived fields of batches, for row.c. */
extern const row_relation row_of_batches[];
extern const size_t n_row_of_batches;

#endif
