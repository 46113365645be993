/* Asking a retry strategy. */
#include "job/strategy.h"

#include <string.h>

#include "base/builder.h"
#include "base/value.h"
#include "engine/engine.h"
#include "state/expression.h"
#include "state/variable.h"

/* The name in the model; for nodes without a cycle of their own, else the engine's. NULL: none. */
static int strategy_name(context *c, const rec_job *job, const node *n, const char **name) {
  rec_execution *e = job->execution_id ? execution_get(c, job->execution_id) : NULL;
  if (c->error.code) return c->error.code;
  bool inner = e && n && n->multi && e->kind == EXECUTION_MULTI_INSTANCE;
  const expr *given = inner ? &n->multi->retry_strategy : n ? &n->retry_strategy : NULL;
  const expr *cycle = inner ? &n->multi->retry_cycle : n ? &n->retry_cycle : NULL;
  *name = NULL;
  if (!given || !expr_given(given)) {
    if (!cycle || !expr_given(cycle)) *name = c->engine->config.retry_strategy;
    return 0;
  }
  orr_id scope_id = job->execution_id ? job->execution_id : job->instance_id;
  if (given->kind == EXPR_LITERAL) *name = given->text;
  else return scope_id ? expr_text(c, given, scope_id, n, name) : expr_text_over(c, given, NULL, name);
  return 0;
}

static orr_value strategy_text(rec_text text) { return text.data ? orr_bytes(text.data, text.size) : (orr_value){0}; }

/* { { the job }, the failure's text } */
static int arguments_of(context *c, const rec_job *job, const node *n, orr_builder *b, orr_value *out) {
  orr_value message = strategy_text(job->error);
  orr_builder_array(b);
  orr_builder_map(b);
  orr_builder_put(b, "id", value_of_id(c->arena, job->id));
  orr_builder_put(b, "handler", orr_string(job_handler_name(job->kind)));
  if (n) orr_builder_put(b, "activity_id", orr_string(n->id));
  if (job->instance_id) orr_builder_put(b, "instance_id", value_of_id(c->arena, job->instance_id));
  orr_builder_put(b, "retries", orr_int(job->retries));
  orr_builder_put(b, "failures", orr_int(job->failures));
  orr_builder_put(b, "priority", orr_int(job->priority));
  orr_builder_put(b, "created", orr_float((double)job->created / 1000.0));
  orr_builder_end(b);
  orr_builder_add(b, &message);
  orr_builder_end(b);
  return orr_builder_value(b, out, &c->error);
}

static bool answer_number(const orr_value *value, double *out) {
  if (value->type == ORR_INT) *out = (double)value->as.integer;
  else if (value->type == ORR_FLOAT) *out = value->as.number;
  else return false;
  return *out > -1e13 && *out < 1e13;
}

/* Seconds from `base`, or a text: a date, or a duration from now. Anything else leaves `out` as it
 * is. */
static bool time_of(context *c, const orr_value *value, orr_time base, orr_time *out) {
  double seconds;
  orr_time time;
  if (answer_number(value, &seconds)) time = base + (orr_time)(seconds * 1000);
  else if (value->type != ORR_STRING || value->size == 0 || value_time(c, value, &time)) return false;
  *out = time;
  return true;
}

/* Applies an answer; false when it is not understood. */
static bool apply_answer(context *c, rec_job *job, const orr_value *answer) {
  if (time_of(c, answer, c->now, &job->due)) return true;
  if (answer->type != ORR_MAP) return false;
  orr_value retries = orr_map_get(answer, "retries"), wait = orr_map_get(answer, "wait"), due = orr_map_get(answer, "due");
  if (retries.type != ORR_NIL && (retries.type != ORR_INT || retries.as.integer < 0)) return false;
  bool understood =
      wait.type != ORR_NIL ? time_of(c, &wait, c->now, &job->due) : due.type == ORR_NIL || time_of(c, &due, 0, &job->due);
  if (!understood) return false;
  if (retries.type == ORR_INT) job->retries = retries.as.integer;
  return true;
}

static int ask_strategy(context *c, const rec_job *job, const node *n, const char *name, orr_value *answer) {
  orr_builder *b = orr_builder_new();
  if (!b) return context_memory(c);
  orr_value arguments;
  int rc = arguments_of(c, job, n, b, &arguments);
  if (!rc) rc = c->host->methods->invoke(c->host, name, "retry", &arguments, c->arena, answer, &c->error);
  orr_builder_free(b);
  return rc;
}

int strategy_decide(context *c, rec_job *job, const definition *d, const node *n, bool *decided) {
  const char *name = NULL;
  *decided = false;
  int rc = c->host ? strategy_name(c, job, n, &name) : 0;
  if (!rc && !name) return 0;
  orr_value answer = {0};
  if (!rc) rc = ask_strategy(c, job, n, name, &answer);
  if (rc == ORR_E_MEMORY || rc == ORR_E_STORE) return rc;
  if (!rc && (answer.type == ORR_NIL || answer.type == ORR_NULL)) return 0;
  *decided = !rc && apply_answer(c, job, &answer);
  if (*decided) return 0;
  engine_log(c->engine, ORR_LOG_WARNING, NULL, "the retry strategy %s of \"%s\" in \"%s\" is passed over: %s", name ? name : "",
             n ? n->id : "", d ? d->key : "",
             rc && c->error.message ? c->error.message : "it must answer nil, seconds, or retries, wait and due");
  orr_error_clear(&c->error);
  return 0;
}
