/* Limits: names, room, leases, the token bucket. */
#include "job/limit.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "engine/engine.h"
#include "uow/find.h"
#include "uow/ready.h"

/* ---- Names ----------------------------------------------------------------------------------- */

static rec_text limit_named_so(context *c, const char *kind, rec_text name) {
  const char *text = arena_printf(c->arena, "%s:%.*s", kind, (int)name.size, name.data ? name.data : "");
  return unit_textz(c->u, text);
}

rec_text limit_name_of_job_definition(context *c, orr_id id) {
  return unit_textz(c->u, arena_printf(c->arena, "job_definition:%" PRIu64, id));
}
rec_text limit_name_of_key(context *c, rec_text key) { return limit_named_so(c, "key", key); }
rec_text limit_name_of_topic(context *c, rec_text topic) { return limit_named_so(c, "topic", topic); }

static rec_limit *limit_named(context *c, rec_text name) {
  if (!name.data) {
    context_memory(c);
    return NULL;
  }
  rec_limit key = {.name = name};
  return unit_limit_key(c->u, &key, &c->error);
}

/* ---- Is there one? --------------------------------------------------------------------------- */

/* A job that is handed over looks at the store only if there were limits within this time. */
#define LIMITED_FOR_MS 100

int limits_exist(context *c, bool *out) {
  ready_orders orders;
  int rc = ready_orders_read(c->u, &orders, &c->error);
  if (!rc && ready_orders_rely(c->u, &orders)) rc = context_memory(c);
  *out = !rc && orders.limited;
  if (rc) return rc;
  atomic_store(&c->engine->limited, *out);
  atomic_store(&c->engine->limited_at, c->now);
  return 0;
}

static bool unlimited_lately(const context *c) {
  orr_time at = atomic_load(&c->engine->limited_at);
  return !atomic_load(&c->engine->limited) && at && c->now >= at && c->now - at < LIMITED_FOR_MS;
}

int limit_holds(context *c, const rec_job *job, bool *out) {
  *out = false;
  int rc = unlimited_lately(c) ? 0 : limits_exist(c, out);
  if (rc || !*out) return rc;
  *out = job->job_definition_id && limit_named(c, limit_name_of_job_definition(c, job->job_definition_id)) != NULL;
  if (!*out && !c->error.code && job->limit_key.size) *out = limit_named(c, limit_name_of_key(c, job->limit_key));
  return c->error.code;
}

/* ---- Tokens ---------------------------------------------------------------------------------- */

double limit_rate(const rec_limit *limit) {
  if (limit->per_second.type == ORR_INT) return (double)limit->per_second.as.integer;
  return limit->per_second.type == ORR_FLOAT ? limit->per_second.as.number : 0;
}

int64_t limit_tokens(const rec_limit *limit, orr_time now) {
  double full = (double)limit->burst * (double)LIMIT_TOKEN;
  double waited = now > limit->refilled ? (double)(now - limit->refilled) : 0;
  double tokens = (double)limit->tokens + waited / 1000 * limit_rate(limit) * (double)LIMIT_TOKEN;
  return (int64_t)fmin(tokens, full);
}

orr_time limit_token_at(const rec_limit *limit, orr_time now) {
  double rate = limit_rate(limit);
  int64_t missing = rate > 0 ? LIMIT_TOKEN - limit_tokens(limit, now) : 0;
  if (missing <= 0) return 0;
  double wait_ms = ceil((double)missing / (double)LIMIT_TOKEN / rate * 1000);
  return now + (wait_ms < 1 ? 1 : wait_ms > 1e15 ? (orr_time)1e15 : (orr_time)wait_ms);
}

/* ---- Gates ----------------------------------------------------------------------------------- */

/* Leases of external tasks end with their locks. */
static int count_leases(context *c, const rec_limit *limit, int64_t *out) {
  rec_key key = {.text = limit->name};
  unit_found found;
  *out = 0;
  int rc = unit_find_keys(c->u, &rec_lease_type, &key, 1, &found, &c->error);
  for (size_t i = 0; !rc && i < found.count; i++) {
    const rec_lease *lease = (const rec_lease *)found.items[i];
    if (!lease->expires || lease->expires > c->now) (*out)++;
  }
  return rc;
}

int limit_free(context *c, const rec_limit *limit, int64_t *out) {
  int64_t held = 0;
  int rc = limit->max > 0 ? count_leases(c, limit, &held) : 0;
  if (rc) return rc;
  int64_t places = limit->max > 0 ? limit->max - held : INT64_MAX;
  int64_t starts = limit_rate(limit) > 0 ? limit_tokens(limit, c->now) / LIMIT_TOKEN : INT64_MAX;
  *out = places < starts ? places : starts;
  if (*out < 0) *out = 0;
  return 0;
}

static int room_of(context *c, limit_rooms *rooms, rec_text name, limit_room **out) {
  *out = NULL;
  rec_limit *limit = limit_named(c, name);
  if (!limit) return c->error.code;
  for (limit_room *room = rooms->first; room; room = room->next) {
    if (room->limit != limit) continue;
    *out = room;
    return 0;
  }
  limit_room *room = ARENA_NEW(c->arena, limit_room);
  if (!room || unit_rely(c->u, limit)) return context_memory(c);
  room->limit = limit;
  int rc = limit_free(c, limit, &room->free);
  if (rc) return rc;
  room->next = rooms->first;
  rooms->first = room;
  *out = room;
  return 0;
}

int limit_rooms_for_job(context *c, limit_rooms *rooms, const rec_job *job, job_limits *out, limit_room **full) {
  *out = (job_limits){0};
  *full = NULL;
  int rc = job->job_definition_id ? room_of(c, rooms, limit_name_of_job_definition(c, job->job_definition_id), &out->of[0]) : 0;
  if (!rc && job->limit_key.size) rc = room_of(c, rooms, limit_name_of_key(c, job->limit_key), &out->of[1]);
  for (int i = 0; !rc && i < 2 && !*full; i++)
    if (out->of[i] && out->of[i]->free <= 0) *full = out->of[i];
  return rc;
}

int limit_room_for_topic(context *c, limit_rooms *rooms, rec_text topic, limit_room **out) {
  return room_of(c, rooms, limit_name_of_topic(c, topic), out);
}

/* ---- Taking ---------------------------------------------------------------------------------- */

/* Writes the limit's record, even when nothing changes in it: so that others that count now lose. */
static int use_room(context *c, limit_room *room) {
  rec_limit *limit = room->limit;
  if (context_touch(c, limit)) return c->error.code;
  if (limit_rate(limit) > 0) {
    limit->tokens = limit_tokens(limit, c->now) - LIMIT_TOKEN;
    limit->refilled = c->now;
  }
  if (room->free != INT64_MAX) room->free--;
  return 0;
}

static rec_lease *lease_of(context *c, rec_text limit, orr_id holder) {
  rec_lease key = {.limit = limit, .holder = holder};
  return unit_lease_key(c->u, &key, &c->error);
}

/* A holder whose lock has expired may still have its row. */
static int lease_put(context *c, rec_text limit, orr_id holder, orr_time expires) {
  rec_lease *lease = lease_of(c, limit, holder);
  if (c->error.code) return c->error.code;
  if (!lease) {
    rec_lease key = {.limit = limit, .holder = holder};
    lease = unit_new_lease(c->u, &key);
  }
  if (!lease || unit_touch(c->u, lease)) return context_memory(c);
  lease->expires = expires;
  return 0;
}

static int lease_drop(context *c, rec_text limit, orr_id holder) {
  rec_lease *lease = limit.data ? lease_of(c, limit, holder) : NULL;
  if (!lease) return c->error.code;
  return unit_delete(c->u, lease) ? context_memory(c) : 0;
}

int limit_take(context *c, const job_limits *pair, rec_job *job) {
  for (int i = 0; i < 2; i++) {
    limit_room *room = pair->of[i];
    if (!room) continue;
    int rc = use_room(c, room);
    if (!rc && room->limit->max > 0) rc = lease_put(c, room->limit->name, job->id, 0);
    if (rc) return rc;
    if (room->limit->max > 0) job->leases |= (uint8_t)(1u << i);
  }
  return 0;
}

int limit_take_topic(context *c, limit_room *room, rec_external_task *t) {
  int rc = use_room(c, room);
  if (!rc && room->limit->max > 0) rc = lease_put(c, room->limit->name, t->id, t->lock_expires);
  t->leased = room->limit->max > 0;
  return rc;
}

/* ---- Giving back ----------------------------------------------------------------------------- */

static void returned(void *ud) {
  orr_engine *engine = ud;
  engine->hooks->lease_returned(engine);
}

int limit_release(context *c, rec_job *job) {
  if (!job->leases) return 0;
  if (context_touch(c, job)) return c->error.code;
  int rc = 0;
  if (job->leases & LEASE_JOB_DEFINITION) rc = lease_drop(c, limit_name_of_job_definition(c, job->job_definition_id), job->id);
  if (!rc && job->leases & LEASE_KEY) rc = lease_drop(c, limit_name_of_key(c, job->limit_key), job->id);
  job->leases = 0;
  if (!rc) unit_after_commit(c->u, returned, c->engine);
  return rc;
}

int limit_release_topic(context *c, rec_external_task *t) {
  if (!t->leased) return 0;
  if (context_touch(c, t)) return c->error.code;
  t->leased = false;
  return lease_drop(c, limit_name_of_topic(c, t->topic), t->id);
}

int limit_extend_topic(context *c, const rec_external_task *t) {
  if (!t->leased) return 0;
  rec_text name = limit_name_of_topic(c, t->topic);
  rec_lease *lease = name.data ? lease_of(c, name, t->id) : NULL;
  if (!lease) return c->error.code;
  if (context_touch(c, lease)) return c->error.code;
  lease->expires = t->lock_expires;
  return 0;
}
