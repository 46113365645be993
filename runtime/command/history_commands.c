/* Cleaning history: by command, and by jobs that go on with the next step until nothing is left to do. */
#include <inttypes.h>

#include "../job/handlers.h"
#include "purge.h"
#include "operands.h"

/* Instances whose history one transaction takes away. */
enum { CLEAN_STEP = 100 };

typedef struct cleaning {
  orr_time ended_before;
  int64_t cleaned; /* by this step */
} cleaning;

/* The index has the oldest first. */
static int clean_step(context *c, cleaning *k) {
  unit_found found;
  k->cleaned = 0;
  int rc = unit_find_index(c->u, REC_INDEX_HISTORY_ENDED, NULL, 0, CLEAN_STEP, &found, &c->error);
  for (size_t i = 0; !rc && i < found.count; i++) {
    const rec_history_instance *row = (const rec_history_instance *)found.items[i];
    if (row->ended_at >= k->ended_before) break;
    rc = purge_instance(c, row->id);
    k->cleaned++;
  }
  return rc;
}

static int clean_body(context *c, void *ud, orr_error *err) {
  (void)err;
  return clean_step(c, ud);
}

int orr_engine_clean_history(orr_engine *engine, orr_time ended_before, int64_t *out, orr_error *err) {
  cleaning k = {.ended_before = ended_before, .cleaned = CLEAN_STEP};
  int rc = 0;
  *out = 0;
  while (!rc && k.cleaned == CLEAN_STEP) {
    rc = command_run(engine, clean_body, &k, err);
    if (!rc) *out += k.cleaned;
  }
  return rc;
}

/* ---- By jobs ------------------------------------------------------------------------------------------------------------------ */

static int clean_on(context *c, const rec_job *job) {
  orr_id first = unit_new_group(c->u, &c->error);
  rec_job *next = first ? unit_new_job(c->u, first + 1) : NULL;
  if (!next) return first ? context_memory(c) : c->error.code;
  next->kind = job->kind;
  next->created = c->now;
  next->retries = job->retries;
  next->priority = job->priority;
  next->data = job->data;
  return job_place(c, next);
}

/* job->data: { ended_before = milliseconds }. */
int clean_history_job(context *c, rec_job *job) {
  orr_value before = orr_map_get(&job->data, "ended_before");
  if (before.type != ORR_INT) return context_error(c, ORR_E_STORE, "job %" PRIu64 " does not say what it is to clean", job->id);
  cleaning k = {.ended_before = before.as.integer};
  int rc = clean_step(c, &k);
  return rc || k.cleaned < CLEAN_STEP ? rc : clean_on(c, job);
}
