/* Filter keys of definitions. */
#include "query/special.h"

#include "base/value.h"
#include "engine/engine.h"
#include "query/row_related.h"
#include "state/definition_versions.h"
#include "uow/find.h"

static int definition_latest(context *c, const filter_special *s, const rec_head *r, bool *out) {
  const rec_definition *d = (const rec_definition *)r;
  rec_definition *latest;
  int rc = definition_find(c, d->key.data, d->tenant.size > 0 ? d->tenant.data : "", 0, &latest, &c->error);
  *out = !rc && latest && special_switch(s) == (latest->id == d->id);
  return rc;
}

static int definition_message(context *c, const filter_special *s, const rec_head *r, bool *out) {
  unit_found found;
  rec_key key[2] = {{.text = {"message", 7}}, {.text = special_text(&s->value)}};
  int rc = unit_find_index(c->u, REC_INDEX_SUBSCRIPTION_NAME, key, 2, 0, &found, &c->error);
  *out = false;
  for (size_t i = 0; i < found.count && !rc && !*out; i++) {
    const rec_subscription *at = (const rec_subscription *)found.items[i];
    *out = at->execution_id == 0 && at->definition_id == ((const rec_definition *)r)->id;
  }
  return rc;
}

static bool names_list(rec_texts texts, const orr_value *name) {
  for (size_t i = 0; i < texts.count; i++)
    if (special_text_is(texts.items[i], name)) return true;
  return false;
}

static int definition_startable_by(context *c, const filter_special *s, const rec_head *r, bool *out) {
  const rec_definition *d = (const rec_definition *)r;
  bool open = !d->starter_users.count && !d->starter_groups.count;
  if (open) { /* to everyone, or by dialect to nobody */
    const definition *graph = context_definition(c, d->id, &c->error);
    *out = graph && !graph->dialect->startable_when_named;
    return c->error.code;
  }
  *out = names_list(d->starter_users, &s->value);
  orr_iterator i = orr_iterate(&s->prepared);
  orr_value group;
  while (!*out && orr_next(&i, NULL, &group)) *out = names_list(d->starter_groups, &group);
  return 0;
}

static int definition_startable_by_groups(context *c, const filter_special *s, const rec_head *r,
                                          bool *out) {
  (void)c;
  orr_iterator i = orr_iterate(&s->value);
  orr_value group;
  *out = false;
  while (!*out && orr_next(&i, NULL, &group))
    *out = names_list(((const rec_definition *)r)->starter_groups, &group);
  return 0;
}

/* ---- Decisions ------------------------------------------------------------------------------- */

/* The index has the newest version first. */
static int decision_latest(context *c, const filter_special *s, const rec_head *r, bool *out) {
  const rec_decision *d = (const rec_decision *)r;
  const rec_key by = {.text = d->key};
  orr_id latest = 0;
  unit_found found;
  int rc = unit_find_index(c->u, REC_INDEX_DECISION_KEY, &by, 1, 0, &found, &c->error);
  for (size_t i = 0; !rc && !latest && i < found.count; i++) {
    const rec_decision *other = (const rec_decision *)found.items[i];
    if (rec_text_equal(other->key, d->key) && rec_text_equal(other->tenant, d->tenant)) latest = other->id;
  }
  *out = special_switch(s) == (latest == d->id);
  return rc;
}

/* One for each model: the first decision of its resource. */
static int decision_first_of_model(context *c, const filter_special *s, const rec_head *r, bool *out) {
  orr_id first;
  int rc = decision_model(c, (const rec_decision *)r, &first);
  *out = special_switch(s) == (first == ((const rec_decision *)r)->id);
  return rc;
}

typedef struct newest_model {
  const rec_decision *of;
  bool newer; /* there is a newer one */
} newest_model;

/* Ids ascend as they were deployed. */
static int look_for_newer(void *ud, rec_head *record, bool *stop) {
  newest_model *n = ud;
  const rec_decision *other = (const rec_decision *)record, *own = n->of;
  bool apart = other->deployment_id != own->deployment_id || !rec_text_equal(other->resource, own->resource);
  n->newer = other->id > own->id && apart && rec_text_equal(other->model_id, own->model_id) &&
             rec_text_equal(other->tenant, own->tenant);
  *stop = n->newer;
  return 0;
}

static int decision_latest_model(context *c, const filter_special *s, const rec_head *r, bool *out) {
  newest_model n = {.of = (const rec_decision *)r};
  int rc = unit_walk(c->u, &(access_path){.type = &rec_decision_type}, look_for_newer, &n, NULL, &c->error);
  *out = special_switch(s) == !n.newer;
  return rc;
}

const special specials_of_repository[] = {
    {&rec_decision_type, "latest", TAKES_SWITCH, decision_latest, NULL, NULL},
    {&rec_decision_type, "first_of_model", TAKES_SWITCH, decision_first_of_model, NULL, NULL},
    {&rec_decision_type, "latest_model", TAKES_SWITCH, decision_latest_model, NULL, NULL},
    {&rec_definition_type, "latest", TAKES_SWITCH, definition_latest, NULL, NULL},
    {&rec_definition_type, "active", TAKES_SWITCH, special_active, NULL, NULL},
    {&rec_definition_type, "message", TAKES_TEXT, definition_message, NULL, NULL},
    {&rec_definition_type, "startable_by", TAKES_TEXT, definition_startable_by, NULL, special_prepare_groups},
    {&rec_definition_type, "startable_by_groups", TAKES_TEXTS, definition_startable_by_groups, NULL, NULL},
    {0},
};
