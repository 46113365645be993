/* Service, send, business rule and script tasks; call activities. */
#include <stdlib.h>
#include <string.h>

#include "model/parse/parse_internal.h"
#include "time/iso8601.h"

/* ---- External tasks -------------------------------------------------------------------------- */

static void parse_external_errors(parser *p, const xml_element *e, service_task *s) {
  for (const xml_element *d = NULL; (d = extension_next(e, d, "errorEventDefinition"));) s->n_external_errors++;
  struct external_error *item = s->n_external_errors ? PARSE_ARRAY(p, struct external_error, s->n_external_errors) : NULL;
  s->external_errors = item;
  for (const xml_element *d = NULL; (d = extension_next(e, d, "errorEventDefinition")); item++) {
    item->event.type = EVENT_ERROR;
    parse_error_reference(p, d, &item->event);
    if (!item->event.ref) parse_error(p, d, NULL, "<errorEventDefinition> of an external task must have an errorRef");
    parse_expr_attribute(p, d, any_attribute(d, "expression"), &item->condition);
  }
}

static void parse_external(parser *p, const xml_element *e, service_task *s) {
  const xml_element *topic = extension_next(e, NULL, "topic");
  int64_t n = 0;
  vendor_expr(p, e, "topic", &s->topic);
  if (topic) parse_expr_text(p, topic, &s->topic);
  if (!expr_given(&s->topic)) parse_error(p, e, vendor_attribute(e, "type"), "External tasks must specify a 'topic' attribute");
  vendor_expr(p, e, "taskPriority", &s->task_priority);
  if (s->task_priority.kind == EXPR_LITERAL && !parse_integer(s->task_priority.text, &n))
    parse_error(p, e, vendor_attribute(e, "taskPriority"), "Value \"%.60s\" for attribute 'taskPriority' is not a valid number",
                s->task_priority.text);
  s->external_skip_variables = vendor_bool(p, e, "doNotIncludeVariables", false);
  s->external_in = parse_mappings(p, e, "externalWorkerInParameter", &s->n_external_in);
  s->external_out = parse_mappings(p, e, "externalWorkerOutParameter", &s->n_external_out);
  parse_external_errors(p, e, s);
}

/* ---- Tasks with an implementation ------------------------------------------------------------ */

static void parse_exceptions(parser *p, const xml_element *e, exception_mappings *out) {
  for (const xml_element *m = NULL; (m = extension_next(e, m, "mapException"));) out->count++;
  exception_mapping *item = out->count ? PARSE_ARRAY(p, exception_mapping, out->count) : NULL;
  out->items = item;
  for (const xml_element *m = NULL; (m = extension_next(e, m, "mapException")); item++) {
    item->error_code = any_text(p, m, "errorCode");
    item->type = parse_trimmed(p, m->text);
    item->root_cause = any_text(p, m, "rootCause");
    item->include_children = parse_bool(p, m, any_attribute(m, "includeChildExceptions"), false);
  }
}

static void parse_result(parser *p, const xml_element *e, service_task *s) {
  const xml_attribute *a = vendor_attribute(e, "resultVariable");
  if (!a) a = vendor_attribute(e, "resultVariableName");
  implementation_kind kind = s->run.kind;
  if (!a && s->result_variable) return;
  if (a && strchr(a->value, '{')) parse_expr_attribute(p, e, a, &s->result_variable_expression);
  else s->result_variable = parse_trimmed(p, value_of(a));
  s->result_local = vendor_bool(p, e, "useLocalScopeForResultVariable", false);
  s->result_transient = vendor_bool(p, e, "storeResultVariableAsTransient", false);
  bool delegate = kind == IMPLEMENTATION_CLASS || kind == IMPLEMENTATION_DELEGATE;
  if (a && delegate && !p->dialect->delegate_has_result && !is_bpmn(e, "businessRuleTask"))
    parse_error(p, e, a, "\"%s\" not supported for %s elements using \"%s\"; only an expression has a result", a->name, e->name,
                kind == IMPLEMENTATION_CLASS ? "class" : "delegateExpression");
  else if (!a && s->result_local)
    parse_warning(p, e, NULL, "'useLocalScopeForResultVariable' has no effect without resultVariable");
}

static void check_implementation(parser *p, const xml_element *e, const service_task *s) {
  static const char *const RULES[] = {"caseDefinitionKey", "extensionId"};
  if (s->run.kind != IMPLEMENTATION_NONE) return;
  for (size_t i = 0; i < sizeof RULES / sizeof *RULES; i++)
    if (vendor_attribute(e, RULES[i])) return; /* said already: known, not built */
  if (extension_next(e, NULL, "eventType")) return;
  const char *hint = p->dialect != &dialect_orrery ? ""
      : "; orrery:class=\"NAME\" calls NAME.lua, with xmlns:orrery=\"urn:orrery:bpmn\" declared";
  parse_error(p, e, NULL,
              "One of the attributes 'class', 'delegateExpression', 'expression' or 'type' is mandatory on %s%s",
              e->name, hint);
}

static void parse_time_limit(parser *p, const xml_element *e, service_task *s) {
  const xml_attribute *a = vendor_attribute(e, "timeout");
  const char *text = a ? parse_trimmed(p, a->value) : NULL;
  if (!text) return;
  if (strstr(text, "${") || strstr(text, "#{")) {
    vendor_expr(p, e, "timeout", &s->timeout);
    return;
  }
  s->timeout_ms = iso_read_limit(text);
  if (s->timeout_ms) return;
  parse_error(p, e, a, "Cannot parse timeout \"%.60s\": a number of seconds above 0, or a duration such as PT30S", text);
}

static void parse_script_task(parser *p, const xml_element *e, service_task *s) {
  const xml_element *script = bpmn_child(e, "script");
  const xml_attribute *resource = vendor_attribute(e, "resource"), *format = xml_attribute_of(e, "scriptFormat");
  text_source text = script ? source_of_text(script) : (text_source){e, NULL, NULL, e->line, e->column};
  uint32_t errors = p->problems->errors;
  s->run.kind = IMPLEMENTATION_SCRIPT;
  parse_script(p, &text, format, resource, &s->run.value);
  if (!expr_given(&s->run.value) && errors == p->problems->errors)
    parse_error(p, e, NULL, "the script task \"%s\" has no script", xml_value(e, "id") ? xml_value(e, "id") : "");
  s->auto_store_variables = vendor_bool(p, e, "autoStoreVariables", false);
}

void parse_service_task(parser *p, const xml_element *e, node *n) {
  service_task *s = n->service = PARSE_NEW(p, service_task);
  if (n->type == NODE_SCRIPT_TASK) {
    parse_script_task(p, e, s);
  } else {
    parse_implementation(p, e, HOST_TASK, &s->run);
    bool given = s->run.kind != IMPLEMENTATION_NONE || parse_web_service(p, e, &s->run);
    if (given || n->type != NODE_BUSINESS_RULE_TASK || !parse_rules(p, e, s)) check_implementation(p, e, s);
    if (s->run.kind == IMPLEMENTATION_EXTERNAL) parse_external(p, e, s);
  }
  parse_result(p, e, s);
  parse_exceptions(p, e, &s->exceptions);
  vendor_expr(p, e, "skipExpression", &n->skip);
  s->triggerable = vendor_bool(p, e, "triggerable", false);
  parse_time_limit(p, e, s);
}

/* ---- Call activities ------------------------------------------------------------------------- */

static void parse_binding(parser *p, const xml_element *e, call_activity *c) {
  const xml_attribute *a = vendor_attribute(e, "calledElementBinding");
  const char *binding = a ? parse_trimmed(p, a->value) : NULL;
  vendor_expr(p, e, "calledElementVersion", &c->version);
  vendor_expr(p, e, "calledElementVersionTag", &c->version_tag);
  c->same_deployment = vendor_bool(p, e, "sameDeployment", false);
  if (!binding) return;
  if (strcmp(binding, "deployment") == 0) c->binding = CALL_DEPLOYMENT;
  else if (strcmp(binding, "version") == 0) c->binding = CALL_VERSION;
  else if (strcmp(binding, "versionTag") == 0) c->binding = CALL_VERSION_TAG;
  else if (strcmp(binding, "latest") != 0)
    parse_error(p, e, a, "calledElementBinding must be latest, deployment, version or versionTag, not \"%.60s\"", binding);
  if (c->binding == CALL_VERSION && !expr_given(&c->version))
    parse_error(p, e, a, "Missing attribute 'calledElementVersion' when 'calledElementBinding' has value 'version'");
  if (c->binding == CALL_VERSION_TAG && !expr_given(&c->version_tag))
    parse_error(p, e, a, "Missing attribute 'calledElementVersionTag' when 'calledElementBinding' has value 'versionTag'");
  int64_t n = 0;
  if (c->version.kind == EXPR_LITERAL && (!parse_integer(c->version.text, &n) || n < 1))
    parse_error(p, e, vendor_attribute(e, "calledElementVersion"),
                "calledElementVersion \"%.60s\" is not a version: a number from 1 or an expression",
                c->version.text);
}

static void parse_called(parser *p, const xml_element *e, call_activity *c) {
  const xml_attribute *a = xml_attribute_of(e, "calledElement"), *case_ref = vendor_attribute(e, "caseRef");
  const xml_attribute *type = vendor_attribute(e, "calledElementType");
  parse_expr_attribute(p, e, a, &c->called);
  c->not_bpmn = case_ref;
  c->by_id = type && strcmp(type->value, "id") == 0;
  if (case_ref) parse_error(p, e, case_ref, "calling a case (CMMN) is not part of Orrery; call a process with calledElement");
  else if (!expr_given(&c->called)) parse_error(p, e, a, "Missing attribute 'calledElement' on callActivity");
  if (type && strcmp(type->value, "id") != 0 && strcmp(type->value, "key") != 0)
    parse_error(p, e, type, "calledElementType must be 'key' or 'id', not \"%.60s\"", type->value);
}

static void parse_mapper(parser *p, const xml_element *e, call_activity *c) {
  const xml_attribute *class_name = vendor_attribute(e, "variableMappingClass");
  const xml_attribute *delegate = vendor_attribute(e, "variableMappingDelegateExpression");
  if (class_name && delegate)
    parse_error(p, e, delegate, "only one of variableMappingClass and variableMappingDelegateExpression may be given");
  if (class_name) {
    c->mapper.kind = IMPLEMENTATION_CLASS;
    parse_text_literal(p, class_name->value, class_name->line, &c->mapper.value);
  } else if (delegate) {
    c->mapper.kind = IMPLEMENTATION_DELEGATE;
    parse_expr_attribute(p, e, delegate, &c->mapper.value);
  }
}

/* camunda:in businessKey="…" stands among the mappings but is the activity's own; it is no mapping. */
static void take_business_key(call_activity *c) {
  for (uint32_t i = 0; i < c->n_in; i++)
    if (expr_given(&c->in[i].business_key)) c->business_key = c->in[i].business_key;
}

void parse_call_activity(parser *p, const xml_element *e, node *n) {
  call_activity *c = n->call = PARSE_NEW(p, call_activity);
  parse_called(p, e, c);
  parse_binding(p, e, c);
  vendor_expr(p, e, "calledElementTenantId", &c->tenant);
  vendor_expr(p, e, "businessKey", &c->business_key);
  c->inherit_variables = vendor_bool(p, e, "inheritVariables", false);
  c->inherit_business_key = vendor_bool(p, e, "inheritBusinessKey", false);
  c->fallback_default_tenant = vendor_bool(p, e, "fallbackToDefaultTenant", false);
  c->complete_async = vendor_bool(p, e, "completeAsync", false);
  c->output_local = vendor_bool(p, e, "useLocalScopeForOutParameters", false);
  vendor_expr(p, e, "processInstanceIdVariableName", &c->id_variable);
  if (!expr_given(&c->id_variable)) vendor_expr(p, e, "idVariableName", &c->id_variable);
  c->in = parse_mappings(p, e, "in", &c->n_in);
  c->out = parse_mappings(p, e, "out", &c->n_out);
  parse_associations(p, e, "dataInputAssociation", &c->in, &c->n_in);
  parse_associations(p, e, "dataOutputAssociation", &c->out, &c->n_out);
  take_business_key(c);
  parse_exceptions(p, e, &c->exceptions);
  parse_mapper(p, e, c);
}
