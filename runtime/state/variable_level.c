/* Levels of variables: from an id to the level that it means, and outwards from one to the next. */
#include "state/variable_level.h"

#include <inttypes.h>
#include <string.h>

#include "engine/engine.h"
#include "state/variable.h"

int level_missing(context *c, orr_id id) {
  return context_error(c, ORR_E_NOT_FOUND, "there is no instance, execution or task %" PRIu64, id);
}

static void root_level(rec_instance *i, scope *out) {
  *out = (scope){.record = &i->head, .instance = i, .id = i->id};
}

int level_find(context *c, orr_id id, scope *out) {
  *out = (scope){0};
  if (orr_id_local(id) == 1) {
    rec_instance *i = unit_instance(c->u, id, &c->error);
    if (i) root_level(i, out);
  } else {
    rec_execution *e = unit_execution(c->u, id, &c->error);
    if (e) *out = (scope){.record = &e->head, .execution = e, .id = id};
  }
  return c->error.code;
}

int level_start(context *c, orr_id id, scope *out, bool *task) {
  *task = false;
  int rc = level_find(c, id, out);
  if (rc || out->record) return rc;
  rec_task *t = unit_task(c->u, id, &c->error);
  if (!t) return c->error.code ? c->error.code : level_missing(c, id);
  *task = true;
  if (!t->execution_id) {
    *out = (scope){.record = &t->head, .task = t, .id = id};
    return 0;
  }
  rc = level_find(c, t->execution_id, out);
  return rc || out->record ? rc : level_missing(c, id);
}

bool level_up(context *c, scope *s, int *rc) {
  if (!s->execution) return false;
  if (!s->branch && s->execution->flags & ORR_SCOPE_BRANCH) return s->branch = true;
  orr_id parent = s->execution->parent;
  *rc = level_find(c, parent, s);
  if (!*rc && !s->record) *rc = level_missing(c, parent);
  return !*rc;
}

int64_t level_flags(const scope *s) {
  if (s->task) return ORR_SCOPE_VARIABLES; /* a task without a process has no flags */
  return s->instance ? s->instance->flags : s->execution->flags;
}

bool level_has(const scope *s) { return level_flags(s) & (s->branch ? ORR_SCOPE_BRANCH : ORR_SCOPE_VARIABLES); }

bool level_name_in(const scope *s, const char *name, size_t size, level_name *out) {
  out->text = (rec_text){name, size};
  if (!s->branch) return true;
  if (size > ORR_NAME_BYTES_MAX) return false;
  out->buffer[0] = VARIABLE_BRANCH[0];
  memcpy(out->buffer + 1, name, size);
  out->buffer[size + 1] = '\0';
  out->text = (rec_text){out->buffer, size + 1};
  return true;
}

bool level_is_of_branch(const rec_variable *v) { return v->name.data[0] == VARIABLE_BRANCH[0]; }

int level_is_own_scope(context *c, const scope *s, bool *out) {
  const rec_execution *e = s->execution;
  *out = !e || e->scope;
  if (!e || !e->scope || e->kind != EXECUTION_TOKEN) return 0;
  const definition *d = context_definition_of(c, e->id, &c->error);
  if (!d) return c->error.code;
  const node *n = d->nodes[e->node - 1];
  bool external = n->service && n->service->run.kind == IMPLEMENTATION_EXTERNAL;
  bool holds = node_is_scope(n) || n->n_inputs || n->n_outputs || n->loop || external;
  bool bounded_only = (n->n_boundary || n->type == NODE_CALL_ACTIVITY) && !holds;
  *out = d->dialect->boundary_makes_scope || !bounded_only;
  return 0;
}

/* A local variable of a task is about to change: for its listeners, that is a change of the
 * task. */
static int variable_tells_task(context *c, orr_id id) {
  rec_task *t = unit_task(c->u, id, &c->error);
  return t ? c->engine->exec->tell_task(c, t) : c->error.code;
}

bool level_awaits_event(context *c, const rec_execution *e) {
  const node *n = execution_node(c, e);
  if (!n || e->state == EXECUTION_ARRIVING) return false;
  return n->type == NODE_CATCH_EVENT || n->type == NODE_EVENT_GATEWAY ||
         (n->type == NODE_RECEIVE_TASK && n->event.type == EVENT_MESSAGE);
}

int level_local(context *c, orr_id id, bool write, scope *out, bool *of_task) {
  bool task, own = false;
  int rc = level_start(c, id, out, &task);
  if (of_task) *of_task = task;
  if (!rc && task && write) rc = variable_tells_task(c, id);
  if (rc || out->task) return rc;
  if (!rc && !task) rc = level_is_own_scope(c, out, &own);
  if (rc || own) return rc;
  own = task || level_awaits_event(c, out->execution);
  if (c->error.code) return c->error.code;
  out->branch = !own;
  if (!own || !write || out->execution->scope) return 0;
  if (context_touch(c, out->execution)) return c->error.code;
  out->execution->scope = true;
  return 0;
}
