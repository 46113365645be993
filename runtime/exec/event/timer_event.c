/* Timer events that are due. */
#include "exec/event/timer_event.h"

#include <inttypes.h>

#include "exec/event/subscription.h"
#include "job/timer.h"

/* A cycle's next job comes first: if what fires now ends the scope, it goes with the scope. */
static int fire_timer(context *c, rec_job *job, bool repeats) {
  definition *d = context_definition(c, job->definition_id, &c->error);
  if (!d) return c->error.code;
  const node *n = job->node ? d->nodes[job->node - 1] : NULL;
  if (!n) return context_error(c, ORR_E_STORE, "timer job %" PRIu64 " names no node", job->id);
  int rc = repeats ? timer_repeat(c, job, n) : 0;
  return rc ? rc : timer_deliver(c, job, n);
}

int timer_catch_job(context *c, rec_job *job) { return fire_timer(c, job, false); }
int timer_repeating_job(context *c, rec_job *job) { return fire_timer(c, job, true); }
