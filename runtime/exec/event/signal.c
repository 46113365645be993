/* Throwing signals. */
#include "exec/event/signal.h"

#include <string.h>

#include "base/builder.h"
#include "base/value.h"
#include "engine/engine.h"
#include "exec/event/subscription.h"
#include "exec/instance.h"
#include "job/job.h"
#include "state/event_payload.h"
#include "state/variable.h"
#include "uow/find.h"

/* ---- Delivery to one receiver ---------------------------------------------------------------- */

static int start_by_signal(context *c, const rec_subscription *s, const signal_payload *sent) {
  rec_definition *r = unit_definition(c->u, s->definition_id, &c->error);
  definition *d = r ? context_definition(c, s->definition_id, &c->error) : NULL;
  if (!d) return c->error.code;
  if (r->suspended && d->dialect->signal_start_suspended_fails)
    return context_error(c, ORR_E_SUSPENDED, "signal \"%.*s\" cannot start \"%s\": the definition is suspended",
                         (int)s->name.size, s->name.data, d->key);
  if (r->suspended) return 0;
  const node *start = d->nodes[s->node - 1];
  orr_value taken;
  int rc = payload_received(c, &start->event, sent->variables, &taken);
  if (rc) return rc;
  start_request request = {.definition = d, .start = start, .variables = &taken, .transient = sent->transient,
                           .business_key = sent->business_key, .tenant = s->tenant.data};
  rec_instance *started;
  rc = instance_start(c, &request, &started);
  return rc ? rc : payload_receive_transient(c, &start->event, sent->variables, started->id);
}

static int deliver_signal(context *c, rec_subscription *s, const signal_payload *sent) {
  if (!s->execution_id) return start_by_signal(c, s, sent);
  rec_instance *instance = context_instance(c, s->instance_id, &c->error);
  if (!instance) return c->error.code;
  if (instance_held(instance))
    return context_error(c, ORR_E_SUSPENDED, "signal \"%.*s\" cannot reach \"%.*s\": its process instance is suspended",
                         (int)s->name.size, s->name.data, (int)s->activity_id.size, s->activity_id.data);
  definition *d = context_definition_of(c, s->instance_id, &c->error);
  if (!d) return c->error.code;
  const event_definition *event = &d->nodes[s->node - 1]->event;
  orr_value taken;
  int rc = payload_received(c, event, sent->variables, &taken);
  if (!rc) rc = payload_receive_transient(c, event, sent->variables, s->execution_id);
  return rc ? rc : subscription_deliver(c, s, &(delivery){.variables = &taken, .transient = sent->transient});
}

/* op->other: the subscription; an earlier receiver may have taken it away. op->data: the transient variables. */
static int op_signal(context *c, operation *op) {
  rec_subscription *s = unit_subscription(c->u, op->other, &c->error);
  signal_payload sent = {.variables = &op->value, .transient = op->data, .business_key = op->text};
  return s ? deliver_signal(c, s, &sent) : c->error.code;
}

static int plan_transient(context *c, operation *op, const orr_value *transient) {
  orr_value *copy = ARENA_NEW(c->arena, orr_value);
  if (!copy || value_copy(c->arena, transient, copy)) return context_memory(c);
  op->data = copy;
  return 0;
}

static int plan_signal(context *c, const rec_subscription *s, const signal_payload *sent) {
  operation *op = agenda_plan(c, op_signal, s->execution_id);
  if (!op) return c->error.code;
  op->other = s->id;
  op->text = sent->business_key;
  if (sent->variables && value_copy(c->arena, sent->variables, &op->value)) return context_memory(c);
  return sent->transient ? plan_transient(c, op, sent->transient) : 0;
}

/* ---- Later, by a job ------------------------------------------------------------------------- */

static int job_data(context *c, orr_id subscription, const signal_payload *sent, orr_value *out) {
  orr_builder *b = builder_new(&c->engine->env.allocator);
  if (!b) return context_memory(c);
  orr_builder_map(b);
  orr_builder_put(b, "subscription", orr_int((int64_t)subscription));
  if (sent->variables && sent->variables->type == ORR_MAP) orr_builder_put(b, "variables", *sent->variables);
  if (sent->business_key) orr_builder_put(b, "business_key", orr_string(sent->business_key));
  orr_builder_end(b);
  int rc = builder_copy(b, c->arena, out, &c->error);
  orr_builder_free(b);
  return rc;
}

static int signal_later(context *c, const rec_subscription *s, const signal_payload *sent) {
  rec_instance *instance = s->execution_id ? context_instance(c, s->instance_id, &c->error) : NULL;
  definition *d = c->error.code ? NULL : context_definition(c, s->definition_id, &c->error);
  rec_execution *e = d && s->execution_id && orr_id_local(s->execution_id) != 1 ? execution_get(c, s->execution_id) : NULL;
  if (!d || c->error.code) return c->error.code;
  rec_job *job = job_create(c, ORR_JOB_SIGNAL_ASYNC, instance, e, d, d->nodes[s->node - 1], 0);
  if (!job) return c->error.code;
  int rc = job_data(c, s->id, sent, &job->data);
  return rc ? rc : job_place(c, job);
}

int signal_job(context *c, rec_job *job) {
  orr_value id = orr_map_get(&job->data, "subscription"), variables = orr_map_get(&job->data, "variables");
  orr_value key = orr_map_get(&job->data, "business_key");
  signal_payload sent = {.variables = &variables};
  if (key.type == ORR_STRING) sent.business_key = arena_strndup(c->arena, key.as.bytes, key.size);
  rec_subscription *s = unit_subscription(c->u, (orr_id)id.as.integer, &c->error);
  return s ? plan_signal(c, s, &sent) : c->error.code;
}

/* ---- Who receives ---------------------------------------------------------------------------- */

static bool tenant_hears(const rec_subscription *s, const signal_reach *reach) {
  if (!reach->tenant) return true;
  if (s->tenant.size == 0) return reach->nobody || *reach->tenant == '\0';
  return rec_text_is(s->tenant, reach->tenant);
}

/* A suspended instance receives nothing. A signal with a scope (`root`) reaches one call hierarchy
 * only, and subscriptions to such a signal receive it from nowhere else. */
static int subscription_hears(context *c, const rec_subscription *s, orr_id root, bool *out) {
  *out = !root;
  if (!s->execution_id) return 0;
  definition *d = root ? NULL : context_definition(c, s->definition_id, &c->error);
  if (c->error.code) return c->error.code;
  *out = !d || !d->nodes[s->node - 1]->event.signal_instance_scope;
  if (!*out) return 0;
  rec_instance *instance = unit_instance(c->u, s->instance_id, &c->error);
  *out = instance && !instance->suspended && (!root || instance->root_id == root);
  return c->error.code;
}

int signal_send(context *c, const rec_subscription *s, bool async, const signal_payload *sent) {
  return async ? signal_later(c, s, sent) : plan_signal(c, s, sent);
}

int signal_throw(context *c, const char *name, const signal_reach *reach, bool async, const signal_payload *sent) {
  orr_id root = 0;
  if (reach->within) {
    rec_instance *thrower = context_instance(c, reach->within, &c->error);
    if (!thrower) return c->error.code;
    root = thrower->root_id;
  }
  unit_found found;
  rec_key key[2] = {{.text = {"signal", 6}}, {.text = {name, strlen(name)}}};
  int rc = unit_find_index(c->u, REC_INDEX_SUBSCRIPTION_NAME, key, 2, 0, &found, &c->error);
  for (size_t i = 0; !rc && i < found.count; i++) {
    const rec_subscription *s = (const rec_subscription *)(const void *)found.items[i];
    bool reached;
    rc = subscription_hears(c, s, root, &reached);
    if (!rc && reached && tenant_hears(s, reach)) rc = signal_send(c, s, async, sent);
  }
  return rc;
}
