/* Filter keys of instances and executions. */
#include <string.h>

#include "base/value.h"
#include "engine/engine.h"
#include "query/special.h"
#include "query/tokens.h"
#include "state/execution.h"
#include "uow/find.h"
#include "uow/rows.h"

/* ---- Instances ------------------------------------------------------------------------------- */

static int instance_root_only(context *c, const filter_special *s, const rec_head *r, bool *out) {
  (void)c;
  *out = !special_switch(s) || ((const rec_instance *)r)->parent_id == 0;
  return 0;
}

/* It calls no other that still runs. */
static int instance_leaf_only(context *c, const filter_special *s, const rec_head *r, bool *out) {
  rec_key key = {.id = ((const rec_instance *)r)->id};
  unit_found found = {0};
  int rc = special_switch(s) ? unit_find_index(c->u, REC_INDEX_INSTANCE_PARENT, &key, 1, 1, &found, &c->error) : 0;
  *out = found.count == 0;
  return rc;
}

/* The instance that calls the one given. */
static int instance_called(context *c, const filter_special *s, const rec_head *r, bool *out) {
  orr_id id = value_id(&s->value);
  rec_instance *called = id ? unit_instance(c->u, id, &c->error) : NULL;
  *out = called && called->parent_id == ((const rec_instance *)r)->id;
  return c->error.code;
}

static int find_caller(context *c, const filter_special *s, unit_found *out) {
  orr_id id = value_id(&s->value);
  rec_instance *called = id ? unit_instance(c->u, id, &c->error) : NULL;
  rec_instance *caller = called && called->parent_id ? unit_instance(c->u, called->parent_id, &c->error) : NULL;
  if (c->error.code) return c->error.code;
  out->items = ARENA_ARRAY(c->arena, rec_head *, 1);
  if (!out->items) return context_memory(c);
  out->count = caller ? 1 : 0;
  if (caller) out->items[0] = &caller->head;
  return 0;
}

static int instance_activity(context *c, const filter_special *s, const rec_head *r, bool *out) {
  return tokens_stand_at(c, ((const rec_instance *)r)->id, &s->value, out);
}

/* ---- Executions ------------------------------------------------------------------------------ */

static int subscribed(context *c, const filter_special *s, const rec_head *r, const char *type, bool *out) {
  unit_found found;
  rec_key key = {.id = ((const rec_execution *)r)->id};
  int rc = unit_find_index(c->u, REC_INDEX_SUBSCRIPTION_EXECUTION, &key, 1, 0, &found, &c->error);
  bool any = false;
  for (size_t i = 0; i < found.count && !rc && !any; i++) {
    const rec_subscription *at = (const rec_subscription *)found.items[i];
    any = rec_text_is(at->type, type) && (s->value.type != ORR_STRING || special_text_is(at->name, &s->value));
  }
  *out = s->value.type == ORR_BOOL ? any == s->value.as.boolean : any;
  return rc;
}

static int execution_message(context *c, const filter_special *s, const rec_head *r, bool *out) {
  return subscribed(c, s, r, "message", out);
}

static int execution_signal(context *c, const filter_special *s, const rec_head *r, bool *out) {
  return subscribed(c, s, r, "signal", out);
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

/* What waits by a subscription: an execution, or an instance for one; NULL: nothing does, or c->error. */
static rec_head *waiting_by(context *c, const rec_subscription *s) {
  orr_id id = s->execution_id;
  if (!id) return NULL;
  if (orr_id_local(id) == 1) return instance_as_execution(c, id);
  rec_execution *e = unit_execution(c->u, id, &c->error);
  return e ? &e->head : NULL;
}

static int by_subscription(context *c, const char *type, const orr_value *name, unit_found *out) {
  unit_found found;
  rec_key key[2] = {{.text = {type, strlen(type)}}, {.text = special_text(name)}};
  int rc = unit_find_index(c->u, REC_INDEX_SUBSCRIPTION_NAME, key, name->type == ORR_STRING ? 2 : 1, 0, &found, &c->error);
  if (rc) return rc;
  out->items = ARENA_ARRAY(c->arena, rec_head *, found.count + 1);
  out->count = 0;
  if (!out->items) return context_memory(c);
  unit_rows rows;
  unit_rows_of(&rows, c->u, &found);
  for (size_t i = 0; !c->error.code && i < found.count; i++) {
    unit_rows_at(&rows, i);
    rec_head *waiting = waiting_by(c, (const rec_subscription *)found.items[i]);
    if (waiting) out->items[out->count++] = waiting;
  }
  unit_rows_end(&rows);
  return c->error.code;
}

static int find_by_message(context *c, const filter_special *s, unit_found *out) {
  return by_subscription(c, "message", &s->value, out);
}

static int find_by_signal(context *c, const filter_special *s, unit_found *out) {
  return by_subscription(c, "signal", &s->value, out);
}

const special specials_of_instances[] = {
    {&rec_instance_type, "active", TAKES_SWITCH, special_active, NULL, NULL},
    {&rec_instance_type, "root_only", TAKES_SWITCH, instance_root_only, NULL, NULL},
    {&rec_instance_type, "leaf_only", TAKES_SWITCH, instance_leaf_only, NULL, NULL},
    {&rec_instance_type, "called", TAKES_ID, instance_called, find_caller, NULL},
    {&rec_instance_type, "activity", TAKES_TEXT, instance_activity, NULL, NULL},
    {&rec_instance_type, "activity_in", TAKES_TEXTS, instance_activity, NULL, NULL},
    {&rec_execution_type, "active", TAKES_SWITCH, special_active, NULL, NULL},
    {&rec_execution_type, "message", TAKES_NAME_OR_SWITCH, execution_message, find_by_message, NULL},
    {&rec_execution_type, "signal", TAKES_NAME_OR_SWITCH, execution_signal, find_by_signal, NULL},
    {0},
};
