/* A process definition: the immutable graph that parsing makes and the interpreter walks.
 *
 * Everything lives in one arena and is freed with the last reference. Nodes, flows and expressions have dense indexes, so
 * records store a number instead of a name and script hosts cache compiled code in an array. Node 0 is the process itself.
 * Threads share definitions without locks: nothing here changes after link. */
#ifndef ORR_DEFINITION_H
#define ORR_DEFINITION_H

#include <stdarg.h>

#include "base/arena.h"
#include "base/error.h"
#include "model/dialect.h"

typedef struct definition definition;
typedef struct node node;
typedef struct flow flow;

/* ---- Expressions and scripts ----------------------------------------------------------------- */

typedef enum expr_kind {
  EXPR_NONE = 0,
  EXPR_LITERAL,  /* plain text: `text` is the value */
  EXPR_VARIABLE, /* ${name}: `name`; the core looks it up without a script host */
  EXPR_CODE,     /* UEL compiled to Lua in `code` */
  EXPR_SCRIPT,   /* Lua as it stands in `code`: a script, or a condition with language="lua" */
  /* Scripts known only when they are reached: what `code` (compiled UEL; none: `text` itself) gives is */
  EXPR_SCRIPT_TEXT,     /* the Lua text itself */
  EXPR_SCRIPT_RESOURCE, /* where it lies: "deployment://x.lua" */
} expr_kind;

typedef struct expr {
  expr_kind kind;
  uint32_t index;       /* in definition.exprs: the script host's cache slot */
  const char *text;     /* as written in the model (trimmed) */
  size_t size;
  const char *name;     /* EXPR_VARIABLE: registered name or variable */
  const char *code;     /* Lua text; VARIABLE: for names that are no variable but a bean or `execution` */
  size_t code_size;
  int line;             /* in the resource */
  const char *const *names; /* free root identifiers: which variables a condition depends on */
  uint32_t n_names;
} expr;

static inline bool expr_given(const expr *e) { return e && e->kind != EXPR_NONE; }

typedef struct field {
  const char *name;
  expr value;
} field;

/* camunda:inputOutput, and the right-hand sides of its parameters */
typedef struct parameter_value {
  enum { PARAMETER_EXPR, PARAMETER_LIST, PARAMETER_MAP } kind;
  expr value;                           /* EXPR: text, expression or script */
  const struct parameter_value *items;  /* LIST, MAP */
  const expr *keys;                     /* MAP */
  uint32_t count;
} parameter_value;

typedef struct parameter {
  const char *name;
  parameter_value value;
} parameter;

/* class="…" | expression="…" | delegateExpression="…" | script | type="…": one shape for tasks and listeners. */
typedef enum implementation_kind {
  IMPLEMENTATION_NONE = 0,
  IMPLEMENTATION_CLASS,      /* value: a registered name or module */
  IMPLEMENTATION_EXPRESSION, /* value is evaluated; its value is the result */
  IMPLEMENTATION_DELEGATE,   /* value gives the delegate */
  IMPLEMENTATION_SCRIPT,     /* value is Lua */
  IMPLEMENTATION_TYPE,       /* type_name: a registered or built-in task type */
  IMPLEMENTATION_EXTERNAL,   /* an external worker's task: topic */
} implementation_kind;

typedef struct implementation {
  implementation_kind kind;
  expr value;
  const char *type_name;
  const field *fields;
  uint32_t n_fields;
  const parameter *inputs, *outputs; /* a connector's */
  uint32_t n_inputs, n_outputs;
  expr language;             /* of a listener's script, where an expression gives it: it must come to lua */
} implementation;

typedef enum listener_event { /* execution: start end take; task: the rest */
  LISTENER_START = 1, LISTENER_END, LISTENER_TAKE,
  LISTENER_CREATE, LISTENER_ASSIGNMENT, LISTENER_COMPLETE, LISTENER_DELETE, LISTENER_UPDATE, LISTENER_TIMEOUT,
  LISTENER_ALL, /* task listeners with event="all" */
} listener_event;

typedef struct listener {
  listener_event event;
  implementation run;
  const char *id;
  struct timer *timer; /* timeout listeners */
  expr result;         /* the variable that takes what its script gives */
  bool stores_assignments; /* its script's globals become variables */
} listener;

typedef struct listeners {
  const listener *items;
  uint32_t count;
} listeners;

/* ---- Events ---------------------------------------------------------------------------------- */

typedef enum event_type {
  EVENT_NONE = 0, EVENT_TIMER, EVENT_MESSAGE, EVENT_SIGNAL, EVENT_ERROR, EVENT_ESCALATION, EVENT_CONDITIONAL, EVENT_COMPENSATE,
  EVENT_CANCEL, EVENT_LINK, EVENT_TERMINATE,
} event_type;

typedef struct timer {
  expr date, duration, cycle; /* exactly one */
  expr calendar;              /* businessCalendarName */
  expr end_date;
} timer;

typedef struct call_mapping call_mapping;

typedef struct event_definition {
  event_type type;
  const char *ref;             /* id of the message, signal, error, escalation as referred to */
  /* message, signal or link name; error or escalation code (literal or expression; NONE: catch-all) */
  expr name;
  timer timer;
  expr condition;              /* conditional */
  const char *condition_variable;   /* camunda:variableName */
  const char *const *condition_events; /* variableEvents: create update delete */
  uint32_t n_condition_events;
  bool codeless;               /* refers to an <error> without a code */
  bool signal_instance_scope;  /* scope="processInstance" */
  bool async;                  /* a thrown signal is delivered by jobs */
  bool terminate_all;
  const char *code_variable;   /* errorCodeVariable, escalationCodeVariable */
  const char *message_variable;
  const char *error_variable;  /* flowable:errorVariableName, for the code too, */
  bool error_variable_local, error_variable_transient; /* which says where and for how long it stands */
  expr error_message;          /* camunda:errorMessage of <error> */
  const char *activity_ref;    /* compensation */
  bool passes_on;              /* compensation, thrown: the thrower does not wait for it */
  node *activity;              /* resolved */
  implementation run;          /* message throw events: an implementation */
  const call_mapping *in;      /* camunda:in on signal events; flowable:in on error catch events */
  uint32_t n_in;
  const call_mapping *out;     /* flowable:out on error and escalation throw events */
  uint32_t n_out;
  bool terminate_multi;        /* terminateMultiInstance */
  int line;
} event_definition;

/* ---- Activities ------------------------------------------------------------------------------ */

struct call_mapping { /* <in>, <out> */
  const char *source, *target;
  expr source_expression, target_expression, business_key;
  bool all, local, transient;
};

typedef enum call_binding { CALL_LATEST, CALL_DEPLOYMENT, CALL_VERSION, CALL_VERSION_TAG } call_binding;

typedef struct multi_instance {
  bool sequential;
  expr cardinality;
  expr collection;               /* expression giving an array, or a variable's name (EXPR_LITERAL) */
  const char *collection_string; /* a literal list for a collection handler, or NULL */
  implementation handler;        /* collection handler */
  const char *element_variable, *element_index_variable;
  expr completion_condition;
  bool async_before, async_after; /* of each inner instance */
  bool exclusive;
  expr retry_cycle, retry_strategy; /* of each inner instance's jobs */
  const struct aggregation *aggregations; /* flowable:variableAggregation */
  uint32_t n_aggregations;
} multi_instance;

typedef struct aggregation {
  const char *target;
  expr target_expression;
  implementation run;
  bool create_overview, transient;
  const struct aggregation_variable { const char *source, *target; expr source_expression; } *variables;
  uint32_t n_variables;
} aggregation;

typedef struct standard_loop {
  bool test_before;
  int64_t maximum; /* 0: none */
  expr condition;
} standard_loop;

typedef struct data_object {
  const char *id, *name, *type; /* xsd local name: string boolean datetime double int long */
  expr value;
} data_object;

typedef struct exception_mapping { /* <mapException> */
  const char *error_code; /* NULL: any */
  const char *type;       /* class name; NULL: default map */
  const char *root_cause;
  bool include_children;
} exception_mapping;

typedef struct exception_mappings {
  const exception_mapping *items;
  uint32_t count;
} exception_mappings;

typedef struct identity_links { /* users or groups, as literals or expressions that give a text or an array */
  const expr *users, *groups;
  uint32_t n_users, n_groups;
} identity_links;

typedef struct custom_link {
  const char *type;
  identity_links who;
} custom_link;

typedef struct user_task {
  expr assignee, owner, due, follow_up, priority, category, form_key, name, description;
  identity_links candidates;
  const custom_link *links;
  uint32_t n_links;
  listeners listeners;
  expr calendar;                                /* businessCalendarName of the due date */
  expr id_variable, completer_variable; /* taskIdVariableName, taskCompleterVariableName */
} user_task;

/* Service, send, business rule and script tasks; also message throw and end events that have an implementation. */
typedef struct service_task {
  implementation run;
  const char *result_variable;
  expr result_variable_expression;
  bool result_local, result_transient, auto_store_variables;
  bool triggerable;
  int64_t timeout_ms;                     /* of what it runs, on an executor's thread; 0: as the executor says */
  expr timeout;                           /* the same, where an expression says it for each call */
  exception_mappings exceptions;
  expr topic, task_priority;              /* external */
  const struct external_error { event_definition event; expr condition; } *external_errors; /* camunda:errorEventDefinition */
  uint32_t n_external_errors;
  bool external_skip_variables;           /* flowable: doNotIncludeVariables */
  const call_mapping *external_in, *external_out; /* flowable external worker parameters */
  uint32_t n_external_in, n_external_out;
} service_task;

typedef struct call_activity {
  expr called;                 /* key, or id when by_id */
  bool by_id;
  bool not_bpmn;               /* camunda:caseRef and the like: unsupported */
  call_binding binding;
  expr version, version_tag, tenant, business_key;
  bool inherit_variables, inherit_business_key, fallback_default_tenant, complete_async, same_deployment, output_local;
  expr id_variable;            /* flowable:processInstanceIdVariableName */
  const call_mapping *in, *out;
  uint32_t n_in, n_out;
  exception_mappings exceptions; /* of what the called process raises */
  implementation mapper;       /* variableMappingClass / DelegateExpression */
} call_activity;

/* ---- The graph ------------------------------------------------------------------------------- */

typedef enum node_type {
  NODE_PROCESS = 0, NODE_SUB_PROCESS, NODE_EVENT_SUB_PROCESS, NODE_TRANSACTION,
  NODE_START_EVENT, NODE_END_EVENT, NODE_CATCH_EVENT, NODE_THROW_EVENT, NODE_BOUNDARY_EVENT,
  NODE_EXCLUSIVE_GATEWAY, NODE_PARALLEL_GATEWAY, NODE_INCLUSIVE_GATEWAY, NODE_EVENT_GATEWAY,
  NODE_TASK, NODE_MANUAL_TASK, NODE_USER_TASK, NODE_SERVICE_TASK, NODE_SEND_TASK, NODE_RECEIVE_TASK, NODE_SCRIPT_TASK,
  NODE_BUSINESS_RULE_TASK, NODE_CALL_ACTIVITY,
  NODE_TYPES
} node_type;

struct flow {
  uint32_t index;
  const char *id, *name;
  node *source, *target;
  expr condition;      /* NONE: unconditional */
  expr skip;           /* flowable:skipExpression */
  listeners listeners; /* take */
  int line;
};

struct node {
  uint32_t index;
  node_type type;
  const char *element;     /* BPMN element name, as history rows show it: "userTask" */
  const char *id, *name;
  expr name_expr;
  const char *documentation;
  int line;
  node *scope;             /* enclosing process or sub-process; NULL for the process */
  node **children;         /* of a scope: its nodes in document order */
  uint32_t n_children;
  bool joins;              /* of an inclusive gateway: tokens may have to wait at it for others */
  bool joins_inclusively;  /* of a scope: there is one in it */
  node *start;             /* of a scope: its none start event, or the only start event of an event sub-process */
  node **event_subprocesses; /* of a scope */
  uint32_t n_event_subprocesses;
  node **boundary;         /* of an activity: boundary events attached to it, in document order */
  uint32_t n_boundary;
  node *attached_to;       /* of a boundary event */
  node *compensation_handler; /* of an activity with a compensation boundary event */
  bool for_compensation;
  flow **incoming, **outgoing;
  uint32_t n_incoming, n_outgoing;
  flow *default_flow;
  bool interrupting;       /* boundary events (cancelActivity), start events of event sub-processes (isInterrupting) */
  bool triggered_by_event; /* event sub-processes */
  expr skip;               /* flowable:skipExpression of a task, or of a message throw event's implementation */
  bool instantiate;        /* receive tasks; unsupported when true */
  event_definition event;  /* events, and receive tasks with a messageRef; send tasks */
  node *link_target;       /* throw link */

  bool async_before, async_after, exclusive; /* exclusive: true unless switched off */
  bool exclusive_after;                      /* of the job behind the activity */
  expr job_priority, retry_cycle;
  expr limit_key;          /* its jobs count against the limit of this name; job/limit.h */
  expr retry_strategy;        /* names what decides after a failure; job/strategy.h */
  const char *initiator;   /* start events */
  const char *form_key;    /* start events */
  const struct form *form; /* user tasks and start events: model/form.h; NULL: none */
  listeners listeners;     /* execution listeners: start, end */
  const parameter *inputs, *outputs;
  uint32_t n_inputs, n_outputs;
  multi_instance *multi;   /* NULL: none */
  standard_loop *loop;     /* NULL: none */
  const data_object *data_objects; /* of scopes */
  uint32_t n_data_objects;
  /* entering opens a scope: io mapping, boundary events, sub-process, data objects, multi-instance, ... */
  bool needs_scope;

  union {                  /* by type */
    user_task *user;
    service_task *service;
    call_activity *call;
  };
  const struct property { const char *name, *value; } *properties; /* camunda:properties */
  uint32_t n_properties;
};

struct definition {
  orr_arena *arena;
  uint32_t references;     /* atomic */
  const dialect *dialect;  /* the column of model/dialect.def that this model behaves by */

  orr_id id, deployment_id; /* set when loaded from or written to the store */
  int64_t version;
  const char *key, *name, *resource, *tenant, *category, *version_tag, *documentation;
  bool executable, startable;
  expr job_priority;       /* process level */
  expr task_priority;      /* of its external tasks */
  identity_links starters;
  const char *history_time_to_live;
  bool waits_for_conditions; /* there are conditional events other than the process's start events */

  node *process;           /* nodes[0] */
  node **nodes;
  uint32_t n_nodes;
  flow **flows;
  uint32_t n_flows;
  const expr **exprs;
  uint32_t n_exprs;
  const struct names *node_ids, *flow_ids;
};

/* All definitions of one resource, with what was found wrong. */
typedef struct problem {
  const char *resource;
  int line, column;
  const char *element; /* id, or element name when it has none */
  const char *message; /* what is wrong, and what would be right */
  bool warning;
  uint32_t more; /* of its kind, which are not in the list */
  const struct problem_kind *kind;
} problem;

/* what problems with one format and of one weight have in common: how many there are */
typedef struct problem_kind problem_kind;

typedef struct problems {
  orr_arena *arena;
  problem *items;
  problem_kind *kinds;
  /* at most ORR_PROBLEMS_MAX are kept, of a kind at most ORR_PROBLEMS_OF_KIND_MAX; `errors` counts on */
  uint32_t count, errors;
  bool out_of_memory;     /* a problem could not be kept whole */
} problems;

typedef struct problem_place {
  const char *resource;
  int line, column;    /* 0: not known */
  const char *element; /* may be NULL */
} problem_place;

/* Counts a problem, and keeps it if there is room for one of its kind: copies of its texts in the list's arena. */
void problems_add(problems *list, bool warning, const problem_place *at, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
/* The same with the arguments of a caller's format. */
void problems_add_list(problems *list, bool warning, const problem_place *at, const char *format, va_list args)
    __attribute__((format(printf, 4, 0)));
/* Would one more of this kind be kept? Spares the caller what costs much to say. */
bool problems_want(problems *list, bool warning, const char *format);
/* When all have been added: the last that is kept of a kind tells how many more there are. */
void problems_count_kinds(problems *list);
/* Those with this format are what others follow from: they are told before these. */
void problems_are_causes(problems *list, const char *format);
/* Puts those from the place `from` on in order: causes first, then by their places in the text. */
void problems_sort(problems *list, uint32_t from);

/* One more that uses it; returns it. Any thread. */
definition *definition_retain(definition *d);
/* One less; the last frees it. NULL is fine. Any thread. */
void definition_release(definition *d);

/* NULL when there is none. */
node *definition_node(const definition *d, const char *id);
/* The same for sequence flows. */
flow *definition_flow(const definition *d, const char *id);

static inline bool node_is_scope(const node *n) { return n->type <= NODE_TRANSACTION; }
static inline bool node_is_activity(const node *n) { return n->type >= NODE_TASK || (n->type >= NODE_SUB_PROCESS &&
                                                    n->type <= NODE_TRANSACTION); }
static inline bool node_is_gateway(const node *n) { return n->type >= NODE_EXCLUSIVE_GATEWAY && n->type <= NODE_EVENT_GATEWAY; }
/* "timer", "message", ...; "none" for EVENT_NONE. */
const char *event_type_name(event_type type);
/* A businessCalendarName that needs no registered table. */
bool calendar_is_built_in(const char *name);

#endif
