/* Having the script host run a task's implementation, and storing its result. */
#include "exec/node/service_call.h"

#include "state/expression.h"
#include "state/variable.h"

/* The task's time limit; 0: none. */
static int service_limit(context *c, orr_id execution, const node *n, int64_t *out) {
  const service_task *s = n->service;
  const char *text;
  *out = s->timeout_ms;
  if (!expr_given(&s->timeout)) return 0;
  int rc = expr_text(c, &s->timeout, execution, n, &text);
  if (rc || !text) return rc;
  *out = iso_read_limit(text);
  if (*out) return 0;
  return context_error(c, ORR_E_EXPRESSION,
                       "%s \"%s\": its timeout is \"%.60s\": a number of seconds above 0, or a "
                       "duration such as PT30S, would be right",
                       n->element, n->id, text);
}

int service_call(context *c, const rec_execution *e, const node *n, host_call_kind kind, const orr_value *data,
                 operation_fn next) {
  const service_task *s = n->service;
  orr_execution *view = execution_view(c, e->id, n, NULL);
  int64_t limit = 0;
  int rc = view ? service_limit(c, e->id, n, &limit) : c->error.code;
  if (rc) return rc;
  view->run = &s->run;
  host_call call = {.kind = kind, .run = &s->run, .execution = view, .store_assignments = s->auto_store_variables};
  call.limit_ms = limit;
  if (data) call.data = *data;
  operation op = {.execution = e->id, .node = n, .data = view};
  return agenda_call(c, &op, &call, next);
}

static int service_result_name(context *c, orr_id execution, const node *n, const char **out) {
  const service_task *s = n->service;
  *out = s->result_variable;
  if (!expr_given(&s->result_variable_expression)) return 0;
  int rc = expr_text(c, &s->result_variable_expression, execution, n, out);
  if (rc || *out) return rc;
  return context_error(c, ORR_E_EXPRESSION, "%s \"%s\": the name of its result variable is null", n->element, n->id);
}

int service_store_result(context *c, orr_id execution, const node *n, const orr_value *value) {
  const service_task *s = n->service;
  const char *name;
  int rc = service_result_name(c, execution, n, &name);
  if (rc) return rc;
  orr_value stored = value->type == ORR_NIL ? orr_null() : *value;
  if (s->result_local) rc = variable_home(c, execution, &execution);
  if (rc) return rc;
  if (s->result_transient) return variable_set_transient(c, execution, name, &stored, s->result_local);
  return s->result_local ? variable_set_local(c, execution, name, &stored) : variable_set(c, execution, name, &stored);
}
