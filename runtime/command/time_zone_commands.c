/* The store's time zone, shown and changed. */
#include "base/null.h"
#include "command/frame.h"
#include "engine/time_zone.h"

static int show_body(context *c, void *ud) {
  const orr_zone **zone = ud;
  *zone = time_zone(c);
  return *zone ? 0 : c->error.code;
}

int orr_engine_time_zone(orr_engine *engine, orr_builder *out, orr_error *err) {
  REQUIRE(engine);
  const orr_zone *zone;
  time_zone_forget(engine);
  int rc = command_read(engine, show_body, &zone, err);
  if (rc) return rc;
  orr_value name = orr_string(zone_name(zone));
  orr_builder_add(out, &name);
  return out ? orr_builder_value(out, &name, err) : 0;
}

static int zone_set_body(context *c, void *ud) {
  const char *name = ud;
  orr_zone *zone;
  int rc = zone_load(&c->engine->env.allocator, name, &zone, &c->error);
  if (rc) return rc;
  zone_free(zone);
  return time_zone_write(c->u, name, &c->error);
}

/* Not within a transaction: it may be rolled back, and by then timers would have been computed by
 * the zone. */
int orr_engine_set_time_zone(orr_engine *engine, const char *name, orr_error *err) {
  REQUIRE(engine);
  REQUIRE(name);
  engine_thread *thread = engine_thread_get(engine, err);
  if (!thread) return err && err->code ? err->code : ORR_E_MEMORY;
  if (thread->current) return error_set(err, ORR_E_STATE, "the time zone cannot be set within a transaction");
  int rc = command_upkeep(engine, zone_set_body, (void *)name, err);
  time_zone_forget(engine);
  return rc;
}
