/* BPMN errors and escalations: searching outwards for a catcher.
 *
 * The search goes from the token to its scope, to the scope around that, and from a called instance
 * to the calling token. In each scope event sub-processes come before boundary events, and among
 * catchers of one kind an exact code comes before one that names none. The dialect decides whether
 * an event sub-process catches what is thrown inside it. */
#include "exec/event/propagation.h"

#include <inttypes.h>
#include <string.h>

#include "base/builder.h"
#include "base/value.h"
#include "engine/engine.h"
#include "exec/event/subscription.h"
#include "exec/node/behavior.h"
#include "exec/node/call_activity.h"
#include "exec/token.h"
#include "exec/branch_queue.h"
#include "state/event_payload.h"
#include "state/expression.h"
#include "state/variable.h"

/* A call with a variable mapper that the search has left; the innermost first. */
typedef struct crossed {
  struct crossed *outer;
  orr_id caller;
  orr_value called; /* the called instance's variables then */
} crossed;

typedef struct thrown {
  event_type type;          /* EVENT_ERROR or EVENT_ESCALATION */
  const char *code;
  const orr_value *types;   /* of a raised table */
  bool by_type_only;        /* a plain script failure: only an <error> that names its type catches it */
  const char *matched_type; /* the type that an <error> named */
  bool out;                 /* it has left the instance that raised it */
  bool stands;              /* its thrower does nothing more until it is caught */
  orr_id by;                /* its thrower; beyond a call, the calling token */
  crossed *calls, *last_call;
} thrown;

typedef struct catcher {
  const node *event; /* NULL: nobody */
  orr_id scope;      /* of the activity or scope it belongs to */
} catcher;

/* ---- Matching -------------------------------------------------------------------------------- */

static bool has_type(const orr_value *types, const char *name) {
  if (!types) return false;
  orr_iterator it = orr_iterate(types);
  orr_value type;
  while (orr_next(&it, NULL, &type))
    if (value_is_text(&type, name)) return true;
  return false;
}

static int catches(context *c, const node *event, orr_id scope_id, thrown *t, bool any, bool *out) {
  *out = false;
  if (event->event.type != t->type) return 0;
  const char *code = NULL;
  int rc = expr_given(&event->event.name) ? expr_text(c, &event->event.name, scope_id, event, &code) : 0;
  if (rc) return rc;
  bool open = !code || !*code;
  if (any) *out = open && !t->by_type_only;
  else if (!open) {
    bool typed = has_type(t->types, code);
    *out = typed || (!t->by_type_only && (!t->code || strcmp(code, t->code) == 0));
    if (*out && t->by_type_only) t->matched_type = code;
  }
  return 0;
}

/* Searches the events of this type that belong to `scope_id`. A boundary event inside an event
 * sub-process belongs to its activity there. */
static int search_list(context *c, node *const *events, uint32_t n, node_type type, orr_id scope_id,
                       thrown *t, bool any, catcher *found) {
  for (uint32_t i = 0; i < n; i++) {
    bool match;
    if (events[i]->type != type) continue;
    int rc = catches(c, events[i], scope_id, t, any, &match);
    if (rc) return rc;
    if (!match) continue;
    found->event = events[i];
    found->scope = scope_id;
    return 0;
  }
  return 0;
}

static int search_event_subprocesses(context *c, const node *in, orr_id scope_id, const node *from, thrown *t, catcher *found) {
  for (int any = 0; any <= 1; any++)
    for (uint32_t i = 0; i < in->n_event_subprocesses; i++) {
      const node *event_subprocess = in->event_subprocesses[i];
      if (event_subprocess == from) continue;
      int rc = search_list(c, event_subprocess->children, event_subprocess->n_children,
                           NODE_START_EVENT, scope_id, t, any, found);
      if (rc || found->event) return rc;
    }
  return 0;
}

/* Boundary events that were disarmed, or never armed, catch nothing. */
static bool bound(const dialect *say, const rec_execution *e, const node *activity, const thrown *t) {
  if (e->kind != EXECUTION_TOKEN && e->kind != EXECUTION_MULTI_BODY) return false;
  if (activity->type == NODE_EVENT_SUB_PROCESS && !say->event_subprocess_boundary) return false;
  return t->type == EVENT_ERROR || !(e->flags & ORR_SCOPE_UNBOUND);
}

static int search_boundary(context *c, const node *activity, orr_id scope_id, thrown *t, catcher *found) {
  for (int any = 0; any <= 1; any++) {
    int rc = search_list(c, activity->boundary, activity->n_boundary, NODE_BOUNDARY_EVENT, scope_id,
                         t, any, found);
    if (rc || found->event) return rc;
  }
  return 0;
}

/* ---- Searching ------------------------------------------------------------------------------- */

/* Searches one token, as a scope and as an activity. `own`: its own boundary events may catch. */
static int search_token(context *c, rec_execution *e, const node *from, bool own, thrown *t, catcher *found) {
  const definition *d = context_definition_of(c, e->id, &c->error);
  if (!d) return c->error.code;
  const node *n = d->nodes[e->node - 1];
  int rc = 0;
  bool contains = node_is_scope(n) && e->kind != EXECUTION_MULTI_BODY && e->kind != EXECUTION_COMPENSATION;
  if (contains && own) rc = search_event_subprocesses(c, n, e->id, from, t, found);
  if (rc || found->event || !own) return rc;
  return bound(d->dialect, e, n, t) ? search_boundary(c, n, e->id, t, found) : 0;
}

/* From the root scope to the token that called the instance; *e NULL: no call activity did. */
static int cross_call(context *c, orr_id instance_id, rec_execution **e) {
  rec_instance *instance = context_instance(c, instance_id, &c->error);
  *e = NULL;
  if (!instance) return c->error.code;
  if (instance->super_execution) *e = execution_get(c, instance->super_execution);
  return c->error.code;
}

static int note_crossed(context *c, thrown *t, const rec_execution *caller) {
  orr_value called;
  int rc = call_mapper_sees(c, caller, &called);
  if (rc || called.type == ORR_NIL) return rc;
  crossed *call = ARENA_NEW(c->arena, crossed);
  if (!call) return context_memory(c);
  *call = (crossed){NULL, caller->id, called};
  *(t->last_call ? &t->last_call->outer : &t->calls) = call;
  t->last_call = call;
  return 0;
}

static int search_root(context *c, orr_id instance_id, const node *from, thrown *t, catcher *found) {
  definition *d = context_definition_of(c, instance_id, &c->error);
  return d ? search_event_subprocesses(c, d->process, instance_id, from, t, found) : c->error.code;
}

/* By dialect, an escalation passes no variables. */
static int hand_over(context *c, rec_execution *caller, const thrown *t) {
  const definition *d = context_definition_of(c, caller->id, &c->error);
  if (!d) return c->error.code;
  bool maps = t->type == EVENT_ERROR || d->dialect->escalation_maps_outputs;
  return maps ? call_map_outputs(c, caller) : 0;
}

static int search(context *c, orr_id start, bool own, thrown *t, catcher *found) {
  *found = (catcher){0};
  const node *from = NULL;
  rec_execution *e = orr_id_local(start) == 1 ? NULL : execution_get(c, start);
  orr_id root = orr_id_instance(start);
  int rc = c->error.code;
  while (!rc) {
    if (e) {
      rc = search_token(c, e, from, own, t, found);
      if (rc || found->event) return rc;
      own = true;
      const definition *d = context_definition_of(c, e->id, &c->error);
      if (!d) return c->error.code;
      const node *n = d->nodes[e->node - 1];
      from = n->type == NODE_EVENT_SUB_PROCESS && !d->dialect->event_subprocess_catches_itself ? n : NULL;
      orr_id parent = e->parent;
      e = orr_id_local(parent) == 1 ? NULL : execution_get(c, parent);
      rc = c->error.code;
      continue;
    }
    rc = search_root(c, root, from, t, found);
    if (rc || found->event) return rc;
    rc = cross_call(c, root, &e);
    if (rc || !e) return rc;
    t->out = true;
    t->by = e->id;
    rc = hand_over(c, e, t); /* whether or not it is caught, the caller gets the outputs so far */
    if (!rc) rc = note_crossed(c, t, e);
    root = orr_id_instance(e->id);
    from = NULL;
  }
  return rc;
}

/* ---- Catching -------------------------------------------------------------------------------- */

static void add_error_text(orr_builder *b, const char *name, const char *text) {
  if (name) orr_builder_put(b, name, text ? orr_string(text) : orr_null());
}

/* While a mapper awaited, others may have canceled the catcher, with everything in it. */
static int op_catch(context *c, operation *op) {
  const rec_execution *e = NULL;
  if (orr_id_local(op->execution) == 1) {
    if (!unit_instance(c->u, op->execution, &c->error)) return c->error.code;
  } else {
    e = execution_get(c, op->execution);
    if (!e) return c->error.code;
  }
  if (e && e->state == EXECUTION_CANCELING) return 0;
  return catch_event(c, op->execution, op->node, &op->value);
}

/* Others that were queued before may have taken the activity away. */
static int op_catch_queued(context *c, operation *op) {
  const rec_execution *activity = execution_get(c, op->execution);
  bool there = activity && activity->state != EXECUTION_CANCELING;
  return there ? catch_event(c, op->execution, op->node, &op->value) : c->error.code;
}

/* The child of the scope on the way to the thrower; 0: there is none, or it is the scope itself. */
static int branch_of(context *c, orr_id thrower, orr_id scope_id, orr_id *out) {
  *out = 0;
  const rec_execution *e = orr_id_local(thrower) == 1 ? NULL : execution_get(c, thrower);
  while (e && e->parent != scope_id)
    e = orr_id_local(e->parent) == 1 ? NULL : execution_get(c, e->parent);
  if (e) *out = e->id;
  return c->error.code;
}

/* By dialect, an error that an event sub-process of an embedded sub-process catches ends only the
 * branch that threw it. *done: it is so, and done. */
static int catch_in_branch(context *c, const thrown *t, const catcher *found,
                           const orr_value *learned, bool *done) {
  const node *event = found->event;
  event_start how = {.listens = true};
  bool embedded = event->type == NODE_START_EVENT && orr_id_local(found->scope) != 1;
  *done = embedded && t->type == EVENT_ERROR;
  const definition *d = *done ? context_definition_of(c, found->scope, &c->error) : NULL;
  *done = d && !d->dialect->error_start_ends_all;
  int rc = *done ? branch_of(c, t->by, found->scope, &how.branch) : c->error.code;
  *done = *done && how.branch;
  return rc || !*done ? rc : event_subprocess_start(c, found->scope, event, learned, how);
}

/* Where branches are queued, the catch by a boundary event is, too. */
static int catch_found(context *c, const thrown *t, const catcher *found,
                       const orr_value *learned) {
  bool waits = t->stands && found->event->type == NODE_BOUNDARY_EVENT && branches_wait(c);
  const definition *d = waits ? context_definition_of(c, found->scope, &c->error) : NULL;
  if (c->error.code) return c->error.code;
  bool done = false;
  int rc = catch_in_branch(c, t, found, learned, &done);
  if (rc || done) return rc;
  if (!d || !d->dialect->branches_take_turns)
    return catch_event(c, found->scope, found->event, learned);
  operation later = {.run = op_catch_queued, .execution = found->scope};
  later.node = found->event;
  later.value = *learned;
  return branch_queue_add(c, &later, 0);
}

/* Catching moves the calling token away, so the mappers come first. */
static int catch_after_mappers(context *c, const thrown *t, const catcher *found, const orr_value *learned) {
  int rc = 0;
  for (const crossed *call = t->calls; !rc && call; call = call->outer) rc = call_plan_mapper(c, call->caller, &call->called);
  operation *op = rc ? NULL : agenda_plan(c, op_catch, found->scope);
  if (!op) return c->error.code;
  op->node = found->event;
  op->value = *learned;
  return 0;
}

/* A local variable of a start event is set in its event sub-process, any other where the event
 * is. */
static bool in_subprocess(const node *event) {
  return event->type == NODE_START_EVENT && event->event.error_variable_local && !event->event.error_variable_transient;
}

/* The scope around a boundary event's activity, or of an event sub-process. 0: c->error. */
static orr_id level_around(context *c, const catcher *found) {
  if (found->event->type != NODE_BOUNDARY_EVENT) return found->scope;
  const rec_execution *activity = execution_get(c, found->scope);
  return activity ? activity->parent : 0;
}

static int set_error_variable(context *c, const catcher *found, const char *code) {
  const event_definition *event = &found->event->event;
  if (!event->error_variable || in_subprocess(found->event)) return 0;
  orr_value value = code ? orr_string(code) : orr_null();
  orr_id at = level_around(c, found);
  if (!at) return c->error.code;
  if (event->error_variable_transient)
    return variable_set_transient(c, at, event->error_variable, &value, event->error_variable_local);
  return event->error_variable_local ? variable_set_local(c, at, event->error_variable, &value)
                                     : variable_set(c, at, event->error_variable, &value);
}

/* Sets it outside of the catcher's own scope, so that it outlives what was caught: later decisions
 * of the process depend on it. */
static int set_error_text(context *c, const catcher *found, const char *name, const char *text) {
  if (!name) return 0;
  orr_value value = text ? orr_string(text) : orr_null();
  orr_id at = level_around(c, found);
  return at ? variable_set(c, at, name, &value) : c->error.code;
}

/* A suspended caller holds up what its called instances raise, and their ends. */
static int refuse_suspended_catcher(context *c, const thrown *t, const catcher *found) {
  if (!t->out) return 0;
  const rec_instance *caller = context_instance(c, found->scope, &c->error);
  if (!caller || !caller->suspended) return c->error.code;
  c->held_by = caller->id;
  return context_error(c, ORR_E_SUSPENDED, "process instance %" PRIu64 " cannot catch anything at \"%s\": it is suspended",
                       caller->id, found->event->id);
}

/* What the mappings of an error catcher can use: what the thrower sent and, under names that it did
 * not use, the error itself. */
static int offer_error(context *c, const char *code, const char *message, const orr_value *sent, orr_value *out) {
  const orr_value code_value = code ? orr_string(code) : orr_null(), message_value = message ? orr_string(message) : orr_null();
  orr_builder *b = builder_new(&c->engine->env.allocator);
  if (!b) return context_memory(c);
  orr_builder_map(b);
  orr_value key, value;
  orr_iterator it = orr_iterate(sent);
  while (orr_next(&it, &key, &value)) {
    orr_builder_key(b, key.as.bytes, key.size);
    orr_builder_add(b, &value);
  }
  if (orr_map_get(sent, "errorCode").type == ORR_NIL) orr_builder_put(b, "errorCode", code_value);
  if (orr_map_get(sent, "errorMessage").type == ORR_NIL) orr_builder_put(b, "errorMessage", message_value);
  if (orr_map_get(sent, "error").type == ORR_NIL) {
    orr_builder_key(b, "error", strlen("error"));
    orr_builder_map(b);
    orr_builder_put(b, "code", code_value);
    orr_builder_put(b, "message", message_value);
    orr_builder_end(b);
  }
  orr_builder_end(b);
  int rc = builder_copy(b, c->arena, out, &c->error);
  orr_builder_free(b);
  return rc;
}

static int receive_transient(context *c, const catcher *found, const orr_value *offered) {
  orr_id at = level_around(c, found);
  return at ? payload_receive_transient(c, &found->event->event, offered, at) : c->error.code;
}

/* Sets what the catcher learns: the code, the message, the variables. */
static int catch_with(context *c, const thrown *t, const catcher *found, const char *code, const char *message,
                      const orr_value *variables) {
  const event_definition *event = &found->event->event;
  orr_value map = {0}, offered = variables ? *variables : (orr_value){0};
  if (t->type == EVENT_ERROR && event->n_in > 0 && offer_error(c, code, message, &offered, &offered)) return c->error.code;
  orr_builder *b = builder_new(&c->engine->env.allocator);
  if (!b) return context_memory(c);
  orr_builder_map(b);
  int rc = refuse_suspended_catcher(c, t, found);
  if (!rc) rc = payload_receive(c, event, &offered, b);
  if (in_subprocess(found->event)) add_error_text(b, event->error_variable, code);
  orr_builder_end(b);
  if (!rc) rc = set_error_text(c, found, event->code_variable, code);
  if (!rc) rc = set_error_text(c, found, event->message_variable, message);
  if (!rc) rc = set_error_variable(c, found, code);
  if (!rc) rc = receive_transient(c, found, &offered);
  if (!rc) rc = builder_copy(b, c->arena, &map, &c->error);
  orr_builder_free(b);
  if (rc) return rc;
  return t->calls ? catch_after_mappers(c, t, found, &map) : catch_found(c, t, found, &map);
}

static bool ends_quietly(const context *c, const dialect *say) {
  const char *configured = c->engine->config.unhandled_bpmn_error;
  return configured ? strcmp(configured, "end") == 0 : say->uncaught_error_ends;
}

static int raise(context *c, const node *n, const bpmn_error *error) {
  orr_value code = orr_string(error->code ? error->code : "");
  c->failed_at = n;
  int rc = context_error(c, ORR_E_BPMN_ERROR, "BPMN error \"%s\"%s%s, thrown at \"%s\", is caught by nobody",
                         error->code ? error->code : "", error->message ? ": " : "", error->message ? error->message : "",
                         n && n->id ? n->id : "the process");
  if (error_detail(&c->error, "error_code", &code)) return ORR_E_MEMORY;
  if (error->message) {
    orr_value message = orr_string(error->message);
    if (error_detail(&c->error, "error_message", &message)) return ORR_E_MEMORY;
  }
  return rc;
}

/* The path ends as at a none end event, but the activity has not completed. A token that is leaving
 * already does not leave again. Nothing else that was planned for the token happens: it may go on to
 * wait for the job in which its path ends. */
static int end_path(context *c, rec_execution *e, const node *n, const bpmn_error *error) {
  engine_log(c->engine, ORR_LOG_WARNING, NULL, "BPMN error \"%s\"%s%s, thrown at \"%s\", is caught by nobody: the path ends",
             error->code ? error->code : "", error->message ? ": " : "", error->message ? error->message : "", n->id);
  bool leaving = e->state == EXECUTION_LEAVING;
  bool task = n->type == NODE_USER_TASK && e->task_id;
  agenda_drop(c, e->id);
  int rc = task ? behavior_user_task.cancel(c, e, n) : 0;
  return rc ? rc : plan_on(c, leaving ? op_close : op_leave, e->id, n, OP_NO_FLOW);
}

static int uncaught(context *c, orr_id execution, const bpmn_error *error) {
  rec_execution *e = orr_id_local(execution) == 1 ? NULL : execution_get(c, execution);
  definition *d = c->error.code ? NULL : context_definition_of(c, execution, &c->error);
  if (!d) return c->error.code;
  const node *n = e ? d->nodes[e->node - 1] : d->process;
  return e && ends_quietly(c, d->dialect) ? end_path(c, e, n, error) : raise(c, n, error);
}

static int throw_from(context *c, orr_id execution, bool own, const bpmn_error *error) {
  thrown t = {.type = EVENT_ERROR, .code = error->code, .types = error->types};
  catcher found;
  const rec_execution *thrower = orr_id_local(execution) == 1 ? NULL : execution_get(c, execution);
  t.by = execution;
  t.stands = thrower && thrower->state == EXECUTION_ACTIVE;
  int rc = search(c, execution, own, &t, &found);
  if (rc) return rc;
  return found.event ? catch_with(c, &t, &found, error->code, error->message, &error->variables)
                     : uncaught(c, execution, error);
}

int throw_bpmn_error(context *c, orr_id execution, const bpmn_error *error) { return throw_from(c, execution, true, error); }

/* ---- Failed host calls ----------------------------------------------------------------------- */

static bool type_is(const orr_value *types, size_t index, const char *name, bool children) {
  orr_iterator it = orr_iterate(types);
  orr_value type;
  size_t size = strlen(name);
  for (size_t i = 0; orr_next(&it, NULL, &type); i++) {
    if (type.type != ORR_STRING || (i > index && !children)) continue;
    if (type.size < size || memcmp(type.as.bytes, name, size) != 0) continue;
    if (type.size == size || (children && type.as.bytes[size] == '.')) return true;
  }
  return false;
}

static bool mapping_holds(const exception_mapping *m, const host_result *result) {
  if (m->root_cause && !type_is(&result->root_types, 0, m->root_cause, m->include_children)) return false;
  return !m->type || type_is(&result->types, 0, m->type, m->include_children);
}

static const exception_mappings *mappings_of(const node *n) {
  static const exception_mappings none;
  switch (n ? n->type : NODE_PROCESS) {
    case NODE_SERVICE_TASK: case NODE_SEND_TASK: case NODE_SCRIPT_TASK: case NODE_BUSINESS_RULE_TASK:
      return n->service ? &n->service->exceptions : &none;
    case NODE_CALL_ACTIVITY: return &n->call->exceptions;
    default: return &none;
  }
}

/* Mappings that name a type come before the default one. */
static const exception_mapping *mapping_of(const node *n, const host_result *result) {
  if (result->error.code != ORR_E_SCRIPT) return NULL;
  const exception_mapping *fallback = NULL;
  const exception_mappings *all = mappings_of(n);
  for (uint32_t i = 0; i < all->count; i++) {
    const exception_mapping *m = &all->items[i];
    if (!mapping_holds(m, result)) continue;
    if (m->type || m->root_cause) return m;
    if (!fallback) fallback = m;
  }
  return fallback;
}

static const char *first_type(context *c, const orr_value *types) {
  orr_iterator it = orr_iterate(types);
  orr_value type;
  return orr_next(&it, NULL, &type) && type.type == ORR_STRING ? arena_strndup(c->arena, type.as.bytes, type.size) : "error";
}

/* The nearest call activity around that maps the failure; *caller NULL: none does. */
static int mapping_caller(context *c, orr_id execution, const host_result *result, thrown *t, rec_execution **caller,
                          const exception_mapping **m) {
  int rc = cross_call(c, orr_id_instance(execution), caller);
  while (!rc && *caller) {
    const node *n = execution_node(c, *caller);
    if (!n) return c->error.code;
    t->out = true;
    rc = note_crossed(c, t, *caller);
    *m = mapping_of(n, result);
    if (rc || *m) return rc;
    rc = cross_call(c, orr_id_instance((*caller)->id), caller);
  }
  return rc;
}

static bpmn_error error_of(context *c, const exception_mapping *m, const host_result *result) {
  return (bpmn_error){.code = m->error_code ? m->error_code : first_type(c, &result->types), .message = result->error.message};
}

/* The outputs of the calls on the way are mapped already, because the search for an <error> of this
 * type went all the way out. */
static int mapped_by_caller(context *c, orr_id execution, const host_result *result, bool *mapped) {
  thrown t = {.type = EVENT_ERROR};
  catcher found;
  rec_execution *caller;
  const exception_mapping *m = NULL;
  int rc = mapping_caller(c, execution, result, &t, &caller, &m);
  *mapped = !rc && m != NULL;
  if (!*mapped) return rc;
  bpmn_error error = error_of(c, m, result);
  t.code = error.code;
  t.by = caller->id;
  rc = search(c, caller->id, true, &t, &found);
  if (rc) return rc;
  return found.event ? catch_with(c, &t, &found, error.code, error.message, NULL) : uncaught(c, execution, &error);
}

static int script_failed(context *c, orr_id execution, bool own, const node *n, host_result *result) {
  thrown t = {.type = EVENT_ERROR, .types = &result->types, .by_type_only = true, .by = execution};
  catcher found = {0};
  bool script = result->error.code == ORR_E_SCRIPT, mapped = false;
  int rc = script ? search(c, execution, own, &t, &found) : 0;
  if (rc) return rc;
  if (found.event) return catch_with(c, &t, &found, t.matched_type, result->error.message, NULL);
  if (script) rc = mapped_by_caller(c, execution, result, &mapped);
  if (rc || mapped) return rc;
  if (!c->failed_at) c->failed_at = n;
  return context_fail(c, &result->error);
}

static int result_from(context *c, orr_id execution, bool own, const node *n, host_result *result) {
  if (result->bpmn_error) {
    bpmn_error error = {
        .code = result->code, .message = result->message, .variables = result->variables, .types = &result->types};
    return throw_from(c, execution, own, &error);
  }
  const exception_mapping *m = mapping_of(n, result);
  if (!m) return script_failed(c, execution, own, n, result);
  bpmn_error error = error_of(c, m, result);
  return throw_from(c, execution, own, &error);
}

int throw_result(context *c, orr_id execution, const node *n, host_result *result) {
  return result_from(c, execution, true, n, result);
}

static const char *detail_text(context *c, const char *name) {
  orr_value v = c->error.details ? orr_map_get(c->error.details, name) : (orr_value){0};
  return v.type == ORR_STRING ? arena_strndup(c->arena, v.as.bytes, v.size) : NULL;
}

int throw_raised(context *c, orr_id execution, int rc) {
  bpmn_error error = {.code = detail_text(c, "code")};
  if (!error.code) error.code = detail_text(c, "error_code");
  if (rc != ORR_E_BPMN_ERROR || !error.code) return rc;
  orr_value variables = orr_map_get(c->error.details, "variables");
  error.message = c->error.message ? arena_strdup(c->arena, c->error.message) : NULL;
  if (variables.type == ORR_MAP && value_copy(c->arena, &variables, &error.variables)) return context_memory(c);
  orr_error_clear(&c->error);
  c->failed_at = NULL;
  return throw_bpmn_error(c, execution, &error);
}

int throw_listener_result(context *c, orr_id execution, const node *n, uint32_t flags, host_result *result) {
  bool to_caller = orr_id_local(execution) == 1 || flags & (OP_CANCELED | OP_OPENED);
  if (result->bpmn_error && to_caller) {
    bpmn_error error = {.code = result->code, .message = result->message};
    return raise(c, n, &error);
  }
  definition *d = context_definition_of(c, execution, &c->error);
  if (!d) return c->error.code;
  if (!result->bpmn_error && to_caller) {
    c->failed_at = n;
    return context_fail(c, &result->error);
  }
  if (!result->bpmn_error) c->failed_at = n;
  return result_from(c, execution, d->dialect->listener_error_own_boundary, NULL, result);
}

/* ---- Escalation ------------------------------------------------------------------------------ */

int throw_escalation(context *c, orr_id execution, const char *code, const orr_value *variables, bool *caught) {
  thrown t = {.type = EVENT_ESCALATION, .code = code};
  catcher found;
  int rc = search(c, execution, true, &t, &found);
  *caught = !rc && found.event;
  if (!*caught) return rc;
  return catch_with(c, &t, &found, code, NULL, variables);
}
