/* Statistics.
 *
 * Of definitions: one walk along the instances, one along the index of failed jobs, one along the
 * incidents. Of the activities of one definition: one walk along the index of its instances, with
 * their tokens, which lie together. In history, one along the rows of activities, because a row
 * keeps the definition that it ran by, even if its instance was migrated. Records are only lent, so
 * a hundred thousand instances take no more memory than ten. */
#include "query/statistics.h"

#include <string.h>

#include "base/value.h"
#include "engine/engine.h"
#include "query/filter_value.h"
#include "query/tally.h"
#include "state/execution.h"
#include "uow/find.h"

enum { LIVE_INSTANCES, LIVE_FAILED_JOBS }; /* counts of a row */
enum { PAST_RUNNING, PAST_FINISHED, PAST_CANCELED, PAST_COMPLETE, PAST_OPEN, PAST_RESOLVED, PAST_DELETED };

typedef struct statistics {
  context *c;
  tally all;
  orr_id definition_id; /* 0: of all */
  definition *graph;    /* its; NULL in history when it is gone */
  bool failed_jobs, incidents, root_incidents;
  orr_value incident_type;
  /* history: of which process instances */
  orr_value instances;
  orr_value bounds[4];
  orr_id last_instance;
  bool last_counts;
} statistics;

/* ---- Requests -------------------------------------------------------------------------------- */

static int read_switch(context *c, const orr_value *request, const char *key, bool *out) {
  orr_value v = orr_map_get(request, key);
  *out = v.type == ORR_BOOL && v.as.boolean;
  if (v.type == ORR_BOOL || operand_is_null(&v)) return 0;
  return context_error(c, ORR_E_ARGUMENT, "%s must be true or false", key);
}

static int check_statistics_keys(context *c, const orr_value *request, const char *const *known, size_t n) {
  bool empty = request->type == ORR_NIL || (request->type == ORR_ARRAY && orr_count(request) == 0);
  if (empty) return 0;
  if (request->type != ORR_MAP) return context_error(c, ORR_E_ARGUMENT, "statistics take a table");
  orr_iterator i = orr_iterate(request);
  orr_value key, value;
  while (orr_next(&i, &key, &value)) {
    size_t k = 0;
    while (k < n && !value_is_text(&key, known[k])) k++;
    if (k == n) return context_error(c, ORR_E_ARGUMENT, "unknown key \"%.*s\" of statistics", (int)key.size, key.as.bytes);
  }
  return 0;
}

static int read_definition(context *c, const orr_value *request, orr_id *out) {
  orr_value id = orr_map_get(request, "definition");
  *out = value_id(&id);
  if (operand_is_null(&id)) return 0;
  if (*out && unit_definition(c->u, *out, &c->error)) return 0;
  if (c->error.code) return c->error.code;
  return context_error(c, ORR_E_NOT_FOUND, "there is no such definition");
}

/* ---- What runs ------------------------------------------------------------------------------- */

static int count_by_definition(statistics *s, orr_id of, int what) {
  tally_row *row = of ? tally_of_id(s->c, &s->all, of) : NULL;
  if (!row) return s->c->error.code;
  row->counts[what]++;
  return 0;
}

static int count_by_activity(statistics *s, const char *activity, int what) {
  tally_row *row = activity ? tally_at(s->c, &s->all, (rec_text){activity, strlen(activity)}) : NULL;
  if (!row) return s->c->error.code;
  row->counts[what]++;
  return 0;
}

static int count_definition(void *ud, rec_head *record, bool *stop) {
  (void)stop;
  statistics *s = ud;
  return tally_of_id(s->c, &s->all, ((const rec_definition *)record)->id) ? 0 : s->c->error.code;
}

static int count_instance(void *ud, rec_head *record, bool *stop) {
  (void)stop;
  return count_by_definition(ud, ((const rec_instance *)record)->definition_id, LIVE_INSTANCES);
}

/* A scope with tokens inside does not count as a place of tokens. */
static int count_token(void *ud, rec_head *record, bool *stop) {
  (void)stop;
  statistics *s = ud;
  const rec_execution *e = (const rec_execution *)record;
  bool stands = e->kind != EXECUTION_EVENT_SCOPE && e->children == 0 && e->node && e->node <= s->graph->n_nodes;
  return stands ? count_by_activity(s, s->graph->nodes[e->node - 1]->id, LIVE_INSTANCES) : 0;
}

static int count_tokens_of(void *ud, rec_head *record, bool *stop) {
  (void)stop;
  statistics *s = ud;
  access_path tokens = {.type = &rec_execution_type, .group = orr_id_group(((const rec_instance *)record)->id)};
  return unit_walk(s->c->u, &tokens, count_token, s, NULL, &s->c->error);
}

static int count_failed_job(void *ud, rec_head *record, bool *stop) {
  (void)stop;
  statistics *s = ud;
  const rec_job *j = (const rec_job *)record;
  if (!s->definition_id) return count_by_definition(s, j->definition_id, LIVE_FAILED_JOBS);
  bool at_node = j->node && j->node <= s->graph->n_nodes;
  return at_node ? count_by_activity(s, s->graph->nodes[j->node - 1]->id, LIVE_FAILED_JOBS) : 0;
}

static bool incident_counts(const statistics *s, const rec_incident *i) {
  if (s->root_incidents && i->root_cause_id && i->root_cause_id != i->id) return false;
  if (s->incident_type.type != ORR_STRING) return true;
  return rec_text_equal(i->type, (rec_text){s->incident_type.as.bytes, s->incident_type.size});
}

static int count_open_incident(void *ud, rec_head *record, bool *stop) {
  (void)stop;
  statistics *s = ud;
  const rec_incident *i = (const rec_incident *)record;
  if (!incident_counts(s, i) || !i->definition_id || (s->definition_id && !i->activity_id.data)) return 0;
  tally_row *row = s->definition_id ? tally_at(s->c, &s->all, i->activity_id) : tally_of_id(s->c, &s->all, i->definition_id);
  return row ? tally_part(s->c, row, i->type) : s->c->error.code;
}

static int walk_counted(statistics *s, const access_path *way, unit_visit visit) {
  return unit_walk(s->c->u, way, visit, s, NULL, &s->c->error);
}

static int count_live(statistics *s) {
  rec_key key = {.id = s->definition_id};
  uint8_t fixed = s->definition_id ? 1 : 0;
  access_path instances = {.type = &rec_instance_type, .index = fixed ? REC_INDEX_INSTANCE_DEFINITION : 0, .fields = &key,
                        .n_fields = fixed};
  access_path jobs = {.type = &rec_job_type, .index = REC_INDEX_JOB_FAILED, .fields = &key, .n_fields = fixed};
  access_path incidents = {.type = &rec_incident_type, .index = fixed ? REC_INDEX_INCIDENT_DEFINITION : 0, .fields = &key,
                        .n_fields = fixed};
  access_path deployed = {.type = &rec_definition_type};
  int rc = fixed ? 0 : walk_counted(s, &deployed, count_definition);
  if (!rc) rc = walk_counted(s, &instances, fixed ? count_tokens_of : count_instance);
  if (!rc && s->failed_jobs) rc = walk_counted(s, &jobs, count_failed_job);
  return rc || !s->incidents ? rc : walk_counted(s, &incidents, count_open_incident);
}

static int add_count(context *c, orr_records *r, const char *name, int64_t count) {
  orr_value value = orr_int(count);
  return records_add(r, name, &value) ? context_memory(c) : 0;
}

static int add_count_text(context *c, orr_records *r, const char *name, rec_text text) {
  orr_value value = text.data ? orr_bytes(text.data, text.size) : (orr_value){0};
  return records_add(r, name, &value) ? context_memory(c) : 0;
}

static int add_definition(context *c, orr_records *r, orr_id id) {
  const rec_definition *d = unit_definition(c->u, id, &c->error);
  if (!d) return c->error.code;
  orr_value of = orr_int((int64_t)d->id), deployment = orr_int((int64_t)d->deployment_id);
  if (records_add(r, "definition_id", &of) || records_add(r, "deployment_id", &deployment)) return context_memory(c);
  int rc = add_count_text(c, r, "definition_key", d->key);
  if (!rc) rc = add_count_text(c, r, "name", d->name);
  if (!rc) rc = add_count_text(c, r, "tenant", d->tenant);
  return rc ? rc : add_count(c, r, "version", d->version);
}

static int add_live_row(const statistics *s, orr_records *r, const tally_row *row) {
  orr_value incidents;
  if (records_begin(r)) return context_memory(s->c);
  int rc = s->definition_id ? add_count_text(s->c, r, "activity_id", row->name) : add_definition(s->c, r, row->id);
  if (!rc) rc = add_count(s->c, r, "instances", row->counts[LIVE_INSTANCES]);
  if (!rc && s->failed_jobs) rc = add_count(s->c, r, "failed_jobs", row->counts[LIVE_FAILED_JOBS]);
  if (rc || !s->incidents) return rc;
  rc = tally_parts_value(s->c, row, &incidents);
  return rc ? rc : records_add(r, "incidents", &incidents) ? context_memory(s->c) : 0;
}

typedef int (*statistics_row)(const statistics *s, orr_records *r, const tally_row *row);

static int add_rows(statistics *s, statistics_row add, orr_records **out) {
  orr_records *r = records_new(&s->c->engine->env.allocator, s->definition_id ? "activity_statistics" : "statistics");
  int rc = r ? 0 : context_memory(s->c);
  tally_sort(&s->all);
  for (uint32_t i = 0; !rc && i < s->all.n_rows; i++) rc = add(s, r, &s->all.rows[i]);
  if (!rc) *out = r;
  else orr_records_free(r);
  return rc;
}

/* ---- Tasks by group ---------------------------------------------------------------------------- */

typedef struct task_groups {
  statistics s;
  int64_t without; /* tasks that no group is asked to take */
  bool any;        /* is one asked to take the task that is looked at? */
} task_groups;

static int count_candidate(void *ud, rec_head *record, bool *stop) {
  (void)stop;
  task_groups *g = ud;
  const rec_link *l = (const rec_link *)record;
  if (!rec_text_is(l->type, "candidate") || l->group.size == 0) return 0;
  tally_row *row = tally_at(g->s.c, &g->s.all, l->group);
  if (!row) return g->s.c->error.code;
  row->counts[0]++;
  g->any = true;
  return 0;
}

/* A task that somebody has taken is offered to no group. */
static int count_task(void *ud, rec_head *record, bool *stop) {
  (void)stop;
  task_groups *g = ud;
  const rec_task *t = (const rec_task *)record;
  if (t->assignee.size > 0) return 0;
  rec_key key = {.id = t->id};
  access_path links = {.type = &rec_link_type, .fields = &key, .n_fields = 1};
  g->any = false;
  int rc = unit_walk(g->s.c->u, &links, count_candidate, g, NULL, &g->s.c->error);
  if (!rc && !g->any) g->without++;
  return rc;
}

static int add_group_row(const statistics *s, orr_records *r, const tally_row *row) {
  if (records_begin(r)) return context_memory(s->c);
  int rc = add_count_text(s->c, r, "candidate_group", row->name);
  return rc ? rc : add_count(s->c, r, "tasks", row->counts[0]);
}

static int statistics_groups(context *c, const orr_value *request, orr_records **out) {
  task_groups g = {.s = {.c = c}};
  access_path tasks = {.type = &rec_task_type};
  if (orr_count(request) > 1)
    return context_error(c, ORR_E_ARGUMENT, "candidate_groups goes with no other key of statistics");
  int rc = unit_walk(c->u, &tasks, count_task, &g, NULL, &c->error);
  if (!rc) rc = add_rows(&g.s, add_group_row, out);
  if (rc || g.without == 0) return rc;
  rc = add_group_row(&g.s, *out, &(tally_row){.counts = {g.without}});
  if (!rc) return 0;
  orr_records_free(*out);
  *out = NULL;
  return rc;
}

/* ---- What is asked for ------------------------------------------------------------------------- */

static int read_live_request(statistics *s, const orr_value *request, bool *groups) {
  static const char *const known[] = {"definition",    "failed_jobs",    "incidents",
                                      "incident_type", "root_incidents", "candidate_groups"};
  context *c = s->c;
  int rc = check_statistics_keys(c, request, known, sizeof known / sizeof known[0]);
  if (!rc) rc = read_switch(c, request, "candidate_groups", groups);
  if (!rc) rc = read_definition(c, request, &s->definition_id);
  if (!rc) rc = read_switch(c, request, "failed_jobs", &s->failed_jobs);
  if (!rc) rc = read_switch(c, request, "incidents", &s->incidents);
  if (!rc) rc = read_switch(c, request, "root_incidents", &s->root_incidents);
  if (rc) return rc;
  s->incident_type = orr_map_get(request, "incident_type");
  if (!operand_is_null(&s->incident_type) && s->incident_type.type != ORR_STRING)
    return context_error(c, ORR_E_ARGUMENT, "incident_type must be a text");
  s->incidents |= s->root_incidents || s->incident_type.type == ORR_STRING;
  return 0;
}

int statistics_live(context *c, const orr_value *request, orr_records **out) {
  statistics s = {.c = c};
  bool groups = false;
  int rc = read_live_request(&s, request, &groups);
  if (rc) return rc;
  if (groups) return statistics_groups(c, request, out);
  if (s.definition_id) s.graph = context_definition(c, s.definition_id, &c->error);
  if (s.definition_id && !s.graph) return c->error.code;
  rc = count_live(&s);
  return rc ? rc : add_rows(&s, add_live_row, out);
}

/* ---- History --------------------------------------------------------------------------------- */

static const char *const bound_names[] = {"started_before", "started_after", "ended_before", "ended_after"};

static bool lies_within(const statistics *s, const rec_history_instance *i) {
  const orr_time times[] = {i->started_at, i->started_at, i->ended_at, i->ended_at};
  for (size_t k = 0; k < sizeof times / sizeof times[0]; k++) {
    if (operand_is_null(&s->bounds[k])) continue;
    bool before = k % 2 == 0;
    if (!times[k] || (before ? times[k] > s->bounds[k].as.integer : times[k] < s->bounds[k].as.integer)) return false;
  }
  return true;
}

static bool is_asked_for(const statistics *s, orr_id instance) {
  if (s->instances.type != ORR_ARRAY) return true;
  orr_iterator i = orr_iterate(&s->instances);
  orr_value id;
  while (orr_next(&i, NULL, &id))
    if (value_id(&id) == instance) return true;
  return false;
}

static bool has_bounds(const statistics *s) {
  for (size_t k = 0; k < sizeof s->bounds / sizeof s->bounds[0]; k++)
    if (!operand_is_null(&s->bounds[k])) return true;
  return false;
}

/* The rows of an instance come one after the other, so each instance is checked once. */
static int instance_counts(statistics *s, orr_id instance, bool *out) {
  if (instance != s->last_instance) {
    const rec_history_instance *i = has_bounds(s) ? unit_history_instance(s->c->u, instance, &s->c->error) : NULL;
    if (s->c->error.code) return s->c->error.code;
    s->last_instance = instance;
    s->last_counts = is_asked_for(s, instance) && (!has_bounds(s) || (i && lies_within(s, i)));
  }
  *out = s->last_counts;
  return 0;
}

/* An activity that no flow leaves completes its scope when it ends. */
static bool completes_scope(const statistics *s, rec_text activity) {
  for (uint32_t i = 0; s->graph && i < s->graph->n_nodes; i++) {
    const node *n = s->graph->nodes[i];
    if (n->id && rec_text_is(activity, n->id)) return n->n_outgoing == 0;
  }
  return false;
}

static int count_past_activity(void *ud, rec_head *record, bool *stop) {
  (void)stop;
  statistics *s = ud;
  const rec_history_activity *a = (const rec_history_activity *)record;
  bool counts = a->definition_id == s->definition_id;
  int rc = counts ? instance_counts(s, a->instance_id, &counts) : 0;
  tally_row *row = !rc && counts ? tally_at(s->c, &s->all, a->activity_id) : NULL;
  if (!row) return s->c->error.code;
  if (!row->id) row->id = completes_scope(s, a->activity_id) ? 2 : 1; /* looked up once for each activity */
  row->counts[a->ended_at ? PAST_FINISHED : PAST_RUNNING]++;
  if (a->canceled) row->counts[PAST_CANCELED]++;
  else if (a->ended_at && row->id == 2) row->counts[PAST_COMPLETE]++;
  return 0;
}

static int count_past_incident(void *ud, rec_head *record, bool *stop) {
  (void)stop;
  statistics *s = ud;
  const rec_history_incident *i = (const rec_history_incident *)record;
  bool counts = i->definition_id == s->definition_id && i->activity_id.data;
  int rc = counts ? instance_counts(s, i->instance_id, &counts) : 0;
  tally_row *row = !rc && counts ? tally_at(s->c, &s->all, i->activity_id) : NULL;
  if (!row) return s->c->error.code;
  int state = rec_text_is(i->state, "resolved") ? PAST_RESOLVED : rec_text_is(i->state, "deleted") ? PAST_DELETED : PAST_OPEN;
  row->counts[state]++;
  return 0;
}

static int add_past_row(const statistics *s, orr_records *r, const tally_row *row) {
  static const char *const names[] = {"instances", "finished", "canceled", "complete_scope", "open_incidents",
                                      "resolved_incidents", "deleted_incidents"};
  if (records_begin(r)) return context_memory(s->c);
  int rc = add_count_text(s->c, r, "activity_id", row->name);
  size_t n = s->incidents ? sizeof names / sizeof names[0] : PAST_OPEN;
  for (size_t i = 0; !rc && i < n; i++) rc = add_count(s->c, r, names[i], row->counts[i]);
  return rc;
}

static int read_history_request(statistics *s, const orr_value *request) {
  static const char *const known[] = {"definition",    "incidents",    "instance_in", "started_before",
                                      "started_after", "ended_before", "ended_after"};
  context *c = s->c;
  int rc = check_statistics_keys(c, request, known, sizeof known / sizeof known[0]);
  orr_value id = orr_map_get(request, "definition");
  s->definition_id = value_id(&id);
  if (!rc && !s->definition_id) rc = context_error(c, ORR_E_ARGUMENT, "definition is missing");
  if (!rc) rc = read_switch(c, request, "incidents", &s->incidents);
  s->instances = orr_map_get(request, "instance_in");
  if (!rc && !operand_is_null(&s->instances) && s->instances.type != ORR_ARRAY)
    rc = context_error(c, ORR_E_ARGUMENT, "instance_in must be an array");
  for (size_t k = 0; !rc && k < sizeof bound_names / sizeof bound_names[0]; k++) {
    s->bounds[k] = orr_map_get(request, bound_names[k]);
    rc = filter_value_time(c, bound_names[k], &s->bounds[k]);
  }
  return rc;
}

int statistics_history(context *c, const orr_value *request, orr_records **out) {
  statistics s = {.c = c};
  access_path activities = {.type = &rec_history_activity_type}, incidents = {.type = &rec_history_incident_type};
  int rc = read_history_request(&s, request);
  if (rc) return rc;
  const rec_definition *there = unit_definition(c->u, s.definition_id, &c->error); /* history may outlive it */
  if (there) s.graph = context_definition(c, s.definition_id, &c->error);
  rc = c->error.code;
  if (!rc) rc = walk_counted(&s, &activities, count_past_activity);
  if (!rc && s.incidents) rc = walk_counted(&s, &incidents, count_past_incident);
  for (uint32_t i = 0; i < s.all.n_rows; i++) s.all.rows[i].id = 0; /* sorted by name */
  return rc ? rc : add_rows(&s, add_past_row, out);
}
