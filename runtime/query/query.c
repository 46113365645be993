/* Running a list verb: candidates, filter, order, page, copy out. */
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/value.h"
#include "engine/engine.h"
#include "query/candidates.h"
#include "query/filter.h"
#include "query/query.h"
#include "query/ranking.h"
#include "query/results.h"
#include "query/row_variable.h"
#include "query/variables.h"
#include "state/execution.h"
#include "uow/find.h"
#include "uow/rows.h"

/* ---- Order ----------------------------------------------------------------------------------- */

typedef struct sorted {
  rec_head *record;
  orr_value keys[FILTER_ORDERS_MAX];
  size_t position;
} sorted;

/* Equal records keep their order. */
static int compare_sorted(const void *a, const void *b, void *ud) {
  const sorted *x = a, *y = b;
  int order = ranking_compare(ud, x->keys, y->keys);
  return order ? order : x->position < y->position ? -1 : 1;
}

static int sort_found(context *c, const filter *f, unit_found *found) {
  if (!f->n_orders || found->count < 2) return 0;
  sorted *rows = ARENA_ARRAY(c->arena, sorted, found->count);
  if (!rows) return context_memory(c);
  for (size_t i = 0; i < found->count; i++) {
    rows[i] = (sorted){.record = found->items[i], .position = i};
    for (uint32_t k = 0; k < f->n_orders; k++) {
      int rc = ranking_value(c, &f->orders[k], found->items[i], &rows[i].keys[k]);
      if (rc) return rc;
    }
  }
  qsort_r(rows, found->count, sizeof *rows, compare_sorted, (void *)(uintptr_t)f);
  for (size_t i = 0; i < found->count; i++) found->items[i] = rows[i].record;
  return 0;
}

/* ---- Selecting ------------------------------------------------------------------------------- */

static bool group_asks_for_activity(const filter_group *group) {
  for (uint32_t i = 0; i < group->n_terms; i++)
    if (strcmp(group->terms[i].column->name, "activity_id") == 0) return true;
  for (const filter_branch *b = group->branches; b; b = b->next)
    for (uint32_t i = 0; i < b->n_groups; i++)
      if (group_asks_for_activity(&b->groups[i])) return true;
  return false;
}

/* Lists do not show the runtime's own variables, or completed scopes that wait for compensation.
 * Where a filter names an activity, they show the instances of a multi-instance instead of its
 * body. */
static bool is_listed(const filter *f, const rec_head *record) {
  if (record->type == &rec_variable_type) return !row_variable_hidden((const rec_variable *)record);
  if (record->type != &rec_execution_type) return true;
  const rec_execution *e = (const rec_execution *)record;
  if (e->kind == EXECUTION_MULTI_BODY && e->children > 0) return !group_asks_for_activity(&f->where);
  return e->kind != EXECUTION_EVENT_SCOPE;
}

/* Collects what fits among the candidates. */
typedef struct selection {
  context *c;
  const filter *f;
  unit_found *out; /* NULL: they are counted alone */
  ranking *best;   /* of a page in an order: these go into `out` at last */
  size_t capacity;
  size_t fitting, wanted;
} selection;

static int select_candidate(void *ud, rec_head *record, bool *stop) {
  selection *s = ud;
  bool fits = is_listed(s->f, record);
  int rc = fits ? filter_fits(s->c, s->f, record, &fits) : 0;
  if (rc || !fits) return rc;
  s->fitting++;
  if (s->best) return ranking_offer(s->best, record);
  *stop = s->fitting >= s->wanted;
  bool skipped = !s->f->n_orders && s->fitting <= (size_t)s->f->offset; /* of an earlier page */
  if (!s->out || skipped) return 0;
  rec_head *kept = record->state == REC_CLEAN && record->key ? unit_keep(s->c->u, record, &s->c->error) : record;
  if (!kept) return s->c->error.code;
  if (!ARENA_ROOM(s->c->arena, s->out->items, s->out->count, s->capacity, 16)) return context_memory(s->c);
  s->out->items[s->out->count++] = kept;
  return 0;
}

static size_t rows_wanted(const filter *f, bool ordered) {
  return f->limit < 0 || ordered ? SIZE_MAX : (size_t)f->limit + (size_t)f->offset; /* less than 2^64 */
}

static void page(const filter *f, unit_found *found) {
  size_t offset = (size_t)f->offset < found->count ? (size_t)f->offset : found->count;
  if (offset > 0) found->items += offset; /* of none there may be no array */
  found->count -= offset;
  if (f->limit >= 0 && found->count > (size_t)f->limit) found->count = (size_t)f->limit;
}

/* A page in an order keeps only as many records as are in it and before it. */
static int select_ranked(context *c, const filter *f, const candidates *all, unit_found *out) {
  selection s = {.c = c, .f = f, .out = out, .best = ranking_new(c, f, (size_t)f->limit + (size_t)f->offset)};
  if (!s.best) return c->error.code;
  int rc = candidates_walk(c, all, select_candidate, &s);
  if (!rc) rc = ranking_records(s.best, out);
  ranking_free(s.best);
  if (!rc) page(f, out);
  return rc;
}

static int select_fitting(context *c, const filter *f, unit_found *out) {
  candidates all;
  selection s = {.c = c, .f = f, .out = out, .wanted = rows_wanted(f, f->n_orders > 0)};
  *out = (unit_found){0};
  int rc = s.wanted && f->limit ? candidates_find(c, f, &all) : 0;
  if (rc || !s.wanted || !f->limit) return rc;
  if (f->n_orders && f->limit > 0) return select_ranked(c, f, &all, out);
  rc = candidates_walk(c, &all, select_candidate, &s);
  if (!rc) rc = sort_found(c, f, out);
  if (!rc && f->n_orders) page(f, out);
  return rc;
}

static int count_fitting(context *c, const filter *f, int64_t *out) {
  candidates all;
  selection s = {.c = c, .f = f, .wanted = rows_wanted(f, false)};
  int rc = s.wanted ? candidates_find(c, f, &all) : 0;
  if (!rc && s.wanted) rc = candidates_walk(c, &all, select_candidate, &s);
  *out = s.fitting > (size_t)f->offset ? (int64_t)(s.fitting - (size_t)f->offset) : 0;
  return rc;
}

static int known_verb(context *c, const char *verb, const rec_type **out) {
  *out = rec_type_by_verb(verb);
  return *out ? 0 : context_error(c, ORR_E_ARGUMENT, "there is no list \"%s\"", verb);
}

static int read_filter(context *c, const char *verb, const orr_value *map, filter **out) {
  const rec_type *type;
  *out = ARENA_NEW(c->arena, filter);
  if (!*out) return context_memory(c);
  int rc = known_verb(c, verb, &type);
  return rc ? rc : filter_read(c, type, map, *out);
}

/* ---- Results --------------------------------------------------------------------------------- */

static int row_add_variables(context *c, orr_records *r, const rec_head *record, variables_scope of, const orr_value *names,
                             const char *as) {
  orr_value map;
  if (names->type == ORR_NIL) return 0;
  int rc = variables_shown(c, record, of, names, &map);
  return rc ? rc : records_add(r, as, &map) ? context_memory(c) : 0;
}

static int add_result_row(context *c, orr_records *r, const filter *f, const rec_head *record) {
  int rc = records_add_row(c, r, &f->row, record);
  for (uint32_t i = 0; i < f->n_with && !rc; i++) rc = records_add_field(c, r, f->with[i], record);
  if (!rc) rc = row_add_variables(c, r, record, VARIABLES_VISIBLE, &f->with_variables, "fetched_variables");
  return rc ? rc : row_add_variables(c, r, record, VARIABLES_LOCAL, &f->with_local_variables, "fetched_local_variables");
}

static int add_results(context *c, orr_records *r, const filter *f, const unit_found *found) {
  unit_rows rows;
  int rc = 0;
  unit_rows_of(&rows, c->u, found);
  for (size_t i = 0; i < found->count && !rc; i++) {
    unit_rows_at(&rows, i);
    rc = add_result_row(c, r, f, found->items[i]);
  }
  unit_rows_end(&rows);
  return rc;
}

static int results_of(context *c, const filter *f, const unit_found *found, orr_records **out) {
  orr_records *r = records_new(&c->engine->env.allocator, f->row.record->name);
  int rc = r ? add_results(c, r, f, found) : context_memory(c);
  if (!rc) *out = r;
  else orr_records_free(r);
  return rc;
}

/* The distinct topics of the external tasks that a filter finds. */
static int topics(context *c, const orr_value *map, orr_records **out, int64_t *count) {
  unit_found found;
  filter *f;
  int rc = read_filter(c, "external_tasks", map, &f);
  if (!rc) rc = select_fitting(c, f, &found);
  if (rc) return rc;
  orr_records *r = records_new(&c->engine->env.allocator, "external_topic");
  if (!r) return context_memory(c);
  for (size_t i = 0; i < found.count && !rc; i++) {
    rec_text topic = ((const rec_external_task *)found.items[i])->topic;
    bool seen = false;
    for (size_t k = 0; k < orr_records_count(r) && !seen; k++) {
      orr_value have = orr_records_get(r, k, "name");
      seen = have.size == topic.size && memcmp(have.as.bytes, topic.data, topic.size) == 0;
    }
    orr_value name = orr_bytes(topic.data, topic.size);
    if (!seen) rc = records_begin(r);
    if (!seen && !rc) rc = records_add(r, "name", &name);
  }
  if (count) *count = (int64_t)orr_records_count(r);
  if (!rc && out) *out = r;
  else orr_records_free(r);
  return rc ? context_memory(c) : 0;
}

static int run_verb(context *c, const char *verb, const orr_value *map, orr_records **out, int64_t *count) {
  if (strcmp(verb, "external_topics") == 0) return topics(c, map, out, count);
  unit_found found;
  filter *f;
  int rc = read_filter(c, verb, map, &f);
  if (rc || !out) return rc ? rc : count_fitting(c, f, count);
  rc = select_fitting(c, f, &found);
  if (!rc && count) *count = (int64_t)found.count;
  return rc ? rc : results_of(c, f, &found, out);
}

int query_run(context *c, const char *verb, const orr_value *map, orr_records **out, int64_t *count, orr_error *err) {
  int rc = run_verb(c, verb, map, out, count);
  if (rc) error_move(err, &c->error);
  return rc;
}

int query_one(context *c, const char *verb, orr_id id, orr_records **out, orr_error *err) {
  const rec_type *type;
  unit_found found = {0};
  int rc = known_verb(c, verb, &type);
  if (!rc && !type->keyed && id) rc = candidates_one(c, type, id, &found);
  if (rc) {
    error_move(err, &c->error);
    return rc;
  }
  return records_from(c, type, found.items, found.count, out, err);
}
