/* Starting whatever conditional start events let start, over a set of variables. */
#include <inttypes.h>

#include "base/builder.h"
#include "base/null.h"
#include "base/options.h"
#include "base/value.h"
#include "command/operands.h"
#include "command/deploy/start_events.h"
#include "state/expression.h"
#include "state/variable.h"
#include "exec/instance.h"
#include "query/results.h"
#include "uow/find.h"

typedef struct condition_call {
  const orr_condition_options *options;
  orr_value seen; /* by the conditions: variables and transient ones; ORR_NIL: none */
  orr_records **out;
} condition_call;

typedef struct started {
  rec_head **items;
  size_t count;
} started;

/* A condition over something that is not there does not hold. */
static bool all_known(context *c, const expr *condition, const orr_value *variables) {
  for (uint32_t i = 0; i < condition->n_names; i++) {
    const char *name = condition->names[i];
    bool known = variables->type == ORR_MAP && orr_map_get(variables, name).type != ORR_NIL;
    if (!known && c->host) known = c->host->methods->known_name(c->host, name);
    if (!known) return false;
  }
  return true;
}

static int holds(context *c, const node *start, const orr_value *variables, bool *out) {
  const event_definition *event = &start->event;
  *out = false;
  if (event->condition_variable &&
      (variables->type != ORR_MAP || orr_map_get(variables, event->condition_variable).type == ORR_NIL))
    return 0;
  if (!all_known(c, &event->condition, variables)) return 0;
  orr_value value;
  int rc = expr_value_over(c, &event->condition, variables, &value);
  if (rc) return rc;
  if (value.type != ORR_BOOL)
    return context_error(c, ORR_E_EXPRESSION, "the condition of \"%s\" gives no boolean: %s", start->id, event->condition.text);
  *out = value.as.boolean;
  return 0;
}

static int consider(context *c, const condition_call *call, const rec_subscription *s, started *list) {
  const orr_condition_options *options = call->options;
  if (options->tenant && !rec_text_is(s->tenant, options->tenant)) return 0;
  const rec_definition *r = lookup_definition(c, s->definition_id);
  definition *d = r ? context_definition(c, r->id, &c->error) : NULL;
  if (!d) return c->error.code;
  if (r->suspended) return 0;
  const node *start = d->nodes[s->node - 1];
  bool starts;
  int rc = holds(c, start, &call->seen, &starts);
  if (rc || !starts) return rc;
  start_request request = {.definition = d, .start = start, .variables = options->variables, .transient = options->transient,
                           .business_key = options->business_key};
  rec_instance *i;
  rc = instance_start(c, &request, &i);
  if (!rc) list->items[list->count++] = &i->head;
  return rc;
}

static int check_condition_starts(context *c, orr_id id, const unit_found *found) {
  const rec_definition *r = id != 0 ? lookup_definition(c, id) : NULL;
  if (c->error.code != 0) return c->error.code;
  if (found->count > 0) return 0;
  if (id == 0) return context_error(c, ORR_E_NOT_FOUND, "no deployed process has a conditional start event");
  return context_error(c, ORR_E_ARGUMENT, "definition %" PRIu64 " (\"%s\") has no conditional start event that could start it",
                       id, r->key.data);
}

static void put_all(orr_builder *b, const orr_value *map) {
  orr_iterator i = orr_iterate(map);
  orr_value key, value;
  while (orr_next(&i, &key, &value)) {
    orr_builder_key(b, key.as.bytes, key.size);
    orr_builder_add(b, &value);
  }
}

static int see(context *c, condition_call *call) {
  const orr_value *stored = call->options->variables, *transient = call->options->transient;
  int rc = operand_map(c, stored, "variables");
  if (!rc) rc = operand_map(c, transient, "transient");
  if (rc) return rc;
  if (!map_given(transient)) {
    if (map_given(stored)) call->seen = *stored;
    return 0;
  }
  orr_builder *b = builder_new(&c->engine->env.allocator);
  if (!b) return context_memory(c);
  orr_builder_map(b);
  if (map_given(stored)) put_all(b, stored);
  put_all(b, transient);
  orr_builder_end(b);
  rc = builder_copy(b, c->arena, &call->seen, &c->error);
  orr_builder_free(b);
  return rc;
}

static int conditions_body(context *c, void *ud) {
  condition_call *call = ud;
  uint32_t mark = c->agenda.count;
  unit_found found;
  int rc = see(c, call);
  if (!rc) rc = start_candidates(c, "conditional", NULL, call->options->definition, &found);
  if (!rc) rc = check_condition_starts(c, call->options->definition, &found);
  if (rc) return rc;
  started list = {.items = ARENA_ARRAY(c->arena, rec_head *, found.count + 1)};
  if (!list.items) return context_memory(c);
  for (size_t i = 0; i < found.count && !rc; i++) rc = consider(c, call, (const rec_subscription *)found.items[i], &list);
  if (!rc) rc = command_run_planned(c, mark);
  return rc ? rc : records_from(c, &rec_instance_type, list.items, list.count, call->out, &c->error);
}

int orr_engine_conditions_evaluate(orr_engine *engine, const orr_condition_options *given, orr_records **out, orr_error *err) {
  REQUIRE_AS(given, "options");
  OUT_RECORDS(out);
  *out = NULL;
  orr_condition_options own;
  const orr_condition_options *options = options_take(&own, sizeof own, given, err);
  if (!options) return ORR_E_ARGUMENT;
  condition_call call = {.options = options, .out = out};
  int rc = command_run(engine, conditions_body, &call, err);
  if (rc) {
    orr_records_free(*out);
    *out = NULL;
  }
  return rc;
}
