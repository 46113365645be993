/* Multi-instance and standard loops. */
#include <inttypes.h>
#include <string.h>

#include "base/limits.h"
#include "model/parse/parse_internal.h"

/* ---- Variable aggregation -------------------------------------------------------------------- */

static void parse_aggregation(parser *p, const xml_element *e, aggregation *out) {
  out->target = any_text(p, e, "target");
  parse_expr_attribute(p, e, any_attribute(e, "targetExpression"), &out->target_expression);
  if (!out->target && !expr_given(&out->target_expression)) parse_error(p, e, NULL, "<variableAggregation> must have a target");
  out->create_overview = parse_bool(p, e, any_attribute(e, "createOverviewVariable"), false);
  out->transient = parse_bool(p, e, any_attribute(e, "storeAsTransientVariable"), false);
  const xml_attribute *class_name = any_attribute(e, "class"), *delegate = any_attribute(e, "delegateExpression");
  if (class_name) {
    out->run.kind = IMPLEMENTATION_CLASS;
    parse_text_literal(p, class_name->value, class_name->line, &out->run.value);
  } else if (delegate) {
    out->run.kind = IMPLEMENTATION_DELEGATE;
    parse_expr_attribute(p, e, delegate, &out->run.value);
  }
  for (const xml_element *v = NULL; (v = child_next(e, v, "variable"));) out->n_variables++;
  struct aggregation_variable *item = PARSE_ARRAY(p, struct aggregation_variable, out->n_variables);
  out->variables = item;
  for (const xml_element *v = NULL; (v = child_next(e, v, "variable")); item++) {
    item->source = any_text(p, v, "source");
    item->target = any_text(p, v, "target");
    parse_expr_attribute(p, v, any_attribute(v, "sourceExpression"), &item->source_expression);
    if (!item->source && !expr_given(&item->source_expression))
      parse_error(p, v, NULL, "<variable> must have a source or a sourceExpression");
  }
}

static void parse_aggregations(parser *p, const xml_element *e, multi_instance *m) {
  for (const xml_element *a = NULL; (a = extension_next(e, a, "variableAggregation"));) m->n_aggregations++;
  aggregation *item = m->n_aggregations ? PARSE_ARRAY(p, aggregation, m->n_aggregations) : NULL;
  m->aggregations = item;
  for (const xml_element *a = NULL; (a = extension_next(e, a, "variableAggregation")); item++) parse_aggregation(p, a, item);
}

/* ---- Multi-instance -------------------------------------------------------------------------- */

/* <collection class|delegateExpression> with <expression> or <string> inside: a handler makes the list of it. */
static void parse_collection_element(parser *p, const xml_element *e, multi_instance *m) {
  const xml_attribute *class_name = any_attribute(e, "class"), *delegate = any_attribute(e, "delegateExpression");
  const xml_element *expression = child_next(e, NULL, "expression"), *string = child_next(e, NULL, "string");
  if (class_name) {
    m->handler.kind = IMPLEMENTATION_CLASS;
    parse_text_literal(p, class_name->value, class_name->line, &m->handler.value);
  } else if (delegate) {
    m->handler.kind = IMPLEMENTATION_DELEGATE;
    parse_expr_attribute(p, e, delegate, &m->handler.value);
  }
  if (expression) parse_expr_text(p, expression, &m->collection); /* else the attribute of the same name holds */
  if (string) m->collection_string = parse_trimmed(p, string->text);
  if (!class_name && !delegate && !expression && !string)
    parse_error(p, e, NULL, "<collection> must have a class, a delegateExpression, an <expression> or a <string>");
}

static void parse_collection(parser *p, const xml_element *e, multi_instance *m) {
  const xml_element *element = extension_next(e, NULL, "collection"), *input = bpmn_child(e, "loopDataInputRef");
  const xml_attribute *attribute = vendor_attribute(e, "collection");
  const xml_element *item = bpmn_child(e, "inputDataItem");
  if (input) parse_expr_text(p, input, &m->collection);
  if (attribute) parse_expr_attribute(p, e, attribute, &m->collection);
  if (element) parse_collection_element(p, element, m);
  m->element_variable = vendor_text(p, e, "elementVariable");
  m->element_index_variable = vendor_text(p, e, "elementIndexVariable");
  if (item && !m->element_variable) {
    m->element_variable = parse_trimmed(p, xml_value(item, "name"));
    if (!m->element_variable) m->element_variable = parse_trimmed(p, xml_value(item, "id"));
    if (!m->element_variable) parse_error(p, item, NULL, "<inputDataItem> must have a name: the variable for each element");
  }
}

static bool has_collection(const multi_instance *m) {
  return expr_given(&m->collection) || m->collection_string || m->handler.kind != IMPLEMENTATION_NONE;
}

static void check_multi_instance(parser *p, const xml_element *e, const multi_instance *m) {
  bool cardinality = expr_given(&m->cardinality), collection = has_collection(m);
  int64_t n = 0;
  if (!cardinality && !collection) {
    const char *extra = m->element_variable ? "; an element variable alone says nothing" : "";
    parse_error(p, e, NULL, "a multi-instance activity needs either <loopCardinality> or a collection%s", extra);
  } else if (cardinality && collection) {
    parse_report(p, p->dialect->cardinality_beside_collection, e, e->line, e->column,
                 "a multi-instance activity has either <loopCardinality> or a collection, not both");
  }
  if (cardinality && !collection && m->element_variable)
    parse_report(p, !p->dialect->model_checks_strict, e, e->line, e->column,
                 "the element variable \"%s\" is never set: there is no collection", m->element_variable);
  if (m->cardinality.kind != EXPR_LITERAL) return;
  const xml_element *at = bpmn_child(e, "loopCardinality");
  if (!parse_integer(m->cardinality.text, &n) || n < 0)
    parse_error(p, at, NULL, "loopCardinality \"%.60s\" must be a whole number, 0 or more, or an expression",
                m->cardinality.text);
  else if (n > ORR_MULTI_INSTANCE_MAX)
    parse_error(p, at, NULL, "loopCardinality %" PRId64 " is beyond the limit of %d instances", n, ORR_MULTI_INSTANCE_MAX);
}

/* The activity's own async attributes mean the body, or each instance, as the dialect says. */
static void share_async(parser *p, node *n, multi_instance *m) {
  if (!p->dialect->multi_async_is_inner) return;
  m->async_before = m->async_before || n->async_before;
  m->exclusive = m->exclusive && n->exclusive;
  if (!expr_given(&m->retry_cycle)) m->retry_cycle = n->retry_cycle;
  if (!expr_given(&m->retry_strategy)) m->retry_strategy = n->retry_strategy;
  n->async_before = false; /* leaving asynchronously stays the whole activity's */
}

static void parse_multi_instance(parser *p, const xml_element *e, node *n) {
  multi_instance *m = n->multi = PARSE_NEW(p, multi_instance);
  const xml_element *cardinality = bpmn_child(e, "loopCardinality");
  m->sequential = parse_bool(p, e, xml_attribute_of(e, "isSequential"), false);
  parse_expr_text(p, cardinality, &m->cardinality);
  if (cardinality && !expr_given(&m->cardinality)) parse_error(p, cardinality, NULL, "<loopCardinality> is empty");
  parse_collection(p, e, m);
  parse_condition(p, bpmn_child(e, "completionCondition"), &m->completion_condition);
  m->async_before = vendor_bool(p, e, "asyncBefore", vendor_bool(p, e, "async", false));
  m->async_after = vendor_bool(p, e, "asyncAfter", vendor_bool(p, e, "asyncLeave", false));
  m->exclusive = vendor_bool(p, e, "exclusive", true);
  parse_retry_cycle(p, e, &m->retry_cycle);
  vendor_expr(p, e, "retryStrategy", &m->retry_strategy);
  parse_aggregations(p, e, m);
  check_multi_instance(p, e, m);
  share_async(p, n, m);
}

/* One that says nothing repeats nothing where the dialect bears it. */
static bool is_idle_loop(const parser *p, const xml_element *e) {
  return p->dialect->idle_elements_warn && !xml_attribute_of(e, "loopMaximum") && !bpmn_child(e, "loopCondition");
}

static void parse_standard_loop(parser *p, const xml_element *e, node *n) {
  if (is_idle_loop(p, e)) {
    parse_warning(p, e, NULL, "the standard loop has neither a <loopCondition> nor a loopMaximum: it is ignored");
    return;
  }
  standard_loop *loop = n->loop = PARSE_NEW(p, standard_loop);
  const xml_attribute *maximum = xml_attribute_of(e, "loopMaximum");
  const char *text = maximum ? parse_trimmed(p, maximum->value) : NULL;
  loop->test_before = parse_bool(p, e, xml_attribute_of(e, "testBefore"), false);
  parse_condition(p, bpmn_child(e, "loopCondition"), &loop->condition);
  if (text && (!parse_integer(text, &loop->maximum) || loop->maximum < 1))
    parse_error(p, e, maximum, "loopMaximum \"%s\" must be a whole number, 1 or more", text);
  if (!text && !expr_given(&loop->condition))
    parse_error(p, e, NULL, "a standard loop needs a <loopCondition> or a loopMaximum, else it never ends");
}

void parse_loops(parser *p, const xml_element *e, node *n) {
  const xml_element *multi = bpmn_child(e, "multiInstanceLoopCharacteristics"),
                    *loop = bpmn_child(e, "standardLoopCharacteristics");
  if (multi && loop) parse_error(p, loop, NULL, "an activity is either a standard loop or multi-instance, not both");
  if ((multi || loop) && n->triggered_by_event) {
    parse_error(p, multi ? multi : loop, NULL, "an event sub-process cannot be repeated");
    return;
  }
  if (multi) parse_multi_instance(p, multi, n);
  else if (loop) parse_standard_loop(p, loop, n);
}
