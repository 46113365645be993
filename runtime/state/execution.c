/* The token and scope tree. */
#include "state/execution.h"
#include "state/bounds.h"

#include <inttypes.h>

#include "engine/engine.h"
#include "state/incident.h"
#include "state/notices.h"
#include "state/variable.h"
#include "uow/relation.h"

/* ---- Looking up ------------------------------------------------------------------------------ */

static bool is_there(const rec_head *head) { return head->state != REC_DELETED && head->state != REC_VOID; }

rec_execution *execution_get(context *c, orr_id id) {
  rec_execution *last = c->last.execution;
  if (last && last->id == id && is_there(&last->head)) return last;
  rec_execution *e = unit_execution(c->u, id, &c->error);
  if (e) c->last.execution = e;
  return e;
}

/* Does this execution or instance still exist? If it cannot be read, yes. */
static bool remains(context *c, orr_id id) {
  const rec_execution *last = c->last.execution;
  orr_error lost = {0};
  if (!id || (last && last->id == id && is_there(&last->head))) return id != 0;
  const void *record = orr_id_local(id) == 1 ? (const void *)context_instance(c, id, &lost) : unit_execution(c->u, id, &lost);
  bool there = record || (lost.code && lost.code != ORR_E_NOT_FOUND);
  orr_error_clear(&lost);
  return there;
}

orr_id execution_step_out(context *c) {
  orr_id about = remains(c, c->about) ? c->about : 0;
  c->about = 0;
  return about;
}

int execution_step_in(context *c, orr_id about, int rc) {
  c->about = about;
  if (rc || !about || remains(c, about)) return rc;
  return context_error(c, RUN_CANCELED, "execution %" PRIu64 " has been canceled by what it called", about);
}

int scope_get(context *c, orr_id id, scope *out) {
  definition *d = context_definition_of(c, id, &c->error);
  if (!d) return c->error.code;
  *out = (scope){.id = id};
  if (orr_id_local(id) == 1) {
    out->instance = c->last.instance;
    out->record = &out->instance->head;
    out->node = d->process;
    return 0;
  }
  out->execution = execution_get(c, id);
  if (!out->execution) {
    if (c->error.code) return c->error.code;
    return context_error(c, ORR_E_NOT_FOUND, "there is no execution %" PRIu64, id);
  }
  out->record = &out->execution->head;
  out->node = d->nodes[out->execution->node - 1];
  return 0;
}

int scope_of(context *c, const rec_execution *e, scope *out) { return scope_get(c, e->parent, out); }

const node *execution_node(context *c, const rec_execution *e) {
  definition *d = context_definition_of(c, e->id, &c->error);
  return d ? d->nodes[e->node - 1] : NULL;
}

int64_t scope_children(const scope *s) { return s->instance ? s->instance->children : s->execution->children; }
int64_t scope_flags(const scope *s) { return s->instance ? s->instance->flags : s->execution->flags; }

int scope_flag(context *c, const scope *s, int64_t flag) {
  bool may_be = !(flag & ~(int64_t)ORR_SCOPE_MAY_HAVE);
  if ((scope_flags(s) & flag) == flag) return 0;
  if (may_be ? unit_touch_counter(c->u, s->record) : unit_touch(c->u, s->record)) return context_memory(c);
  if (s->instance) s->instance->flags |= flag;
  else s->execution->flags |= flag;
  return 0;
}

/* Does it matter here which tokens come and go meanwhile? Yes, where tokens are checked one by one,
 * to see whether all have come or none is left. */
static bool tokens_are_watched(const scope *s) {
  return (s->node && s->node->joins_inclusively) || scope_flags(s) & (ORR_SCOPE_LISTENS | ORR_SCOPE_INCLUSIVE);
}

static int count_child(context *c, const scope *parent, int64_t by) {
  bool alone = tokens_are_watched(parent);
  if (alone ? unit_touch(c->u, parent->record) : unit_touch_counter(c->u, parent->record)) return context_memory(c);
  if (parent->instance) parent->instance->children += by;
  else parent->execution->children += by;
  return 0;
}

static bool counts(const rec_execution *e) { return e->kind != EXECUTION_EVENT_SCOPE; }

int scope_child_list(context *c, const scope *s, rec_execution ***out, uint32_t *count) {
  struct rec_relation *children = unit_relation_of(c->u, s->record, UNIT_CHILDREN, &c->error);
  *count = 0;
  if (!children) return c->error.code;
  rec_execution **list = ARENA_ARRAY(c->arena, rec_execution *, children->count + 1);
  if (!list) return context_memory(c);
  for (uint32_t i = 0; i < children->count; i++) {
    rec_execution *child = (rec_execution *)(void *)children->items[i];
    if (child && is_there(&child->head) && counts(child)) list[(*count)++] = child;
  }
  *out = list;
  return 0;
}

/* ---- Changing -------------------------------------------------------------------------------- */

rec_execution *execution_create(context *c, const scope *parent, const node *at, execution_kind kind) {
  rec_instance *instance = context_instance(c, parent->id, &c->error);
  orr_id id = instance ? unit_next_id(c->u, instance, &c->error) : 0;
  if (!id) return NULL;
  if (bounds_check_tokens(c, id, at)) return NULL;
  rec_execution *e = unit_new_execution(c->u, id);
  if (!e) {
    context_memory(c);
    return NULL;
  }
  e->parent = parent->id;
  e->node = at->index + 1;
  e->kind = (uint8_t)kind;
  if (counts(e) && count_child(c, parent, 1)) return NULL;
  if (unit_attach(c->u, e)) {
    context_memory(c);
    return NULL;
  }
  return e;
}

static int tell_flow(context *c, const rec_execution *e, const flow *by) {
  const definition *d = context_definition_of(c, e->id, &c->error);
  if (!d) return c->error.code;
  c->engine->flow_watch.fn(c->engine->flow_watch.ud, d->key, by->id);
  return 0;
}

int execution_move(context *c, rec_execution *e, const node *to, const flow *by) {
  int rc = lifecycle_move(c, e, EXECUTION_ARRIVING);
  if (!rc && by && c->engine->flow_watch.fn) rc = tell_flow(c, e, by);
  if (rc) return rc;
  e->node = to->index + 1;
  e->flow = by ? by->index + 1 : 0;
  if (!to->scope || !to->scope->joins_inclusively) return 0;
  /* at its new place it may not reach a gateway that waits for it, or reach one where others now
   * wait */
  scope parent;
  rc = scope_of(c, e, &parent);
  if (!rc) rc = context_touch(c, parent.record);
  return rc ? rc : notice_tokens(c, &parent);
}

int execution_reparent(context *c, rec_execution *e, const scope *to) {
  scope from;
  int rc = scope_of(c, e, &from);
  if (!rc && counts(e)) rc = count_child(c, &from, -1);
  if (!rc && counts(e)) rc = count_child(c, to, 1);
  if (!rc && !counts(e)) rc = scope_flag(c, to, ORR_SCOPE_EVENT_SCOPES);
  if (!rc) rc = context_touch(c, e);
  if (rc) return rc;
  unit_detach(c->u, e);
  e->parent = to->id;
  return unit_attach(c->u, e) ? context_memory(c) : 0;
}

int execution_revive(context *c, rec_execution *event_scope) {
  scope parent;
  int rc = scope_of(c, event_scope, &parent);
  if (!rc) rc = lifecycle_move(c, event_scope, EXECUTION_ACTIVE);
  if (rc) return rc;
  event_scope->kind = EXECUTION_COMPENSATION;
  return count_child(c, &parent, 1);
}

static int remove_event_scopes(context *c, const scope *s) {
  struct rec_relation *children = unit_relation_of(c->u, s->record, UNIT_CHILDREN, &c->error);
  if (!children) return c->error.code;
  for (uint32_t i = children->count; i > 0; i--) { /* each leaves the list when it is deleted */
    if (i > children->count) continue;
    rec_execution *child = (rec_execution *)(void *)children->items[i - 1];
    if (!child || !is_there(&child->head) || child->kind != EXECUTION_EVENT_SCOPE) continue;
    int rc = execution_remove(c, child); /* as deep as sub-processes nest: ORR_XML_DEPTH_MAX */
    if (rc) return rc;
  }
  return 0;
}

int scope_drop(context *c, const scope *s) {
  int64_t flags = scope_flags(s);
  int rc = 0;
  if (flags & (ORR_SCOPE_SUBSCRIPTIONS | ORR_SCOPE_JOBS)) rc = c->engine->exec->disarm_scope(c, s, NULL);
  if (!rc && flags & ORR_SCOPE_EVENT_SCOPES) rc = remove_event_scopes(c, s);
  if (!rc && flags & ORR_SCOPE_JOINS) rc = c->engine->exec->drop_joins(c, s->id);
  if (!rc && flags & (ORR_SCOPE_VARIABLES | ORR_SCOPE_TRANSIENTS)) rc = variable_drop_scope(c, s->id);
  if (!rc && flags & ORR_SCOPE_INCIDENTS) rc = incident_drop_scope(c, s->id);
  return rc;
}

int execution_forget_job(context *c, rec_execution *e) {
  rec_job *job = unit_job(c->u, e->job_id, &c->error);
  return job && job != c->job ? c->engine->exec->remove_job(c, job) : c->error.code;
}

int execution_forget_task(context *c, orr_id execution, orr_id task) {
  rec_execution *e = execution_get(c, execution);
  if (!e || e->task_id != task) return c->error.code;
  if (context_touch(c, e)) return c->error.code;
  e->task_id = 0;
  return 0;
}

int execution_remove(context *c, rec_execution *e) {
  int rc = 0;
  if (e->n_awaiting) c->engine->exec->drop_calls(c, e);
  if (e->state == EXECUTION_JOINING) rc = c->engine->exec->forget_join(c, e);
  if (!rc && e->task_id) rc = c->engine->exec->remove_task(c, e);
  if (!rc && e->job_id) rc = execution_forget_job(c, e);
  if (!rc && e->flags) {
    scope own = {.record = &e->head, .execution = e, .id = e->id};
    own.node = execution_node(c, e);
    rc = own.node ? scope_drop(c, &own) : c->error.code;
    if (!rc) rc = variable_drop_branch(c, e);
  }
  scope parent;
  if (!rc) rc = scope_of(c, e, &parent);
  if (!rc && counts(e)) rc = count_child(c, &parent, -1);
  if (rc) return rc;
  if (c->last.execution == e) c->last.execution = NULL;
  return unit_delete(c->u, e) ? context_memory(c) : 0;
}

struct view_slot {
  orr_execution view;
  struct view_slot *next;
};

orr_execution *execution_view(context *c, orr_id id, const node *at, const char *event_name) {
  struct view_slot *slot = c->lists.free_views;
  if (slot) c->lists.free_views = slot->next;
  else slot = arena_alloc(c->arena, sizeof *slot);
  if (!slot) {
    context_memory(c);
    return NULL;
  }
  slot->next = c->lists.views;
  c->lists.views = slot;
  slot->view = (orr_execution){.context = c, .id = id, .node = at, .event_name = event_name};
  return &slot->view;
}

bool execution_viewed(const context *c, orr_id instance) {
  for (const struct view_slot *slot = c->lists.views; slot; slot = slot->next)
    if (orr_id_group(slot->view.id) == orr_id_group(instance)) return true;
  return false;
}

struct view_slot *execution_views_detach(context *c, const struct view_slot *mark) {
  struct view_slot *views = c->lists.views, **end = &views;
  if (views == mark) return NULL;
  while (*end != mark) end = &(*end)->next;
  c->lists.views = *end;
  *end = NULL;
  return views;
}

void execution_views_attach(context *c, struct view_slot *views) {
  struct view_slot **end = &views;
  while (*end) end = &(*end)->next;
  *end = c->lists.views;
  c->lists.views = views;
}

void execution_views_recycle(context *c, struct view_slot *views) {
  while (views) {
    struct view_slot *slot = views;
    views = slot->next;
    slot->next = c->lists.free_views;
    c->lists.free_views = slot;
  }
}

void execution_views_release(context *c, const struct view_slot *mark) {
  while (c->lists.views != mark) {
    struct view_slot *slot = c->lists.views;
    c->lists.views = slot->next;
    slot->next = c->lists.free_views;
    c->lists.free_views = slot;
  }
}
