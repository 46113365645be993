/* What is broken and what is stuck, in groups: of one process, activity, kind and message, where messages that differ in
 * numbers alone, or below their first line, are one ("order 17 is closed", "order 18 is closed"). Groups are made in one walk
 * over lists that are bounded. An answer says how many it looked at, and with `more` that there are others. */
#include <stdlib.h>
#include <string.h>

#include "rest_table.h"
#include "server/mapping/operation.h"
#include "server/mapping/query.h"
#include "server/mapping/records.h"
#include "server/operator/member.h"

enum {
  GROUPS_MAX = 200,          /* more kinds of trouble than anyone reads */
  GROUPED_INCIDENTS = 20000, /* incidents that one answer looks at */
  GROUPED_JOBS = 500,        /* jobs of each list whose reason one answer asks for: each costs some look-ups */
};

/* What its texts say is borrowed from the list, or the builder, they were found in. */
typedef struct group {
  orr_id definition, sample;
  orr_value activity, kind, text, cure;
  int64_t count;
} group;

typedef struct grouping {
  group items[GROUPS_MAX];
  size_t n;
  int64_t looked;
  int64_t callers; /* incidents of instances that called one with an incident: what is broken is counted where it is */
  bool more;       /* some were not looked at, or fit into no group */
} grouping;

/* ---- Which are one ----------------------------------------------------------------------------- */

static bool group_digit(char c) { return c >= '0' && c <= '9'; }

static bool same_text(const orr_value *a, const orr_value *b) {
  if (a->type != ORR_STRING || b->type != ORR_STRING) return a->type == b->type;
  return a->size == b->size && memcmp(a->as.bytes, b->as.bytes, a->size) == 0;
}

static size_t group_first_line(const orr_value *text) {
  const char *end = memchr(text->as.bytes, '\n', text->size);
  return end ? (size_t)(end - text->as.bytes) : text->size;
}

static size_t behind_digits(const char *text, size_t at, size_t size) {
  while (at < size && group_digit(text[at])) at++;
  return at;
}

/* The same but for digits, in the first line. */
static bool same_message(const orr_value *a, const orr_value *b) {
  if (a->type != ORR_STRING || b->type != ORR_STRING) return a->type == b->type;
  const char *x = a->as.bytes, *y = b->as.bytes;
  size_t i = 0, j = 0, n = group_first_line(a), m = group_first_line(b);
  while (i < n && j < m) {
    if (group_digit(x[i]) && group_digit(y[j])) {
      i = behind_digits(x, i, n);
      j = behind_digits(y, j, m);
    } else if (x[i++] != y[j++]) return false;
  }
  return i == n && j == m;
}

static bool same_group(const group *a, const group *b) {
  return a->definition == b->definition && same_text(&a->activity, &b->activity) && same_text(&a->kind, &b->kind) &&
         same_message(&a->text, &b->text);
}

/* Counts one more. True: it made a group of its own, whose texts must last as long as the grouping. */
static bool group_add(grouping *all, const group *one) {
  for (size_t i = 0; i < all->n; i++) {
    if (!same_group(&all->items[i], one)) continue;
    all->items[i].count++;
    return false;
  }
  if (all->n == GROUPS_MAX) {
    all->more = true;
    return false;
  }
  all->items[all->n] = *one;
  all->items[all->n++].count = 1;
  return true;
}

static int group_larger_first(const void *a, const void *b) {
  const group *x = a, *y = b;
  if (x->count != y->count) return x->count < y->count ? 1 : -1;
  return (x->sample > y->sample) - (x->sample < y->sample); /* the same order each time */
}

/* Opens an object with what all groups have. */
static void group_open(request *q, const group *g) {
  const orr_records *definition = g->definition ? records_definition(q, g->definition) : NULL;
  out_open(&q->out, '{');
  member_id(&q->out, "definitionId", g->definition);
  member_field(&q->out, "definitionKey", definition, "key");
  member_field(&q->out, "definitionName", definition, "name");
  member_field(&q->out, "version", definition, "version");
  member_value(&q->out, "activityId", &g->activity);
  out_put_int(&q->out, "count", g->count);
  member_id(&q->out, "sample", g->sample);
}

/* { groups, looked, callers, more }; `rest` writes what is peculiar to the groups. */
static int grouping_answer(request *q, grouping *all, void (*rest)(json_out *out, const group *g)) {
  qsort(all->items, all->n, sizeof *all->items, group_larger_first);
  out_open(&q->out, '{');
  out_key(&q->out, "groups");
  out_open(&q->out, '[');
  for (size_t i = 0; i < all->n; i++) {
    group_open(q, &all->items[i]);
    rest(&q->out, &all->items[i]);
    out_close(&q->out, '}');
  }
  out_close(&q->out, ']');
  out_put_int(&q->out, "looked", all->looked);
  out_put_int(&q->out, "callers", all->callers);
  out_put_bool(&q->out, "more", all->more);
  out_close(&q->out, '}');
  return request_done(q);
}

static int no_memory(request *q) { return request_fail_memory(q); }

static orr_id id_field(const orr_records *of, size_t i, const char *field) {
  orr_value value = orr_records_get(of, i, field);
  return value.type == ORR_INT ? (orr_id)value.as.integer : 0;
}

/* How many of a list that was asked for one more than `most` are looked at. */
static size_t within(const orr_records *found, size_t most, bool *more) {
  size_t n = orr_records_count(found);
  if (n <= most) return n;
  *more = true;
  return most;
}

/* ---- Incidents --------------------------------------------------------------------------------- */

static group group_of_incident(const orr_records *found, size_t i) {
  return (group){.definition = id_field(found, i, "definition_id"), .sample = id_field(found, i, "instance_id"),
                 .activity = orr_records_get(found, i, "activity_id"), .kind = orr_records_get(found, i, "type"),
                 .text = orr_records_get(found, i, "message")};
}

/* Does it only say that an instance that was called has one? */
static bool incident_of_caller(const orr_records *found, size_t i) {
  orr_id cause = id_field(found, i, "cause_id");
  return cause && cause != orr_records_id(found, i);
}

static void incident_rest(json_out *out, const group *g) {
  const char *kind = g->kind.type == ORR_STRING ? names_theirs("incident_types", g->kind.as.bytes) : NULL;
  out_put_text(out, "type", kind ? kind : "failedJob");
  member_value(out, "message", &g->text);
}

int rest_incident_groups(request *q) {
  const key_value keys[] = {{"limit", orr_int(GROUPED_INCIDENTS + 1)}};
  orr_records *found = records_by(q, "incidents", keys, 1);
  if (!found) return q->status;
  grouping *all = calloc(1, sizeof *all);
  size_t n = all ? within(found, GROUPED_INCIDENTS, &all->more) : 0;
  for (size_t i = 0; i < n; i++) {
    group one = group_of_incident(found, i);
    if (incident_of_caller(found, i)) all->callers++;
    else group_add(all, &one);
  }
  if (all) all->looked = (int64_t)n;
  int status = all ? grouping_answer(q, all, incident_rest) : no_memory(q);
  free(all);
  orr_records_free(found);
  return status;
}

/* The group that the body describes, as a group of the list does; what it says lasts as long as the request. */
static bool group_wanted(request *q, group *out) {
  const char *definition = body_text(q, "definitionId"), *activity = body_text(q, "activityId"), *type = body_text(q, "type"),
             *message = body_text(q, "message");
  if (q->status) return false;
  *out = (group){.definition = definition ? id_of_text(definition) : 0,
                 .activity = activity ? orr_string(activity) : orr_null(),
                 .kind = type ? orr_string(names_ours("incident_types", type)) : orr_null(),
                 .text = message ? orr_string(message) : orr_null()};
  if (!type) request_refuse(q, "No type of incident was supplied");
  else if (definition && !out->definition) request_refuse(q, "\"%s\" is no id", definition);
  return !q->status;
}

/* The incidents that may be of a group: those of its definition, where it has one. */
static orr_records *incidents_near(request *q, const group *wanted) {
  const key_value keys[] = {{"limit", orr_int(GROUPED_INCIDENTS + 1)},
                            {"definition_id", orr_int((int64_t)wanted->definition)}};
  return records_by(q, "incidents", keys, wanted->definition ? 2 : 1);
}

/* Writes the ids of what the group's incidents are of, jobs or external tasks; their number. */
static int64_t group_members(request *q, const group *wanted, const orr_records *found, size_t n) {
  int64_t count = 0;
  for (size_t i = 0; i < n; i++) {
    group one = group_of_incident(found, i);
    orr_id member = id_field(found, i, "job_id");
    if (!member || incident_of_caller(found, i) || !same_group(wanted, &one)) continue;
    out_id(&q->out, member);
    count++;
  }
  return count;
}

int rest_incident_group(request *q) {
  group wanted;
  orr_records *found = group_wanted(q, &wanted) ? incidents_near(q, &wanted) : NULL;
  if (!found) return q->status;
  bool external = strcmp(wanted.kind.as.bytes, "failed_external_task") == 0, more = false;
  size_t n = within(found, GROUPED_INCIDENTS, &more);
  out_open(&q->out, '{');
  out_key(&q->out, external ? "externalTaskIds" : "jobIds");
  out_open(&q->out, '[');
  int64_t count = group_members(q, &wanted, found, n);
  out_close(&q->out, ']');
  out_put_int(&q->out, "count", count);
  out_put_bool(&q->out, "more", more);
  out_close(&q->out, '}');
  orr_records_free(found);
  return request_done(q);
}

/* ---- Jobs that do not run ---------------------------------------------------------------------- */

/* Why one job does not run: the group's kind, text and cure, within the builder that `b` is. False: it ran meanwhile. */
static bool why_of(request *q, orr_id job, orr_builder *b, group *out) {
  orr_value why;
  orr_error err = {0};
  if (orr_engine_job_why(rest_engine(q), job, b, &err)) {
    orr_error_clear(&err);
    return false;
  }
  if (orr_builder_value(b, &why, NULL)) return false;
  out->kind = orr_map_get(&why, "reason");
  out->text = orr_map_get(&why, "text");
  out->cure = orr_map_get(&why, "cure");
  return true;
}

/* Jobs that run, or are taken next, are not stuck; nor those that wait for nothing but their time. */
static bool is_stuck(const orr_value *reason) {
  static const char *const well[] = {ORR_WHY_RUNNING, ORR_WHY_NOT_DUE, ORR_WHY_LOCKED, ORR_WHY_READY};
  for (size_t i = 0; i < sizeof well / sizeof *well; i++)
    if (reason->type == ORR_STRING && strcmp(reason->as.bytes, well[i]) == 0) return false;
  return true;
}

typedef struct stuck {
  grouping all;
  orr_builder *reasons[GROUPS_MAX]; /* in which the groups' texts lie */
  orr_records *jobs[3];             /* in which their activities do */
} stuck;

/* False: memory is out. */
static bool stuck_add(request *q, stuck *s, const orr_records *jobs, size_t i) {
  orr_builder *b = orr_builder_new();
  if (!b) return false;
  group one = {.definition = id_field(jobs, i, "definition_id"), .sample = orr_records_id(jobs, i),
               .activity = orr_records_get(jobs, i, "activity_id")};
  size_t at = s->all.n;
  if (why_of(q, one.sample, b, &one) && is_stuck(&one.kind) && group_add(&s->all, &one)) s->reasons[at] = b;
  else orr_builder_free(b);
  return true;
}

/* Due ones, those that failed and are tried again later, and suspended ones: no job is in two of these lists. */
static bool stuck_find(request *q, stuck *s) {
  const key_value limit = {"limit", orr_int(GROUPED_JOBS + 1)};
  const key_value lists[][4] = {
      {limit, {"executable", orr_bool(true)}, {"suspended", orr_bool(false)}, {"retries_gt", orr_int(0)}},
      {limit, {"executable", orr_bool(false)}, {"with_error", orr_bool(true)}, {"retries_gt", orr_int(0)}},
      {limit, {"suspended", orr_bool(true)}, {"with_error", orr_bool(false)}, {"retries_gt", orr_int(0)}},
  };
  for (size_t l = 0; l < sizeof lists / sizeof *lists; l++) {
    s->jobs[l] = records_by(q, "jobs", lists[l], sizeof lists[l] / sizeof *lists[l]);
    size_t n = s->jobs[l] ? within(s->jobs[l], GROUPED_JOBS, &s->all.more) : 0;
    for (size_t i = 0; i < n; i++)
      if (!stuck_add(q, s, s->jobs[l], i)) no_memory(q);
    if (q->status) return false;
    s->all.looked += (int64_t)n;
  }
  return true;
}

static void stuck_rest(json_out *out, const group *g) {
  member_value(out, "reason", &g->kind);
  member_value(out, "text", &g->text);
  member_value(out, "cure", &g->cure);
}

int rest_stuck(request *q) {
  stuck *s = calloc(1, sizeof *s);
  if (!s) return no_memory(q);
  if (stuck_find(q, s)) grouping_answer(q, &s->all, stuck_rest);
  for (size_t i = 0; i < GROUPS_MAX; i++) orr_builder_free(s->reasons[i]);
  for (size_t l = 0; l < sizeof s->jobs / sizeof *s->jobs; l++) orr_records_free(s->jobs[l]);
  free(s);
  return q->status;
}
