/* What an expression of a model would give. */
#include "base/null.h"
#include "command/lookup.h"
#include "command/operands.h"
#include "model/uel/uel.h"
#include "state/expression.h"
#include "state/variable.h"

typedef struct evaluation {
  const char *text;
  const orr_value *variables;
  orr_id execution;
  orr_builder *out;
} evaluation;

/* It belongs to no definition, so it has no place in the host's cache of compiled code. */
static int compile_text(context *c, const char *text, expr *out) {
  uel_code code;
  int rc = uel_compile(c->arena, text, strlen(text), UEL_TEXT, &code, &c->error);
  if (rc) return rc;
  *out = (expr){
      .kind = code.kind == UEL_LITERAL ? EXPR_LITERAL : code.kind == UEL_VARIABLE ? EXPR_VARIABLE : EXPR_CODE,
      .index = UINT32_MAX,
      .text = code.kind == UEL_LITERAL ? code.text : text,
      .size = code.kind == UEL_LITERAL ? code.size : strlen(text),
      .name = code.kind == UEL_VARIABLE ? code.text : NULL,
      .code = code.kind == UEL_CODE ? code.text : NULL,
      .code_size = code.kind == UEL_CODE ? code.size : 0,
      .line = 1,
      .names = code.roots,
      .n_names = (uint32_t)code.n_roots,
  };
  return 0;
}

static int evaluate_command_body(context *c, void *ud) {
  const evaluation *v = ud;
  expr e;
  orr_value value;
  if (v->execution != 0 && v->variables)
    return context_error(c, ORR_E_ARGUMENT, "an expression is evaluated over variables or in an execution, not both");
  int rc = operand_map(c, v->variables, "variables");
  if (!rc) rc = compile_text(c, v->text, &e);
  if (rc) return rc;
  const node *at = NULL;
  if (v->execution != 0 && orr_id_local(v->execution) == 1) {
    if (!lookup_instance(c, v->execution)) return c->error.code;
  } else if (v->execution != 0) {
    rec_execution *execution = lookup_execution(c, v->execution);
    if (!execution) return c->error.code;
    at = execution_node(c, execution);
  }
  rc = v->execution != 0 ? expr_value(c, &e, v->execution, at, &value) : expr_value_over(c, &e, v->variables, &value);
  if (!rc && value.type != ORR_NIL) orr_builder_add(v->out, &value);
  return rc;
}

/* A command, not a reading: an expression may call what changes something. */
int orr_engine_evaluate(orr_engine *engine, const char *expression, const orr_value *variables, orr_id execution,
                        orr_builder *out, orr_error *err) {
  REQUIRE(expression);
  evaluation v = {expression, variables, execution, out};
  return command_run(engine, evaluate_command_body, &v, err);
}
