/* The server's time. */
#include "store/postgresql/clock.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#define NS_OF_MS INT64_C(1000000)

static int64_t distance(int64_t a, int64_t b) { return a > b ? a - b : b - a; }

void postgres_clock_note(postgres_clock *clock, int64_t server_ms, int64_t asked_ns,
                         int64_t answered_ns) {
  int64_t trip_ms = (answered_ns - asked_ns) / NS_OF_MS;
  int64_t measured = server_ms - (asked_ns + (answered_ns - asked_ns) / 2) / NS_OF_MS;
  if (!atomic_load(&clock->known)) {
    atomic_store(&clock->distance_ms, measured);
    atomic_store(&clock->known, true);
    return;
  }
  if (trip_ms > POSTGRES_CLOCK_TRIP_MS) return;
  int64_t by = measured - atomic_load(&clock->distance_ms), seen = atomic_load(&clock->jump_ms);
  if (distance(by, 0) > POSTGRES_CLOCK_JUMP_MS &&
      (!seen || distance(by, seen) > POSTGRES_CLOCK_JUMP_MS)) {
    atomic_store(&clock->jump_ms, by);
    return;
  }
  /* what a measurement cannot tell from the way it went changes nothing, so that time flows */
  if (distance(by, 0) > trip_ms / 2 + 1) atomic_store(&clock->distance_ms, measured);
  atomic_store(&clock->jump_ms, 0);
}

int64_t postgres_clock_now(const postgres_clock *clock, int64_t mono_ns) {
  return mono_ns / NS_OF_MS + atomic_load(&clock->distance_ms);
}

int postgres_clock_measure(postgres_clock *clock, const orr_env *env, postgres_connection *c,
                           int64_t lane, const char *name, postgres_company *out, orr_error *err) {
  static const char sql[] = "SELECT floor(extract(epoch FROM clock_timestamp()) * 1000)::bigint,"
                            " (SELECT count(*) FROM orrery_lane WHERE id <> 0 AND id <> $1),"
                            " (SELECT coalesce((to_jsonb(f) ->> 'level')::int, 1) FROM orrery_format f)";
  char own[24];
  snprintf(own, sizeof own, "%" PRId64, lane);
  const char *values[] = {own};
  PGresult *found = NULL;
  int64_t asked = env->mono_ns(env->ud);
  int rc = postgres_ask_text(c, sql, 1, values, name, &found, err);
  if (rc) return rc;
  postgres_clock_note(clock, strtoll(pq.getvalue(found, 0, 0), NULL, 10), asked,
                      env->mono_ns(env->ud));
  out->others = strtoll(pq.getvalue(found, 0, 1), NULL, 10);
  out->level = (int)strtol(pq.getvalue(found, 0, 2), NULL, 10);
  pq.clear(found);
  return 0;
}
