/* All obstacles of a migration are reported at once. */
#include <inttypes.h>
#include <stdarg.h>
#include <string.h>

#include "base/builder.h"
#include "base/value.h"
#include "command/migration/migration_internal.h"
#include "engine/engine.h"

int obstacles_begin(context *c, obstacles *out) {
  *out = (obstacles){.c = c, .list = builder_new(&c->engine->env.allocator)};
  if (!out->list) return context_memory(c);
  orr_builder_array(out->list);
  return 0;
}

static void add_gap(obstacles *g, const struct obstacle_at *about, const char *message) {
  orr_builder_map(g->list);
  if (about->instance != 0)
    orr_builder_put(g->list, "instance_id", value_of_id(g->c->arena, about->instance));
  builder_put_given(g->list, "activity_id", orr_string(about->activity));
  builder_put_given(g->list, "target_id", orr_string(about->target));
  builder_put_given(g->list, "message", orr_string(message));
  orr_builder_end(g->list);
}

void obstacle_add(obstacles *g, struct obstacle_at about, const char *format, ...) {
  if (g->count++ >= ORR_PROBLEMS_MAX) return;
  va_list args;
  va_start(args, format);
  char *message = arena_vprintf(g->c->arena, format, args);
  va_end(args);
  if (g->count == 1) g->first = message;
  add_gap(g, &about, message);
}

void obstacle_add_missing(obstacles *g, orr_id instance, const char *what) {
  g->missing++;
  obstacle_add(g, (struct obstacle_at){.instance = instance},
               "there is no %s process instance %" PRIu64, what, instance);
}

int obstacles_value(obstacles *g, orr_value *out) {
  orr_builder_end(g->list);
  return orr_builder_value(g->list, out, &g->c->error);
}

int obstacles_refuse(obstacles *g) {
  orr_value list;
  if (g->count == 0) return 0;
  if (obstacles_value(g, &list)) return g->c->error.code;
  const char *first = g->first ? g->first : "";
  int code = g->missing == g->count ? ORR_E_NOT_FOUND : ORR_E_ARGUMENT;
  int rc = g->count > 1 ? context_error(g->c, code, "%s (and %u more)", first, g->count - 1)
                        : context_error(g->c, code, "%s", first);
  return error_detail(&g->c->error, "problems", &list) ? context_memory(g->c) : rc;
}

void obstacles_end(obstacles *g) {
  orr_builder_free(g->list);
  g->list = NULL;
}
