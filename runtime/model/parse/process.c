/* A process: its scopes, nodes and flows, in document order. */
#include <string.h>

#include "base/limits.h"
#include "model/parse/parse_internal.h"
#include "time/iso8601.h"

const xml_element *element_of(const parser *p, const node *n) { return p->node_elements.items[n->index]; }
const xml_element *element_of_flow(const parser *p, const flow *f) { return p->flow_elements.items[f->index]; }

const char *node_label(parser *p, const node *n) { return parse_printf(p, "%s \"%s\"", n->element, n->id); }

bool parse_executable(const parser *p, const xml_element *process) {
  const char *text = xml_value(process, "isExecutable");
  return text ? strcmp(text, "false") != 0 && strcmp(text, "0") != 0 : p->dialect->executable_by_default;
}

bool parse_lenient(const parser *p, const xml_element *process) {
  return p->dialect->none_executable != NONE_EXECUTABLE_REFUSED && !parse_executable(p, process);
}

/* ---- What all nodes have --------------------------------------------------------------------- */

static const char *node_id(parser *p, const xml_element *e, const node *n) {
  const char *id = parse_trimmed(p, xml_value(e, "id"));
  if (id) return id;
  if (!xml_attribute_of(e, "id")) {
    bool quiet = n->type == NODE_SUB_PROCESS || n->type == NODE_START_EVENT || n->type == NODE_BOUNDARY_EVENT;
    quiet = quiet || (n->type == NODE_EVENT_SUB_PROCESS && p->dialect->idle_elements_warn);
    parse_report(p, p->dialect->model_checks_lenient || quiet, e, e->line, e->column, "<%s> has no id", e->name);
  }
  return parse_keep(p, parse_printf(p, "%s-%u", e->name, n->index));
}

static void check_process_name(parser *p, const xml_element *e) {
  const xml_attribute *a = xml_attribute_of(e, "name");
  if (a && p->dialect->lengths_checked != LENGTHS_UNCHECKED && strlen(a->value) > ORR_NAME_BYTES_MAX)
    parse_error(p, e, a, "the name of <%s> has %zu bytes; the limit is %d", e->name, strlen(a->value), ORR_NAME_BYTES_MAX);
}

static void parse_job_priority(parser *p, const xml_element *e, expr *out) {
  int64_t n = 0;
  vendor_expr(p, e, "jobPriority", out);
  if (out->kind == EXPR_LITERAL && !parse_integer(out->text, &n))
    parse_error(p, e, vendor_attribute(e, "jobPriority"), "Value \"%.60s\" for attribute 'jobPriority' is not a valid number",
                out->text);
}

static node *new_node(parser *p, const xml_element *e, node_type type, node *scope) {
  node *n = PARSE_NEW(p, node);
  const xml_element *documentation = bpmn_child(e, "documentation");
  n->index = p->nodes.count;
  n->type = type;
  n->element = parse_keep(p, e->name);
  n->line = e->line;
  n->scope = scope;
  n->id = node_id(p, e, n);
  n->name = parse_keep(p, xml_value(e, "name"));
  parse_expr_attribute(p, e, xml_attribute_of(e, "name"), &n->name_expr);
  n->documentation = documentation ? parse_keep(p, documentation->text) : NULL;
  vector_add(p, &p->nodes, n);
  vector_add(p, &p->node_elements, e);
  check_process_name(p, e);
  parse_job_priority(p, e, &n->job_priority);
  vendor_expr(p, e, "limitKey", &n->limit_key);
  parse_execution_listeners(p, e, false, &n->listeners);
  parse_properties(p, e, n);
  return n;
}

/* `async` is Camunda's old and Flowable's present name of asyncBefore; `asyncLeave` is Flowable's of asyncAfter. */
static void parse_async(parser *p, const xml_element *e, node *n) {
  n->async_before = vendor_bool(p, e, "asyncBefore", vendor_bool(p, e, "async", false));
  n->async_after = vendor_bool(p, e, "asyncAfter", vendor_bool(p, e, "asyncLeave", false));
  n->exclusive = vendor_bool(p, e, "exclusive", true);
  n->exclusive_after = vendor_bool(p, e, "asyncLeaveExclusive", n->exclusive);
  parse_retry_cycle(p, e, &n->retry_cycle);
  vendor_expr(p, e, "retryStrategy", &n->retry_strategy);
  if (n->type == NODE_EVENT_GATEWAY && n->async_after)
    parse_error(p, e, vendor_attribute(e, "asyncAfter"), "'asyncAfter' not supported for eventBasedGateway elements");
}

/* ---- Data objects ---------------------------------------------------------------------------- */

static void parse_data_objects(parser *p, const xml_element *e, node *n) {
  for (const xml_element *child = e->first; child; child = child->next) n->n_data_objects += is_bpmn(child, "dataObject");
  data_object *item = n->n_data_objects ? PARSE_ARRAY(p, data_object, n->n_data_objects) : NULL;
  n->data_objects = item;
  for (const xml_element *child = e->first; child; child = child->next)
    if (is_bpmn(child, "dataObject")) parse_data_object(p, child, item++);
}

/* ---- Scopes ---------------------------------------------------------------------------------- */

static void parse_flow(parser *p, const xml_element *e) {
  flow *f = PARSE_NEW(p, flow);
  f->index = p->flows.count;
  f->id = parse_trimmed(p, xml_value(e, "id"));
  f->name = parse_keep(p, xml_value(e, "name"));
  f->line = e->line;
  parse_condition(p, bpmn_child(e, "conditionExpression"), &f->condition);
  parse_expr_attribute(p, e, any_attribute(e, "skipExpression"), &f->skip);
  parse_execution_listeners(p, e, true, &f->listeners);
  vector_add(p, &p->flows, f);
  vector_add(p, &p->flow_elements, e);
}

static void parse_scope(parser *p, const xml_element *e, node *scope);

static void parse_by_type(parser *p, const xml_element *e, node *n) {
  switch (n->type) {
    case NODE_USER_TASK: parse_user_task(p, e, n); break;
    case NODE_SERVICE_TASK:
    case NODE_SEND_TASK:
    case NODE_BUSINESS_RULE_TASK:
    case NODE_SCRIPT_TASK: parse_service_task(p, e, n); break;
    case NODE_CALL_ACTIVITY: parse_call_activity(p, e, n); break;
    case NODE_RECEIVE_TASK:
      n->instantiate = parse_bool(p, e, xml_attribute_of(e, "instantiate"), false);
      parse_message_reference(p, e, n, &n->event);
      vendor_expr(p, e, "skipExpression", &n->skip);
      if (n->event.ref || expr_given(&n->event.name)) n->event.type = EVENT_MESSAGE;
      break;
    case NODE_START_EVENT: case NODE_END_EVENT: case NODE_CATCH_EVENT: case NODE_THROW_EVENT: case NODE_BOUNDARY_EVENT:
      parse_event(p, e, n);
      break;
    case NODE_SUB_PROCESS: case NODE_EVENT_SUB_PROCESS: case NODE_TRANSACTION: parse_scope(p, e, n); break;
    default: break;
  }
}

static node *parse_node(parser *p, const xml_element *e, node_type type, node *scope) {
  bool by_event = node_is_activity(&(node){.type = type}) && parse_bool(p, e, xml_attribute_of(e, "triggeredByEvent"), false);
  if (by_event && type == NODE_TRANSACTION) parse_error(p, e, xml_attribute_of(e, "triggeredByEvent"),
                                                        "a transaction cannot be an event sub-process");
  node *n = new_node(p, e, by_event ? NODE_EVENT_SUB_PROCESS : type, scope);
  n->triggered_by_event = by_event;
  n->for_compensation = parse_bool(p, e, xml_attribute_of(e, "isForCompensation"), false);
  parse_async(p, e, n);
  parse_by_type(p, e, n);
  if (node_is_activity(n)) parse_loops(p, e, n);
  parse_io_mapping(p, e, n);
  return n;
}

static void parse_scope(parser *p, const xml_element *e, node *scope) {
  uint32_t count = 0;
  node_type type;
  for (const xml_element *child = e->first; child; child = child->next) count += grammar_is_node(child, &type);
  scope->children = PARSE_ARRAY(p, node *, count);
  parse_data_objects(p, e, scope);
  for (const xml_element *child = e->first; child; child = child->next) {
    if (grammar_is_node(child, &type) && type != NODE_PROCESS)
      scope->children[scope->n_children++] = parse_node(p, child, type, scope);
    else if (is_bpmn(child, "sequenceFlow")) parse_flow(p, child);
    else if (is_bpmn(child, "association")) vector_add(p, &p->associations, child);
  }
}

/* ---- Process --------------------------------------------------------------------------------- */

/* "P30D", and nothing else with it. */
static bool is_period_of_days(const char *text) {
  size_t digits = text[0] == 'P' ? strspn(text + 1, "0123456789") : 0;
  return digits > 0 && strcmp(text + 1 + digits, "D") == 0;
}

static void parse_history_ttl(parser *p, const xml_element *e, definition *d) {
  const xml_attribute *a = vendor_attribute(e, "historyTimeToLive");
  d->history_time_to_live = parse_trimmed(p, value_of(a));
  const char *text = d->history_time_to_live;
  int64_t days = 0;
  orr_period period;
  if (!text || !p->dialect->history_ttl_checked) return;
  bool only_days = p->dialect->history_ttl_days;
  bool sound = text[0] == 'P' && !iso_parse_duration(text, strlen(text), &period, NULL);
  if (only_days) sound = sound && is_period_of_days(text);
  if (parse_integer(text, &days) ? days >= 0 : sound) return;
  parse_error(p, e, a, "Cannot parse historyTimeToLive \"%.60s\": a number of days, or a duration %s P30D", text,
              only_days ? "of days such as" : "such as");
}

static void parse_starters(parser *p, const xml_element *e, definition *d) {
  parse_identity_list(p, e, vendor_attribute(e, "candidateStarterUsers"), &d->starters.users, &d->starters.n_users);
  parse_identity_list(p, e, vendor_attribute(e, "candidateStarterGroups"), &d->starters.groups, &d->starters.n_groups);
  for (const xml_element *s = NULL; (s = extension_next(e, s, "potentialStarter"));)
    parse_assignment_expression(p, s, &d->starters);
}

static void parse_process_attributes(parser *p, const xml_element *e, definition *d) {
  const xml_element *tag = extension_next(e, NULL, "versionTag");
  const xml_element *root = e->parent;
  d->key = d->process->id;
  d->name = d->process->name;
  d->documentation = d->process->documentation;
  d->resource = parse_keep(p, p->resource);
  d->category = vendor_text(p, e, "category");
  if (!d->category) d->category = parse_trimmed(p, xml_value(root, "targetNamespace"));
  d->version_tag = vendor_text(p, e, "versionTag");
  if (!d->version_tag && tag) d->version_tag = parse_trimmed(p, tag->text);
  parse_bool(p, e, xml_attribute_of(e, "isExecutable"), true);
  d->executable = parse_executable(p, e);
  d->startable = vendor_bool(p, e, "isStartableInTasklist", true);
  d->job_priority = d->process->job_priority;
  parse_history_ttl(p, e, d);
  parse_starters(p, e, d);
  int64_t n = 0;
  const char *task_priority = vendor_text(p, e, "taskPriority");
  vendor_expr(p, e, "taskPriority", &d->task_priority);
  if (task_priority && d->task_priority.kind == EXPR_LITERAL && !parse_integer(task_priority, &n))
    parse_error(p, e, vendor_attribute(e, "taskPriority"), "Value \"%.60s\" for attribute 'taskPriority' is not a valid number",
                task_priority);
  if (p->dialect->lengths_checked == LENGTHS_OF_TEXTS && d->documentation && strlen(d->documentation) > 2000)
    parse_error(p, e, NULL, "the documentation has %zu bytes; the limit is 2000", strlen(d->documentation));
}

void parse_process(parser *p, const xml_element *e) {
  p->nodes = p->node_elements = p->flows = p->flow_elements = p->exprs = p->associations = (vector){0};
  definition *d = p->d;
  if (!xml_attribute_of(e, "id")) parse_error(p, e, NULL, "<process> must have an id: the key of its definitions");
  d->process = new_node(p, e, NODE_PROCESS, NULL);
  d->process->exclusive = d->process->exclusive_after = true;
  parse_process_attributes(p, e, d);
  parse_scope(p, e, d->process);
}
