/* Filter keys of definitions. */
#include "query/special.h"

#include "base/value.h"
#include "engine/definition_versions.h"
#include "engine/engine.h"

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
  bool open = !d->starter_users.count && !d->starter_groups.count; /* to everyone */
  *out = open || names_list(d->starter_users, &s->value);
  (void)c;
  orr_iterator i = orr_iterate(&s->prepared);
  orr_value group;
  while (!*out && orr_next(&i, NULL, &group)) *out = names_list(d->starter_groups, &group);
  return 0;
}

const special specials_of_repository[] = {
    {&rec_definition_type, "latest", TAKES_SWITCH, definition_latest, NULL, NULL},
    {&rec_definition_type, "active", TAKES_SWITCH, special_active, NULL, NULL},
    {&rec_definition_type, "message", TAKES_TEXT, definition_message, NULL, NULL},
    {&rec_definition_type, "startable_by", TAKES_TEXT, definition_startable_by, NULL, special_prepare_groups},
    {0},
};
