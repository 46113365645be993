/* Looking things up in a definition, and its life; and the list of problems, which outlives definitions that have some. */
#include "model/definition.h"

#include <stdarg.h>
#include <string.h>

#include "base/limits.h"
#include "model/names.h"

node *definition_node(const definition *d, const char *id) { return d->node_ids ? names_get(d->node_ids, id) : NULL; }

flow *definition_flow(const definition *d, const char *id) { return d->flow_ids ? names_get(d->flow_ids, id) : NULL; }

definition *definition_retain(definition *d) {
  __atomic_add_fetch(&d->references, 1, __ATOMIC_RELAXED);
  return d;
}

void definition_release(definition *d) {
  if (d && __atomic_sub_fetch(&d->references, 1, __ATOMIC_ACQ_REL) == 0) arena_free(d->arena);
}

const char *event_type_name(event_type type) {
  static const char *const NAMES[] = {"none",        "timer",      "message", "signal", "error",    "escalation",
                                      "conditional", "compensate", "cancel",  "link",   "terminate"};
  return NAMES[type];
}

/* Flowable's default calendars: the texts mean what they mean without a calendar. */
bool calendar_is_built_in(const char *name) {
  static const char *const NAMES[] = {"dueDate", "duration", "cycle"};
  for (size_t i = 0; i < sizeof NAMES / sizeof *NAMES; i++)
    if (strcmp(name, NAMES[i]) == 0) return true;
  return false;
}

/* ---- Problems ----------------------------------------------------------------------------------------------------------------- */

/* Where the next problem goes: behind the others, or over the last warning when an error finds the list full. */
static problem *place_problem(problems *list, bool warning) {
  if (list->count < ORR_PROBLEMS_MAX) {
    if (!list->items && !(list->items = ARENA_ARRAY(list->arena, problem, ORR_PROBLEMS_MAX))) return NULL;
    return &list->items[list->count++];
  }
  for (uint32_t i = list->count; !warning && i-- > 0;)
    if (list->items[i].warning) return &list->items[i];
  return NULL;
}

void problems_add(problems *list, bool warning, const char *resource, int line, int column, const char *element, const char *format, ...) {
  if (!warning) list->errors++;
  problem *slot = place_problem(list, warning);
  if (!slot) return;
  va_list args;
  va_start(args, format);
  const char *message = arena_vprintf(list->arena, format, args);
  va_end(args);
  const char *where = arena_strdup(list->arena, resource ? resource : "");
  const char *what = element ? arena_strdup(list->arena, element) : NULL;
  *slot = (problem){where ? where : "", line, column, what, message ? message : "out of memory", warning};
}
