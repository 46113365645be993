/* Calling C delegates. What they may ask of their execution is in command/instance/execution_commands.c. */
#include "exec/node/native.h"

#include <string.h>

#include "base/builder.h"
#include "base/value.h"
#include "engine/delegates.h"
#include "engine/engine.h"
#include "state/context.h"

/* class="name", delegateExpression="${name}" and expression="${name}" name a function; a call inside an expression is the
 * host's. */
const char *native_name(const implementation *run) {
  if (run->kind == IMPLEMENTATION_CLASS) return run->value.text;
  bool plain = run->kind == IMPLEMENTATION_DELEGATE || run->kind == IMPLEMENTATION_EXPRESSION;
  return plain && run->value.kind == EXPR_VARIABLE ? run->value.name : NULL;
}

/* Texts of the result must outlive the error they came with. */
static int take_bpmn_error(context *c, const orr_error *err, host_result *result) {
  orr_value code = err->details ? orr_map_get(err->details, "error_code") : (orr_value){0};
  result->code = code.type == ORR_STRING ? arena_strndup(c->arena, code.as.bytes, code.size) : "";
  result->message = err->message ? arena_strdup(c->arena, err->message) : NULL;
  result->bpmn_error = result->code && (result->message || !err->message);
  return result->bpmn_error ? 0 : ORR_E_MEMORY;
}

/* The number that a delegate returned may be anything. To the core a positive one would say that an
 * operation waits, so only codes pass. A delegate that has filled its error with a code of ours has
 * said what failed. */
static void name_failure(orr_error *err, int rc) {
  if (error_known(err->code)) return;
  int code = err->code ? err->code : rc;
  if (error_known(code)) error_set(err, code, "%s", orr_strerror(code));
  else error_set(err, ORR_E_SCRIPT, "the delegate returned %d, which is no code of Orrery's", code);
}

/* What was raised cannot be told without memory: then that is the failure. */
static host_status native_failed(context *c, host_result *result, orr_error *err, int rc) {
  name_failure(err, rc);
  if (err->code == ORR_E_BPMN_ERROR && take_bpmn_error(c, err, result)) error_memory(err);
  result->error = *err;
  return HOST_FAILED;
}

/* A delegate that put nothing into the builder has no result. */
static int result_of(context *c, orr_builder *b, orr_value *out, orr_error *err) {
  orr_value value;
  if (builder_empty(b)) return 0;
  int rc = orr_builder_value(b, &value, err);
  if (rc) return rc;
  return value_copy(c->arena, &value, out) ? error_memory(err) : 0;
}

static host_status run_native(context *c, const host_call *call, orr_delegate_fn fn, void *ud, host_result *result) {
  orr_builder *b = orr_builder_new();
  orr_error err = {0};
  int rc = b ? fn(ud, call->execution, b, &err) : error_memory(&err);
  if (!rc) orr_error_clear(&err); /* of a call inside: the delegate is done all the same */
  if (!rc) rc = result_of(c, b, &result->value, &err);
  orr_builder_free(b);
  return rc ? native_failed(c, result, &err, rc) : HOST_DONE;
}

bool native_call(context *c, const host_call *call, host_result *result, host_status *status) {
  const char *name = call->run ? native_name(call->run) : NULL;
  orr_delegate_fn fn;
  void *ud;
  if (!name || !registry_get(c->engine->registry, name, &fn, &ud)) return false;
  *status = run_native(c, call, fn, ud, result);
  return true;
}
