/* What the operator's page asks for beside Camunda's interface. Groups are made in one walk over a list that is bounded;
 * an answer that is cut says so. */
#include <stdlib.h>
#include <string.h>

#include "server/multipart.h"
#include "server/rest/rest.h"
#include "server/series.h"

enum {
  GROUPS_MAX = 200,          /* more kinds of trouble than anyone reads */
  GROUPED_INCIDENTS = 20000, /* incidents that one answer looks at */
  GROUPED_JOBS = 500,        /* jobs whose reason one answer asks for: each costs some look-ups */
};

/* ---- Lists with a filter made here ------------------------------------------------------------- */

typedef struct key_value {
  const char *key;
  orr_value value;
} key_value;

/* What a verb finds with a filter of `n` keys; NULL: the request has failed. The caller frees. */
static orr_records *page_list(request *q, const char *verb, const key_value *keys, size_t n) {
  orr_value filter;
  orr_error err = {0};
  orr_records *found = NULL;
  orr_builder *b = rest_builder(q);
  if (!b) return NULL;
  orr_builder_map(b);
  for (size_t i = 0; i < n; i++) orr_builder_put(b, keys[i].key, keys[i].value);
  orr_builder_end(b);
  if (rest_value(q, b, &filter) && orr_engine_list(rest_engine(q), verb, &filter, &found, &err)) request_fail_engine(q, &err);
  return found;
}

/* How many a verb finds; -1: the request has failed. */
static int64_t page_count(request *q, const char *verb, const key_value *keys, size_t n) {
  orr_value filter;
  orr_error err = {0};
  int64_t count;
  orr_builder *b = rest_builder(q);
  if (!b) return -1;
  orr_builder_map(b);
  for (size_t i = 0; i < n; i++) orr_builder_put(b, keys[i].key, keys[i].value);
  orr_builder_end(b);
  if (!rest_value(q, b, &filter)) return -1;
  if (orr_engine_count(rest_engine(q), verb, &filter, &count, &err)) {
    request_fail_engine(q, &err);
    return -1;
  }
  return count;
}

/* Answers with what a call of the engine put into a builder. */
static int page_value(request *q, int rc, orr_builder *b, orr_error *err) {
  orr_value value;
  if (rc) return rest_end(q, rc, err);
  if (!rest_value(q, b, &value)) return q->status;
  out_value(&q->out, &value);
  return request_done(q);
}

/* ---- Groups ------------------------------------------------------------------------------------ */

/* Those of one process, activity and text; what they say is borrowed from the list they were found in. */
typedef struct group {
  orr_id definition, sample;
  orr_value activity, kind, text;
  int64_t count;
} group;

typedef struct grouping {
  group items[GROUPS_MAX];
  size_t n;
  bool more; /* some fit into no group */
} grouping;

static bool same_text(const orr_value *a, const orr_value *b) {
  if (a->type != ORR_STRING || b->type != ORR_STRING) return a->type == b->type;
  return a->size == b->size && memcmp(a->as.bytes, b->as.bytes, a->size) == 0;
}

static void group_add(grouping *all, const group *one) {
  for (size_t i = 0; i < all->n; i++) {
    group *g = &all->items[i];
    if (g->definition == one->definition && same_text(&g->activity, &one->activity) && same_text(&g->kind, &one->kind) &&
        same_text(&g->text, &one->text)) {
      g->count++;
      return;
    }
  }
  if (all->n == GROUPS_MAX) all->more = true;
  else all->items[all->n++] = *one;
}

static int group_larger_first(const void *a, const void *b) {
  int64_t x = ((const group *)a)->count, y = ((const group *)b)->count;
  return x < y ? 1 : x > y ? -1 : 0;
}

static void page_put(json_out *out, const char *key, const orr_value *value) {
  out_key(out, key);
  out_value(out, value);
}

static void page_field(json_out *out, const char *key, const orr_records *of, const char *field) {
  orr_value value = of ? orr_records_get(of, 0, field) : orr_null();
  page_put(out, key, &value);
}

static void page_put_id(json_out *out, const char *key, orr_id id) {
  out_key(out, key);
  if (id) out_id(out, id);
  else out_null(out);
}

/* Opens an object with what all groups have. */
static void group_open(request *q, const group *g) {
  const orr_records *definition = g->definition ? rest_definition(q, g->definition) : NULL;
  out_open(&q->out, '{');
  page_put_id(&q->out, "definitionId", g->definition);
  page_field(&q->out, "definitionKey", definition, "key");
  page_field(&q->out, "definitionName", definition, "name");
  page_field(&q->out, "version", definition, "version");
  page_put(&q->out, "activityId", &g->activity);
  out_put_int(&q->out, "count", g->count);
  page_put_id(&q->out, "sample", g->sample);
}

static const char *incident_kind(const orr_value *type) {
  const char *theirs = type->type == ORR_STRING ? names_theirs("incident_types", type->as.bytes) : NULL;
  return theirs ? theirs : "failedJob";
}

int rest_incident_groups(request *q) {
  const key_value keys[] = {{"limit", orr_int(GROUPED_INCIDENTS)}};
  orr_records *found = page_list(q, "incidents", keys, 1);
  if (!found) return q->status;
  grouping *all = calloc(1, sizeof *all);
  if (!all) {
    orr_records_free(found);
    return request_fail(q, 503, "RestException", "out of memory");
  }
  for (size_t i = 0; i < orr_records_count(found); i++) {
    group one = {.definition = (orr_id)orr_records_get(found, i, "definition_id").as.integer,
                 .sample = (orr_id)orr_records_get(found, i, "instance_id").as.integer,
                 .activity = orr_records_get(found, i, "activity_id"), .kind = orr_records_get(found, i, "type"),
                 .text = orr_records_get(found, i, "message"), .count = 1};
    group_add(all, &one);
  }
  qsort(all->items, all->n, sizeof *all->items, group_larger_first);
  out_open(&q->out, '[');
  for (size_t i = 0; i < all->n; i++) {
    group_open(q, &all->items[i]);
    out_put_text(&q->out, "type", incident_kind(&all->items[i].kind));
    page_put(&q->out, "message", &all->items[i].text);
    out_close(&q->out, '}');
  }
  out_close(&q->out, ']');
  free(all);
  orr_records_free(found);
  return request_done(q);
}

/* What holds up one job: the group's kind and text, within the builder that `b` is. */
static bool why_of(request *q, orr_id job, orr_builder *b, group *out) {
  orr_value why;
  orr_error err = {0};
  if (orr_engine_why(rest_engine(q), job, b, &err)) {
    orr_error_clear(&err); /* it ran meanwhile */
    return false;
  }
  if (orr_builder_value(b, &why, NULL)) return false;
  out->kind = orr_map_get(&why, "reason");
  out->text = orr_map_get(&why, "text");
  return true;
}

/* Jobs that run, or wait only for a time to come, are not stuck. */
static bool is_stuck(const orr_value *reason) {
  static const char *const well[] = {"running", "not_due", "locked", "ready"};
  for (size_t i = 0; i < sizeof well / sizeof *well; i++)
    if (reason->type == ORR_STRING && strcmp(reason->as.bytes, well[i]) == 0) return false;
  return true;
}

static void stuck_collect(request *q, const orr_records *jobs, grouping *all, orr_builder **reasons, size_t *n) {
  for (size_t i = 0; i < orr_records_count(jobs); i++) {
    orr_builder *b = orr_builder_new();
    group one = {.definition = (orr_id)orr_records_get(jobs, i, "definition_id").as.integer, .sample = orr_records_id(jobs, i),
                 .activity = orr_records_get(jobs, i, "activity_id"), .count = 1};
    if (!b) return;
    size_t before = all->n;
    if (why_of(q, orr_records_id(jobs, i), b, &one) && is_stuck(&one.kind)) group_add(all, &one);
    if (all->n > before) reasons[(*n)++] = b; /* the new group's texts lie in it */
    else orr_builder_free(b);
  }
}

int rest_stuck(request *q) {
  const key_value keys[] = {{"executable", orr_bool(true)}, {"limit", orr_int(GROUPED_JOBS)}};
  orr_records *jobs = page_list(q, "jobs", keys, 2);
  if (!jobs) return q->status;
  grouping *all = calloc(1, sizeof *all);
  orr_builder **reasons = calloc(GROUPS_MAX, sizeof *reasons);
  size_t n = 0;
  if (all && reasons) {
    stuck_collect(q, jobs, all, reasons, &n);
    qsort(all->items, all->n, sizeof *all->items, group_larger_first);
    out_open(&q->out, '[');
    for (size_t i = 0; i < all->n; i++) {
      group_open(q, &all->items[i]);
      page_put(&q->out, "reason", &all->items[i].kind);
      page_put(&q->out, "text", &all->items[i].text);
      out_close(&q->out, '}');
    }
    out_close(&q->out, ']');
    request_done(q);
  } else request_fail(q, 503, "RestException", "out of memory");
  for (size_t i = 0; i < n; i++) orr_builder_free(reasons[i]);
  free(reasons);
  free(all);
  orr_records_free(jobs);
  return q->status;
}

/* ---- One job, executors, limits ------------------------------------------------------------------ */

int rest_why(request *q) {
  orr_error err = {0};
  const char *id = request_argument(q, "jobId");
  orr_builder *b = rest_builder(q);
  if (!b) return q->status;
  if (!id) return request_fail(q, 400, "InvalidRequestException", "No jobId was supplied");
  int rc = orr_engine_why(rest_engine(q), id_of_text(id), b, &err);
  if (rc) return request_fail_missing(q, &err, q->operation->missing_status, q->operation->missing, id);
  return page_value(q, rc, b, &err);
}

int rest_executors(request *q) {
  orr_error err = {0};
  orr_builder *b = rest_builder(q);
  if (!b) return q->status;
  return page_value(q, orr_engine_executors(rest_engine(q), b, &err), b, &err);
}

int rest_limits(request *q) {
  orr_records *found = page_list(q, "limits", NULL, 0);
  if (!found) return q->status;
  out_open(&q->out, '[');
  for (size_t i = 0; i < orr_records_count(found); i++) {
    static const char *const fields[][2] = {
        {"topic", "topic"}, {"key", "key"}, {"max", "max"}, {"perSecond", "per_second"}, {"running", "running"}};
    orr_value definition = orr_records_get(found, i, "job_definition_id");
    out_open(&q->out, '{');
    page_put_id(&q->out, "jobDefinitionId", definition.type == ORR_INT ? (orr_id)definition.as.integer : 0);
    for (size_t f = 0; f < sizeof fields / sizeof *fields; f++) {
      orr_value value = orr_records_get(found, i, fields[f][1]);
      page_put(&q->out, fields[f][0], &value);
    }
    out_close(&q->out, '}');
  }
  out_close(&q->out, ']');
  orr_records_free(found);
  return request_done(q);
}

/* What the body limits: a map with one entry. */
static bool limit_of(request *q, orr_builder *b, orr_value *of) {
  const char *topic = body_text(q, "topic"), *key = body_text(q, "key"), *definition = body_text(q, "jobDefinitionId");
  if (q->status) return false;
  if (!topic + !key + !definition != 2) {
    request_fail(q, 400, "InvalidRequestException", "One of jobDefinitionId, topic and key says what is limited");
    return false;
  }
  orr_builder_map(b);
  if (definition) orr_builder_put(b, "job_definition", orr_int((int64_t)id_of_text(definition)));
  else orr_builder_put(b, topic ? "topic" : "key", orr_string(topic ? topic : key));
  orr_builder_end(b);
  return rest_value(q, b, of);
}

int rest_limit_set(request *q) {
  orr_value of, limit;
  orr_error err = {0};
  orr_builder *b = rest_builder(q), *l = rest_builder(q);
  if (!b || !l || !limit_of(q, b, &of)) return q->status;
  if (!body_given(q, "max")) return rest_end(q, orr_engine_clear_limit(rest_engine(q), &of, &err), &err);
  int64_t max = body_int(q, "max", 0);
  if (q->status) return q->status;
  orr_builder_map(l);
  orr_builder_put(l, "max", orr_int(max));
  orr_builder_end(l);
  if (!rest_value(q, l, &limit)) return q->status;
  return rest_end(q, orr_engine_set_limit(rest_engine(q), &of, &limit, &err), &err);
}

/* ---- Figures --------------------------------------------------------------------------------------- */

int rest_figures(request *q) {
  const key_value failed[] = {{"retries", orr_int(0)}}, due[] = {{"executable", orr_bool(true)}},
                  timers[] = {{"executable", orr_bool(false)}, {"retries_gt", orr_int(0)}};
  const struct {
    const char *name, *verb;
    const key_value *keys;
    size_t n;
  } figures[] = {
      {"instances", "instances", NULL, 0}, {"incidents", "incidents", NULL, 0}, {"failed_jobs", "jobs", failed, 1},
      {"due_jobs", "jobs", due, 1}, {"timers", "jobs", timers, 2}, {"tasks", "tasks", NULL, 0},
  };
  out_open(&q->out, '{');
  out_key(&q->out, "now");
  out_open(&q->out, '{');
  for (size_t i = 0; i < sizeof figures / sizeof *figures; i++) {
    int64_t n = page_count(q, figures[i].verb, figures[i].keys, figures[i].n);
    if (n < 0) return q->status;
    out_put_int(&q->out, figures[i].name, n);
  }
  out_close(&q->out, '}');
  out_key(&q->out, "series");
  series_write(&q->engine->series, &q->out);
  out_close(&q->out, '}');
  return request_done(q);
}

/* ---- The check of models ---------------------------------------------------------------------------- */

int rest_lint(request *q) {
  orr_value resources, problems, entry;
  orr_error err = {0};
  orr_builder *files = rest_builder(q), *b = rest_builder(q);
  if (!files || !b) return q->status;
  orr_builder_map(files);
  for (const part *p = q->parts; p; p = p->next)
    if (p->filename) orr_builder_put(files, p->filename, orr_bytes(p->data ? p->data : "", p->size));
  orr_builder_end(files);
  if (!rest_value(q, files, &resources)) return q->status;
  if (orr_engine_check(rest_engine(q), &resources, b, &err)) return request_fail_engine(q, &err);
  if (!rest_value(q, b, &problems)) return q->status;
  out_open(&q->out, '{');
  out_key(&q->out, "problems");
  out_open(&q->out, '[');
  orr_iterator at = orr_iterate(&problems);
  while (orr_next(&at, NULL, &entry)) {
    static const char *const fields[] = {"resource", "line", "column", "element", "message"};
    orr_value warning = orr_map_get(&entry, "warning");
    out_open(&q->out, '{');
    out_put_text(&q->out, "severity", warning.type == ORR_BOOL && warning.as.boolean ? "warning" : "error");
    for (size_t f = 0; f < sizeof fields / sizeof *fields; f++) {
      orr_value value = orr_map_get(&entry, fields[f]);
      page_put(&q->out, fields[f], &value);
    }
    out_close(&q->out, '}');
  }
  out_close(&q->out, ']');
  out_close(&q->out, '}');
  return request_done(q);
}
