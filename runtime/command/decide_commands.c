/* Deciding for callers without a script language of their own; and history by numbers. */
#include <inttypes.h>
#include <string.h>

#include "base/builder.h"
#include "base/null.h"
#include "base/options.h"
#include "command/decisions.h"
#include "command/operands.h"
#include "decision/dmn/dmn.h"
#include "decision/dmn/outline.h"
#include "state/execution.h"

/* ---- Deciding --------------------------------------------------------------------------------- */

typedef struct decide_request {
  const orr_decision_options *options;
  const orr_value *variables;
  orr_builder *out;
} decide_request;

static int options_map(context *c, const orr_decision_options *o, orr_value *out) {
  orr_builder *b = builder_new(&c->engine->env.allocator);
  if (!b) return context_memory(c);
  orr_builder_map(b);
  orr_builder_put(b, "key", orr_string(o->key));
  if (o->version) orr_builder_put(b, "version", orr_int(o->version));
  builder_put_given(b, "version_tag", orr_string(o->version_tag));
  builder_put_given(b, "tenant", orr_string(o->tenant));
  if (o->deployment) orr_builder_put(b, "deployment", orr_int((int64_t)o->deployment));
  orr_builder_end(b);
  int rc = builder_copy(b, c->arena, out, &c->error);
  orr_builder_free(b);
  return rc;
}

static int decide_command_body(context *c, void *ud) {
  const decide_request *q = ud;
  orr_value options, results = {0}, none = {0};
  if (!c->host)
    return context_error(c, ORR_E_STATE,
                         "decisions need Lua, and this engine has none; orr_lua_use of "
                         "orrery/lua.h adds it");
  int rc = operand_text(c, q->options->key, "a decision's key");
  if (!rc) rc = operand_map(c, q->variables, "variables");
  if (!rc) rc = options_map(c, q->options, &options);
  const orr_value *variables = q->variables ? q->variables : &none;
  if (!rc) rc = c->host->methods->decide(c->host, &options, variables, c->arena, &results, &c->error);
  if (!rc) orr_builder_add(q->out, &results);
  return rc;
}

int orr_engine_decision_evaluate(orr_engine *engine, const orr_decision_options *given,
    const orr_value *variables, orr_builder *out,
                      orr_error *err) {
  REQUIRE_AS(given, "options");
  orr_decision_options own;
  const orr_decision_options *options = options_take(&own, sizeof own, given, err);
  if (!options) return ORR_E_ARGUMENT;
  decide_request q = {options, variables, out};
  return command_run(engine, decide_command_body, &q, err);
}

/* ---- What a table's numbers mean -------------------------------------------------------------- */

typedef struct table_request {
  orr_id decision;
  orr_builder *out;
} table_request;

static int table_body(context *c, void *ud) {
  const table_request *q = ud;
  const rec_decision *d = unit_decision(c->u, q->decision, &c->error);
  if (!d && c->error.code) return c->error.code;
  if (!d) return context_error(c, ORR_E_NOT_FOUND, "there is no decision %" PRIu64, q->decision);
  rec_resource key = {.deployment_id = d->deployment_id, .name = d->resource};
  const rec_resource *r = unit_resource_key(c->u, &key, &c->error);
  if (!r && c->error.code) return c->error.code;
  if (!r) return context_error(c, ORR_E_NOT_FOUND, "the model of decision %" PRIu64 " is gone", q->decision);
  return dmn_outline(c->arena, r->bytes.data, r->bytes.size, d->key.data, q->out, &c->error);
}

int orr_engine_decision_table(orr_engine *engine, orr_id decision, orr_builder *out, orr_error *err) {
  table_request q = {decision, out};
  return command_read(engine, table_body, &q, err);
}
