/* One step of cleaning history. */
#include "command/instance/cleaning.h"

#include <stdlib.h>

#include "command/instance/purge.h"
#include "state/history.h"

/* ---- How long rows are kept ------------------------------------------------------------------ */

/* How long the history of each definition is kept, in the order of their ids; -1: for good. */
typedef struct lifetime {
  orr_id definition;
  orr_duration span;
} lifetime;

typedef struct lifetimes {
  context *c;
  lifetime *items;
  size_t count, capacity;
  orr_duration longest;
} lifetimes;

static int look_at_definition(void *ud, rec_head *record, bool *stop) {
  lifetimes *l = ud;
  const rec_definition *d = (const rec_definition *)record;
  orr_time until;
  (void)stop;
  if (!ARENA_ROOM(l->c->arena, l->items, l->count, l->capacity, 16)) return context_memory(l->c);
  int rc = history_removal_by(l->c, d, l->c->now, &until);
  orr_duration span = until ? until - l->c->now : -1;
  l->items[l->count++] = (lifetime){d->id, span};
  if (span > l->longest) l->longest = span;
  return rc;
}

static int compare_lifetimes(const void *a, const void *b) {
  orr_id x = ((const lifetime *)a)->definition, y = ((const lifetime *)b)->definition;
  return (x > y) - (x < y);
}

static int read_lifetimes(context *c, lifetimes *out) {
  const access_path way = {.type = &rec_definition_type};
  *out = (lifetimes){.c = c, .longest = -1};
  int rc = unit_walk(c->u, &way, look_at_definition, out, NULL, &c->error);
  if (out->count) qsort(out->items, out->count, sizeof *out->items, compare_lifetimes);
  return rc;
}

/* The lifetime for a row of a definition; a deleted definition is none. -1: for good. */
static orr_duration lifetime_of(const lifetimes *l, orr_id of) {
  const lifetime key = {.definition = of}, *found = NULL;
  if (l->count) found = bsearch(&key, l->items, l->count, sizeof key, compare_lifetimes);
  return found ? found->span : l->longest;
}

/* ---- Instances ------------------------------------------------------------------------------- */

/* It may have been deleted with its root a moment ago. */
static int purge_counted(context *c, cleaning *k, orr_id instance) {
  int64_t before = k->step - k->cleaned, left = before;
  bool whole;
  if (!unit_history_instance(c->u, instance, &c->error)) return c->error.code;
  int rc = left > 0 ? purge_tree(c, instance, &left, &whole) : 0;
  k->cleaned += before - left;
  c->counted.cleaned_instances += (uint32_t)(before - left);
  return rc;
}

/* The records that a walk finds to be removable; only these are loaded. */
typedef struct sweep {
  context *c;
  const cleaning *k;
  const lifetimes *kept; /* NULL: all is kept until the same time */
  unit_found gone;
  size_t capacity;
  bool (*over)(struct sweep *s, const rec_head *record);
  bool past; /* along an index of times: what follows is younger */
} sweep;

static int look_at_row(void *ud, rec_head *record, bool *stop) {
  sweep *s = ud;
  bool over = s->over(s, record);
  *stop = s->past;
  if (!over) return s->c->error.code;
  if (!ARENA_ROOM(s->c->arena, s->gone.items, s->gone.count, s->capacity, 16))
    return context_memory(s->c);
  rec_head *kept = unit_keep(s->c->u, record, &s->c->error);
  if (!kept) return s->c->error.code;
  s->gone.items[s->gone.count++] = kept;
  *stop = s->k->cleaned + (int64_t)s->gone.count >= s->k->step;
  return 0;
}

/* A called instance goes with its root, unless that is gone already. */
static bool instance_over(sweep *s, const rec_head *record) {
  const rec_history_instance *row = (const rec_history_instance *)record;
  s->past = row->ended_at >= s->k->ended_before;
  bool called = row->root_id && row->root_id != row->id;
  return !s->past && !(called && unit_history_instance(s->c->u, row->root_id, &s->c->error));
}

/* The index has the oldest first. */
static int clean_instances(context *c, cleaning *k) {
  sweep s = {.c = c, .k = k, .over = instance_over};
  const access_path way = {.type = &rec_history_instance_type, .index = REC_INDEX_HISTORY_ENDED};
  int rc = unit_walk(c->u, &way, look_at_row, &s, NULL, &c->error);
  for (size_t i = 0; !rc && i < s.gone.count; i++)
    rc = purge_counted(c, k, ((const rec_history_instance *)s.gone.items[i])->id);
  return rc;
}

/* Whose time to live is over, longest first. */
static int clean_expired_instances(context *c, cleaning *k) {
  unit_found found;
  int rc = unit_find_index(c->u, REC_INDEX_HISTORY_REMOVE, NULL, 0, (size_t)k->step, &found,
                           &c->error);
  for (size_t i = 0; !rc && i < found.count; i++) {
    const rec_history_instance *row = (const rec_history_instance *)found.items[i];
    if (row->remove_at > c->now) break;
    rc = purge_counted(c, k, row->id);
  }
  return rc;
}

/* ---- Decisions of no instance ---------------------------------------------------------------- */

static bool decision_over(const rec_history_decision *row, const cleaning *k, orr_time now) {
  return k->ended_before ? row->time < k->ended_before : row->remove_at <= now;
}

/* By their own time of removal where `ended_before` is 0. Either index has the first to go first. */
static int clean_decisions(context *c, cleaning *k) {
  unit_found found;
  uint8_t index =
      k->ended_before ? REC_INDEX_HISTORY_DECISION_TIME : REC_INDEX_HISTORY_DECISION_REMOVE;
  if (k->cleaned >= k->step) return 0;
  int rc = unit_find_index(c->u, index, NULL, 0, (size_t)(k->step - k->cleaned), &found, &c->error);
  for (size_t i = 0; !rc && i < found.count; i++) {
    if (!decision_over((const rec_history_decision *)found.items[i], k, c->now)) break;
    if (unit_delete(c->u, found.items[i])) rc = context_memory(c);
    k->cleaned++;
    c->counted.cleaned_decisions++;
  }
  return rc;
}

/* ---- What belongs to neither ----------------------------------------------------------------- */

/* Rows of operations on what is no instance. The index has the oldest first. */
static int clean_operations(context *c, cleaning *k) {
  unit_found found;
  if (k->cleaned >= k->step) return 0;
  int rc = unit_find_index(c->u, REC_INDEX_HISTORY_OPERATION_TIME, NULL, 0,
                           (size_t)(k->step - k->cleaned), &found, &c->error);
  for (size_t i = 0; !rc && i < found.count; i++) {
    const rec_history_operation *row = (const rec_history_operation *)found.items[i];
    if (row->time >= k->ended_before) break;
    if (unit_delete(c->u, found.items[i])) rc = context_memory(c);
    k->cleaned++;
  }
  return rc;
}

/* Tasks without a process. The index has the first to end first. */
static int clean_tasks(context *c, cleaning *k) {
  unit_found found;
  if (k->cleaned >= k->step) return 0;
  int rc = unit_find_index(c->u, REC_INDEX_HISTORY_TASK_ALONE, NULL, 0,
                           (size_t)(k->step - k->cleaned), &found, &c->error);
  for (size_t i = 0; !rc && i < found.count; i++) {
    const rec_history_task *row = (const rec_history_task *)found.items[i];
    if (row->ended_at >= k->ended_before) break;
    rc = purge_task(c, row->id);
    k->cleaned++;
  }
  return rc;
}

static int clean_way(context *c, cleaning *k, const access_path *way, const lifetimes *kept,
                     bool (*over)(sweep *, const rec_head *)) {
  sweep s = {.c = c, .k = k, .kept = kept, .over = over};
  if (k->cleaned >= k->step) return 0;
  int rc = unit_walk(c->u, way, look_at_row, &s, NULL, &c->error);
  for (size_t i = 0; !rc && i < s.gone.count; i++, k->cleaned++)
    if (unit_delete(c->u, s.gone.items[i])) rc = context_memory(c);
  return rc;
}

/* Batches that have ended: by their own time of removal where `ended_before` is 0. There are few of
 * them, so they are all looked at. */
static bool batch_over(sweep *s, const rec_head *record) {
  const rec_batch *batch = (const rec_batch *)record;
  if (!batch->ended_at) return false;
  return s->k->ended_before ? batch->ended_at < s->k->ended_before
                            : batch->remove_at && batch->remove_at <= s->c->now;
}

static int clean_batches(context *c, cleaning *k) {
  int64_t before = k->cleaned;
  int rc = clean_way(c, k, &(access_path){.type = &rec_batch_type}, NULL, batch_over);
  c->counted.cleaned_batches += (uint32_t)(k->cleaned - before);
  return rc;
}

static bool is_over(const sweep *s, orr_time time, orr_id of) {
  if (!s->kept) return time < s->k->ended_before;
  orr_duration span = lifetime_of(s->kept, of);
  return span >= 0 && time <= s->c->now - span;
}

static bool log_over(sweep *s, const rec_head *record) {
  const rec_history_job *row = (const rec_history_job *)record;
  return is_over(s, row->time, row->definition_id);
}

static bool incident_over(sweep *s, const rec_head *record) {
  const rec_history_incident *i = (const rec_history_incident *)record;
  return !i->instance_id && i->ended_at && is_over(s, i->ended_at, i->definition_id);
}

/* What jobs of no instance did: start timers, batches, clean-up itself. */
static int clean_logs(context *c, cleaning *k, const lifetimes *kept) {
  rec_key none = {.id = 0};
  const access_path logs = {.type = &rec_history_job_type, .fields = &none, .n_fields = 1};
  int rc = clean_way(c, k, &logs, kept, log_over);
  const access_path incidents = {.type = &rec_history_incident_type};
  return rc ? rc : clean_way(c, k, &incidents, kept, incident_over);
}

/* ---- A step ---------------------------------------------------------------------------------- */

int clean_ended(context *c, cleaning *k) {
  k->cleaned = 0;
  int rc = clean_instances(c, k);
  if (!rc) rc = clean_decisions(c, k);
  if (!rc) rc = clean_operations(c, k);
  if (!rc) rc = clean_tasks(c, k);
  if (!rc) rc = clean_batches(c, k);
  return rc ? rc : clean_logs(c, k, NULL);
}

/* Removes what has no time to live of its own last, once for everything. */
static int clean_others(context *c, cleaning *k) {
  lifetimes kept;
  if (k->cleaned >= k->step) return 0;
  int rc = read_lifetimes(c, &kept);
  if (!rc) rc = clean_logs(c, k, &kept);
  if (rc || kept.longest < 0) return rc;
  cleaning old = {.ended_before = c->now - kept.longest + 1, .step = k->step, .cleaned = k->cleaned};
  rc = clean_operations(c, &old);
  if (!rc) rc = clean_tasks(c, &old);
  k->cleaned = old.cleaned;
  return rc;
}

int clean_expired(context *c, cleaning *k) {
  k->cleaned = 0;
  int rc = clean_expired_instances(c, k);
  if (!rc) rc = clean_decisions(c, k);
  if (!rc) rc = clean_batches(c, k);
  return rc ? rc : clean_others(c, k);
}
