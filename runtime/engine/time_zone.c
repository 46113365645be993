/* One row of the store's settings, and the zones that it has named while the engine has been open. */
#include "engine/time_zone.h"

#include <stdatomic.h>
#include <string.h>

#include "base/limits.h"
#include "uow/source.h"

#define TIME_ZONE_UTC "UTC"
/* What was read holds so long. */
#define TIME_ZONE_SEEN_MS 1000

static const rec_meta zone_key = {.name = {"time_zone", 9}};

/* Threads use a zone without a lock: those that were are kept until the engine closes. */
typedef struct kept_zone {
  orr_zone *zone;
  struct kept_zone *next;
} kept_zone;

struct engine_zone {
  const orr_zone *_Atomic now;
  atomic_int_fast64_t seen_at; /* by the engine's clock; 0: not yet */
  kept_zone *kept;             /* engine->mutex guards the list */
};

/* ---- Zones ----------------------------------------------------------------------------------- */

const orr_zone *time_zone_seen(orr_engine *engine) { return atomic_load(&engine->zone->now); }

void time_zone_forget(orr_engine *engine) { atomic_store(&engine->zone->seen_at, 0); }

static const char *name_seen(orr_engine *engine) { return zone_name(time_zone_seen(engine)); }

/* Counts by the zone of this name from now on. */
static int zone_take(orr_engine *engine, const char *name, orr_error *err) {
  if (strcmp(name_seen(engine), name) == 0) return 0;
  const orr_allocator *allocator = &engine->env.allocator;
  kept_zone *kept = env_zalloc(allocator, sizeof *kept);
  if (!kept) return error_memory(err);
  int rc = zone_load(allocator, name, &kept->zone, err);
  if (rc) {
    env_free(allocator, kept, sizeof *kept);
    return rc;
  }
  pthread_mutex_lock(&engine->mutex);
  kept->next = engine->zone->kept;
  engine->zone->kept = kept;
  pthread_mutex_unlock(&engine->mutex);
  atomic_store(&engine->zone->now, kept->zone);
  return 0;
}

void time_zone_close(orr_engine *engine) {
  if (!engine->zone) return;
  const orr_allocator *allocator = &engine->env.allocator;
  while (engine->zone->kept) {
    kept_zone *kept = engine->zone->kept;
    engine->zone->kept = kept->next;
    zone_free(kept->zone);
    env_free(allocator, kept, sizeof *kept);
  }
  env_free(allocator, engine->zone, sizeof *engine->zone);
}

/* ---- The row --------------------------------------------------------------------------------- */

/* The name in the store, in the unit's memory; NULL: it has none yet. */
static int zone_row_read(unit *u, const char **out, orr_error *err) {
  orr_error failure = {0};
  const rec_meta *meta = unit_meta_key(u, &zone_key, &failure);
  *out = NULL;
  if (failure.code) {
    int rc = failure.code;
    error_move(err, &failure);
    return rc;
  }
  if (!meta || meta->value.type != ORR_STRING) return 0;
  *out = arena_strndup(unit_arena(u), meta->value.as.bytes, meta->value.size);
  return *out ? 0 : error_memory(err);
}

int time_zone_write(unit *u, const char *name, orr_error *err) {
  orr_error failure = {0};
  rec_meta *meta = unit_meta_key(u, &zone_key, &failure);
  if (failure.code) {
    int rc = failure.code;
    error_move(err, &failure);
    return rc;
  }
  if (!meta) meta = unit_new_meta(u, &zone_key);
  rec_text text = unit_textz(u, name);
  if (!meta || !text.data || unit_touch(u, meta)) return error_memory(err);
  meta->value = orr_bytes(text.data, text.size);
  return 0;
}

const orr_zone *time_zone(context *c) {
  orr_engine *engine = c->engine;
  orr_time at = atomic_load(&engine->zone->seen_at);
  if (at && c->now >= at && c->now - at < TIME_ZONE_SEEN_MS) return time_zone_seen(engine);
  const char *name;
  if (zone_row_read(c->u, &name, &c->error)) return NULL;
  if (name && zone_take(engine, name, &c->error)) return NULL;
  atomic_store(&engine->zone->seen_at, c->now);
  return time_zone_seen(engine);
}

/* ---- Opening --------------------------------------------------------------------------------- */

int time_zone_check(const orr_engine *engine, orr_error *err) {
  orr_zone *zone = NULL;
  if (!engine->config.time_zone) return 0;
  int rc = zone_load(&engine->env.allocator, engine->config.time_zone, &zone, err);
  if (!rc) zone_free(zone);
  return rc;
}

static int store_is_new(orr_engine *engine, bool *out, orr_error *err) {
  store_snapshot *view = NULL;
  store_cursor *cursor = NULL;
  store_bytes key, value;
  int rc = store_snapshot_open(engine->store, &view, err);
  if (!rc) rc = store_scan(view, &(store_range){0}, &cursor, err);
  if (!rc) {
    rc = store_next(cursor, &key, &value, err);
    *out = rc == ORR_E_NOT_FOUND;
    if (*out) {
      orr_error_clear(err);
      rc = 0;
    }
  }
  store_cursor_close(cursor);
  store_snapshot_close(view);
  return rc;
}

static int differs(const char *stored, const char *option, orr_error *err) {
  return error_set(err, ORR_E_ARGUMENT,
                   "time_zone: the store's is \"%s\", not \"%s\"; leave the option out, or change the store's first "
                   "(orrery zone)", stored, option);
}

/* In one unit: two engines that open a new store at a time agree. A private store's goes with its engine, so that one
 * without the option need not be written. */
static int zone_settle(orr_engine *engine, bool is_new, orr_error *err) {
  const char *option = engine->config.time_zone, *stored;
  unit *u = unit_begin(engine->units, err);
  if (!u) return err->code ? err->code : ORR_E_STORE;
  int rc = zone_row_read(u, &stored, err);
  const char *name = stored ? stored : option ? option : TIME_ZONE_UTC;
  if (!rc && stored && option && strcmp(stored, option) != 0) rc = differs(stored, option, err);
  if (!rc && !stored && (option || (is_new && engine->config.path))) {
    rc = time_zone_write(u, name, err);
    if (!rc) rc = unit_commit(u, err);
  }
  if (!rc) rc = zone_take(engine, name, err);
  unit_end(u);
  return rc;
}

int time_zone_open(orr_engine *engine, orr_error *err) {
  engine->zone = env_zalloc(&engine->env.allocator, sizeof *engine->zone);
  if (!engine->zone) return error_memory(err);
  atomic_init(&engine->zone->now, zone_utc());
  bool is_new = false;
  int rc = engine->config.time_zone ? zone_take(engine, engine->config.time_zone, err) : 0; /* is it one? */
  if (!rc) rc = store_is_new(engine, &is_new, err);
  for (int tries = 0; !rc; tries++) {
    orr_error failure = {0};
    rc = zone_settle(engine, is_new, &failure);
    if (rc != ORR_E_CONFLICT || tries == ORR_CONFLICTS_MAX) {
      if (rc) error_move(err, &failure);
      return rc;
    }
    orr_error_clear(&failure); /* another engine was faster: what it has settled holds */
    rc = 0;
  }
  return rc;
}
