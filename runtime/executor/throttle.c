/* Jobs that wait for their limits. */
#include "executor/throttle.h"

#include "engine/engine.h"
#include "uow/find.h"

int throttle_park(context *c, rec_job *job, const limit_room *full) {
  if (context_touch(c, job)) return c->error.code;
  job->state = ORR_JOB_THROTTLED;
  job->throttled_by = full->limit->name;
  return 0;
}

static int find_parked(context *c, rec_text limit, size_t most, unit_found *out) {
  rec_key key = {.text = limit};
  return unit_find_index(c->u, REC_INDEX_JOB_THROTTLED, &key, 1, most, out, &c->error);
}

int throttle_rely_on_all(context *c, rec_text limit) {
  rec_key key = {.text = limit};
  unit_found found;
  return unit_find_every(c->u, REC_INDEX_JOB_THROTTLED, &key, 1, &found, &c->error);
}

int throttle_release(context *c, rec_text limit, size_t most, size_t *count) {
  unit_found found;
  int rc = find_parked(c, limit, most, &found);
  *count = 0;
  for (size_t i = 0; !rc && i < found.count; i++) {
    rec_job *job = (rec_job *)found.items[i];
    if (context_touch(c, job)) return c->error.code;
    job->state = ORR_JOB_READY;
    (*count)++;
  }
  return rc;
}

static void bring_forward(acquisition *out, orr_time at) {
  if (at && (out->next_due == 0 || at < out->next_due)) out->next_due = at;
}

static int promote_of(context *c, const rec_limit *limit, acquisition *out) {
  unit_found found;
  int64_t room;
  int rc = find_parked(c, limit->name, 1, &found);
  if (rc || found.count == 0) return rc;
  out->throttled = true;
  rc = limit_free(c, limit, &room);
  if (rc) return rc;
  orr_time token_at = room == 0 ? limit_token_at(limit, c->now) : 0;
  bring_forward(out, token_at);
  out->rated = out->rated || token_at;
  if (room > out->max) room = out->max;
  if (room > THROTTLE_PARK_MAX) room = THROTTLE_PARK_MAX;
  size_t count;
  return room > 0 ? throttle_release(c, limit->name, (size_t)room, &count) : 0;
}

static int promote_all(context *c, acquisition *out, bool *limits) {
  unit_found found;
  int rc = limits_exist(c, limits);
  if (rc || !*limits) return rc;
  rc = unit_find_all(c->u, &rec_limit_type, &found, &c->error);
  for (size_t i = 0; !rc && i < found.count; i++) rc = promote_of(c, (const rec_limit *)found.items[i], out);
  return rc;
}

int throttle_promote(orr_engine *engine, acquisition *out, bool *limits, orr_error *err) {
  context *c = context_begin(engine, NULL, err);
  if (!c) return err->code;
  int rc = promote_all(c, out, limits);
  if (rc) error_move(err, &c->error);
  else if (unit_changed(c->u)) rc = unit_commit(c->u, err);
  context_end(c);
  if (rc != ORR_E_CONFLICT) return rc;
  orr_error_clear(err); /* another process does the same: what it left is for the next round */
  out->unfinished = true;
  return 0;
}
