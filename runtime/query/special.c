/* Filter keys that are no fields: what they mean, and the indexes that answer them. */
#include "query/special.h"

#include <string.h>

#include "base/error.h"
#include "base/value.h"
#include "engine/definition_versions.h"
#include "engine/engine.h"
#include "exec/data/variable.h"
#include "exec/execution.h"
#include "query/filter.h"

static bool truth(const orr_value *v) {
  return v->type == ORR_BOOL ? v->as.boolean : v->type != ORR_NIL && v->type != ORR_NULL;
}

static rec_text special_text_of(const orr_value *v) {
  return v->type == ORR_STRING ? (rec_text){v->as.bytes, v->size} : (rec_text){0};
}

static bool special_text_is(rec_text a, const orr_value *b) {
  return b->type == ORR_STRING && rec_text_equal(a, special_text_of(b));
}

/* ---- Whatever can be suspended --------------------------------------------------------------- */

static bool suspended(context *c, const rec_head *r) {
  if (r->type == &rec_instance_type) return ((const rec_instance *)r)->suspended;
  if (r->type == &rec_task_type) return ((const rec_task *)r)->suspended;
  if (r->type == &rec_external_task_type) return ((const rec_external_task *)r)->suspended;
  if (r->type == &rec_job_type) return ((const rec_job *)r)->suspended;
  if (r->type == &rec_job_definition_type) return ((const rec_job_definition *)r)->suspended;
  if (r->type == &rec_definition_type) return ((const rec_definition *)r)->suspended;
  const rec_instance *of = context_instance(c, ((const rec_execution *)r)->id, &c->error);
  return of && of->suspended;
}

static int is_active(context *c, const filter *f, const orr_value *value, const rec_head *r, bool *out) {
  (void)f;
  *out = truth(value) != suspended(c, r);
  return c->error.code;
}

/* ---- Instances ------------------------------------------------------------------------------- */

static int instance_variables(context *c, const filter *f, const orr_value *value, const rec_head *r, bool *out) {
  (void)f;
  return filter_variables_fit(c, value, ((const rec_instance *)r)->id, true, out);
}

static int instance_root_only(context *c, const filter *f, const orr_value *value, const rec_head *r, bool *out) {
  (void)c;
  (void)f;
  *out = !truth(value) || ((const rec_instance *)r)->parent_id == 0;
  return 0;
}

/* The instance that calls the one given. */
static int instance_called(context *c, const filter *f, const orr_value *value, const rec_head *r, bool *out) {
  (void)f;
  rec_instance *called = value_id(value) ? unit_instance(c->u, value_id(value), &c->error) : NULL;
  *out = called && called->parent_id == ((const rec_instance *)r)->id;
  return c->error.code;
}

static int token_at(context *c, orr_id instance, const orr_value *activity, bool *out) {
  unit_found found;
  int rc = unit_find_group(c->u, &rec_execution_type, orr_id_group(instance), &found, &c->error);
  *out = false;
  for (size_t i = 0; i < found.count && !rc && !*out; i++) {
    const rec_execution *e = (const rec_execution *)found.items[i];
    bool stands = e->kind != EXECUTION_EVENT_SCOPE && e->children == 0; /* a scope with tokens inside is not where they stand */
    const node *n = stands ? execution_node(c, e) : NULL;
    *out = n && value_is_text(activity, n->id);
    rc = c->error.code;
  }
  return rc;
}

static int instance_activity(context *c, const filter *f, const orr_value *value, const rec_head *r, bool *out) {
  (void)f;
  return token_at(c, ((const rec_instance *)r)->id, value, out);
}

static int instance_incident(context *c, const filter *f, const orr_value *value, const rec_head *r, bool *out) {
  (void)f;
  unit_found found;
  int rc = unit_find_group(c->u, &rec_incident_type, orr_id_group(((const rec_instance *)r)->id), &found, &c->error);
  if (rc) return rc;
  bool any = value->type != ORR_STRING && found.count > 0;
  for (size_t i = 0; i < found.count && value->type == ORR_STRING && !any; i++) {
    rec_text message = ((const rec_incident *)found.items[i])->message;
    any = filter_like(message.data, message.size, value->as.bytes, value->size);
  }
  *out = value->type == ORR_BOOL ? any == value->as.boolean : any;
  return 0;
}

/* ---- Executions ------------------------------------------------------------------------------ */

static int subscribed(context *c, orr_id execution, const char *type, const orr_value *name, bool *out) {
  unit_found found;
  rec_key key = {.id = execution};
  int rc = unit_find_index(c->u, REC_INDEX_SUBSCRIPTION_EXECUTION, &key, 1, 0, &found, &c->error);
  *out = false;
  for (size_t i = 0; i < found.count && !rc && !*out; i++) {
    const rec_subscription *s = (const rec_subscription *)found.items[i];
    *out = rec_text_is(s->type, type) && (name->type != ORR_STRING || special_text_is(s->name, name));
  }
  return rc;
}

static int execution_message(context *c, const filter *f, const orr_value *value, const rec_head *r, bool *out) {
  (void)f;
  return subscribed(c, ((const rec_execution *)r)->id, "message", value, out);
}

static int execution_signal(context *c, const filter *f, const orr_value *value, const rec_head *r, bool *out) {
  (void)f;
  return subscribed(c, ((const rec_execution *)r)->id, "signal", value, out);
}

static int match_execution_variables(context *c, const filter *f, const orr_value *value, const rec_head *r, bool *out) {
  (void)f;
  return filter_variables_fit(c, value, ((const rec_execution *)r)->id, false, out);
}

/* ---- Tasks ----------------------------------------------------------------------------------- */

static bool special_asks_for(const filter *f, const char *key) {
  orr_value v = orr_map_get(&f->map, key);
  return truth(&v);
}

static int task_unassigned(context *c, const filter *f, const orr_value *value, const rec_head *r, bool *out) {
  (void)c;
  (void)f;
  *out = truth(value) == (((const rec_task *)r)->assignee.size == 0);
  return 0;
}

/* Does a task have a link of this user or group? `type` NULL: of any type. */
static int has_link(context *c, orr_id task, const char *type, rec_text user, rec_text group, bool *out) {
  unit_found found;
  rec_key key = {.id = task};
  int rc = unit_find_keys(c->u, &rec_link_type, &key, 1, &found, &c->error);
  *out = false;
  for (size_t i = 0; i < found.count && !rc && !*out; i++) {
    const rec_link *l = (const rec_link *)found.items[i];
    bool typed = !type || rec_text_is(l->type, type);
    rec_text have = user.size ? l->user : l->group, want = user.size ? user : group;
    *out = typed && want.size && rec_text_equal(have, want);
  }
  return rc;
}

static int has_group_link(context *c, orr_id task, const orr_value *groups, bool *out) {
  orr_iterator i = orr_iterate(groups);
  orr_value group;
  *out = false;
  while (!*out && orr_next(&i, NULL, &group)) {
    int rc = has_link(c, task, "candidate", (rec_text){0}, special_text_of(&group), out);
    if (rc) return rc;
  }
  return 0;
}

/* Candidates are asked to take a task, so a taken one does not show unless include_assigned says so. */
static bool hidden_as_assigned(const filter *f, const rec_task *t) { return t->assignee.size > 0 &&
                                                                    !special_asks_for(f, "include_assigned"); }

static int groups_of_user(context *c, const orr_value *user, orr_value *out) {
  *out = (orr_value){0};
  if (!c->host || user->type != ORR_STRING) return 0;
  const char *name = arena_strndup(c->arena, user->as.bytes, user->size);
  if (!name) return context_memory(c);
  return c->host->methods->groups_of(c->host, name, c->arena, out, &c->error);
}

static int task_candidate_user(context *c, const filter *f, const orr_value *value, const rec_head *r, bool *out) {
  const rec_task *t = (const rec_task *)r;
  *out = false;
  if (hidden_as_assigned(f, t)) return 0;
  int rc = has_link(c, t->id, "candidate", special_text_of(value), (rec_text){0}, out);
  if (rc || *out) return rc;
  orr_value groups;
  rc = groups_of_user(c, value, &groups);
  return rc ? rc : has_group_link(c, t->id, &groups, out);
}

static int task_candidate_group(context *c, const filter *f, const orr_value *value, const rec_head *r, bool *out) {
  const rec_task *t = (const rec_task *)r;
  *out = false;
  return hidden_as_assigned(f, t) ? 0 : has_link(c, t->id, "candidate", (rec_text){0}, special_text_of(value), out);
}

static int task_candidate_groups(context *c, const filter *f, const orr_value *value, const rec_head *r, bool *out) {
  const rec_task *t = (const rec_task *)r;
  *out = false;
  return hidden_as_assigned(f, t) ? 0 : has_group_link(c, t->id, value, out);
}

static int task_involved_user(context *c, const filter *f, const orr_value *value, const rec_head *r, bool *out) {
  (void)f;
  const rec_task *t = (const rec_task *)r;
  *out = special_text_is(t->assignee, value) || special_text_is(t->owner, value);
  return *out ? 0 : has_link(c, t->id, NULL, special_text_of(value), (rec_text){0}, out);
}

static int task_business_key(context *c, const filter *f, const orr_value *value, const rec_head *r, bool *out) {
  (void)f;
  rec_instance *i = unit_instance(c->u, ((const rec_task *)r)->instance_id, &c->error);
  *out = i && special_text_is(i->business_key, value);
  return c->error.code;
}

static int task_business_key_like(context *c, const filter *f, const orr_value *value, const rec_head *r, bool *out) {
  (void)f;
  rec_instance *i = unit_instance(c->u, ((const rec_task *)r)->instance_id, &c->error);
  *out = i && i->business_key.size && value->type == ORR_STRING &&
         filter_like(i->business_key.data, i->business_key.size, value->as.bytes, value->size);
  return c->error.code;
}

static int task_variables(context *c, const filter *f, const orr_value *value, const rec_head *r, bool *out) {
  (void)f;
  return filter_variables_fit(c, value, ((const rec_task *)r)->execution_id, false, out);
}

static int fits_always(context *c, const filter *f, const orr_value *value, const rec_head *r, bool *out) {
  (void)c;
  (void)f;
  (void)value;
  (void)r;
  *out = true;
  return 0;
}

/* ---- Jobs and external tasks ----------------------------------------------------------------- */

static int job_executable(context *c, const filter *f, const orr_value *value, const rec_head *r, bool *out) {
  (void)f;
  const rec_job *j = (const rec_job *)r;
  *out = truth(value) == (j->retries > 0 && j->due <= c->now && !j->suspended);
  return 0;
}

static int job_with_error(context *c, const filter *f, const orr_value *value, const rec_head *r, bool *out) {
  (void)c;
  (void)f;
  *out = truth(value) == (((const rec_job *)r)->error.data != NULL);
  return 0;
}

static int job_no_retries(context *c, const filter *f, const orr_value *value, const rec_head *r, bool *out) {
  (void)c;
  (void)f;
  *out = truth(value) == (((const rec_job *)r)->retries <= 0);
  return 0;
}

static int job_locked(context *c, const filter *f, const orr_value *value, const rec_head *r, bool *out) {
  (void)f;
  const rec_job *j = (const rec_job *)r;
  *out = truth(value) == (j->lock_owner.size > 0 && j->lock_expires > c->now);
  return 0;
}

static int external_locked(context *c, const filter *f, const orr_value *value, const rec_head *r, bool *out) {
  (void)f;
  const rec_external_task *t = (const rec_external_task *)r;
  *out = truth(value) == (t->worker.size > 0 && t->lock_expires > c->now);
  return 0;
}

static int external_no_retries(context *c, const filter *f, const orr_value *value, const rec_head *r, bool *out) {
  (void)c;
  (void)f;
  const rec_external_task *t = (const rec_external_task *)r;
  *out = truth(value) == (t->retries.type == ORR_INT && t->retries.as.integer <= 0);
  return 0;
}

/* ---- Definitions ----------------------------------------------------------------------------- */

static int definition_latest(context *c, const filter *f, const orr_value *value, const rec_head *r, bool *out) {
  const rec_definition *d = (const rec_definition *)r;
  rec_definition *latest;
  (void)f;
  int rc = definition_find(c, d->key.data, d->tenant.size > 0 ? d->tenant.data : "", 0, &latest, &c->error);
  *out = !rc && truth(value) == (latest == d);
  return rc;
}

static int definition_message(context *c, const filter *f, const orr_value *value, const rec_head *r, bool *out) {
  (void)f;
  unit_found found;
  rec_key key[2] = {{.text = {"message", 7}}, {.text = special_text_of(value)}};
  int rc = unit_find_index(c->u, REC_INDEX_SUBSCRIPTION_NAME, key, 2, 0, &found, &c->error);
  *out = false;
  for (size_t i = 0; i < found.count && !rc && !*out; i++) {
    const rec_subscription *s = (const rec_subscription *)found.items[i];
    *out = s->execution_id == 0 && s->definition_id == ((const rec_definition *)r)->id;
  }
  return rc;
}

static bool link_lists(rec_texts texts, const orr_value *name) {
  for (size_t i = 0; i < texts.count; i++)
    if (special_text_is(texts.items[i], name)) return true;
  return false;
}

static int definition_startable_by(context *c, const filter *f, const orr_value *value, const rec_head *r, bool *out) {
  (void)f;
  const rec_definition *d = (const rec_definition *)r;
  bool open = !d->starter_users.count && !d->starter_groups.count; /* to everyone */
  *out = open || link_lists(d->starter_users, value);
  if (*out || !d->starter_groups.count) return 0;
  orr_value groups, group;
  int rc = groups_of_user(c, value, &groups);
  orr_iterator i = orr_iterate(&groups);
  while (!rc && !*out && orr_next(&i, NULL, &group)) *out = link_lists(d->starter_groups, &group);
  return rc;
}

/* ---- History --------------------------------------------------------------------------------- */

static int history_finished(context *c, const filter *f, const orr_value *value, const rec_head *r, bool *out) {
  (void)c;
  (void)f;
  *out = truth(value) == (((const rec_history_instance *)r)->ended_at != 0);
  return 0;
}

/* Events of the process itself are waited for by the instance, which then counts as an execution. */
static rec_head *instance_as_execution(context *c, orr_id id) {
  rec_execution *e = ARENA_NEW(c->arena, rec_execution);
  if (!e) {
    context_memory(c);
    return NULL;
  }
  e->head.type = &rec_execution_type;
  e->id = id;
  e->node = 1; /* the process */
  return &e->head;
}

/* ---- Narrowing ------------------------------------------------------------------------------- */

static int by_subscription(context *c, const char *type, const orr_value *name, unit_found *out) {
  unit_found found;
  rec_key key[2] = {{.text = {type, strlen(type)}}, {.text = special_text_of(name)}};
  int rc = unit_find_index(c->u, REC_INDEX_SUBSCRIPTION_NAME, key, name->type == ORR_STRING ? 2 : 1, 0, &found, &c->error);
  if (rc) return rc;
  out->items = ARENA_ARRAY(c->arena, rec_head *, found.count + 1);
  out->count = 0;
  if (!out->items) return context_memory(c);
  for (size_t i = 0; i < found.count; i++) {
    orr_id id = ((const rec_subscription *)found.items[i])->execution_id;
    rec_execution *e = id && orr_id_local(id) != 1 ? unit_execution(c->u, id, &c->error) : NULL;
    rec_head *waiting = e ? &e->head : id && orr_id_local(id) == 1 ? instance_as_execution(c, id) : NULL;
    if (c->error.code) return c->error.code;
    if (waiting) out->items[out->count++] = waiting;
  }
  return 0;
}

static int find_by_message(context *c, const filter *f, const orr_value *value, unit_found *out) {
  (void)f;
  return by_subscription(c, "message", value, out);
}

static int find_by_signal(context *c, const filter *f, const orr_value *value, unit_found *out) {
  (void)f;
  return by_subscription(c, "signal", value, out);
}

static int find_by_group(context *c, const filter *f, const orr_value *value, unit_found *out) {
  (void)f;
  unit_found found;
  rec_key key = {.text = special_text_of(value)};
  int rc = unit_find_index(c->u, REC_INDEX_LINK_GROUP, &key, 1, 0, &found, &c->error);
  if (rc) return rc;
  out->items = ARENA_ARRAY(c->arena, rec_head *, found.count + 1);
  out->count = 0;
  if (!out->items) return context_memory(c);
  for (size_t i = 0; i < found.count; i++) {
    rec_task *t = unit_task(c->u, ((const rec_link *)found.items[i])->task_id, &c->error);
    if (c->error.code) return c->error.code;
    if (t) out->items[out->count++] = &t->head;
  }
  return 0;
}

static int history_instance_variables_fit(context *c, const filter *f, const orr_value *value, const rec_head *r, bool *out) {
  (void)f;
  return filter_history_variables_fit(c, value, ((const rec_history_instance *)r)->id, out);
}

static int history_task_variables(context *c, const filter *f, const orr_value *value, const rec_head *r, bool *out) {
  (void)f;
  return filter_history_variables_fit(c, value, ((const rec_history_task *)r)->execution_id, out);
}

static const special specials[] = {
    {&rec_instance_type, "variables", instance_variables, NULL},
    {&rec_instance_type, "active", is_active, NULL},
    {&rec_instance_type, "root_only", instance_root_only, NULL},
    {&rec_instance_type, "called", instance_called, NULL},
    {&rec_instance_type, "activity", instance_activity, NULL},
    {&rec_instance_type, "incident", instance_incident, NULL},
    {&rec_execution_type, "active", is_active, NULL},
    {&rec_execution_type, "message", execution_message, find_by_message},
    {&rec_execution_type, "signal", execution_signal, find_by_signal},
    {&rec_execution_type, "variables", match_execution_variables, NULL},
    {&rec_task_type, "unassigned", task_unassigned, NULL},
    {&rec_task_type, "candidate_user", task_candidate_user, NULL},
    {&rec_task_type, "candidate_group", task_candidate_group, find_by_group},
    {&rec_task_type, "candidate_groups", task_candidate_groups, NULL},
    {&rec_task_type, "include_assigned", fits_always, NULL},
    {&rec_task_type, "involved_user", task_involved_user, NULL},
    {&rec_task_type, "business_key", task_business_key, NULL},
    {&rec_task_type, "business_key_like", task_business_key_like, NULL},
    {&rec_task_type, "variables", task_variables, NULL},
    {&rec_task_type, "active", is_active, NULL},
    {&rec_job_type, "active", is_active, NULL},
    {&rec_job_type, "executable", job_executable, NULL},
    {&rec_job_type, "with_error", job_with_error, NULL},
    {&rec_job_type, "no_retries", job_no_retries, NULL},
    {&rec_job_type, "locked", job_locked, NULL},
    {&rec_job_definition_type, "active", is_active, NULL},
    {&rec_external_task_type, "active", is_active, NULL},
    {&rec_external_task_type, "locked", external_locked, NULL},
    {&rec_external_task_type, "no_retries", external_no_retries, NULL},
    {&rec_definition_type, "latest", definition_latest, NULL},
    {&rec_definition_type, "active", is_active, NULL},
    {&rec_definition_type, "message", definition_message, NULL},
    {&rec_definition_type, "startable_by", definition_startable_by, NULL},
    {&rec_history_instance_type, "finished", history_finished, NULL},
    {&rec_history_instance_type, "variables", history_instance_variables_fit, NULL},
    {&rec_history_task_type, "variables", history_task_variables, NULL},
};

const special *special_named(const rec_type *type, const char *name, size_t size) {
  for (size_t i = 0; i < sizeof specials / sizeof specials[0]; i++)
    if (specials[i].type == type && strlen(specials[i].name) == size && memcmp(specials[i].name, name, size) == 0)
      return &specials[i];
  return NULL;
}

void special_names(const rec_type *type, void (*fn)(void *ud, const char *name), void *ud) {
  for (size_t i = 0; i < sizeof specials / sizeof specials[0]; i++)
    if (specials[i].type == type) fn(ud, specials[i].name);
}
