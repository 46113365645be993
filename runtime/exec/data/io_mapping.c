/* Evaluating input and output parameters one by one, and creating data objects. */
#include "exec/data/io_mapping.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/builder.h"
#include "base/value.h"
#include "engine/engine.h"
#include "exec/event/propagation.h"
#include "state/expression.h"
#include "state/variable.h"

/* ---- Values of parameters -------------------------------------------------------------------- */

static int add_value(context *c, const parameter_value *p, orr_id scope_id, const node *n, orr_builder *b);

static int add_items(context *c, const parameter_value *p, orr_id scope_id, const node *n, orr_builder *b) {
  int rc = 0;
  if (p->kind == PARAMETER_LIST) orr_builder_array(b);
  else orr_builder_map(b);
  for (uint32_t i = 0; !rc && i < p->count; i++) {
    if (p->kind == PARAMETER_MAP) {
      const char *key;
      rc = expr_text(c, &p->keys[i], scope_id, n, &key);
      if (!rc && !key)
        rc = context_error(c, ORR_E_EXPRESSION, "\"%s\": a map's key \"%s\" gives null", n->id,
                           p->keys[i].text ? p->keys[i].text : "");
      if (rc) break;
      orr_builder_key(b, key, strlen(key));
    }
    rc = add_value(c, &p->items[i], scope_id, n, b);
  }
  orr_builder_end(b);
  return rc;
}

/* Recursion is as deep as the model's elements, whose depth the parser bounds. */
static int add_value(context *c, const parameter_value *p, orr_id scope_id, const node *n, orr_builder *b) {
  if (p->kind != PARAMETER_EXPR) return add_items(c, p, scope_id, n, b);
  orr_value v;
  int rc = expr_value(c, &p->value, scope_id, n, &v);
  if (rc) return rc;
  if (v.type == ORR_NIL) v = orr_null();
  orr_builder_add(b, &v);
  return 0;
}

static int value_of_parameter(context *c, const parameter_value *p, orr_id scope_id, const node *n, orr_value *out) {
  if (p->kind == PARAMETER_EXPR) return expr_value(c, &p->value, scope_id, n, out);
  orr_builder *b = builder_new(&c->engine->env.allocator);
  if (!b) return context_memory(c);
  int rc = add_items(c, p, scope_id, n, b);
  if (!rc) rc = builder_copy(b, c->arena, out, &c->error);
  orr_builder_free(b);
  return rc;
}

/* ---- Mappings -------------------------------------------------------------------------------- */

typedef struct mapping {
  const parameter *(*list)(const node *n, uint32_t *count);
  int (*store)(context *c, const rec_execution *e, const char *name, const orr_value *value);
  operation_fn result; /* runs when a script has answered */
} mapping;

/* A parameter that is a script may wait, so it goes through the agenda. Scripts within lists and
 * maps are evaluated in place. */
static int call_script(context *c, const operation *op, const rec_execution *e, const parameter *p, operation_fn next) {
  implementation *run = ARENA_NEW(c->arena, implementation);
  host_call *call = ARENA_NEW(c->arena, host_call);
  if (!run || !call) return context_memory(c);
  *run = (implementation){.kind = IMPLEMENTATION_SCRIPT, .value = p->value.value};
  *call = (host_call){.kind = HOST_SCRIPT, .run = run, .execution = execution_view(c, e->id, op->node, NULL)};
  if (!call->execution) return c->error.code;
  call->execution->run = run;
  return agenda_call(c, op, call, next);
}

static int assign(context *c, const mapping *m, const rec_execution *e, const parameter *p, orr_value v) {
  if (v.type == ORR_NIL) v = orr_null(); /* a parameter without a value creates a variable that holds null */
  return m->store(c, e, p->name, &v);
}

static int map_from(context *c, operation *op, const mapping *m) {
  uint32_t count;
  const parameter *list = m->list(op->node, &count);
  if (c->skip_io_mappings || (op->flags & OP_SKIP_IO) || op->step >= count) return 0;
  const rec_execution *e = execution_get(c, op->execution);
  if (!e) return c->error.code;
  for (; op->step < count; op->step++) {
    const parameter *p = &list[op->step];
    if (p->value.kind == PARAMETER_EXPR && p->value.value.kind >= EXPR_SCRIPT && c->host)
      return call_script(c, op, e, p, m->result);
    orr_value v = {0};
    int rc = value_of_parameter(c, &p->value, e->id, op->node, &v);
    if (rc) return throw_raised(c, op->execution, rc);
    if ((rc = assign(c, m, e, p, v))) return rc;
  }
  return 0;
}

static int map_result(context *c, operation *op, const mapping *m) {
  if (c->result.error.code || c->result.bpmn_error) return throw_result(c, op->execution, op->node, &c->result);
  const rec_execution *e = execution_get(c, op->execution);
  if (!e) return c->error.code;
  uint32_t count;
  int rc = assign(c, m, e, &m->list(op->node, &count)[op->step], c->result.value);
  if (rc) return rc;
  op->step++;
  return map_from(c, op, m);
}

static const parameter *input_list(const node *n, uint32_t *count) {
  *count = n->n_inputs;
  return n->inputs;
}

static const parameter *output_list(const node *n, uint32_t *count) {
  *count = n->n_outputs;
  return n->outputs;
}

static int input_store(context *c, const rec_execution *e, const char *name, const orr_value *value) {
  return variable_set_local(c, e->id, name, value);
}

static int output_store(context *c, const rec_execution *e, const char *name, const orr_value *value) {
  return variable_set(c, e->parent, name, value);
}

static int op_input_result(context *c, operation *op);
static int op_output_result(context *c, operation *op);
static const mapping inputs = {input_list, input_store, op_input_result};
static const mapping outputs = {output_list, output_store, op_output_result};

int op_io_input(context *c, operation *op) {
  return map_from(c, op, &inputs);
}

static int op_input_result(context *c, operation *op) {
  return map_result(c, op, &inputs);
}

int op_io_output(context *c, operation *op) {
  return map_from(c, op, &outputs);
}

static int op_output_result(context *c, operation *op) {
  return map_result(c, op, &outputs);
}

/* ---- Data objects ---------------------------------------------------------------------------- */

/* Dates become times as Lua sees them: seconds since the epoch. */
static orr_value data_time_value(orr_time time) {
  orr_value v = time % 1000 == 0 ? orr_int(time / 1000) : orr_float((double)time / 1000);
  v.declared = ORR_DECLARED_DATE;
  return v;
}

static int double_of(context *c, const data_object *d, const node *n, orr_value *v) {
  if (v->type == ORR_INT) *v = orr_float((double)v->as.integer);
  if (v->type == ORR_FLOAT) return 0;
  const char *text = v->type == ORR_STRING ? arena_strndup(c->arena, v->as.bytes, v->size) : NULL;
  char *end = NULL;
  double number = text ? strtod(text, &end) : 0;
  if (!end || end == text || *end != '\0') return context_error(c, ORR_E_EXPRESSION, "\"%s\": data object \"%s\" is no number",
                                                                n->id, d->id);
  *v = orr_float(number);
  return 0;
}

static int data_value(context *c, const data_object *d, orr_id scope_id, const node *n, orr_value *out) {
  static const char *const integers[] = {"int", "integer", "long"};
  *out = orr_null();
  if (!expr_given(&d->value)) return 0;
  const char *type = d->type ? d->type : "string";
  int rc;
  for (size_t i = 0; i < sizeof integers / sizeof *integers; i++) {
    if (strcmp(type, integers[i]) == 0) {
      *out = orr_int(0);
      if (strcmp(type, "long") == 0) out->declared = ORR_DECLARED_LONG;
      rc = expr_integer(c, &d->value, scope_id, n, &out->as.integer);
      if (rc || strcmp(type, "int") != 0 || (out->as.integer >= INT32_MIN && out->as.integer <= INT32_MAX)) return rc;
      return context_error(c, ORR_E_EXPRESSION, "\"%s\": data object \"%s\" is an int, which %" PRId64 " is too large for",
                           n->id, d->name, out->as.integer);
    }
  }
  if (strcmp(type, "boolean") == 0) {
    *out = orr_bool(false);
    return expr_boolean(c, &d->value, scope_id, n, &out->as.boolean);
  }
  if (strcmp(type, "datetime") == 0 || strcmp(type, "dateTime") == 0) {
    orr_time time;
    rc = expr_time(c, &d->value, scope_id, n, &time);
    if (!rc) *out = data_time_value(time);
    return rc;
  }
  rc = expr_value(c, &d->value, scope_id, n, out);
  if (rc || (strcmp(type, "double") != 0 && strcmp(type, "float") != 0)) return rc;
  return double_of(c, d, n, out);
}

int io_open_scope(context *c, const scope *s, const node *n) {
  for (uint32_t i = 0; i < n->n_data_objects; i++) {
    const data_object *d = &n->data_objects[i];
    orr_value v;
    if (!d->name) continue;
    int rc = variable_get_local(c, s->id, d->name, &v);
    if (rc) return rc;
    if (v.type != ORR_NIL) continue; /* the start's own variables win */
    rc = data_value(c, d, s->id, n, &v);
    if (!rc && v.type == ORR_NIL) v = orr_null();
    if (!rc) rc = variable_set_local(c, s->id, d->name, &v);
    if (rc) return rc;
  }
  return 0;
}
