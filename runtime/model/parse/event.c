/* Events and their definitions. Names and codes of root elements (message, signal, error, escalation) are looked up here. */
#include <string.h>

#include "model/parse/parse_internal.h"

/* An id as it is referred to: trimmed, and without the prefix of a QName. */
static const char *reference(parser *p, const xml_attribute *a, const names *map) {
  const char *ref = parse_trimmed(p, value_of(a));
  const char *colon = ref ? strrchr(ref, ':') : NULL;
  return colon && !names_get(map, ref) ? colon + 1 : ref;
}

static bool has_expression(const char *text) { return strstr(text, "${") || strstr(text, "#{"); }

/* A name that is an expression, or is not, as the dialect says. */
static void parse_event_name(parser *p, const xml_element *owner, bool expression, expr *out) {
  const xml_attribute *name = xml_attribute_of(owner, "name");
  const char *text = parse_trimmed(p, value_of(name));
  if (!text) return;
  if (expression) parse_expr_attribute(p, owner, name, out);
  else parse_text_literal(p, text, name->line, out);
}

/* ---- Messages -------------------------------------------------------------------------------- */

static bool is_process_start(const node *n) { return n->type == NODE_START_EVENT && n->scope->type == NODE_PROCESS; }

static void parse_message_name(parser *p, const xml_element *e, const xml_element *message, const node *n,
                               event_definition *out) {
  const char *name = xml_value(message, "name");
  bool expression = p->dialect->message_name_expression;
  if (is_process_start(n)) {
    expression = p->dialect->message_start_expression == START_NAME_EVALUATED;
    if (name && has_expression(name) && p->dialect->message_start_expression == START_NAME_REFUSED)
      parse_error(p, e, NULL, "Invalid message name \"%.100s\": expressions in the message start event name are not allowed",
                  name);
  }
  parse_event_name(p, message, expression, &out->name);
  if (!expr_given(&out->name))
    parse_error(p, e, NULL, "Cannot have a message event subscription with an empty or missing name (message \"%s\")",
                out->ref);
}

void parse_message_reference(parser *p, const xml_element *e, node *n, event_definition *out) {
  const xml_attribute *a = xml_attribute_of(e, "messageRef"), *expression = vendor_attribute(e, "messageExpression");
  out->ref = reference(p, a, &p->messages);
  const xml_element *message = names_get(&p->messages, out->ref);
  if (message) {
    parse_message_name(p, e, message, n, out);
  } else if (out->ref) {
    bool throws = n->type == NODE_THROW_EVENT || n->type == NODE_END_EVENT;
    parse_report(p, throws && p->dialect->idle_elements_warn, e, e->line, e->column, "there is no message with id \"%s\"",
                 out->ref);
  } else if (expression) {
    parse_expr_attribute(p, e, expression, &out->name);
  }
}

static void parse_message_throw(parser *p, const xml_element *e, node *n, event_definition *out) {
  parse_implementation(p, e, HOST_MESSAGE, &out->run);
  if (out->run.kind != IMPLEMENTATION_NONE) {
    parse_service_task(p, e, n);
  } else if (!out->ref && !expr_given(&out->name)) {
    const char *why =
        "a message throw event needs a messageRef, or an implementation (class, expression, delegateExpression, type)";
    parse_report(p, p->dialect->message_throw_empty, e, e->line, e->column, "%s", why);
  } else if (!p->dialect->message_throw_bare) {
    parse_error(p, e, NULL, "%s \"%s\" would send nothing: give it a class, expression, delegateExpression or type", n->element,
                n->id);
  }
}

static void parse_message(parser *p, const xml_element *e, node *n, event_definition *out) {
  bool throws = n->type == NODE_THROW_EVENT || n->type == NODE_END_EVENT;
  parse_message_reference(p, e, n, out);
  if (throws) parse_message_throw(p, e, n, out);
  else if (!out->ref && !expr_given(&out->name)) parse_error(p, e, NULL, "attribute 'messageRef' is required");
}

/* ---- Signals, errors, escalations ------------------------------------------------------------ */

static void parse_signal(parser *p, const xml_element *e, event_definition *out) {
  const xml_attribute *a = xml_attribute_of(e, "signalRef"), *expression = vendor_attribute(e, "signalExpression");
  out->ref = reference(p, a, &p->signals);
  const xml_element *signal = names_get(&p->signals, out->ref);
  out->async = vendor_bool(p, e, "async", false);
  if (signal) {
    const char *scope = vendor_text(p, signal, "scope");
    parse_event_name(p, signal, true, &out->name);
    out->signal_instance_scope = scope && strcmp(scope, "processInstance") == 0;
  } else if (out->ref) {
    parse_error(p, e, a, "Could not find signal with id \"%s\"", out->ref);
  } else if (expression) {
    parse_expr_attribute(p, e, expression, &out->name);
  } else {
    parse_error(p, e, NULL, "signalEventDefinition does not have required property 'signalRef'");
  }
}

/* By the standard a reference is the name of an element, behind a prefix or not. */
static void check_error_name(parser *p, const xml_element *e, const xml_attribute *a) {
  const char *text = parse_trimmed(p, a->value), *colon = strchr(text, ':');
  const char *name = colon ? colon + 1 : text;
  if (parse_is_name(name, strlen(name)) && (!colon || parse_is_name(text, (size_t)(colon - text)))) return;
  parse_error(p, e, a,
              "\"%.100s\" cannot be the name of an error: letters, digits, '_', '-' and '.', not beginning with a digit, '-' "
              "or '.'",
              text);
}

/* An errorRef that refers to no <error> is the code itself. */
void parse_error_reference(parser *p, const xml_element *e, event_definition *out) {
  const xml_attribute *a = any_attribute(e, "errorRef");
  out->ref = reference(p, a, &p->errors);
  const xml_element *error = names_get(&p->errors, out->ref);
  out->code_variable = any_text(p, e, "errorCodeVariable");
  out->message_variable = any_text(p, e, "errorMessageVariable");
  out->error_variable = vendor_text(p, e, "errorVariableName");
  out->error_variable_local = vendor_bool(p, e, "errorVariableLocalScope", false);
  out->error_variable_transient = vendor_bool(p, e, "errorVariableTransient", false);
  if (error) {
    parse_expr_attribute(p, error, xml_attribute_of(error, "errorCode"), &out->name);
    vendor_expr(p, error, "errorMessage", &out->error_message);
    out->codeless = !expr_given(&out->name);
  } else if (out->ref) {
    check_error_name(p, e, a);
    parse_text_literal(p, out->ref, a->line, &out->name);
  }
}

static void parse_error_event(parser *p, const xml_element *e, const node *n, event_definition *out) {
  parse_error_reference(p, e, out);
  const xml_element *error = names_get(&p->errors, out->ref);
  const xml_attribute *empty = error ? xml_attribute_of(error, "errorCode") : NULL;
  if (n->type != NODE_END_EVENT) {
    if (empty && !expr_given(&out->name)) parse_error(p, e, NULL,
                                                      "the errorCode of error \"%s\" is empty; leave it out "
                                                      "to catch every error", out->ref);
  } else if (!out->ref) {
    parse_report(p, p->dialect->model_checks_lenient, e, e->line, e->column,
                 "'errorRef' attribute is mandatory on error end event");
  } else if (!expr_given(&out->name) && (empty || !p->dialect->error_code_optional)) {
    parse_error(p, e, NULL,
                "'errorCode' is mandatory on errors referenced by throwing error event definitions, but the "
                "error \"%s\" has none", out->ref);
  }
}

static void parse_escalation(parser *p, const xml_element *e, const node *n, event_definition *out) {
  bool throws = n->type == NODE_THROW_EVENT || n->type == NODE_END_EVENT;
  const xml_attribute *a = xml_attribute_of(e, "escalationRef");
  out->ref = reference(p, a, &p->escalations);
  out->code_variable = vendor_text(p, e, "escalationCodeVariable");
  const xml_element *escalation = names_get(&p->escalations, out->ref);
  if (escalation) {
    parse_expr_attribute(p, escalation, xml_attribute_of(escalation, "escalationCode"), &out->name);
    if (throws && !expr_given(&out->name))
      parse_error(p, e, NULL, "the escalation \"%s\" that is thrown must have an 'escalationCode'", out->ref);
  } else if (out->ref && p->dialect->model_checks_lenient) {
    parse_text_literal(p, out->ref, a->line, &out->name);
  } else if (out->ref) {
    parse_error(p, e, a, "could not find escalation with id \"%s\"", out->ref);
  } else if (throws) {
    parse_error(p, e, NULL, "escalationEventDefinition does not have required attribute 'escalationRef'");
  }
}

/* ---- Conditions, links, compensation, end ---------------------------------------------------- */

static void parse_condition_events(parser *p, const xml_element *e, event_definition *out) {
  const xml_attribute *a = vendor_attribute(e, "variableEvents");
  if (!a) return;
  const char **items = PARSE_ARRAY(p, const char *, strlen(a->value) / 2 + 1);
  out->condition_events = items;
  for (const char *at = a->value; *at; at += strspn(at, ", \t\r\n")) {
    size_t n = strcspn(at, ", \t\r\n");
    if (n == 0) continue;
    char *name = arena_strndup(p->arena, at, n);
    if (!name) parse_memory(p);
    if (grammar_list_has("create update delete", name)) items[out->n_condition_events++] = name;
    else
      parse_warning(p, e, a, "Variable event: \"%s\" is not valid. Possible variable change events are: create, update, delete",
                    name);
    at += n;
  }
}

static void parse_conditional(parser *p, const xml_element *e, event_definition *out) {
  parse_condition(p, bpmn_child(e, "condition"), &out->condition);
  out->condition_variable = vendor_text(p, e, "variableName");
  parse_condition_events(p, e, out);
  if (!expr_given(&out->condition))
    parse_error(p, e, NULL, "Conditional event must contain an expression for evaluation: a <condition>");
}

static void parse_link(parser *p, const xml_element *e, const node *n, event_definition *out) {
  const xml_attribute *name = xml_attribute_of(e, "name");
  const char *text = parse_trimmed(p, value_of(name));
  if (!text) text = n->name; /* some tools name the event only */
  if (text) parse_text_literal(p, text, e->line, &out->name);
  else parse_error(p, e, NULL, "<linkEventDefinition> must have a name: that of the link's other end");
}

static void parse_compensation(parser *p, const xml_element *e, const node *n, event_definition *out) {
  const xml_attribute *ref = xml_attribute_of(e, "activityRef"), *wait = xml_attribute_of(e, "waitForCompletion");
  bool catches = n->type != NODE_THROW_EVENT && n->type != NODE_END_EVENT;
  if (catches && ref)
    parse_warning(p, e, ref, "attribute 'activityRef' is not supported on catching compensation event; it is ignored");
  if (catches && wait)
    parse_warning(p, e, wait, "attribute 'waitForCompletion' is not supported on catching compensation event; it is ignored");
  if (catches) return;
  out->activity_ref = parse_trimmed(p, value_of(ref));
  out->passes_on = !parse_bool(p, e, wait, true);
}

/* ---- Definitions ----------------------------------------------------------------------------- */

static void parse_event_definition(parser *p, const xml_element *e, event_type type, node *n, event_definition *out) {
  out->type = type;
  out->line = e->line;
  switch (type) {
    case EVENT_TIMER: parse_timer(p, e, &out->timer); break;
    case EVENT_MESSAGE: parse_message(p, e, n, out); break;
    case EVENT_SIGNAL: parse_signal(p, e, out); break;
    case EVENT_ERROR: parse_error_event(p, e, n, out); break;
    case EVENT_ESCALATION: parse_escalation(p, e, n, out); break;
    case EVENT_CONDITIONAL: parse_conditional(p, e, out); break;
    case EVENT_COMPENSATE: parse_compensation(p, e, n, out); break;
    case EVENT_LINK: parse_link(p, e, n, out); break;
    case EVENT_TERMINATE:
      out->terminate_all = vendor_bool(p, e, "terminateAll", false);
      out->terminate_multi = vendor_bool(p, e, "terminateMultiInstance", false);
      break;
    case EVENT_CANCEL: case EVENT_NONE: break;
  }
}

/* Mappings stand at the definition (Camunda) or at the event (Flowable). */
static void parse_event_mappings(parser *p, const xml_element *e, const xml_element *d, event_definition *out) {
  out->in = parse_mappings(p, d, "in", &out->n_in);
  if (!out->n_in) out->in = parse_mappings(p, e, "in", &out->n_in);
  out->out = parse_mappings(p, e, "out", &out->n_out);
}

/* An activity that has thrown an error, or was canceled, is over: its boundary event cannot go on beside it. */
static bool parse_cancel_activity(parser *p, const xml_element *e, const node *n) {
  const xml_attribute *given = xml_attribute_of(e, "cancelActivity");
  if (parse_bool(p, e, given, true)) return true;
  if (n->event.type != EVENT_ERROR && n->event.type != EVENT_CANCEL) return false;
  parse_warning(p, e, given, "%s boundary event \"%s\" always interrupts: its activity has ended when it fires",
                event_type_name(n->event.type), n->id);
  return true;
}

void parse_event(parser *p, const xml_element *e, node *n) {
  const xml_element *first = NULL;
  for (const xml_element *child = e->first; child; child = child->next) {
    const grammar_row *row = grammar_find(child);
    if (!row || row->use != USE_EVENT) continue;
    if (first) {
      parse_error(p, child, NULL, "an event has one definition; <%s> is a second one, beside <%s>", child->name, first->name);
      continue;
    }
    first = child;
    parse_event_definition(p, child, (event_type)row->type, n, &n->event);
  }
  if (first) parse_event_mappings(p, e, first, &n->event);
  n->interrupting = n->type == NODE_BOUNDARY_EVENT ? parse_cancel_activity(p, e, n)
                                                   : parse_bool(p, e, xml_attribute_of(e, "isInterrupting"), true);
  if (n->type == NODE_START_EVENT && n->event.type == EVENT_ESCALATION && !p->dialect->escalation_start_interrupts)
    n->interrupting = false;
  if (n->type == NODE_START_EVENT) n->initiator = vendor_text(p, e, "initiator");
  if (n->type != NODE_START_EVENT) return;
  n->form_key = vendor_text(p, e, "formKey");
  parse_form(p, e, n);
}
