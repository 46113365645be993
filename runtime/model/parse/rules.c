/* A business rule task whose rules lie beside it: its inputs, which rules, and where the facts go. */
#include <inttypes.h>
#include <string.h>

#include "model/parse/parse_internal.h"
#include "model/parse/task_type.h"

#define RULES_OUTPUT "org.flowable.engine.rules.OUTPUT" /* where facts go when nothing else is said */

/* "${order}, customer": expressions, and names of variables. */
static void parse_inputs(parser *p, const xml_element *e, implementation *out) {
  const xml_attribute *a = vendor_attribute(e, "ruleVariablesInput");
  const expr *items = NULL;
  uint32_t n = 0;
  if (a) parse_identity_list(p, e, a, &items, &n);
  parameter *inputs = PARSE_ARRAY(p, parameter, n + 1);
  for (uint32_t i = 0; i < n; i++) {
    inputs[i].name = parse_keep(p, parse_printf(p, "%" PRIu32, i + 1));
    inputs[i].value.value = items[i];
    if (items[i].kind != EXPR_LITERAL) continue;
    text_source s = source_of_attribute(e, a);
    s.text = parse_keep(p, parse_printf(p, "${%s}", items[i].text));
    parse_expr(p, &s, &inputs[i].value.value);
  }
  inputs[n].name = "n";
  parse_text_literal(p, parse_keep(p, parse_printf(p, "%" PRIu32, n)), e->line, &inputs[n].value.value);
  out->inputs = inputs;
  out->n_inputs = n + 1;
}

static bool has_resource(const orr_value *resources, const char *ending) {
  orr_value key, value;
  orr_iterator at = orr_iterate(resources);
  while (orr_next(&at, &key, &value)) {
    size_t size = strlen(ending);
    if (key.size >= size && memcmp(key.as.bytes + key.size - size, ending, size) == 0) return true;
  }
  return false;
}

static void check_rules(parser *p, const xml_element *e) {
  const orr_value *resources = p->options->resources;
  if (!resources || has_resource(resources, ".rules.lua")) return;
  if (has_resource(resources, ".drl"))
    parse_error(p, e, NULL,
                "rules are written in Lua here: put them into a resource *.rules.lua, as { { name = \"r\", "
                "when = function(fact) return fact.amount > 100 end, run = function(facts, fact) fact.discount = 5 end } }");
  else
    parse_warning(p, e, NULL, "the deployment has no rules: a resource *.rules.lua");
}

bool parse_rules(parser *p, const xml_element *e, service_task *s) {
  if (!vendor_attribute(e, "ruleVariablesInput") && !vendor_attribute(e, "rules")) return false;
  implementation *run = &s->run;
  const xml_attribute *exclude = any_attribute(e, "exclude"); /* the guide writes it without a prefix */
  field *fields = PARSE_ARRAY(p, field, 2);
  *run = (implementation){.kind = IMPLEMENTATION_TYPE, .type_name = "rules", .fields = fields};
  if (vendor_attribute(e, "rules")) {
    fields[run->n_fields].name = "rules";
    parse_expr_attribute(p, e, vendor_attribute(e, "rules"), &fields[run->n_fields++].value);
  }
  if (exclude) {
    fields[run->n_fields].name = "exclude";
    parse_expr_attribute(p, e, exclude, &fields[run->n_fields++].value);
  }
  parse_inputs(p, e, run);
  task_type_check_fields(p, e, run);
  check_rules(p, e);
  if (!vendor_attribute(e, "resultVariable") && !vendor_attribute(e, "resultVariableName")) s->result_variable = RULES_OUTPUT;
  return true;
}
