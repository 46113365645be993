/* What there is to be had of a topic's external tasks. */
#include "server/transport/topic_look.h"

/* Tasks of a topic that are not suspended and have retries left. NULL: out of memory, or the engine closes. */
static orr_records *topic_tasks(orr_engine *engine, const char *name, bool locked, size_t most) {
  orr_builder *b = orr_builder_new();
  orr_value filter;
  orr_records *found = NULL;
  if (!b) return NULL;
  orr_builder_map(b);
  orr_builder_put(b, "topic", orr_string(name));
  orr_builder_put(b, "locked", orr_bool(locked));
  orr_builder_put(b, "no_retries", orr_bool(false));
  orr_builder_put(b, "active", orr_bool(true));
  if (locked) orr_builder_put(b, "order_by", orr_string("lock_expires"));
  orr_builder_put(b, "limit", orr_int((int64_t)most));
  orr_builder_end(b);
  if (!orr_builder_value(b, &filter, NULL)) orr_engine_list(engine, "external_tasks", &filter, &found, NULL);
  orr_builder_free(b);
  return found;
}

static int64_t lock_left_ms(orr_engine *engine, const orr_records *locked) {
  orr_value end = orr_records_get(locked, 0, "lock_expires");
  orr_time at = orr_milliseconds(&end);
  return at == ORR_TIME_NONE ? 0 : at - orr_engine_now(engine);
}

/* Finds what is free. Where the engine does not answer, something may be. */
static void look_at_free(topic_state *state, orr_engine *engine, const char *name, size_t most) {
  orr_records *found = topic_tasks(engine, name, false, most);
  state->free = found ? orr_records_count(found) : 0;
  if (!found || state->free > 0) state->waits = true;
  orr_records_free(found);
}

/* Finds when the next lock ends. Where the engine does not answer, one may. */
static void look_at_locked(topic_state *state, orr_engine *engine, const char *name) {
  orr_records *locked = topic_tasks(engine, name, true, 1);
  bool any = locked && orr_records_count(locked) > 0;
  if (!locked || any) state->waits = true;
  if (any) state->left_ms = lock_left_ms(engine, locked);
  orr_records_free(locked);
}

topic_state topic_look(orr_engine *engine, const char *name, size_t most) {
  topic_state state = {.left_ms = TOPIC_LOCK_FAR_MS};
  look_at_free(&state, engine, name, most);
  if (state.free < most) look_at_locked(&state, engine, name);
  /* A lock that ended between the two questions is in neither answer, and nothing would tell. */
  if (!state.waits) look_at_free(&state, engine, name, most);
  return state;
}
