/* Data in and out: input and output parameters, call mappings, and the properties that only delegates read. */
#include <string.h>

#include "model/parse/grammar.h"
#include "model/parse/parse_internal.h"

/* ---- inputOutput ----------------------------------------------------------------------------- */

static void parse_parameter_value(parser *p, const xml_element *e, parameter_value *out);

static void parse_script_value(parser *p, const xml_element *script, parameter_value *out) {
  const xml_attribute *format = any_attribute(script, "scriptFormat");
  text_source s = source_of_text(script);
  if (!format) parse_error(p, script, NULL, "Missing attribute 'scriptFormat' for 'script' element");
  parse_script(p, &s, format, any_attribute(script, "resource"), &out->value);
}

static void parse_list(parser *p, const xml_element *list, parameter_value *out) {
  uint32_t n = 0;
  for (const xml_element *e = list->first; e; e = e->next) n++;
  parameter_value *items = PARSE_ARRAY(p, parameter_value, n);
  out->kind = PARAMETER_LIST;
  out->items = items;
  out->count = n;
  for (const xml_element *e = list->first; e; e = e->next, items++) {
    if (strcmp(e->name, "script") == 0) parse_script_value(p, e, items);
    else if (strcmp(e->name, "list") == 0) parse_list(p, e, items);
    else parse_parameter_value(p, e, items); /* <value>, or a <map> with entries */
  }
}

static void parse_map(parser *p, const xml_element *map, parameter_value *out) {
  uint32_t n = 0;
  for (const xml_element *e = NULL; (e = child_next(map, e, "entry"));) n++;
  parameter_value *items = PARSE_ARRAY(p, parameter_value, n);
  expr *keys = PARSE_ARRAY(p, expr, n);
  *out = (parameter_value){.kind = PARAMETER_MAP, .items = items, .keys = keys, .count = n};
  for (const xml_element *e = NULL; (e = child_next(map, e, "entry")); items++, keys++) {
    const xml_attribute *key = any_attribute(e, "key");
    if (!key || !*key->value) parse_error(p, e, NULL, "Missing attribute 'key' for 'entry' element");
    parse_expr_attribute(p, e, key, keys);
    parse_parameter_value(p, e, items);
  }
}

/* The text of an element, or the one list, map or script inside it. */
static void parse_parameter_value(parser *p, const xml_element *e, parameter_value *out) {
  const xml_element *child = e->first;
  if (strcmp(e->name, "map") == 0) {
    parse_map(p, e, out);
    return;
  }
  if (child && child->next) parse_error(p, e, NULL, "Nested parameter can at most have one child element");
  if (!child) parse_expr_text(p, e, &out->value);
  else if (strcmp(child->name, "list") == 0) parse_list(p, child, out);
  else if (strcmp(child->name, "map") == 0) parse_map(p, child, out);
  else if (strcmp(child->name, "script") == 0) parse_script_value(p, child, out);
  else parse_error(p, child, NULL, "<%s> may hold a text, a <list>, a <map> or a <script>, but not <%s>", e->name, child->name);
}

static const parameter *parse_parameters(parser *p, const xml_element *io, const char *name, uint32_t *n) {
  uint32_t count = 0;
  for (const xml_element *e = NULL; (e = child_next(io, e, name));) count++;
  *n = count;
  parameter *items = count ? PARSE_ARRAY(p, parameter, count) : NULL, *item = items;
  for (const xml_element *e = NULL; (e = child_next(io, e, name)); item++) {
    item->name = any_text(p, e, "name");
    if (!item->name) parse_error(p, e, NULL, "Missing attribute 'name' for %s", name);
    parse_parameter_value(p, e, &item->value);
  }
  return items;
}

static void check_io_host(parser *p, const xml_element *io, const node *n) {
  const xml_element *output = child_next(io, NULL, "outputParameter");
  if (n->type == NODE_START_EVENT || n->type == NODE_BOUNDARY_EVENT || node_is_gateway(n) || n->type == NODE_PROCESS)
    parse_error(p, io, NULL, "camunda:inputOutput mapping unsupported for element type \"%s\"", n->element);
  else if (n->triggered_by_event)
    parse_error(
        p, io, NULL,
        "camunda:inputOutput mapping unsupported for element type 'subProcess' with attribute 'triggeredByEvent = true'");
  else if (output && n->type == NODE_END_EVENT)
    parse_error(p, output, NULL, "camunda:outputParameter not allowed for element type 'endEvent'");
  else if (output && n->multi)
    parse_error(p, output, NULL, "camunda:outputParameter not allowed for multi-instance constructs");
}

void parse_io_mapping(parser *p, const xml_element *e, node *n) {
  const xml_element *io = extension_next(e, NULL, "inputOutput");
  const xml_element *message = bpmn_child(e, "messageEventDefinition"); /* an event's mapping may stand there, too */
  if (!io && message) io = extension_next(message, NULL, "inputOutput");
  if (!io) return;
  if (extension_next(e, io, "inputOutput"))
    parse_error(p, extension_next(e, io, "inputOutput"), NULL, "a second <inputOutput>");
  check_io_host(p, io, n);
  n->inputs = parse_parameters(p, io, "inputParameter", &n->n_inputs);
  n->outputs = parse_parameters(p, io, "outputParameter", &n->n_outputs);
}

/* ---- connector ------------------------------------------------------------------------------- */

/* What request-config knows: what works here, and what belongs to the client of the engine that the model was drawn for. */
static const char CONFIG_HERE[] =
    "connection-timeout socket-timeout connection-request-timeout max-redirects redirects-enabled "
    "throw-http-error";
static const char CONFIG_THERE[] = "authentication-enabled circular-redirects-allowed content-compression-enabled cookie-spec "
                                   "decompression-enabled expect-continue-enabled local-address normalize-uri proxy "
                                   "relative-redirects-allowed stale-connection-check-enabled target-preferred-auth-schemes "
                                   "proxy-preferred-auth-schemes";

static void check_request_config(parser *p, const xml_element *connector, const parameter *input) {
  if (!input->name || strcmp(input->name, "request-config") != 0 || input->value.kind != PARAMETER_MAP) return;
  for (uint32_t i = 0; i < input->value.count; i++) {
    const expr *key = &input->value.keys[i];
    if (key->kind != EXPR_LITERAL || grammar_list_has(CONFIG_HERE, key->text)) continue;
    if (grammar_list_has(CONFIG_THERE, key->text))
      parse_warning(p, connector, NULL, "request-config: \"%s\" has no effect; the engine's options say how it calls",
                    key->text);
    else
      parse_error(p, connector, NULL, "request-config has no \"%.60s\"%s", key->text,
                  grammar_suggestion(p, grammar_nearest(CONFIG_HERE, key->text)));
  }
}

void parse_connector(parser *p, const xml_element *connector, implementation *out) {
  const xml_element *id = child_next(connector, NULL, "connectorId"), *io = child_next(connector, NULL, "inputOutput");
  field *f = PARSE_NEW(p, field);
  f->name = "connectorId";
  if (id) parse_expr_text(p, id, &f->value);
  if (!expr_given(&f->value)) parse_error(p, connector, NULL, "No 'id' defined for connector: it needs a <connectorId>");
  *out = (implementation){.kind = IMPLEMENTATION_TYPE, .type_name = "connector", .fields = f, .n_fields = 1};
  if (!io) return;
  out->inputs = parse_parameters(p, io, "inputParameter", &out->n_inputs);
  out->outputs = parse_parameters(p, io, "outputParameter", &out->n_outputs);
  for (uint32_t i = 0; i < out->n_inputs; i++) check_request_config(p, connector, &out->inputs[i]);
}

/* ---- in and out ------------------------------------------------------------------------------ */

static void check_mapping(parser *p, const xml_element *e, const call_mapping *m, const xml_attribute *source_attribute) {
  const xml_attribute *target = any_attribute(e, "target");
  bool source_given = m->source || expr_given(&m->source_expression),
       target_given = m->target || expr_given(&m->target_expression);
  if (source_attribute && !*source_attribute->value)
    parse_error(p, e, source_attribute, "Empty attribute 'source' when passing variables");
  else if (!source_given) parse_error(p, e, NULL, "Missing parameter 'source' or 'sourceExpression' when passing variables");
  else if (target && !m->target)
    parse_error(p, e, target, "Empty attribute 'target' when attribute 'source' or 'sourceExpression' is set");
  else if (!target_given)
    parse_error(p, e, NULL, "Missing attribute 'target' when attribute 'source' or 'sourceExpression' is set");
}

static void parse_mapping(parser *p, const xml_element *e, call_mapping *m) {
  const xml_attribute *variables = any_attribute(e, "variables"), *source_attribute = any_attribute(e, "source");
  const xml_attribute *business_key = any_attribute(e, "businessKey");
  m->source = any_text(p, e, "source");
  /* no variable's name: an expression in the wrong attribute */
  if (m->source && (strstr(m->source, "${") || strstr(m->source, "#{"))) {
    m->source = NULL;
    parse_expr_attribute(p, e, source_attribute, &m->source_expression);
  }
  m->target = any_text(p, e, "target");
  m->local = parse_bool(p, e, any_attribute(e, "local"), false);
  m->transient = parse_bool(p, e, any_attribute(e, "transient"), false);
  if (!expr_given(&m->source_expression))
    parse_expr_attribute(p, e, any_attribute(e, "sourceExpression"), &m->source_expression);
  parse_expr_attribute(p, e, any_attribute(e, "targetExpression"), &m->target_expression);
  parse_expr_attribute(p, e, business_key, &m->business_key);
  if (variables) {
    m->all = strcmp(variables->value, "all") == 0;
    if (!m->all) parse_error(p, e, variables, "'variables' of <%s> must be \"all\", not \"%.60s\"", e->name, variables->value);
  } else if (!business_key) {
    check_mapping(p, e, m, source_attribute);
  }
}

const call_mapping *parse_mappings(parser *p, const xml_element *host, const char *name, uint32_t *n) {
  uint32_t count = 0;
  for (const xml_element *e = NULL; (e = extension_next(host, e, name));) count++;
  *n = count;
  call_mapping *items = count ? PARSE_ARRAY(p, call_mapping, count) : NULL, *item = items;
  for (const xml_element *e = NULL; (e = extension_next(host, e, name)); item++) parse_mapping(p, e, item);
  return items;
}

/* ---- Properties ------------------------------------------------------------------------------ */

void parse_property_list(parser *p, const xml_element *box, const struct property **out,
                         uint32_t *n) {
  uint32_t count = 0;
  *n = 0;
  for (const xml_element *e = NULL; box && (e = child_next(box, e, "property"));) count++;
  if (count == 0) return;
  struct property *items = PARSE_ARRAY(p, struct property, count);
  *out = items;
  for (const xml_element *e = NULL; (e = child_next(box, e, "property"));) {
    const char *name = any_text(p, e, "name");
    if (!name) name = any_text(p, e, "id");
    const char *value = value_of(any_attribute(e, "value"));
    if (!name) parse_report(p, p->dialect->idle_elements_warn, e, e->line, e->column, "<property> must have a name");
    else items[(*n)++] = (struct property){name, parse_keep(p, value)};
  }
}

void parse_properties(parser *p, const xml_element *host, node *n) {
  const xml_element *box = extension_next(host, NULL, "properties");
  parse_property_list(p, box, &n->properties, &n->n_properties);
}
