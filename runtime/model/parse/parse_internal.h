/* The parser's inside: a document becomes definitions in four passes.
 *
 *   grammar.c  reports whatever has no business where it stands
 *   parse.c, process.c, and a file for each kind of element
 *              read elements into nodes and flows, in document order, looking at one element (and what it contains)
 *              at a time
 *   link.c     resolves every reference by id, and derives what follows from the shape of the graph
 *   check*.c   hold the finished graph against the rules
 *
 * DESIGN. Problems never stop a pass: each is recorded and the pass goes on with the nearest harmless value, so that a
 * deployer sees all of them at once. Memory running out does stop everything: parse_memory jumps back to model_parse,
 * which may be done because all that was made so far lies in arenas. So nothing here checks an allocation, and nothing
 * here may own anything else. */
#ifndef ORR_PARSE_INTERNAL_H
#define ORR_PARSE_INTERNAL_H

#include <setjmp.h>

#include "model/names.h"
#include "model/parse/grammar.h"
#include "model/parse/parse.h"
#include "model/xml/xml.h"

/* A growing array of pointers, in the scratch arena. */
typedef struct vector {
  void **items;
  uint32_t count, capacity;
} vector;

typedef struct parser {
  jmp_buf out_of_memory;
  orr_arena *arena;   /* what lives on: the current definition's */
  orr_arena *scratch; /* what does not: tree, tables of this parse */
  const model_options *options;
  const char *resource;
  const dialect *dialect;
  problems *problems;
  bool zeebe;   /* it was said that the model is one for Camunda 8 */
  bool lenient; /* inside a process that will not be executed: what would be an error is a warning */

  names ids;                                    /* of all BPMN elements, to the element */
  names messages, signals, errors, escalations, resources; /* root elements by id */

  definition *d;
  vector nodes, node_elements, flows, flow_elements, exprs; /* by index */
  names other_vendors; /* namespaces of which it was said that nobody reads them */
  names left_out; /* ids of elements that were refused whole, and of what stands in them: nothing more is said of them */
  bool *cut;         /* by node index: something led to or from an element that was left out */
  bool *handlers;    /* by node index: associated with a compensation boundary event */
  bool *compensated; /* by node index: has one */
  vector associations;                                      /* their elements */
} parser;

/* ---- Memory */
/* Memory is out: jumps back to where parsing began, which fails. */
void parse_memory(parser *p) __attribute__((noreturn));
void *parse_alloc(parser *p, size_t size); /* cleared, in the definition's arena */
#define PARSE_NEW(p, type) ((type *)parse_alloc((p), sizeof(type)))
#define PARSE_ARRAY(p, type, n) ((type *)parse_alloc((p), sizeof(type) * (size_t)(n)))
const char *parse_keep(parser *p, const char *text);          /* a copy; NULL stays NULL */
const char *parse_trimmed(parser *p, const char *text);       /* a copy without white space around it; NULL or empty: NULL */
const char *parse_printf(parser *p, const char *format, ...) __attribute__((format(printf, 2, 3))); /* in scratch */
/* Is it a legal id: letters, digits, '_', '-' and '.', not beginning with a digit, '-' or '.'? */
bool parse_is_name(const char *text, size_t size);
/* Appends a pointer, in scratch memory; memory that is out ends parsing. */
void vector_add(parser *p, vector *v, const void *item);

/* ---- Problems: at an element, or at one of its attributes (NULL: at the element) */
/* The deployment fails, by `a` (NULL: by `e`); lenient parsing makes it a warning. */
void parse_error(parser *p, const xml_element *e, const xml_attribute *a, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
/* An error even in a process that will not be executed. */
void parse_error_always(parser *p, const xml_element *e, const xml_attribute *a, const char *format, va_list args)
    __attribute__((format(printf, 4, 0)));
/* What the deployer should know of `a` (NULL: of `e`), and what keeps nothing from running. */
void parse_warning(parser *p, const xml_element *e, const xml_attribute *a, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
/* Either, at a place within the element; lenient parsing makes it a warning. */
void parse_report(parser *p, bool warning, const xml_element *e, int line, int column, const char *format, ...)
    __attribute__((format(printf, 6, 7)));

/* ---- Reading */
/* Is it BPMN's element of that name? */
bool is_bpmn(const xml_element *e, const char *name);
/* The first child of that name in BPMN's namespace, or NULL. */
const xml_element *bpmn_child(const xml_element *e, const char *name);
/* The next extension element of that name in the <extensionElements> of `host`, behind `after` (NULL: the first). */
const xml_element *extension_next(const xml_element *host, const xml_element *after, const char *name);
/* The next child of that name inside an extension element, in whichever namespace. */
const xml_element *child_next(const xml_element *e, const xml_element *after, const char *name);
/* An attribute with a vendor's prefix. */
const xml_attribute *vendor_attribute(const xml_element *e, const char *name);
/* An attribute without prefix, else with a vendor's: for extension elements. */
const xml_attribute *any_attribute(const xml_element *e, const char *name);
static inline const char *value_of(const xml_attribute *a) { return a ? a->value : NULL; }
/* Trimmed copies; NULL when absent or empty. */
const char *vendor_text(parser *p, const xml_element *e, const char *name);
/* The same, of BPMN's own attribute or a vendor's. */
const char *any_text(parser *p, const xml_element *e, const char *name);
/* "true" or "false"; anything else is reported. */
bool parse_bool(parser *p, const xml_element *e, const xml_attribute *a, bool otherwise);
/* `otherwise` when it is not given. */
bool vendor_bool(parser *p, const xml_element *e, const char *name, bool otherwise);
/* A whole number with an optional sign, and nothing else; false: it is none, or too large. */
bool parse_integer(const char *text, int64_t *out);

/* ---- Expressions and scripts: expression.c */
typedef struct text_source { /* a text and its place */
  const xml_element *element;
  const xml_attribute *attribute; /* NULL: the element's text */
  const char *text;
  int line, column;
} text_source;
/* The attribute's (NULL: no text) value and place. */
text_source source_of_attribute(const xml_element *e, const xml_attribute *a);
/* The element's own text and place. */
text_source source_of_text(const xml_element *e);
void parse_expr(parser *p, const text_source *s, expr *out);                       /* literal text or expression; empty: NONE */
void parse_literal(parser *p, const text_source *s, expr *out);                    /* the text as it stands, spaces included */
/* The same of an attribute; NULL: empty. */
void parse_expr_attribute(parser *p, const xml_element *e, const xml_attribute *a, expr *out);
/* A vendor's attribute as an expression; empty when it is not given. */
void vendor_expr(parser *p, const xml_element *e, const char *name, expr *out);
void parse_expr_text(parser *p, const xml_element *e, expr *out);             /* e may be NULL */
void parse_condition(parser *p, const xml_element *e, expr *out);             /* with language= and resource= */
/* A script: `format` (NULL: not given) says its language, `resource` (may be NULL) where it lies. */
void parse_script(parser *p, const text_source *s, const xml_attribute *format, const xml_attribute *resource, expr *out);
void parse_text_literal(parser *p, const char *text, int line, expr *out);    /* a literal that the parser made */

/* ---- Parts: implementation.c, mapping.c, loop.c, assignment.c */
typedef enum implementation_host { HOST_TASK, HOST_MESSAGE, HOST_LISTENER } implementation_host;
/* class, expression, delegateExpression, type, script: at most one, else a problem. */
void parse_implementation(parser *p, const xml_element *e, implementation_host host, implementation *out);
/* Those of a host, in document order; `on_flow`: of a sequence flow, whose only event is take. */
void parse_execution_listeners(parser *p, const xml_element *e, bool on_flow, listeners *out);
/* Those of a user task. */
void parse_task_listeners(parser *p, const xml_element *e, listeners *out);
/* <inputOutput>: the parameters of n->inputs and n->outputs. */
void parse_io_mapping(parser *p, const xml_element *e, node *n);
/* <connector>: its id as a field, its parameters. */
void parse_connector(parser *p, const xml_element *connector, implementation *out);
/* The <in> or <out> elements of a host, `n` of them; NULL when there are none. */
const call_mapping *parse_mappings(parser *p, const xml_element *host, const char *name, uint32_t *n);
/* <dataInputAssociation> or <dataOutputAssociation>s of a call activity, added to the mappings that there are. */
void parse_associations(parser *p, const xml_element *activity, const char *name, const call_mapping **mappings, uint32_t *n);
/* Multi-instance or standard loop, if the activity has one. */
void parse_loops(parser *p, const xml_element *e, node *n);
/* <properties>, as extension properties of the node. */
void parse_properties(parser *p, const xml_element *e, node *n);
/* The same of an element (NULL: none) that holds <property> elements. */
void parse_property_list(parser *p, const xml_element *box, const struct property **out,
                         uint32_t *n);
/* The users or groups of an attribute (NULL: none), separated by commas, each an expression. */
void parse_identity_list(parser *p, const xml_element *e, const xml_attribute *a, const expr **out, uint32_t *n);
/* <resourceAssignmentExpression>: adds user(…) and group(…) to the links. */
void parse_assignment_expression(parser *p, const xml_element *e, identity_links *out);
/* What a user task has besides listeners and mappings, into n->user. */
void parse_user_task(parser *p, const xml_element *e, node *n);
/* form.c: the form of a user task or a start event, its fields or its reference, into n->form. */
void parse_form(parser *p, const xml_element *e, node *n);
/* The same for service, send, script and business rule tasks, into n->service. */
void parse_service_task(parser *p, const xml_element *e, node *n);
/* The same for call activities, into n->call. */
void parse_call_activity(parser *p, const xml_element *e, node *n);
/* web_service.c: false when it is no web service task. */
bool parse_web_service(parser *p, const xml_element *e, implementation *out);
/* rules.c: false when it is no task with rules beside it. */
bool parse_rules(parser *p, const xml_element *e, service_task *s);

/* ---- Events: event.c, timer.c */
/* An event's one definition and what it refers to, into n->event; a second one is reported. */
void parse_event(parser *p, const xml_element *e, node *n);
/* A data object's name, type and first value; a type that is not known is a string's, with a
 * warning. */
void parse_data_object(parser *p, const xml_element *e, data_object *out);
/* A timer's date, duration or cycle; exactly one must be given. What is literal is checked. */
void parse_timer(parser *p, const xml_element *e, timer *out);
void parse_calendar(parser *p, const xml_element *e, expr *out); /* businessCalendarName */
/* The message that an event or a receive task names, and its name. */
void parse_message_reference(parser *p, const xml_element *e, node *n, event_definition *out);
/* The code that an error event throws or catches, and the variables that it fills. */
void parse_error_reference(parser *p, const xml_element *e, event_definition *out);
/* <failedJobRetryTimeCycle>, empty when there is none or it is wrong, which is reported. */
void parse_retry_cycle(parser *p, const xml_element *host, expr *out);

/* ---- Processes: process.c */
void parse_process(parser *p, const xml_element *e); /* into p->d */
/* Problems of a process that is not executed are warnings, unless the dialect wants every process in order. */
bool parse_lenient(const parser *p, const xml_element *process);
bool parse_executable(const parser *p, const xml_element *process); /* as it says itself, or else the dialect */

/* ---- Later passes */
/* The element that a node was read from. */
const xml_element *element_of(const parser *p, const node *n);
/* The element that a sequence flow was read from. */
const xml_element *element_of_flow(const parser *p, const flow *f);
/* Resolves references between nodes, flows and scopes; what is not there is reported. */
void link_definition(parser *p);
/* Judges the whole: reachability, starts, activities, gateways, events. */
void check_definition(parser *p);
/* Judges the events of a scope, or one event. */
void check_events(parser *p, const node *n);
/* Judges those of an activity, and that no two of them catch the same. */
void check_boundary_events(parser *p, const node *activity);
/* Judges whether no two events behind an event-based gateway catch the same. */
void check_gateway_events(parser *p, const node *gateway);

/* How a message calls a node: "exclusiveGateway 'gw'". */
const char *node_label(parser *p, const node *n);

#endif
