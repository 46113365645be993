/* How far a batch is. Its jobs are what remains of it: they have ids of the batch's own group, so they lie together, and
 * one that is done is gone.
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

/* Things of a batch are named by so many numbers each, one behind the other: rows of decisions in history by two, an instance
 * (0: none) and a sequence. */
static inline size_t batch_width(const rec_batch *batch) { return rec_text_is(batch->list, "history_decisions") ? 2 : 1; }

/* What is left of a batch that runs (record/head.h). Reads its jobs and parts: as much as is left of it. 0 or a code with
 * c->error. */
int batch_count_left(context *c, const rec_batch *batch, batch_left *out);
/* How many jobs do the batch's work still, but for `except`; at most `most` are looked at. c->error may be filled. */
uint32_t batch_open_jobs(context *c, const rec_batch *batch, orr_id except, uint32_t most);
/* Is one of these locked, so that somebody runs it, or is about to? c->error may be filled. */
bool batch_is_at_work(context *c, const rec_batch *batch);
/* The batch that a job works for; 0: for none. */
orr_id batch_of_job(const rec_job *job);

/* The derived fields of batches, for row.c. */
extern const row_relation row_of_batches[];
extern const size_t n_row_of_batches;

#endif
