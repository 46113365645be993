/* Filter keys that ask for incidents: of instances, executions, definitions, and of instances in history. */
#include <string.h>

#include "base/value.h"
#include "query/special.h"
#include "uow/find.h"

/* What a filter may ask of an incident, open or past. */
typedef struct incident_facts {
  orr_id id, root_cause_id;
  rec_text type, message;
  const char *state;
} incident_facts;

static incident_facts facts_of(const rec_head *r) {
  if (r->type == &rec_incident_type) {
    const rec_incident *i = (const rec_incident *)r;
    return (incident_facts){i->id, i->root_cause_id, i->type, i->message, "open"};
  }
  const rec_history_incident *i = (const rec_history_incident *)r;
  return (incident_facts){i->id, i->root_cause_id, i->type, i->message, i->state.data ? i->state.data : ""};
}

static bool message_is_like(rec_text text, const orr_value *pattern) {
  return text.data && like_matches(text.data, text.size, pattern->as.bytes, pattern->size);
}

typedef bool (*incident_question)(const filter_special *s, const incident_facts *i);

static bool incident_is(const filter_special *s, const incident_facts *i) { return i->id == value_id(&s->value); }
static bool incident_among(const filter_special *s, const incident_facts *i) {
  orr_iterator ids = orr_iterate(&s->value);
  orr_value id;
  while (orr_next(&ids, NULL, &id))
    if (value_id(&id) == i->id) return true;
  return false;
}
static bool incident_has_type(const filter_special *s, const incident_facts *i) { return special_text_is(i->type, &s->value); }
static bool incident_says(const filter_special *s, const incident_facts *i) { return special_text_is(i->message, &s->value); }
static bool incident_says_like(const filter_special *s, const incident_facts *i) {
  return message_is_like(i->message, &s->value);
}
static bool incident_has_state(const filter_special *s, const incident_facts *i) { return value_is_text(&s->value, i->state); }
static bool incident_any(const filter_special *s, const incident_facts *i) {
  (void)i;
  return s->value.type != ORR_STRING || message_is_like(i->message, &s->value);
}
static bool incident_of_its_own(const filter_special *s, const incident_facts *i) {
  (void)s;
  return !i->root_cause_id || i->root_cause_id == i->id;
}

static const struct incident_key {
  const char *name;
  incident_question asks;
} incident_keys[] = {
    {"incident", incident_any},
    {"incident_id", incident_is},
    {"incident_id_in", incident_among},
    {"incident_type", incident_has_type},
    {"incident_message", incident_says},
    {"incident_message_like", incident_says_like},
    {"incident_status", incident_has_state},
    {"with_incidents", incident_any},
    {"with_root_incidents", incident_of_its_own},
};

static incident_question question_of(const filter_special *s) {
  for (size_t i = 0; i < sizeof incident_keys / sizeof incident_keys[0]; i++)
    if (strcmp(incident_keys[i].name, s->is->name) == 0) return incident_keys[i].asks;
  return incident_any;
}

/* Does one of these, of the execution given (0: of any), fit? A switch asks whether there is one at all. */
static bool any_incident(const filter_special *s, const unit_found *found, orr_id execution) {
  incident_question asks = question_of(s);
  for (size_t i = 0; i < found->count; i++) {
    incident_facts facts = facts_of(found->items[i]);
    const rec_incident *open = found->items[i]->type == &rec_incident_type ? (const rec_incident *)found->items[i] : NULL;
    if (execution && (!open || open->execution_id != execution)) continue;
    if (asks(s, &facts)) return true;
  }
  return false;
}

static bool incident_answer(const filter_special *s, bool any) {
  return s->value.type == ORR_BOOL ? any == s->value.as.boolean : any;
}

static int instance_incident(context *c, const filter_special *s, const rec_head *r, bool *out) {
  unit_found found;
  orr_id id = ((const rec_execution *)r)->id;
  int rc = unit_find_group(c->u, &rec_incident_type, orr_id_group(id), &found, &c->error);
  *out = !rc && incident_answer(s, any_incident(s, &found, r->type == &rec_execution_type ? id : 0));
  return rc;
}

static int definition_incident(context *c, const filter_special *s, const rec_head *r, bool *out) {
  unit_found found;
  rec_key key = {.id = ((const rec_definition *)r)->id};
  int rc = unit_find_index(c->u, REC_INDEX_INCIDENT_DEFINITION, &key, 1, 0, &found, &c->error);
  *out = !rc && incident_answer(s, any_incident(s, &found, 0));
  return rc;
}

/* Past incidents are kept at the full level of history; what is open is there at any. */
static int history_incident_fits(context *c, const filter_special *s, const rec_head *r, bool *out) {
  unit_found open, past;
  uint64_t group = orr_id_group(((const rec_history_instance *)r)->id);
  int rc = unit_find_group(c->u, &rec_incident_type, group, &open, &c->error);
  if (!rc) rc = unit_find_group(c->u, &rec_history_incident_type, group, &past, &c->error);
  *out = !rc && incident_answer(s, any_incident(s, &open, 0) || any_incident(s, &past, 0));
  return rc;
}

#define INCIDENT_KEYS(type, fits)                                                \
  {type, "incident_id", TAKES_ID, fits, NULL, NULL},                             \
      {type, "incident_type", TAKES_TEXT, fits, NULL, NULL},                     \
      {type, "incident_message", TAKES_TEXT, fits, NULL, NULL},                  \
      {type, "incident_message_like", TAKES_TEXT, fits, NULL, NULL}

const special specials_of_incidents[] = {
    {&rec_instance_type, "incident", TAKES_PATTERN_OR_SWITCH, instance_incident, NULL, NULL},
    INCIDENT_KEYS(&rec_instance_type, instance_incident),
    INCIDENT_KEYS(&rec_execution_type, instance_incident),
    INCIDENT_KEYS(&rec_definition_type, definition_incident),
    INCIDENT_KEYS(&rec_history_instance_type, history_incident_fits),
    {&rec_history_instance_type, "incident_id_in", TAKES_IDS, history_incident_fits, NULL, NULL},
    {&rec_history_instance_type, "incident_status", TAKES_TEXT, history_incident_fits, NULL, NULL},
    {&rec_history_instance_type, "with_incidents", TAKES_SWITCH, history_incident_fits, NULL, NULL},
    {&rec_history_instance_type, "with_root_incidents", TAKES_SWITCH, history_incident_fits, NULL, NULL},
    {0},
};
