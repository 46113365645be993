/* What runs: class, expression, delegateExpression, script or type, with fields; and the listeners made of it. */
#include <string.h>

#include "model/parse/parse_internal.h"
#include "model/parse/task_type.h"

/* ---- Fields ---------------------------------------------------------------------------------- */

static void parse_field(parser *p, const xml_element *e, field *out) {
  out->name = any_text(p, e, "name");
  if (!out->name) parse_error(p, e, NULL, "<field> must have a name");
  const xml_attribute *string = any_attribute(e, "stringValue"), *expression = any_attribute(e, "expression");
  const xml_element *string_child = child_next(e, NULL, "string"), *expression_child = child_next(e, NULL, "expression");
  int given = !!string + !!expression + !!string_child + !!expression_child;
  if (given != 1) {
    parse_error(p, e, NULL,
                "the field \"%s\" must have exactly one of stringValue, expression, <string> and <expression>, but has %d",
                out->name ? out->name : "", given);
  } else if (string) {
    text_source s = source_of_attribute(e, string);
    parse_literal(p, &s, &out->value);
  } else if (string_child) {
    const char *text = parse_trimmed(p, string_child->text);
    parse_text_literal(p, text ? text : "", string_child->text_line, &out->value);
  } else if (expression) {
    parse_expr_attribute(p, e, expression, &out->value);
  } else {
    parse_expr_text(p, expression_child, &out->value);
  }
}

static const field *parse_fields(parser *p, const xml_element *e, const char *type, uint32_t *n) {
  bool inside = vendor_of(e->ns) != VENDOR_NONE; /* a listener holds its fields itself, a task in <extensionElements> */
  uint32_t count = 0;
  for (const xml_element *f = NULL; (f = inside ? child_next(e, f, "field") : extension_next(e, f, "field"));) count++;
  *n = count + task_type_other_fields(p, e, type, NULL);
  if (*n == 0) return NULL;
  field *fields = PARSE_ARRAY(p, field, *n);
  uint32_t i = 0;
  for (const xml_element *f = NULL; (f = inside ? child_next(e, f, "field") : extension_next(e, f, "field"));)
    parse_field(p, f, &fields[i++]);
  task_type_other_fields(p, e, type, fields + i);
  return fields;
}

static const field *find_field(const implementation *run, const char *name) {
  for (uint32_t i = 0; i < run->n_fields; i++)
    if (run->fields[i].name && strcmp(run->fields[i].name, name) == 0) return &run->fields[i];
  return NULL;
}

/* ---- Implementations ------------------------------------------------------------------------- */

static void parse_type(parser *p, const xml_element *e, const xml_attribute *a, implementation *out) {
  const char *type = parse_trimmed(p, a->value);
  if (!type) {
    parse_error(p, e, a, "the type is empty");
    return;
  }
  out->kind = IMPLEMENTATION_TYPE;
  out->type_name = type;
  if (strcmp(type, "external") == 0 || strcmp(type, "external-worker") == 0) {
    out->kind = IMPLEMENTATION_EXTERNAL;
  } else if (!p->options->known_task_type || !p->options->known_task_type(p->options->ud, type)) {
    nearest best = grammar_nearest(task_type_names(p), type);
    if (task_type_built_in(type)) task_type_check_fields(p, e, out);
    else if (grammar_list_has("case send-event", type))
      parse_error(p, e, a, "tasks of type \"%s\" are not supported: neither CMMN nor the event registry are", type);
    else if (best.name) parse_error(p, e, a, "there is no task type \"%s\"%s", type, grammar_suggestion(p, best));
    else
      parse_error(p, e, a, "there is no task type \"%s\"; register it, or use class, expression or delegateExpression", type);
  }
}

static void parse_value(parser *p, const xml_element *e, const xml_attribute *a, implementation_kind kind,
                        implementation *out) {
  out->kind = kind;
  parse_expr_attribute(p, e, a, &out->value);
  if (!expr_given(&out->value)) parse_error(p, e, a, "Attribute \"%s\" of <%s> cannot be empty", a->name, e->name);
}

static void parse_class(parser *p, const xml_element *e, const xml_attribute *a, implementation *out) {
  const char *name = parse_trimmed(p, a->value);
  if (!name) parse_error(p, e, a, "Attribute 'class' of <%s> cannot be empty", e->name);
  if (name && (strstr(name, "${") || strstr(name, "#{"))) { /* what it gives is called, as a delegateExpression's */
    parse_value(p, e, a, IMPLEMENTATION_DELEGATE, out);
    return;
  }
  out->kind = IMPLEMENTATION_CLASS;
  parse_text_literal(p, name ? name : "", a->line, &out->value);
}

/* A language that an expression gives is known when the listener runs; until then its script is taken for Lua. */
static const xml_attribute *known_language(parser *p, const xml_element *e, const xml_attribute *format, implementation *out) {
  static const xml_attribute lua = {.name = "language", .value = "lua"};
  if (!format || (!strstr(format->value, "${") && !strstr(format->value, "#{"))) return format;
  parse_expr_attribute(p, e, format, &out->language);
  return &lua;
}

/* Flowable's listeners of type="script" say the language inside; Camunda's <script> at its attribute scriptFormat. */
static void parse_listener_script(parser *p, const xml_element *script, implementation *out) {
  const xml_attribute *format = any_attribute(script, "scriptFormat");
  if (!format) format = any_attribute(script, "language");
  if (!format && p->dialect->model_checks_more)
    parse_error(p, script, NULL, "Missing attribute 'scriptFormat' for 'script' element");
  text_source s = source_of_text(script);
  out->kind = IMPLEMENTATION_SCRIPT;
  uint32_t before = p->problems->errors;
  parse_script(p, &s, known_language(p, script, format, out), any_attribute(script, "resource"), &out->value);
  if (!expr_given(&out->value) && p->problems->errors == before) parse_error(p, script, NULL, "<script> is empty");
}

/* The peer's class that runs the script of a field is a script here. */
static bool take_script_class(parser *p, const xml_element *e, implementation *out) {
  static const char *const ENDINGS[] = {".ScriptExecutionListener", ".ScriptTaskListener"};
  size_t n = out->value.size;
  bool is_script = false;
  for (size_t i = 0; i < sizeof ENDINGS / sizeof *ENDINGS; i++) {
    size_t length = strlen(ENDINGS[i]);
    is_script = is_script || (n > length && strcmp(out->value.text + n - length, ENDINGS[i]) == 0);
  }
  if (!is_script) return false;
  const field *script = find_field(out, "script");
  if (!script || !expr_given(&script->value) || !script->value.text[strspn(script->value.text, " \t\r\n")]) {
    parse_error(p, e, NULL, "the listener \"%s\" needs a field \"script\" that is not empty", out->value.text);
    return true;
  }
  const field *language = find_field(out, "language");
  text_source s = {e, NULL, script->value.text, script->value.line, e->column};
  xml_attribute format = {
      .name = "language", .value = language ? language->value.text : "lua", .line = e->line, .column = e->column};
  out->kind = IMPLEMENTATION_SCRIPT;
  parse_script(p, &s, known_language(p, e, &format, out), NULL, &out->value);
  return true;
}

/* Camunda's decision task says by attributes what Flowable's type="dmn" says by fields. */
static void parse_decision(parser *p, const xml_element *e, implementation *out) {
  static const struct { const char *binding, *needs; } BINDINGS[] = {
    {"version", "decisionRefVersion"}, {"versionTag", "decisionRefVersionTag"},
  };
  const char *binding = vendor_text(p, e, "decisionRefBinding");
  out->kind = IMPLEMENTATION_TYPE;
  out->type_name = "dmn";
  task_type_check_fields(p, e, out);
  for (size_t i = 0; binding && i < sizeof BINDINGS / sizeof *BINDINGS; i++)
    if (strcmp(binding, BINDINGS[i].binding) == 0 && !vendor_text(p, e, BINDINGS[i].needs))
      parse_error(p, e, vendor_attribute(e, "decisionRefBinding"),
                  "Missing attribute \"%s\" when \"decisionRefBinding\" has value \"%s\"", BINDINGS[i].needs, binding);
}

static bool is_decision(const xml_element *e) { return is_bpmn(e, "businessRuleTask") && vendor_attribute(e, "decisionRef"); }

void parse_implementation(parser *p, const xml_element *e, implementation_host host, implementation *out) {
  bool in_listener = host == HOST_LISTENER;
  const xml_attribute *(*find)(const xml_element *, const char *) = in_listener ? any_attribute : vendor_attribute;
  const xml_attribute *class_name = find(e, "class"), *expression = find(e, "expression"),
                      *delegate = find(e, "delegateExpression");
  const xml_attribute *type = find(e, "type");
  const xml_element *script = in_listener ? child_next(e, NULL, "script") : NULL;
  if (in_listener && type && script) type = NULL; /* type="script" says what the child says */
  int given = !!class_name + !!expression + !!delegate + !!type + !!script;
  *out = (implementation){0};
  bool decision = !given && !in_listener && is_decision(e) && !extension_next(e, NULL, "connector");
  const char *type_name = decision ? "dmn" : type && !in_listener ? parse_trimmed(p, type->value) : NULL;
  out->fields = parse_fields(p, e, type_name, &out->n_fields);
  const xml_element *connector = in_listener ? NULL : extension_next(e, NULL, "connector");
  if (connector && given == 0) {
    parse_connector(p, connector, out);
    return;
  }
  if (given > 1) {
    const char *extra = in_listener ? ", delegateExpression and <script>" : ", delegateExpression and type";
    parse_error(p, e, NULL, "<%s> must have only one of class, expression%s, but has %d", e->name, extra, given);
  }
  if (class_name) {
    parse_class(p, e, class_name, out);
    if (in_listener && out->kind == IMPLEMENTATION_CLASS) take_script_class(p, e, out);
  } else if (delegate) {
    parse_value(p, e, delegate, IMPLEMENTATION_DELEGATE, out);
  } else if (expression) {
    parse_value(p, e, expression, IMPLEMENTATION_EXPRESSION, out);
  } else if (script) {
    parse_listener_script(p, script, out);
  } else if (type && !in_listener) {
    parse_type(p, e, type, out);
  } else if (in_listener) {
    parse_error(p, e, NULL, "<%s> must have one of class, expression, delegateExpression and <script>", e->name);
  } else if (decision) {
    parse_decision(p, e, out);
  }
}

/* ---- Listeners ------------------------------------------------------------------------------- */

#define TASK_EVENTS "create assignment complete delete update timeout all"

static listener_event event_of(const char *name) {
  static const struct { const char *name; listener_event event; } EVENTS[] = {
    {"start", LISTENER_START},       {"end", LISTENER_END},       {"take", LISTENER_TAKE},     {"create", LISTENER_CREATE},
    {"assignment", LISTENER_ASSIGNMENT}, {"complete", LISTENER_COMPLETE}, {"delete", LISTENER_DELETE},
        {"update", LISTENER_UPDATE},
    {"timeout", LISTENER_TIMEOUT},   {"all", LISTENER_ALL},
  };
  for (size_t i = 0; i < sizeof EVENTS / sizeof *EVENTS; i++)
    if (strcmp(EVENTS[i].name, name) == 0) return EVENTS[i].event;
  return 0;
}

static void parse_listener_event(parser *p, const xml_element *e, const char *allowed, listener *out) {
  const xml_attribute *a = any_attribute(e, "event");
  const char *name = a ? parse_trimmed(p, a->value) : NULL;
  if (!name) {
    parse_error(p, e, a, "Attribute 'event' is mandatory on <%s>: one of %s", e->name, allowed);
  } else if (!grammar_list_has(allowed, name)) {
    parse_error(p, e, a, "<%s> has no event \"%s\"; it must be one of: %s%s", e->name, name, allowed,
                grammar_suggestion(p, grammar_nearest(allowed, name)));
  } else {
    out->event = event_of(name);
  }
}

static listener *new_listeners(parser *p, const xml_element *host, const char *name, listeners *out) {
  uint32_t count = 0;
  for (const xml_element *e = NULL; (e = extension_next(host, e, name));) count++;
  listener *items = count ? PARSE_ARRAY(p, listener, count) : NULL;
  *out = (listeners){items, count};
  return items;
}

static void parse_listener_body(parser *p, const xml_element *e, listener *out) {
  parse_implementation(p, e, HOST_LISTENER, &out->run);
  const xml_element *script = child_next(e, NULL, "script");
  const xml_attribute *result = script ? any_attribute(script, "resultVariable") : NULL;
  if (result) parse_expr_attribute(p, script, result, &out->result);
  if (script || out->run.kind != IMPLEMENTATION_SCRIPT) return;
  const field *named = find_field(&out->run, "resultVariable"); /* of the peer's class */
  if (named) out->result = named->value;
  out->stores_assignments = true;
}

void parse_execution_listeners(parser *p, const xml_element *host, bool on_flow, listeners *out) {
  listener *item = new_listeners(p, host, "executionListener", out);
  for (const xml_element *e = NULL; (e = extension_next(host, e, "executionListener")); item++) {
    item->id = any_text(p, e, "id");
    if (on_flow) item->event = LISTENER_TAKE; /* flows have no other */
    else parse_listener_event(p, e, "start end", item);
    parse_listener_body(p, e, item);
  }
}

static void parse_timeout(parser *p, const xml_element *e, listener *item) {
  const xml_element *definition_element = child_next(e, NULL, "timerEventDefinition");
  if (!item->id) parse_error(p, e, NULL, "Element 'id' is mandatory on taskListener of type 'timeout'");
  if (!definition_element) {
    parse_error(p, e, NULL, "Element 'timerEventDefinition' is mandatory on taskListener of type 'timeout'");
    return;
  }
  item->timer = PARSE_NEW(p, timer);
  parse_timer(p, definition_element, item->timer);
}

void parse_task_listeners(parser *p, const xml_element *host, listeners *out) {
  listener *item = new_listeners(p, host, "taskListener", out);
  for (const xml_element *e = NULL; (e = extension_next(host, e, "taskListener")); item++) {
    item->id = any_text(p, e, "id");
    parse_listener_event(p, e, TASK_EVENTS, item);
    parse_listener_body(p, e, item);
    if (item->event == LISTENER_TIMEOUT) parse_timeout(p, e, item);
  }
}
