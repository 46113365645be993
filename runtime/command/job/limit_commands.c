/* Setting and clearing limits. */
#include <math.h>
#include <string.h>

#include "base/null.h"
#include "base/options.h"
#include "command/operands.h"
#include "executor/executor.h"
#include "executor/pool.h"
#include "executor/throttle.h"
#include "job/limit.h"
#include "uow/find.h"
#include "uow/ready.h"

/* Throttled jobs made ready in one transaction when their limit goes. */
enum { RELEASE_PAGE = 500 };

typedef struct limit_call {
  const orr_limit_target *target;
  const orr_limit_options *limit;
  bool more;
} limit_call;

/* What a limit applies to: its name, and the field that says so. */
typedef struct limited {
  rec_text name;
  orr_id job_definition;
  rec_text topic, key;
} limited;

static int read_limit_text(context *c, const char *text, const char *what, rec_text *out) {
  orr_value v = orr_string(text);
  if (v.size == 0 || v.size > ORR_NAME_BYTES_MAX)
    return context_error(c, ORR_E_ARGUMENT, "%s must be a text of 1 to %d bytes", what, ORR_NAME_BYTES_MAX);
  if (!context_text(c, &v, what)) return c->error.code;
  *out = unit_text(c->u, v.as.bytes, v.size);
  return out->data ? 0 : context_memory(c);
}

static int read_target(context *c, const orr_limit_target *target, limited *out) {
  *out = (limited){.job_definition = target->job_definition};
  if (!target->job_definition + !target->topic + !target->key != 2)
    return context_error(c, ORR_E_ARGUMENT, "a limit is of one job_definition, topic or key");
  int rc = 0;
  if (target->job_definition) {
    if (!lookup_job_definition(c, out->job_definition)) return c->error.code;
    out->name = limit_name_of_job_definition(c, out->job_definition);
  } else if (target->topic) {
    rc = read_limit_text(c, target->topic, "topic", &out->topic);
    if (!rc) out->name = limit_name_of_topic(c, out->topic);
  } else {
    rc = read_limit_text(c, target->key, "key", &out->key);
    if (!rc) out->name = limit_name_of_key(c, out->key);
  }
  return rc || out->name.data ? rc : context_memory(c);
}

/* ---- Setting --------------------------------------------------------------------------------- */

/* A whole number is kept as one. */
static orr_value rate_value(double rate) {
  if (rate == 0) return (orr_value){0};
  return rate == floor(rate) ? orr_int((int64_t)rate) : orr_float(rate);
}

/* Fills the bounds of a limit; a bucket begins full. */
static int read_bounds(context *c, const orr_limit_options *limit, rec_limit *out) {
  double rate = limit->per_second;
  if (limit->max < 0) return context_error(c, ORR_E_ARGUMENT, "max must be a positive integer");
  if (limit->burst < 0) return context_error(c, ORR_E_ARGUMENT, "burst must be a positive integer");
  if (!(rate >= 0 && rate <= 1e6))
    return context_error(c, ORR_E_ARGUMENT, "per_second must be a number above 0, up to 1000000");
  if (!limit->max && rate == 0) return context_error(c, ORR_E_ARGUMENT, "a limit needs max, per_second or both");
  if (limit->burst && rate == 0) return context_error(c, ORR_E_ARGUMENT, "burst belongs to per_second");
  if (limit->burst > 1000000) return context_error(c, ORR_E_ARGUMENT, "burst must not be above 1000000");
  out->max = limit->max;
  out->per_second = rate_value(rate);
  out->burst = limit->burst ? limit->burst : rate > 0 ? (int64_t)fmax(1, ceil(rate / 10)) : 0;
  return 0;
}

/* A changed limit keeps the tokens of its bucket, as far as they fit. The commit relies on the note
 * that there are limits, so a limit is not set while the last one is cleared. */
static int limit_set_body(context *c, void *ud) {
  const limit_call *call = ud;
  limited of;
  bool any;
  rec_limit bounds = {0};
  int rc = read_target(c, call->target, &of);
  if (!rc) rc = read_bounds(c, call->limit, &bounds);
  if (!rc) rc = limits_exist(c, &any);
  if (rc) return rc;
  rec_limit key = {.name = of.name}, *limit = unit_limit_key(c->u, &key, &c->error);
  if (c->error.code) return c->error.code;
  bool keeps = limit && limit_rate(limit) > 0;
  int64_t tokens = keeps ? limit_tokens(limit, c->now) : bounds.burst * LIMIT_TOKEN;
  if (!limit) limit = unit_new_limit(c->u, &key);
  if (!limit || unit_touch(c->u, limit)) return context_memory(c);
  limit->job_definition_id = of.job_definition;
  limit->topic = of.topic;
  limit->key = of.key;
  limit->max = bounds.max;
  limit->per_second = bounds.per_second;
  limit->burst = bounds.burst;
  limit->tokens = tokens < bounds.burst * LIMIT_TOKEN ? tokens : bounds.burst * LIMIT_TOKEN;
  limit->refilled = c->now;
  return ready_limited_write(c->u, true, &c->error);
}

/* Granting by the limit writes its record too, so a change may lose races, and is retried, except
 * within a caller's own transaction. */
static int change(orr_engine *engine, command_body body, limit_call *call, orr_error *err) {
  int rc = command_upkeep(engine, body, call, err);
  atomic_store(&engine->limited_at, 0); /* look again */
  if (!rc && engine->executor) executor_wake(engine->executor);
  return rc;
}

int orr_engine_limit_set(orr_engine *engine, const orr_limit_target *target, const orr_limit_options *limit,
                         orr_error *err) {
  REQUIRE(engine);
  REQUIRE(target);
  REQUIRE(limit);
  orr_limit_target of;
  orr_limit_options bounds;
  limit_call call = {.target = options_take(&of, sizeof of, target, err)};
  if (!call.target) return ORR_E_ARGUMENT;
  call.limit = options_take(&bounds, sizeof bounds, limit, err);
  return call.limit ? change(engine, limit_set_body, &call, err) : ORR_E_ARGUMENT;
}

/* ---- Clearing -------------------------------------------------------------------------------- */

static int last_one(context *c, bool *out) {
  unit_found found;
  int rc = unit_find_all(c->u, &rec_limit_type, &found, &c->error);
  *out = !rc && found.count == 0;
  return rc;
}

/* Throttling a job relies on the limit, so no job is throttled after the limit was cleared.
 * Clearing relies on there being no more than the last page. Leases of running jobs are deleted
 * with them. */
static int clear_body(context *c, void *ud) {
  limit_call *call = ud;
  limited of;
  size_t released;
  int rc = read_target(c, call->target, &of);
  if (rc) return rc;
  rec_limit key = {.name = of.name}, *limit = unit_limit_key(c->u, &key, &c->error);
  if (!limit) return c->error.code ? c->error.code : context_error(c, ORR_E_NOT_FOUND, "there is no limit of %s", of.name.data);
  rc = throttle_release(c, of.name, RELEASE_PAGE, &released);
  call->more = released == RELEASE_PAGE;
  if (rc || call->more) return rc;
  bool last = false;
  rc = throttle_rely_on_all(c, of.name);
  if (rc) return rc;
  if (unit_delete(c->u, limit)) return context_memory(c);
  rc = last_one(c, &last);
  return rc || !last ? rc : ready_limited_write(c->u, false, &c->error);
}

int orr_engine_limit_clear(orr_engine *engine, const orr_limit_target *target, orr_error *err) {
  REQUIRE(engine);
  REQUIRE(target);
  orr_limit_target of;
  limit_call call = {.target = options_take(&of, sizeof of, target, err), .more = true};
  int rc = call.target ? 0 : ORR_E_ARGUMENT;
  while (!rc && call.more) rc = change(engine, clear_body, &call, err);
  return rc;
}
