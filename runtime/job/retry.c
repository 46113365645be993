/* Retry counts and due dates of failed jobs. */
#include "job/retry.h"

#include <string.h>

#include "base/limits.h"
#include "engine/engine.h"
#include "engine/time_zone.h"
#include "job/strategy.h"
#include "state/expression.h"
#include "state/variable.h"
#include "time/cycle.h"

/* An inner instance has a cycle of its own or none: the activity's belongs to the body. */
static const expr *cycle_of(const rec_execution *e, const node *n) {
  if (!n) return NULL;
  const expr *cycle = e && e->kind == EXECUTION_MULTI_INSTANCE && n->multi ? &n->multi->retry_cycle : &n->retry_cycle;
  return expr_given(cycle) ? cycle : NULL;
}

/* The text of the cycle for a job; NULL: none. */
static int cycle_text(context *c, const rec_job *job, orr_id scope_id, const node *n, const char **text) {
  rec_execution *e = job->execution_id ? execution_get(c, job->execution_id) : NULL;
  if (c->error.code) return c->error.code;
  const expr *cycle = cycle_of(e, n);
  *text = NULL;
  if (!cycle) {
    *text = c->engine->config.retry_time_cycle;
    return 0;
  }
  if (cycle->kind == EXPR_LITERAL) {
    *text = cycle->text;
    return 0;
  }
  return scope_id ? expr_text(c, cycle, scope_id, n, text) : expr_text_over(c, cycle, NULL, text);
}

/* Finds and reads the cycle. *found false: there is none, or it cannot be read (which is
 * logged). */
static int cycle_read(context *c, const rec_job *job, orr_id scope_id, const definition *d, const node *n, retry_cycle *out,
                      bool *found) {
  const char *text = NULL;
  *found = false;
  int rc = cycle_text(c, job, scope_id, n, &text);
  if (!rc && text) rc = retry_parse(c->arena, text, strlen(text), out, &c->error);
  if (!rc) {
    *found = text != NULL;
    return 0;
  }
  if (rc == ORR_E_MEMORY || rc == ORR_E_STORE || rc == RUN_CANCELED) return rc;
  engine_log(c->engine, ORR_LOG_WARNING, NULL, "the retry cycle of \"%s\" in \"%s\" is ignored: %s", n ? n->id : "",
             d ? d->key : "", c->error.message ? c->error.message : "");
  orr_error_clear(&c->error);
  return 0;
}

int retry_initial(context *c, const rec_job *job, orr_id scope_id, const definition *d, const node *n, int64_t *retries) {
  *retries = c->engine->config.retries;
  bool own = n && (expr_given(&n->retry_cycle) || (n->multi && expr_given(&n->multi->retry_cycle)));
  if (!own && !c->engine->config.retry_time_cycle) return 0; /* the common case reads nothing */
  retry_cycle cycle;
  bool found;
  int rc = cycle_read(c, job, scope_id, d, n, &cycle, &found);
  if (rc || !found) return rc;
  *retries = cycle.tries > 0 ? cycle.tries : 1; /* R0: tried once */
  return 0;
}

/* When the next try is due. job->due is still that of the failed one. */
static int next_due(context *c, rec_job *job, const definition *d, const retry_cycle *cycle_or_null) {
  const orr_zone *zone = cycle_or_null ? time_zone(c) : NULL;
  if (zone) return retry_due(cycle_or_null, job->retries, zone, c->now, &job->due, &c->error);
  if (cycle_or_null) return c->error.code;
  int64_t wait = d ? d->dialect->retry_wait_ms : 0;
  if (wait > 0) job->due = c->now + wait;
  return 0;
}

int retry_after_failure(context *c, rec_job *job, const definition *d, const node *n, int64_t asked_ms) {
  retry_cycle cycle;
  bool found;
  int rc = cycle_read(c, job, job->execution_id ? job->execution_id : job->instance_id, d, n, &cycle, &found);
  if (rc) return rc;
  if (context_touch(c, job)) return c->error.code;
  job->failures++;
  if (job->retries > 0) job->retries--;
  bool decided;
  rc = strategy_decide(c, job, d, n, &decided);
  if (rc || decided) return rc;
  rc = next_due(c, job, d, found ? &cycle : NULL);
  if (asked_ms > ORR_RETRY_ASKED_MAX_MS) asked_ms = ORR_RETRY_ASKED_MAX_MS;
  if (!rc && asked_ms > 0 && job->due < c->now + asked_ms) job->due = c->now + asked_ms;
  return rc;
}
