/* Web service tasks: what BPMN says of them in five places, gathered into the fields and parameters of one implementation.
 *
 *   import (the WSDL)   interface, operation (what is called)   ioSpecification (names of the objects)   data associations */
#include <string.h>

#include "model/parse/parse_internal.h"

#define WSDL "http://schemas.xmlsoap.org/wsdl/"

/* "tns:operation" -> "operation" */
static const char *local_part(const char *name) {
  const char *colon = name ? strrchr(name, ':') : NULL;
  return colon ? colon + 1 : name;
}

static const xml_element *root_of(const xml_element *e) {
  while (e->parent) e = e->parent;
  return e;
}

/* The <operation> with this id, and its <interface>. */
static const xml_element *find_operation(const xml_element *root, const char *id, const xml_element **interface) {
  for (const xml_element *i = root->first; i; i = i->next) {
    if (!is_bpmn(i, "interface")) continue;
    for (const xml_element *o = i->first; o; o = o->next) {
      const char *own = is_bpmn(o, "operation") ? xml_value(o, "id") : NULL;
      if (!own || strcmp(own, id) != 0) continue;
      *interface = i;
      return o;
    }
  }
  return NULL;
}

typedef struct field_list {
  field *items;
  uint32_t count;
} field_list;

static void add_text_field(parser *p, field_list *list, const char *name, const char *value, int line) {
  if (!value) return;
  list->items[list->count].name = name;
  parse_text_literal(p, parse_keep(p, value), line, &list->items[list->count++].value);
}

/* ---- The WSDL -------------------------------------------------------------------------------- */

static bool is_wsdl(const xml_element *e) {
  const char *type = is_bpmn(e, "import") ? xml_value(e, "importType") : NULL;
  return type && (strcmp(type, WSDL) == 0 || strcmp(type, "http://www.w3.org/TR/wsdl20/") == 0);
}

static bool is_resource(const orr_value *resources, const char *location) {
  const char *slash = strrchr(location, '/');
  return orr_map_get(resources, location).type != ORR_NIL || (slash && orr_map_get(resources, slash + 1).type != ORR_NIL);
}

/* The locations of all WSDL imports, one a line. */
static const char *wsdl_locations(parser *p, const xml_element *e, const xml_element *root) {
  const char *all = NULL;
  for (const xml_element *i = root->first; i; i = i->next) {
    const char *location = is_wsdl(i) ? xml_value(i, "location") : NULL;
    if (!location) continue;
    bool fetched = strncmp(location, "http://", 7) == 0 || strncmp(location, "https://", 8) == 0; /* by engine:deploy */
    if (!fetched && p->options->resources && !is_resource(p->options->resources, location))
      parse_error(p, i, xml_attribute_of(i, "location"), "the WSDL \"%.200s\" is not among the deployment's resources",
                  location);
    all = all ? parse_printf(p, "%s\n%s", all, location) : location;
  }
  if (!all) parse_error(p, e, NULL, "a web service task needs an <import importType=\"" WSDL "\"> of the service's WSDL");
  return all;
}

/* ---- Data ------------------------------------------------------------------------------------ */

static const char *child_text(parser *p, const xml_element *e, const char *name) {
  const xml_element *child = bpmn_child(e, name);
  return child ? parse_trimmed(p, child->text) : NULL;
}

/* "${input.prefix}" -> "prefix": the member that an assignment fills; "*" for the whole object. */
static const char *member_of(parser *p, const char *text, const char *object) {
  const char *dot = strrchr(text, '.');
  const char *from = dot ? dot + 1 : text + strspn(text, "$#{ ");
  const char *name = parse_trimmed(p, parse_printf(p, "%.*s", (int)strcspn(from, "} "), from));
  return !dot && name && object && strcmp(name, object) == 0 ? "*" : name;
}

static void set_variable(parser *p, const xml_element *e, const char *name, expr *out) {
  text_source s = source_of_text(e);
  s.text = strchr(name, '{') ? name : parse_keep(p, parse_printf(p, "${%s}", name));
  parse_expr(p, &s, out);
}

static uint32_t count_inputs(const xml_element *e) {
  uint32_t count = 0;
  for (const xml_element *d = e->first; d; d = d->next)
    for (const xml_element *c = is_bpmn(d, "dataInputAssociation") ? d->first : NULL; c; c = c->next)
      count += is_bpmn(c, "assignment") || is_bpmn(c, "sourceRef");
  return count;
}

static uint32_t parse_assignments(parser *p, const xml_element *d, const char *object, parameter *out) {
  uint32_t n = 0;
  for (const xml_element *c = d->first; c; c = c->next) {
    if (!is_bpmn(c, "assignment")) continue;
    const xml_element *from = bpmn_child(c, "from");
    const char *to = child_text(p, c, "to");
    const char *name = to ? member_of(p, to, object) : NULL;
    if (!from || !name) {
      parse_error(p, c, NULL, "an <assignment> needs <from> and <to>");
      continue;
    }
    out[n].name = name;
    parse_expr_text(p, from, &out[n++].value.value);
  }
  return n;
}

static void parse_data_inputs(parser *p, const xml_element *e, const char *object, implementation *out) {
  parameter *inputs = PARSE_ARRAY(p, parameter, count_inputs(e) + 1);
  uint32_t n = 0;
  for (const xml_element *d = e->first; d; d = d->next) {
    if (!is_bpmn(d, "dataInputAssociation")) continue;
    uint32_t assigned = parse_assignments(p, d, object, inputs + n);
    n += assigned;
    const char *source = child_text(p, d, "sourceRef"), *target = child_text(p, d, "targetRef");
    if (assigned) continue;
    if (!source || !target) {
      parse_error(p, d, NULL, "a <dataInputAssociation> needs <sourceRef> and <targetRef>, or an <assignment>");
      continue;
    }
    inputs[n].name = object && strcmp(target, object) == 0 ? "*" : target;
    set_variable(p, d, source, &inputs[n++].value.value);
  }
  out->inputs = inputs;
  out->n_inputs = n;
}

static void parse_data_outputs(parser *p, const xml_element *e, implementation *out) {
  uint32_t count = 0;
  for (const xml_element *d = e->first; d; d = d->next) count += is_bpmn(d, "dataOutputAssociation");
  parameter *outputs = PARSE_ARRAY(p, parameter, count + 1);
  for (const xml_element *d = e->first; d; d = d->next) {
    if (!is_bpmn(d, "dataOutputAssociation")) continue;
    const xml_element *transformation = bpmn_child(d, "transformation");
    const char *source = child_text(p, d, "sourceRef"), *target = child_text(p, d, "targetRef");
    if (!target || (!transformation && !source)) {
      parse_error(p, d, NULL, "a <dataOutputAssociation> needs <targetRef>, and <sourceRef> or <transformation>");
      continue;
    }
    outputs[out->n_outputs].name = target;
    if (transformation) parse_expr_text(p, transformation, &outputs[out->n_outputs++].value.value);
    else set_variable(p, d, source, &outputs[out->n_outputs++].value.value);
  }
  out->outputs = outputs;
}

static const char *io_id(parser *p, const xml_element *e, const char *name) {
  const xml_element *io = bpmn_child(e, "ioSpecification"), *data = io ? bpmn_child(io, name) : NULL;
  return data ? parse_trimmed(p, xml_value(data, "id")) : NULL;
}

/* ---- The task -------------------------------------------------------------------------------- */

bool parse_web_service(parser *p, const xml_element *e, implementation *out) {
  enum { FIELDS = 6 };
  const char *technology = xml_value(e, "implementation");
  const xml_attribute *reference = xml_attribute_of(e, "operationRef");
  const xml_element *interface = NULL, *root = root_of(e);
  if (!technology || strcmp(technology, "##WebService") != 0) return false;
  *out = (implementation){.kind = IMPLEMENTATION_TYPE, .type_name = "soap"};
  if (!reference) {
    parse_error(p, e, NULL, "a web service task needs an operationRef");
    return true;
  }
  const xml_element *operation = find_operation(root, local_part(reference->value), &interface);
  if (!operation) {
    parse_error(p, e, reference, "there is no <operation> with id \"%.200s\" in an <interface>", local_part(reference->value));
    return true;
  }
  field_list list = {PARSE_ARRAY(p, field, FIELDS), 0};
  const char *called = xml_value(operation, "implementationRef"), *input = io_id(p, e, "dataInput");
  add_text_field(p, &list, "operation", local_part(called ? called : xml_value(operation, "name")), e->line);
  add_text_field(p, &list, "interface", local_part(xml_value(interface, "implementationRef")), e->line);
  add_text_field(p, &list, "wsdl", wsdl_locations(p, e, root), e->line);
  add_text_field(p, &list, "input", input, e->line);
  add_text_field(p, &list, "output", io_id(p, e, "dataOutput"), e->line);
  out->fields = list.items;
  out->n_fields = list.count;
  parse_data_inputs(p, e, input, out);
  parse_data_outputs(p, e, out);
  return true;
}
