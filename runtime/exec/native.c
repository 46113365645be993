/* Calling C delegates. What they may ask of their execution is in command/execution_commands.c. */
#include "native.h"

#include <string.h>

#include "../engine.h"
#include "../registry.h"
#include "../value.h"

/* class="name", delegateExpression="${name}" and expression="${name}" name a function; a call inside an expression is the host's. */
static const char *name_of(const implementation *run) {
  if (run->kind == IMPLEMENTATION_CLASS) return run->value.text;
  bool plain = run->kind == IMPLEMENTATION_DELEGATE || run->kind == IMPLEMENTATION_EXPRESSION;
  return plain && run->value.kind == EXPR_VARIABLE ? run->value.name : NULL;
}

static host_status failed(host_result *result, orr_error *err, int rc) {
  if (!err->code) error_set(err, rc, "%s", orr_strerror(rc));
  if (err->code == ORR_E_BPMN_ERROR) {
    orr_value code = err->details ? orr_map_get(err->details, "error_code") : (orr_value){0};
    result->bpmn_error = true;
    result->code = code.type == ORR_STRING ? code.as.bytes : NULL;
    result->message = err->message;
  }
  result->error = *err;
  return HOST_FAILED;
}

/* Texts of the result must outlive the error they came with. */
static int keep_texts(context *c, host_result *result) {
  if (!result->bpmn_error) return 0;
  const char *code = result->code, *message = result->message;
  result->code = code ? arena_strdup(c->arena, code) : "";
  result->message = message ? arena_strdup(c->arena, message) : NULL;
  return result->code && (result->message || !message) ? 0 : ORR_E_MEMORY;
}

static host_status run_native(context *c, const host_call *call, orr_delegate_fn fn, void *ud, host_result *result) {
  orr_builder *b = orr_builder_new();
  orr_error err = {0};
  int rc = b ? fn(ud, call->execution, b, &err) : error_memory(&err);
  orr_value value;
  if (!rc && orr_builder_value(b, &value, NULL) == 0 && value_copy(c->arena, &value, &result->value)) rc = error_memory(&err);
  orr_builder_free(b);
  if (!rc) return HOST_DONE;
  host_status status = failed(result, &err, rc);
  if (keep_texts(c, result)) result->bpmn_error = false;
  return status;
}

bool native_call(context *c, const host_call *call, host_result *result, host_status *status) {
  const char *name = call->run ? name_of(call->run) : NULL;
  orr_delegate_fn fn;
  void *ud;
  if (!name || !registry_get(c->engine->registry, name, &fn, &ud)) return false;
  *status = run_native(c, call, fn, ud, result);
  return true;
}
