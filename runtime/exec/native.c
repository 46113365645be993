#include "native.h"

#include <string.h>

#include "../engine.h"
#include "../registry.h"
#include "../value.h"

/* class="name", delegateExpression="${name}", expression="${name}": the name alone. */
static const char *named(const implementation *run) {
  switch (run->kind) {
    case IMPLEMENTATION_CLASS: return run->value.kind == EXPR_LITERAL ? run->value.text : NULL;
    case IMPLEMENTATION_DELEGATE:
    case IMPLEMENTATION_EXPRESSION: return run->value.kind == EXPR_VARIABLE ? run->value.name : NULL;
    case IMPLEMENTATION_TYPE: return run->type_name;
    default: return NULL;
  }
}

static const char *detail_text(context *c, const orr_error *err, const char *name) {
  if (err->details == NULL) return NULL;
  orr_value value = orr_map_get(err->details, name);
  return value.type == ORR_STRING ? arena_strndup(c->arena, value.as.bytes, value.size) : NULL;
}

static host_status failed(context *c, int rc, host_result *result) {
  if (result->error.code == 0) error_set(&result->error, rc, "a delegate failed without saying why");
  if (result->error.code != ORR_E_BPMN_ERROR) return HOST_FAILED;
  result->bpmn_error = true;
  result->code = detail_text(c, &result->error, "error_code");
  result->message = detail_text(c, &result->error, "error_message");
  return HOST_FAILED;
}

static host_status run(context *c, orr_delegate_fn fn, void *ud, const host_call *call, host_result *result) {
  orr_builder *b = builder_new(&c->engine->env.allocator);
  if (b == NULL) {
    error_memory(&result->error);
    return HOST_FAILED;
  }
  orr_value value = {0};
  int rc = fn(ud, call->execution, b, &result->error);
  if (rc == 0 && orr_builder_value(b, &value, NULL) == 0 && value_copy(c->arena, &value, &result->value) != 0) rc = error_memory(&result->error);
  orr_builder_free(b);
  return rc == 0 ? HOST_DONE : failed(c, rc, result);
}

bool native_call(context *c, const host_call *call, host_result *result, host_status *status) {
  orr_delegate_fn fn;
  void *ud;
  const char *name = call->run != NULL ? named(call->run) : NULL;
  if (name == NULL || !registry_get(c->engine->registry, name, &fn, &ud)) return false;
  *status = run(c, fn, ud, call, result);
  return true;
}
