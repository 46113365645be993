/* Message correlation: finding the receiver that a message is meant for, and delivering it.
 *
 * Waiting executions come before start events; among the candidates of one kind there must be exactly one, unless the
 * message goes to all. A receiver is remembered by its subscription's id, because delivering to one may take another one's
 * subscription away. */
#include "command/event/message_commands.h"

#include <inttypes.h>

#include "base/builder.h"
#include "base/options.h"
#include "base/value.h"
#include "command/lookup.h"
#include "command/operands.h"
#include "command/deploy/start_events.h"
#include "command/operations.h"
#include "job/job.h"
#include "state/variable.h"
#include "exec/event/subscription.h"
#include "exec/instance.h"
#include "uow/find.h"

typedef struct receiver {
  rec_subscription *subscription;
  orr_id execution, instance; /* 0 and, once it runs, the new instance for a start event */
} receiver;

typedef struct correlation {
  const char *name;
  const orr_message_options *options;
  orr_builder *out;
  receiver *items;
  size_t count, capacity;
  orr_id suspended_instance; /* one that would receive, were it not suspended; 0: none */
  const rec_definition *suspended_definition; /* one that would start */
} correlation;

/* ---- Arguments ------------------------------------------------------------------------------- */

static int check_maps(context *c, const orr_message_options *o) {
  int rc = operand_map(c, o->match, "match");
  if (!rc) rc = operand_map(c, o->local_match, "local_match");
  if (!rc) rc = operand_map(c, o->variables, "variables");
  if (!rc) rc = operand_map(c, o->local_variables, "local_variables");
  if (!rc) rc = operand_map(c, o->triggered_variables, "triggered_variables");
  return rc ? rc : operand_map(c, o->transient, "transient");
}

static int check_message_options(context *c, const correlation *m) {
  const orr_message_options *o = m->options;
  int rc = check_maps(c, o);
  if (rc) return rc;
  bool to_running = o->instance != 0 || o->execution != 0 || map_given(o->match) || map_given(o->local_match);
  if (o->start == ORR_ON && to_running)
    return context_error(c, ORR_E_ARGUMENT,
                         "a message that may only start instances cannot name an instance, an execution or variables to match");
  if (o->start == ORR_ON && !m->name) return context_error(c, ORR_E_ARGUMENT, "a message that starts instances needs a name");
  if (!m->name && !to_running && !o->business_key)
    return context_error(c, ORR_E_ARGUMENT,
                         "a message needs a name, an instance, an execution, a business key or variables to match");
  const orr_value *maps[] = {o->variables, o->local_variables, o->triggered_variables};
  for (size_t i = 0; !rc && o->async && i < sizeof maps / sizeof *maps; i++)
    rc = operand_stored(c, maps[i], o->transient, "a message that jobs deliver");
  return rc;
}

static int check_receiver_ids(context *c, const orr_message_options *o) {
  if (o->instance != 0 && !lookup_instance(c, o->instance)) return c->error.code;
  if (o->definition != 0 && !lookup_definition(c, o->definition)) return c->error.code;
  if (o->execution == 0) return 0;
  bool root = orr_id_local(o->execution) == 1;
  if (root ? !lookup_instance(c, o->execution) : !lookup_execution(c, o->execution)) return c->error.code;
  return refuse_suspended(c, o->execution);
}

/* ---- Candidates ------------------------------------------------------------------------------ */

static int add_receiver(context *c, correlation *m, rec_subscription *s) {
  if (!ARENA_ROOM(c->arena, m->items, m->count, m->capacity, 4)) return context_memory(c);
  m->items[m->count++] = (receiver){s, s->execution_id, s->instance_id};
  return 0;
}

/* The shortest list that holds every candidate. */
static int find_waiting(context *c, const correlation *m, unit_found *out) {
  const orr_message_options *o = m->options;
  rec_key by[3] = {{.text = {"message", 7}}};
  if (o->execution != 0) {
    by[0] = (rec_key){.id = o->execution};
    return unit_find_index(c->u, REC_INDEX_SUBSCRIPTION_EXECUTION, by, 1, 0, out, &c->error);
  }
  if (o->instance != 0) return unit_find_group(c->u, &rec_subscription_type, orr_id_group(o->instance), out, &c->error);
  size_t n = 1;
  if (m->name) by[n++].text = (rec_text){m->name, strlen(m->name)};
  if (m->name && o->business_key) by[n++].text = (rec_text){o->business_key, strlen(o->business_key)};
  return unit_find_index(c->u, REC_INDEX_SUBSCRIPTION_NAME, by, n, 0, out, &c->error);
}

static int receiver_variables_match(context *c, orr_id scope_id, const orr_value *wanted, bool *out) {
  if (!map_given(wanted)) return 0;
  orr_iterator at = orr_iterate(wanted);
  orr_value key, value, held;
  while (*out && orr_next(&at, &key, &value)) {
    const char *name = context_text(c, &key, "the name of a variable");
    if (!name) return c->error.code;
    int rc = variable_get_local(c, scope_id, name, &held);
    if (rc) return rc;
    *out = held.type != ORR_NIL && value_equal(&held, &value);
  }
  return 0;
}

static int waiting_fits(context *c, correlation *m, const rec_subscription *s, bool *out) {
  const orr_message_options *o = m->options;
  *out = false;
  if (s->execution_id == 0 || !rec_text_is(s->type, "message")) return 0;
  if (m->name && !rec_text_is(s->name, m->name)) return 0;
  if (o->execution != 0 && s->execution_id != o->execution) return 0;
  if (o->instance != 0 && s->instance_id != o->instance) return 0;
  if (o->definition != 0 && s->definition_id != o->definition) return 0;
  if (o->tenant && !rec_text_is(s->tenant, o->tenant)) return 0;
  const rec_instance *i = context_instance(c, s->instance_id, &c->error);
  if (!i) return c->error.code;
  if (o->business_key && !rec_text_is(i->business_key, o->business_key)) return 0;
  *out = true;
  int rc = receiver_variables_match(c, s->instance_id, o->match, out);
  if (!rc) rc = receiver_variables_match(c, s->execution_id, o->local_match, out);
  if (!i->suspended || !*out) return rc;
  m->suspended_instance = i->id;
  *out = false;
  return rc;
}

static int collect_waiting(context *c, correlation *m) {
  unit_found found;
  int rc = find_waiting(c, m, &found);
  for (size_t i = 0; !rc && i < found.count; i++) {
    rec_subscription *s = (rec_subscription *)found.items[i];
    bool fits;
    rc = waiting_fits(c, m, s, &fits);
    if (!rc && fits) rc = add_receiver(c, m, s);
  }
  return rc;
}

static int collect_starts(context *c, correlation *m) {
  const orr_message_options *o = m->options;
  unit_found found;
  bool matched = !o->match_waiting && (map_given(o->match) || map_given(o->local_match));
  if (!m->name || o->execution != 0 || o->instance != 0 || matched) return 0;
  int rc = start_candidates(c, "message", m->name, o->definition, &found);
  for (size_t i = 0; !rc && i < found.count; i++) {
    rec_subscription *s = (rec_subscription *)found.items[i];
    if (o->tenant && !rec_text_is(s->tenant, o->tenant)) continue;
    const rec_definition *r = lookup_definition(c, s->definition_id);
    if (!r) return c->error.code;
    if (r->suspended) m->suspended_definition = r;
    else rc = add_receiver(c, m, s);
  }
  return rc;
}

/* ---- Choosing -------------------------------------------------------------------------------- */

static const char *quoted(context *c, const char *name) {
  const char *text = name ? arena_printf(c->arena, "message \"%s\"", name) : "the message";
  return text ? text : "the message";
}

static int refuse_unreceived(context *c, const correlation *m, const char *what) {
  if (m->suspended_instance)
    return context_error(c, ORR_E_CORRELATION,
                         "%s has no receiver: instance %" PRIu64 ", which waits for it, is suspended; activate it first", what,
                         m->suspended_instance);
  if (m->suspended_definition)
    return context_error(c, ORR_E_CORRELATION,
                         "%s has no receiver: process \"%s\", which starts by it, is suspended; activate it first", what,
                         m->suspended_definition->key.data);
  return context_error(c, ORR_E_CORRELATION, "%s has no receiver: no execution waits for it%s that fits the criteria", what,
                       m->options->start == ORR_OFF ? "" : " and no process starts by it");
}

static int require_one(context *c, const correlation *m) {
  if (m->options->all || m->count == 1) return 0;
  const char *what = quoted(c, m->name);
  if (m->count == 0) return refuse_unreceived(c, m, what);
  return context_error(c, ORR_E_CORRELATION, "%s has %zu receivers: criteria that fit one alone are needed, or all = true",
                       what, m->count);
}

static int collect_receivers(context *c, correlation *m) {
  const orr_message_options *o = m->options;
  int rc = o->start != ORR_ON ? collect_waiting(c, m) : 0;
  if (!rc && o->start != ORR_OFF && (o->all || m->count == 0)) rc = collect_starts(c, m);
  return rc ? rc : require_one(c, m);
}

/* ---- Delivering ------------------------------------------------------------------------------ */

static int start_by(context *c, const rec_subscription *s, const delivery *d, const char *business_key, orr_id *started) {
  definition *graph = context_definition(c, s->definition_id, &c->error);
  if (!graph) return c->error.code;
  start_request request = {
      .definition = graph,
      .start = graph->nodes[s->node - 1],
      .variables = d->variables,
      .transient = d->transient,
      .local = d->local,
      .triggered = d->triggered,
      .business_key = business_key,
      .tenant = s->tenant.data,
  };
  rec_instance *i;
  int rc = instance_start(c, &request, &i);
  if (!rc) *started = i->id;
  return rc;
}

static int deliver_now(context *c, const correlation *m, receiver *r) {
  const orr_message_options *o = m->options;
  uint32_t mark = c->agenda.count;
  rec_subscription *s = r->subscription->id != 0 ? unit_subscription(c->u, r->subscription->id, &c->error) : r->subscription;
  if (!s) return c->error.code; /* an earlier receiver ended this one */
  delivery d = {
      .variables = o->variables, .local = o->local_variables, .triggered = o->triggered_variables, .transient = o->transient};
  int rc = s->execution_id == 0 ? start_by(c, s, &d, o->business_key, &r->instance) : subscription_deliver(c, s, &d);
  return rc ? rc : command_run_planned(c, mark);
}

/* ---- Within one instance --------------------------------------------------------------------- */

/* By its subscription, which an earlier delivery may have removed. */
static int op_deliver(context *c, operation *op) {
  orr_value none = {0};
  rec_subscription *s = unit_subscription(c->u, op->execution, &c->error);
  delivery d = {.variables = &op->value, .local = &none, .triggered = &none, .transient = &none};
  return s ? subscription_deliver(c, s, &d) : c->error.code;
}

int message_deliver_within(context *c, orr_id instance, const char *name, const orr_value *variables, bool *none) {
  orr_message_options options = {.size = sizeof options, .instance = instance, .variables = variables, .all = true,
                                 .start = ORR_OFF};
  correlation m = {.name = name, .options = &options};
  int rc = collect_waiting(c, &m);
  *none = !rc && m.count == 0;
  for (size_t i = 0; !rc && i < m.count; i++) {
    operation *op = agenda_plan(c, op_deliver, m.items[i].subscription->id);
    if (!op) return c->error.code;
    op->value = *variables;
  }
  return rc;
}

/* ---- By a job -------------------------------------------------------------------------------- */

/* What a job stores of the options: maps of variables, and the business key of a new instance. */
static const char *const job_maps[] = {"variables", "local_variables", "triggered_variables"};

static int keep_message_in_job(context *c, rec_job *job, const rec_subscription *s, const orr_message_options *o) {
  const orr_value *maps[] = {o->variables, o->local_variables, o->triggered_variables};
  orr_builder *b = builder_new(&c->engine->env.allocator);
  if (!b) return context_memory(c);
  orr_builder_map(b);
  orr_builder_put(b, "subscription", orr_int((int64_t)s->id));
  if (o->business_key) orr_builder_put(b, "business_key", orr_string(o->business_key));
  for (size_t i = 0; i < sizeof maps / sizeof *maps; i++) {
    if (!map_given(maps[i])) continue;
    orr_builder_put(b, job_maps[i], *maps[i]);
  }
  orr_builder_end(b);
  int rc = builder_copy(b, c->arena, &job->data, &c->error);
  orr_builder_free(b);
  return rc;
}

static int deliver_later(context *c, const correlation *m, const receiver *r) {
  const rec_subscription *s = r->subscription;
  definition *d = context_definition(c, s->definition_id, &c->error);
  rec_instance *i = d && s->execution_id != 0 ? context_instance(c, s->instance_id, &c->error) : NULL;
  if (c->error.code != 0) return c->error.code;
  bool token = s->execution_id != 0 && orr_id_local(s->execution_id) != 1;
  rec_execution *e = token ? lookup_execution(c, s->execution_id) : NULL;
  if (token && !e) return c->error.code;
  rec_job *job = job_create(c, ORR_JOB_MESSAGE_ASYNC, i, e, d, d->nodes[s->node - 1], 0);
  if (!job) return c->error.code;
  int rc = keep_message_in_job(c, job, s, m->options);
  return rc ? rc : job_place(c, job);
}

/* Without a subscription the job itself says which version starts, and at which event. */
int message_job(context *c, rec_job *job) {
  orr_value id = orr_map_get(&job->data, "subscription"), key = orr_map_get(&job->data, "business_key"), maps[3];
  rec_subscription start = {.node = job->node, .definition_id = job->definition_id, .tenant = job->tenant};
  rec_subscription *s = id.as.integer != 0 ? unit_subscription(c->u, (orr_id)id.as.integer, &c->error) : &start;
  if (!s) return c->error.code; /* the receiver is gone: a message that comes too late is no failure */
  for (size_t i = 0; i < sizeof maps / sizeof *maps; i++) maps[i] = orr_map_get(&job->data, job_maps[i]);
  delivery d = {.variables = &maps[0], .local = &maps[1], .triggered = &maps[2]};
  if (s->execution_id != 0) return subscription_deliver(c, s, &d);
  const char *business_key = key.type == ORR_STRING ? arena_strndup(c->arena, key.as.bytes, key.size) : NULL;
  orr_id started;
  return start_by(c, s, &d, business_key, &started);
}

/* ---- The command ----------------------------------------------------------------------------- */

/* Variables are those of the instance as the delivery left them; of an ended one there are none. */
static int put_variables(context *c, const receiver *r, orr_builder *b) {
  if (r->instance == 0 || !unit_instance(c->u, r->instance, &c->error)) return c->error.code;
  orr_value map;
  int rc = variable_map(c, r->instance, false, &map);
  if (!rc) orr_builder_put(b, "variables", map);
  return rc;
}

static int put_receiver(context *c, const correlation *m, const receiver *r) {
  int rc = 0;
  orr_builder_map(m->out);
  orr_builder_put(m->out, "type", orr_string(r->execution != 0 ? "execution" : "definition"));
  orr_builder_put(m->out, "definition_id", orr_int((int64_t)r->subscription->definition_id));
  if (r->instance != 0) orr_builder_put(m->out, "instance_id", orr_int((int64_t)r->instance));
  if (r->execution != 0) orr_builder_put(m->out, "execution_id", orr_int((int64_t)r->execution));
  if (m->options->return_variables) rc = put_variables(c, r, m->out);
  orr_builder_end(m->out);
  return rc;
}

static int answer_receivers(context *c, const correlation *m) {
  int rc = 0;
  if (m->options->all) orr_builder_array(m->out);
  for (size_t i = 0; !rc && i < m->count; i++) rc = put_receiver(c, m, &m->items[i]);
  if (m->options->all) orr_builder_end(m->out);
  return rc;
}

static int message_body(context *c, void *ud) {
  correlation *m = ud;
  int rc = check_message_options(c, m);
  if (!rc) rc = check_receiver_ids(c, m->options);
  if (!rc) rc = collect_receivers(c, m);
  for (size_t i = 0; !rc && i < m->count; i++)
    rc = m->options->async ? deliver_later(c, m, &m->items[i]) : deliver_now(c, m, &m->items[i]);
  user_operation what = {.type = "CorrelateMessage", .entity = "ProcessInstance", .category = OPERATION_BY_OPERATOR,
                         .instance = m->options->instance, .execution = m->options->execution,
                         .definition = m->options->definition};
  if (!rc) rc = user_operation_texts(c, &what, "messageName", NULL, m->name);
  return rc ? rc : answer_receivers(c, m);
}

int orr_engine_message(orr_engine *engine, const char *name, const orr_message_options *given, orr_builder *out,
                       orr_error *err) {
  orr_message_options own;
  const orr_message_options *options = options_take(&own, sizeof own, given, err);
  if (!options) return ORR_E_ARGUMENT;
  correlation m = {.name = name, .options = options, .out = out};
  return command_run(engine, message_body, &m, err);
}
