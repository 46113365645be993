/* Fetch and lock: choosing the tasks that a worker gets. */
#include "exec/task/external_fetch.h"

#include <stdlib.h>
#include <string.h>

#include "base/builder.h"
#include "base/value.h"
#include "engine/engine.h"
#include "exec/task/external_task.h"
#include "job/limit.h"
#include "state/expression.h"
#include "state/tracing.h"
#include "state/variable.h"
#include "uow/find.h"

/* `wanted` NULL: any. */
static bool text_fits(rec_text text, const char *wanted) { return !wanted || rec_text_is(text, wanted); }

static int topic_variables_match(context *c, const rec_external_task *t, const orr_value *match, bool *out) {
  orr_iterator it = orr_iterate(match);
  orr_value key, wanted, v;
  *out = true;
  while (*out && orr_next(&it, &key, &wanted)) {
    const char *name = arena_strndup(c->arena, key.as.bytes, key.size);
    int rc = name ? variable_get(c, t->execution_id, name, &v) : context_memory(c);
    if (rc) return rc;
    *out = value_equal(&v, &wanted);
  }
  return 0;
}

/* ---- Exclusive tasks ------------------------------------------------------------------------- */

static int is_exclusive(context *c, const rec_external_task *t, bool *out) {
  const definition *d = context_definition(c, t->definition_id, &c->error);
  if (!d) return c->error.code;
  *out = d->dialect->external_exclusive && d->nodes[t->node - 1]->exclusive;
  return 0;
}

/* A lock of another worker on one exclusive task of an instance applies to all of them. `rely`: the
 * commit relies on the others as they are now, so if two workers lock two tasks of one instance at
 * once, one of them loses and looks again. */
static int may_lock(context *c, const external_fetch *r, const rec_external_task *t, bool rely, bool *out) {
  unit_found found;
  bool exclusive;
  int rc = is_exclusive(c, t, &exclusive);
  *out = true;
  if (rc || !exclusive) return rc;
  rc = unit_find_group(c->u, &rec_external_task_type, orr_id_group(t->instance_id), &found, &c->error);
  for (size_t i = 0; !rc && *out && i < found.count; i++) {
    rec_external_task *other = (rec_external_task *)found.items[i];
    rc = other == t ? 0 : is_exclusive(c, other, &exclusive);
    if (rc || other == t || !exclusive) continue;
    *out = other->lock_expires <= c->now || rec_text_is(other->worker, r->worker);
    if (*out && rely && unit_rely(c->u, other)) rc = context_memory(c);
  }
  return rc;
}

/* ---- Candidates ------------------------------------------------------------------------------ */

static int fits(context *c, const external_fetch *r, const rec_external_task *t, const external_topic *topic, bool *out) {
  bool retries = t->retries.type != ORR_INT || t->retries.as.integer > 0;
  *out = !t->suspended && retries && t->lock_expires <= c->now && text_fits(t->business_key, topic->business_key) &&
         text_fits(t->definition_key, topic->definition_key) && text_fits(t->version_tag, topic->version_tag) &&
         text_fits(t->tenant, topic->tenant) &&
         (!topic->definition_id || topic->definition_id == t->definition_id);
  int rc = *out ? may_lock(c, r, t, false, out) : 0;
  return !rc && *out && topic->match.type == ORR_MAP ? topic_variables_match(c, t, &topic->match, out) : rc;
}

typedef struct candidates {
  external_locked *items;
  uint32_t count, capacity;
} candidates;

static bool topic_listed(const candidates *list, const rec_external_task *t) {
  for (uint32_t i = 0; i < list->count; i++) {
    if (list->items[i].task == t) return true;
  }
  return false;
}

static int add_candidate(context *c, candidates *list, rec_external_task *t, const external_topic *topic) {
  if (!ARENA_ROOM(c->arena, list->items, list->count, list->capacity, 16)) return context_memory(c);
  list->items[list->count++] = (external_locked){t, topic};
  return 0;
}

/* Does an earlier entry of the request have the same name? A task may fit both, and is taken
 * once. */
static bool named_before(const external_fetch *r, uint32_t at) {
  for (uint32_t i = 0; i < at; i++) {
    if (strcmp(r->topics[i].name, r->topics[at].name) == 0) return true;
  }
  return false;
}

/* The index is ordered by priority, then age. Where that is the wanted order, `enough` candidates
 * end the search. */
static int collect_candidates(context *c, const external_fetch *r, uint32_t topic_at, uint64_t enough, candidates *list) {
  const external_topic *topic = &r->topics[topic_at];
  bool again = named_before(r, topic_at);
  rec_key key = {.text = {topic->name, strlen(topic->name)}};
  unit_found found;
  size_t limit = enough ? (size_t)enough + 16 : 0, seen = 0;
  for (;;) {
    int rc = unit_find_index(c->u, REC_INDEX_EXTERNAL_TOPIC, &key, 1, limit, &found, &c->error);
    for (; !rc && seen < found.count; seen++) {
      bool good;
      rec_external_task *t = (rec_external_task *)found.items[seen];
      rc = fits(c, r, t, topic, &good);
      if (!rc && good && !(again && topic_listed(list, t))) rc = add_candidate(c, list, t, topic);
      if (enough && list->count >= enough) return rc;
    }
    if (rc || limit == 0 || found.count < limit) return rc;
    limit *= 4;
  }
}

static int by_number(int64_t a, int64_t b) {
  return (a > b) - (a < b);
}

static int candidate_by_id(const external_locked *a, const external_locked *b) {
  return (a->task->id > b->task->id) - (a->task->id < b->task->id);
}

static int by_priority(const void *left, const void *right) {
  const external_locked *a = left, *b = right;
  int order = by_number(b->task->priority, a->task->priority);
  return order ? order : candidate_by_id(a, b);
}

static int by_age(const void *left, const void *right) {
  const external_locked *a = left, *b = right;
  int order = by_number(a->task->created, b->task->created);
  return order ? order : candidate_by_id(a, b);
}

static int by_age_desc(const void *left, const void *right) {
  return by_age(right, left);
}

static int by_priority_age(const void *left, const void *right) {
  const external_locked *a = left, *b = right;
  int order = by_number(b->task->priority, a->task->priority);
  return order ? order : by_age(a, b);
}

static int by_priority_age_desc(const void *left, const void *right) {
  const external_locked *a = left, *b = right;
  int order = by_number(b->task->priority, a->task->priority);
  return order ? order : by_age_desc(a, b);
}

static void sort(const external_fetch *r, candidates *list) {
  static int (*const orders[2][3])(const void *, const void *) = {
    {[EXTERNAL_ORDER_NONE] = by_age, [EXTERNAL_ORDER_CREATED] = by_age, [EXTERNAL_ORDER_CREATED_DESC] = by_age_desc},
    {[EXTERNAL_ORDER_NONE] = by_priority, [EXTERNAL_ORDER_CREATED] = by_priority_age,
     [EXTERNAL_ORDER_CREATED_DESC] = by_priority_age_desc},
  };
  if (list->count > 1) qsort(list->items, list->count, sizeof *list->items, orders[r->use_priority][r->order]);
}

static int check_fetch(context *c, const external_fetch *r) {
  bool zero_allowed = c->engine->config.dialect == ORR_DIALECT_CAMUNDA;
  if (!r->worker || !*r->worker) return context_error(c, ORR_E_ARGUMENT, "fetching external tasks needs the worker's name");
  if (r->max < 0 || (r->max == 0 && !zero_allowed)) return context_error(c, ORR_E_ARGUMENT, "max must be positive");
  for (uint32_t i = 0; i < r->n_topics; i++) {
    if (!r->topics[i].name || !*r->topics[i].name) return context_error(c, ORR_E_ARGUMENT, "a topic needs a name");
    if (r->topics[i].lock <= 0)
      return context_error(c, ORR_E_ARGUMENT, "topic \"%s\": its lock must be a positive duration", r->topics[i].name);
  }
  return 0;
}

/* ---- Locking --------------------------------------------------------------------------------- */

/* Locks tasks as far as the request and the limits of the topics have room. The list then has those
 * that were locked. */
static int lock_some(context *c, const external_fetch *r, candidates *list) {
  limit_rooms rooms = {0};
  bool limits;
  uint32_t kept = 0;
  int rc = limits_exist(c, &limits);
  for (uint32_t i = 0; !rc && i < list->count && kept < r->max; i++) {
    external_locked *item = &list->items[i];
    limit_room *room = NULL;
    bool may;
    rc = may_lock(c, r, item->task, true, &may);
    if (!rc && may && limits) rc = limit_room_for_topic(c, &rooms, item->task->topic, &room);
    if (rc || !may || (room && room->free <= 0)) continue;
    rc = external_lock(c, item->task, r->worker, item->topic->lock, false);
    if (!rc && room) rc = limit_take_topic(c, room, item->task);
    if (!rc) tracing_touch(c, "external task fetch", item->task);
    list->items[kept++] = *item;
  }
  list->count = kept;
  return rc;
}

int external_fetch_and_lock(context *c, const external_fetch *r, external_locked **out, uint32_t *count) {
  candidates list = {0};
  bool in_index_order = r->n_topics == 1 && r->use_priority && r->order == EXTERNAL_ORDER_NONE;
  int rc = check_fetch(c, r);
  for (uint32_t i = 0; !rc && i < r->n_topics; i++)
    rc = collect_candidates(c, r, i, in_index_order ? (uint64_t)r->max : 0, &list);
  if (rc) return rc;
  sort(r, &list);
  rc = lock_some(c, r, &list);
  *out = list.items;
  *count = list.count;
  return rc;
}

/* ---- What it sees ---------------------------------------------------------------------------- */

static int add_mapped_variables(context *c, const rec_external_task *t, const node *n, orr_builder *b) {
  for (uint32_t i = 0; i < n->service->n_external_in; i++) {
    const call_mapping *m = &n->service->external_in[i];
    orr_value v = {0};
    int rc = expr_given(&m->source_expression) ? expr_value(c, &m->source_expression, t->execution_id, n, &v)
             : m->source                       ? variable_get(c, t->execution_id, m->source, &v)
                                               : 0;
    if (rc) return rc;
    if (v.type == ORR_NIL) v = orr_null();
    const char *target = m->target ? m->target : m->source;
    if (!target) return context_error(c, ORR_E_EXPRESSION, "%s \"%s\": an in parameter has no target", n->element, n->id);
    orr_builder_put(b, target, v);
  }
  return 0;
}

int external_variables(context *c, const rec_external_task *t, bool local, orr_value *out) {
  const definition *d = context_definition(c, t->definition_id, &c->error);
  if (!d) return c->error.code;
  const node *n = d->nodes[t->node - 1];
  if (!n->service->n_external_in && !n->service->external_skip_variables) return variable_map(c, t->execution_id, local, out);
  orr_builder *b = builder_new(&c->engine->env.allocator);
  if (!b) return context_memory(c);
  orr_builder_map(b);
  int rc = add_mapped_variables(c, t, n, b);
  orr_builder_end(b);
  if (!rc) rc = builder_copy(b, c->arena, out, &c->error);
  orr_builder_free(b);
  return rc;
}
