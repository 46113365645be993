/* Looking things up in a definition, and its life; and the list of problems, which outlives definitions that have some. */
#include "model/definition.h"

#include <stdarg.h>
#include <stdlib.h>
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

/* ---- Problems -------------------------------------------------------------------------------- */

/* Problems of one kind: those that say the same of different things. */
struct problem_kind {
  problem_kind *next;
  const char *format;
  bool warning;
  bool cause; /* told before what follows from it */
  uint32_t found;
};

/* NULL: memory is out. There are as many kinds as formats in the source, so a list will do. */
static problem_kind *problem_kind_of(problems *list, const char *format, bool warning) {
  for (problem_kind *k = list->kinds; k; k = k->next)
    if (k->format == format && k->warning == warning) return k;
  problem_kind *k = ARENA_NEW(list->arena, problem_kind);
  if (!k) return NULL;
  *k = (problem_kind){.next = list->kinds, .format = format, .warning = warning};
  list->kinds = k;
  return k;
}

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

void problems_add_list(problems *list, bool warning, const problem_place *at, const char *format, va_list args) {
  if (!warning) list->errors++;
  problem_kind *kind = problem_kind_of(list, format, warning);
  if (kind && ++kind->found > ORR_PROBLEMS_OF_KIND_MAX) return;
  problem *slot = place_problem(list, warning);
  if (!slot) return;
  const char *message = arena_vprintf(list->arena, format, args);
  const char *where = arena_strdup(list->arena, at->resource ? at->resource : "");
  const char *what = at->element ? arena_strdup(list->arena, at->element) : NULL;
  list->out_of_memory = list->out_of_memory || !message || !where;
  *slot = (problem){where ? where : "", at->line, at->column, what,
                    message ? message : "out of memory", warning, 0, kind};
}

void problems_add(problems *list, bool warning, const problem_place *at, const char *format, ...) {
  va_list args;
  va_start(args, format);
  problems_add_list(list, warning, at, format, args);
  va_end(args);
}

bool problems_want(problems *list, bool warning, const char *format) {
  const problem_kind *kind = problem_kind_of(list, format, warning);
  return !kind || kind->found < ORR_PROBLEMS_OF_KIND_MAX;
}

static problem *last_of_kind(const problems *list, const problem_kind *kind) {
  for (uint32_t i = list->count; i-- > 0;)
    if (list->items[i].kind == kind) return &list->items[i];
  return NULL;
}

void problems_count_kinds(problems *list) {
  for (problem_kind *k = list->kinds; k; k = k->next) {
    problem *last = k->found > ORR_PROBLEMS_OF_KIND_MAX ? last_of_kind(list, k) : NULL;
    if (!last) continue;
    const char *message =
        arena_printf(list->arena, "%s (and %u more like this)", last->message, k->found - ORR_PROBLEMS_OF_KIND_MAX);
    if (message) last->message = message;
    last->more = k->found - ORR_PROBLEMS_OF_KIND_MAX;
    k->found = ORR_PROBLEMS_OF_KIND_MAX; /* told */
  }
}

void problems_are_causes(problems *list, const char *format) {
  for (problem_kind *k = list->kinds; k; k = k->next) k->cause = k->cause || k->format == format;
}

static bool is_cause(const problem *p) { return p->kind && p->kind->cause && !p->warning; }

static int by_cause_and_place(const void *a, const void *b) {
  const problem *x = a, *y = b;
  if (is_cause(x) != is_cause(y)) return is_cause(x) ? -1 : 1;
  if (x->line != y->line) return x->line < y->line ? -1 : 1;
  return x->column < y->column ? -1 : x->column > y->column;
}

void problems_sort(problems *list, uint32_t from) {
  if (list->count > from) qsort(list->items + from, list->count - from, sizeof *list->items, by_cause_and_place);
}
