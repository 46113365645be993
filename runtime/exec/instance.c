/* Beginning and deleting process instances. */
#include "exec/instance.h"

#include <inttypes.h>

#include "engine/engine.h"
#include "exec/cancel.h"
#include "exec/data/io_mapping.h"
#include "exec/token.h"
#include "state/history.h"
#include "state/tracing.h"
#include "state/variable.h"
#include "uow/find.h"

/* ---- Beginning ------------------------------------------------------------------------------- */

/* Without a none start event, the only start event; by dialect, the first. */
static int default_start(context *c, const definition *d, const node **out) {
  const node *first = NULL;
  uint32_t n = 0;
  *out = d->process->start;
  if (*out) return 0;
  for (uint32_t i = 0; i < d->process->n_children; i++) {
    const node *child = d->process->children[i];
    if (child->type != NODE_START_EVENT) continue;
    n++;
    if (!first) first = child;
  }
  *out = first;
  if (n == 1 || (n > 1 && d->dialect->start_first_of_many)) return 0;
  if (n == 0) return context_error(c, ORR_E_STATE, "process \"%s\" has no start event", d->key);
  return context_error(c, ORR_E_STATE, "process \"%s\" has %u start events and none of them is a none start event: name one",
                       d->key, n);
}

/* The definition must still exist, and be active, when the instance is committed. */
static int check_request(context *c, const start_request *request) {
  const definition *d = request->definition;
  rec_definition *r = unit_definition(c->u, d->id, &c->error);
  if (!r)
    return c->error.code != 0 ? c->error.code : context_error(c, ORR_E_NOT_FOUND, "there is no definition %" PRIu64, d->id);
  if (unit_rely(c->u, r)) return context_memory(c);
  if (r->suspended)
    return context_error(c, ORR_E_SUSPENDED, "definition %" PRIu64 " (\"%s\") is suspended: activate it first", d->id, d->key);
  if (request->call_depth > ORR_CALL_DEPTH_MAX)
    return context_error(c, ORR_E_LIMIT,
                         "\"%s\" would be the %" PRId64 "th process that calls the next: does one call itself without end?",
                         d->key, request->call_depth);
  return 0;
}

static rec_instance *create_record(context *c, const start_request *request) {
  const definition *d = request->definition;
  orr_id id = unit_new_group(c->u, &c->error);
  if (id == 0) return NULL;
  rec_instance *i = unit_new_instance(c->u, id);
  if (!i) {
    context_memory(c);
    return NULL;
  }
  i->definition_id = d->id;
  i->definition_key = unit_textz(c->u, d->key);
  i->business_key = unit_textz(c->u, request->business_key);
  i->tenant = unit_textz(c->u, request->tenant ? request->tenant : d->tenant);
  i->root_id = request->root_instance != 0 ? request->root_instance : id;
  i->super_execution = request->super_execution;
  i->parent_id = request->parent_instance;
  i->started_at = context_stamp(c);
  i->initiator = unit_textz(c->u, request->initiator ? request->initiator : c->user);
  i->next_local = 2;
  i->call_depth = request->call_depth;
  i->start_node = request->start ? request->start->index + 1 : 0;
  i->trace = tracing_kept(c, request->parent_instance);
  return i;
}

/* The variable of the initiator exists even when nobody is known to have started the instance: then
 * it is null. An instance that starts elsewhere has the variable of the none start event. */
static int set_initiator(context *c, const rec_instance *i, const start_request *request) {
  const node *start = request->start ? request->start : request->definition->process->start;
  if (!start || !start->initiator) return 0;
  orr_value who = i->initiator.size > 0 ? orr_bytes(i->initiator.data, i->initiator.size) : orr_null();
  return variable_set_local(c, i->id, start->initiator, &who);
}

static int open_root(context *c, rec_instance *i, const start_request *request) {
  scope root;
  int rc = scope_get(c, i->id, &root);
  if (!rc) rc = io_open_scope(c, &root, request->definition->process);
  if (!rc) rc = variable_set_all(c, i->id, request->variables, true);
  if (!rc) rc = variable_set_all(c, i->id, request->local, true);
  if (!rc) rc = variable_set_all(c, i->id, request->triggered, true);
  if (!rc) rc = set_initiator(c, i, request);
  if (!rc) rc = history_instance_variables(c, i);
  return rc ? rc : variable_set_all_transient(c, i->id, request->transient, true);
}

int instance_create(context *c, start_request *request, rec_instance **out) {
  *out = NULL;
  int rc = check_request(c, request);
  if (!rc && !request->start && !request->elsewhere) rc = default_start(c, request->definition, &request->start);
  if (rc) return rc;
  rec_instance *i = create_record(c, request);
  if (!i) return c->error.code;
  *out = i;
  rc = history_instance_started(c, i, request->start);
  return rc ? rc : open_root(c, i, request);
}

int instance_begin(context *c, orr_id instance, const node *start, uint32_t flags) {
  return plan_on(c, op_start_instance, instance, start, flags);
}

int instance_start(context *c, start_request *request, rec_instance **out) {
  int rc = instance_create(c, request, out);
  return rc ? rc : instance_begin(c, (*out)->id, request->start, 0);
}

/* ---- Deleting -------------------------------------------------------------------------------- */

static const char state_terminated[] = "terminated";

/* Why and how something is canceled. */
typedef struct going {
  const char *reason;
  uint32_t flags;
  uint32_t since; /* the run that began the canceling; 0: this one */
} going;

/* step 1: what is planned next waits for it. */
static int plan_delete(context *c, const rec_instance *i, const going *how, bool followed) {
  operation *op = agenda_plan(c, op_delete_instance, i->id);
  if (!op) return c->error.code;
  op->step = followed;
  op->text = how->reason;
  op->flags = how->flags | OP_CANCELED;
  op->other = how->since;
  op->data = (void *)(uintptr_t)state_terminated; /* only read */
  return 0;
}

/* Listeners and history of everything below get the reason, so it is copied. */
static int keep_reason(context *c, const char **reason) {
  if (!*reason) return 0;
  *reason = arena_strdup(c->arena, *reason);
  c->delete_reason = *reason;
  return *reason ? 0 : context_memory(c);
}

/* A listener of the deletion may delete the instance, too: that changes nothing. */
static int plan_deletion(context *c, rec_instance *i, going how, bool followed) {
  if (i->flags & ORR_SCOPE_ENDING) return 0;
  if (context_touch(c, i)) return c->error.code;
  i->flags |= ORR_SCOPE_ENDING | (how.flags & OP_SKIP_LISTENERS ? ORR_SCOPE_QUIET : 0) |
              (how.flags & OP_SKIP_IO ? ORR_SCOPE_UNMAPPED : 0);
  int rc = keep_reason(c, &how.reason);
  return rc ? rc : plan_delete(c, i, &how, followed);
}

/* It is skipped, or its listeners run, as its caller's do. */
int instance_delete_called(context *c, rec_instance *i, const char *reason) {
  const rec_instance *caller = unit_instance(c->u, i->parent_id, &c->error);
  if (c->error.code) return c->error.code;
  bool quiet = caller && caller->flags & ORR_SCOPE_QUIET,
       unmapped = caller && caller->flags & ORR_SCOPE_UNMAPPED;
  uint32_t skips = (quiet ? OP_SKIP_LISTENERS : 0u) | (unmapped ? OP_SKIP_IO : 0u);
  return plan_deletion(c, i, (going){reason, OP_SILENT | skips, 0}, false);
}

/* ---- Letting called instances go ------------------------------------------------------------- */

/* An instance and its new topmost caller. Jobs that exist keep the lock of their old hierarchy. */
typedef struct released {
  orr_id instance, root;
} released;

typedef struct released_list {
  released *items;
  size_t count, capacity;
} released_list;

/* The instances that the tokens of an instance have called. `root` 0: nobody calls them any more,
 * and each is its own root. */
static int release_called(context *c, released_list *list, orr_id instance, orr_id root) {
  unit_found found;
  int rc = unit_find_group(c->u, &rec_execution_type, orr_id_group(instance), &found, &c->error);
  for (size_t i = 0; !rc && i < found.count; i++) {
    rec_execution *e = (rec_execution *)found.items[i];
    if (!e->called_id) continue;
    if (!ARENA_ROOM(c->arena, list->items, list->count, list->capacity, 8))
      return context_memory(c);
    list->items[list->count++] = (released){e->called_id, root ? root : e->called_id};
    if (!root && context_touch(c, e)) return c->error.code;
    if (!root) e->called_id = 0;
  }
  return rc;
}

static int release_instance(context *c, const released *r) {
  rec_instance *i = unit_instance(c->u, r->instance, &c->error);
  if (!i || context_touch(c, i)) return c->error.code;
  i->root_id = r->root;
  if (r->root == i->id) i->parent_id = i->super_execution = 0;
  return history_instance_moved(c, i);
}

int instance_release_called(context *c, const rec_instance *i) {
  released_list list = {0};
  int rc = release_called(c, &list, i->id, 0);
  for (size_t n = 0; !rc && n < list.count; n++) {
    const released r = list.items[n];
    rc = release_instance(c, &r);
    if (!rc) rc = release_called(c, &list, r.instance, r.root);
  }
  return rc;
}

/* ---- Deleting upwards ------------------------------------------------------------------------ */

/* Canceling what is around a token belongs to the canceling of the token: op->other is the run that
 * began that. So a listener holds up everything that is canceled with its token, and the next
 * tokens with what is around them. */

static int op_prune(context *c, operation *op);
static int op_prune_thrower(context *c, operation *op);

static uint32_t begun_by(const context *c, const operation *op) {
  return op->other ? (uint32_t)op->other : c->agenda.runs;
}

static int plan_going(context *c, operation_fn run, orr_id id, const going *how) {
  operation *op = agenda_plan(c, run, id);
  if (!op) return c->error.code;
  op->text = how->reason;
  op->flags = how->flags;
  op->other = how->since;
  return 0;
}

typedef struct leaving {
  const orr_id *tokens;
  uint32_t count, flags;
} leaving;

static int cancel_one_upwards(context *c, orr_id token, const operation *op, const going *around) {
  const rec_execution *e = execution_get(c, token);
  if (!e) return c->error.code;
  orr_id parent = e->parent, thrower = e->thrower;
  int rc = cancel_marked(c, token, op, around->since);
  if (!rc && thrower != 0) rc = plan_going(c, op_prune_thrower, thrower, around);
  return rc ? rc : plan_going(c, op_prune, parent, around);
}

static int op_cancel_upwards(context *c, operation *op) {
  const leaving *all = op->data;
  const going around = {op->text, all->flags, begun_by(c, op)};
  int rc = cancel_mark(c, all->tokens, all->count, around.since);
  for (uint32_t i = 0; !rc && i < all->count; i++)
    rc = cancel_one_upwards(c, all->tokens[i], op, &around);
  return rc;
}

static int plan_upwards(context *c, const orr_id *tokens, uint32_t count, const going *how) {
  leaving *all = ARENA_NEW(c->arena, leaving);
  if (!all) return context_memory(c);
  operation *op = agenda_plan(c, op_cancel_upwards, tokens[0]);
  if (!op) return c->error.code;
  *all = (leaving){tokens, count, how->flags};
  op->data = all;
  op->text = how->reason;
  op->flags = how->flags | OP_CANCELED;
  op->other = how->since;
  return 0;
}

int plan_cancel_upwards(context *c, const orr_id *tokens, uint32_t count, const char *reason,
                        uint32_t flags) {
  return count ? plan_upwards(c, tokens, count, &(going){reason, flags, 0}) : 0;
}

static int plan_one_upwards(context *c, orr_id token, const going *how) {
  orr_id *tokens = ARENA_ARRAY(c->arena, orr_id, 1);
  if (!tokens) return context_memory(c);
  tokens[0] = token;
  return plan_upwards(c, tokens, 1, how);
}

int plan_prune(context *c, orr_id id, const char *reason, uint32_t flags) {
  return plan_going(c, op_prune, id, &(going){reason, flags, 0});
}

/* A throw of compensation (op->execution) waits for the handlers that are left. When the last of
 * them is canceled it goes, too, because what it waits for will not happen. */
static int op_prune_thrower(context *c, operation *op) {
  unit_found found;
  rec_execution *thrower = execution_get(c, op->execution);
  if (!thrower) return c->error.code;
  int rc =
      unit_find_group(c->u, &rec_execution_type, orr_id_group(thrower->id), &found, &c->error);
  int64_t left = 0;
  for (size_t i = 0; !rc && i < found.count; i++)
    left += ((const rec_execution *)found.items[i])->thrower == thrower->id;
  const going how = {op->text, op->flags, begun_by(c, op)};
  if (!rc && left == 0) return plan_one_upwards(c, thrower->id, &how);
  if (!rc) rc = context_touch(c, thrower);
  if (!rc) thrower->data = orr_int(left);
  return rc;
}

static int delete_with_caller(context *c, rec_instance *i, const going *how);

/* A scope (op->execution) ends when it has lost its last token. */
static int op_prune(context *c, operation *op) {
  bool root = orr_id_local(op->execution) == 1;
  const void *there = root ? (void *)unit_instance(c->u, op->execution, &c->error) : (void *)execution_get(c, op->execution);
  if (!there) return c->error.code;
  scope s;
  int rc = scope_get(c, op->execution, &s);
  if (rc || scope_children(&s) > 0) return rc;
  const going how = {op->text, op->flags, begun_by(c, op)};
  return s.execution ? plan_one_upwards(c, s.id, &how) : delete_with_caller(c, s.instance, &how);
}

static int delete_with_caller(context *c, rec_instance *i, const going *how) {
  definition *d = context_definition(c, i->definition_id, &c->error);
  if (!d) return c->error.code;
  bool caller_continues = i->super_execution != 0 && !d->dialect->called_delete_cancels_caller;
  orr_id caller = caller_continues ? 0 : i->super_execution;
  const going around = {how->reason, how->flags & ~(uint32_t)OP_SILENT, how->since};
  going own = *how;
  if (!caller_continues) own.flags |= OP_SILENT;
  int rc = plan_deletion(c, i, own, caller != 0);
  return !rc && caller != 0 ? plan_one_upwards(c, caller, &around) : rc;
}

int instance_delete(context *c, rec_instance *i, const char *reason, uint32_t flags) {
  return delete_with_caller(c, i, &(going){reason, flags, 0});
}
