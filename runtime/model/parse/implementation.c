/* What runs: class, expression, delegateExpression, script or type, with fields; and the listeners made of it. */
#include <string.h>

#include "model/parse/parse_internal.h"
#include "model/parse/task_type.h"

static bool is_external(const char *type) { return grammar_list_has("external external-worker", type); }

/* ---- Fields ---------------------------------------------------------------------------------- */

static void warn_of_literal(parser *p, const xml_element *e, const char *name, const char *text) {
  if (strstr(text, "${") || strstr(text, "#{"))
    parse_warning(p, e, NULL,
                  "the field \"%s\" is text, so its ${…} is not evaluated; an expression is written expression=\"…\"",
                  name ? name : "");
}

static void parse_field(parser *p, const xml_element *e, bool external, field *out) {
  out->name = any_text(p, e, "name");
  if (!out->name) parse_error(p, e, NULL, "<field> must have a name");
  const xml_attribute *string = any_attribute(e, "stringValue"), *expression = any_attribute(e, "expression");
  const xml_element *string_child = child_next(e, NULL, "string"), *expression_child = child_next(e, NULL, "expression");
  int given = !!string + !!expression + !!string_child + !!expression_child;
  if (given == 0 && external) {
    parse_warning(p, e, NULL, "the empty field \"%s\" has no effect on an external task", out->name ? out->name : "");
  } else if (given != 1) {
    parse_error(p, e, NULL,
                "the field \"%s\" must have exactly one of stringValue, expression, <string> and <expression>, but has %d",
                out->name ? out->name : "", given);
  } else if (string) {
    warn_of_literal(p, e, out->name, string->value);
    text_source s = source_of_attribute(e, string);
    parse_literal(p, &s, &out->value);
  } else if (string_child) {
    const char *text = parse_trimmed(p, string_child->text);
    warn_of_literal(p, e, out->name, text ? text : "");
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
    parse_field(p, f, type && is_external(type), &fields[i++]);
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
  if (is_external(type)) {
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
  if (!format && p->dialect->model_checks_strict)
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

/* The ways in which an element can say what runs. */
typedef enum way { WAY_TYPE, WAY_CLASS, WAY_DELEGATE, WAY_EXPRESSION, WAY_SCRIPT, WAYS } way;

typedef struct ways {
  const xml_attribute *attributes[WAY_SCRIPT]; /* NULL: not said */
  const xml_element *script, *connector;
} ways;

static bool has_way(const ways *w, int i) {
  if (i == WAY_SCRIPT) return w->script;
  return w->attributes[i];
}

static int count_ways(const ways *w) {
  int n = 0;
  for (int i = 0; i < WAYS; i++) n += has_way(w, i);
  return n;
}

static ways find_ways(const xml_element *e, bool in_listener) {
  const xml_attribute *(*find)(const xml_element *, const char *) = in_listener ? any_attribute : vendor_attribute;
  ways w = {
    .attributes = {[WAY_TYPE] = find(e, "type"), [WAY_CLASS] = find(e, "class"),
                   [WAY_DELEGATE] = find(e, "delegateExpression"), [WAY_EXPRESSION] = find(e, "expression")},
    .script = in_listener ? child_next(e, NULL, "script") : NULL,
    .connector = in_listener ? NULL : extension_next(e, NULL, "connector"),
  };
  if (w.script) w.attributes[WAY_TYPE] = NULL; /* type="script" says what the child says */
  return w;
}

/* Modelers leave empty attributes behind. Where something else says what runs, they say nothing. */
static void drop_empty(parser *p, const xml_element *e, ways *w) {
  bool other = w->connector || is_decision(e) || w->script;
  bool empty[WAY_SCRIPT] = {0};
  for (int i = 0; i < WAY_SCRIPT; i++) {
    empty[i] = w->attributes[i] && !parse_trimmed(p, w->attributes[i]->value);
    other = other || (w->attributes[i] && !empty[i]);
  }
  for (int i = 0; other && i < WAY_SCRIPT; i++)
    if (empty[i]) w->attributes[i] = NULL;
}

/* Of several ways the peer takes one; the others are as good as not said. */
static void keep_first_way(parser *p, const xml_element *e, bool in_listener, ways *w) {
  static const way LISTENERS[] = {WAY_CLASS, WAY_EXPRESSION, WAY_DELEGATE, WAY_SCRIPT, WAY_TYPE};
  static const way CAMUNDAS[] = {WAY_TYPE, WAY_CLASS, WAY_DELEGATE, WAY_EXPRESSION, WAY_SCRIPT};
  static const way FLOWABLES[] = {WAY_TYPE, WAY_CLASS, WAY_EXPRESSION, WAY_DELEGATE, WAY_SCRIPT};
  static const char *const NAMES[] = {"type", "class", "delegateExpression", "expression", "<script>"};
  bool type_first = p->dialect->implementations_many == IMPLEMENTATIONS_TYPE_FIRST;
  const way *order = in_listener ? LISTENERS : type_first ? FLOWABLES : CAMUNDAS;
  int first = 0, said = count_ways(w);
  while (!has_way(w, (int)order[first])) first++;
  parse_warning(p, e, NULL, "<%s> says %d times what runs: its %s does, and the rest is ignored", e->name, said,
                NAMES[order[first]]);
  for (int i = first + 1; i < WAYS; i++) {
    if (order[i] == WAY_SCRIPT) w->script = NULL;
    else w->attributes[order[i]] = NULL;
  }
}

/* The peer's connectors take the place of whatever else a task says. */
static void prefer_connector(parser *p, const xml_element *e, ways *w) {
  parse_warning(p, e, NULL, "<%s> says what runs beside its connector: the connector does, and the rest is ignored", e->name);
  *w = (ways){.connector = w->connector};
}

static void settle_ways(parser *p, const xml_element *e, bool in_listener, ways *w) {
  implementations_rule rule = p->dialect->implementations_many;
  bool many = rule != IMPLEMENTATIONS_REFUSED;
  if (many) drop_empty(p, e, w);
  if (rule == IMPLEMENTATIONS_CONNECTOR_FIRST && w->connector && count_ways(w))
    prefer_connector(p, e, w);
  int said = count_ways(w);
  if (said <= 1) return;
  if (many) {
    keep_first_way(p, e, in_listener, w);
    return;
  }
  const char *extra = in_listener ? ", delegateExpression and <script>" : ", delegateExpression and type";
  parse_error(p, e, NULL, "<%s> must have only one of class, expression%s, but has %d", e->name, extra, said);
}

static void parse_listener_way(parser *p, const xml_element *e, const ways *w, implementation *out) {
  const xml_attribute *const *a = w->attributes;
  if (a[WAY_CLASS]) {
    parse_class(p, e, a[WAY_CLASS], out);
    if (out->kind == IMPLEMENTATION_CLASS) take_script_class(p, e, out);
  } else if (a[WAY_DELEGATE]) {
    parse_value(p, e, a[WAY_DELEGATE], IMPLEMENTATION_DELEGATE, out);
  } else if (a[WAY_EXPRESSION]) {
    parse_value(p, e, a[WAY_EXPRESSION], IMPLEMENTATION_EXPRESSION, out);
  } else if (w->script) {
    parse_listener_script(p, w->script, out);
  } else {
    parse_error(p, e, NULL, "<%s> must have one of class, expression, delegateExpression and <script>", e->name);
  }
}

static void parse_task_way(parser *p, const xml_element *e, const ways *w, implementation *out) {
  const xml_attribute *const *a = w->attributes;
  if (a[WAY_CLASS]) parse_class(p, e, a[WAY_CLASS], out);
  else if (a[WAY_DELEGATE]) parse_value(p, e, a[WAY_DELEGATE], IMPLEMENTATION_DELEGATE, out);
  else if (a[WAY_EXPRESSION]) parse_value(p, e, a[WAY_EXPRESSION], IMPLEMENTATION_EXPRESSION, out);
  else if (a[WAY_TYPE]) parse_type(p, e, a[WAY_TYPE], out);
  else if (is_decision(e)) parse_decision(p, e, out);
}

void parse_implementation(parser *p, const xml_element *e, implementation_host host, implementation *out) {
  bool in_listener = host == HOST_LISTENER;
  ways w = find_ways(e, in_listener);
  settle_ways(p, e, in_listener, &w);
  *out = (implementation){0};
  bool decision = !in_listener && !w.connector && !count_ways(&w) && is_decision(e);
  const xml_attribute *type = in_listener ? NULL : w.attributes[WAY_TYPE];
  const char *type_name = decision ? "dmn" : type ? parse_trimmed(p, type->value) : NULL;
  out->fields = parse_fields(p, e, type_name, &out->n_fields);
  if (w.connector && !count_ways(&w)) parse_connector(p, w.connector, out);
  else if (in_listener) parse_listener_way(p, e, &w, out);
  else parse_task_way(p, e, &w, out);
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
