/* Pending host calls: stepping aside, being woken, going on, being dropped. */
#include "exec/awaiting.h"

#include <inttypes.h>
#include <string.h>

#include "exec/execution.h"

struct awaiting {
  context *context;
  await_frame *frame;
  awaiting *next, *previous;
  host_pending *call;      /* NULL: dropped */
  operation op;            /* goes on with the answer */
  operation *held;         /* what stands behind it, as it lay on the agenda */
  uint32_t n_held, held_capacity;
  uint32_t planned;        /* so many of `held` the operation planned itself, still in reverse */
  uint32_t base;           /* alone: the agenda's, which stays as it is */
  struct view_slot *views; /* what the callee sees */
  rec_execution *token;    /* counts it as pending; NULL: it does not, or no longer */
  bool alone, woken;
};

/* ---- Lists ----------------------------------------------------------------------------------- */

static void list_append(awaiting **first, awaiting **last, awaiting *w) {
  w->next = NULL;
  w->previous = *last;
  if (*last) (*last)->next = w;
  else *first = w;
  *last = w;
}

static void list_remove(awaiting **first, awaiting **last, awaiting *w) {
  if (w->previous) w->previous->next = w->next;
  else *first = w->next;
  if (w->next) w->next->previous = w->previous;
  else *last = w->previous;
}

static void wake(awaiting *w) {
  await_frame *frame = w->frame;
  if (w->woken) return;
  w->woken = true;
  if (w->alone) return;
  list_remove(&frame->first, &frame->last, w);
  list_append(&frame->woken, &frame->woken_last, w);
}

static void uncount(awaiting *w) {
  if (w->token) w->token->n_awaiting--;
  w->token = NULL;
}

static void recycle(context *c, awaiting *w) {
  w->next = c->free_awaiting;
  c->free_awaiting = w;
}

static awaiting *take_free(context *c) {
  awaiting *w = c->free_awaiting;
  if (!w) return ARENA_NEW(c->arena, awaiting);
  c->free_awaiting = w->next;
  *w = (awaiting){.held = w->held, .held_capacity = w->held_capacity};
  return w;
}

/* ---- Beginning ------------------------------------------------------------------------------- */

void await_open(context *c, await_frame *frame) {
  *frame = (await_frame){.outer = c->awaits};
  c->awaits = frame;
}

static bool holds_up_all(const context *c, const operation *op) {
  return op->flags & (OP_CANCELED | OP_ALONE) || orr_id_local(op->execution) == 1 || c->in_order;
}

int await_begin(context *c, const operation *op, operation_fn next, host_pending *call) {
  awaiting *w = take_free(c);
  if (!w) {
    c->host->methods->abandon(c->host, call);
    return context_memory(c);
  }
  w->context = c;
  w->call = call;
  w->op = *op;
  w->op.run = next;
  w->alone = holds_up_all(c, op);
  call->awaiting = w;
  c->pended = w;
  return 0;
}

/* ---- Stepping aside -------------------------------------------------------------------------- */

static int hold_wait(context *c, awaiting *w, uint32_t from) {
  agenda *a = &c->agenda;
  uint32_t n = a->count - from;
  if (n > w->held_capacity) {
    w->held = ARENA_ARRAY(c->arena, operation, n);
    w->held_capacity = w->held ? n : 0;
    if (!w->held) return context_memory(c);
  }
  if (n) memcpy(w->held, a->items + from, n * sizeof *w->held);
  w->n_held = n;
  w->planned = a->planned;
  a->count = from;
  a->planned = 0;
  return 0;
}

/* Of its branch, everything down to the last operation about the same token steps aside with it: those follow one another.
 * What lies deeper is about others. */
static uint32_t branch_end(const agenda *a, orr_id token) {
  uint32_t from = a->base;
  uint32_t own = a->count - a->planned; /* what it planned itself follows it in any case */
  while (from < own && a->items[from].execution != token) from++;
  return from;
}

int await_park(context *c, const struct view_slot *mark) {
  awaiting *w = c->pended;
  c->pended = NULL;
  w->frame = c->awaits;
  w->woken = false;
  w->views = execution_views_detach(c, mark);
  if (w->alone) {
    w->base = c->agenda.base;
    w->frame->alone = w;
    return RUN_PENDING;
  }
  list_append(&w->frame->first, &w->frame->last, w);
  w->token = execution_get(c, w->op.execution);
  if (w->token) w->token->n_awaiting++;
  return hold_wait(c, w, branch_end(&c->agenda, w->op.execution));
}

/* ---- Going on -------------------------------------------------------------------------------- */

awaiting *await_next(context *c) {
  await_frame *frame = c->awaits;
  awaiting *w = frame->woken;
  if (frame->alone) {
    w = frame->alone->woken ? frame->alone : NULL;
    if (w) frame->alone = NULL;
  } else if (w) {
    list_remove(&frame->woken, &frame->woken_last, w);
  }
  return w;
}

/* Its branch begins where it comes to lie now. */
static int put_back(context *c, awaiting *w) {
  agenda *a = &c->agenda;
  a->execution = w->op.execution;
  a->base = w->alone ? w->base : a->count;
  execution_views_attach(c, w->views);
  w->views = NULL;
  if (w->alone) return 0;
  int rc = agenda_reserve(c, w->n_held);
  if (rc) return rc;
  for (uint32_t i = 0; i < w->n_held; i++) {
    a->items[a->count] = w->held[i];
    a->items[a->count++].base = a->base;
  }
  a->planned = w->planned;
  return 0;
}

/* By other means than canceling: it was triggered, and stands elsewhere by now. */
static bool has_moved(context *c, const awaiting *w) {
  if (w->alone) return false;
  const rec_execution *e = execution_get(c, w->op.execution);
  if (!e) return true;
  const definition *d = context_definition_of(c, e->id, &c->error);
  return d && w->op.node && d->nodes[e->node - 1] != w->op.node;
}

static void abandon_wait(context *c, awaiting *w) {
  uncount(w);
  if (!w->call) return;
  host_pending *call = w->call;
  w->call = NULL;
  c->host->methods->abandon(c->host, call);
}

int await_go_on(context *c, awaiting *w, operation *op) {
  host_result result = {0};
  int rc = put_back(c, w);
  if (!rc && w->call && has_moved(c, w)) abandon_wait(c, w);
  if (rc || c->error.code || !w->call) {
    abandon_wait(c, w);
    recycle(c, w);
    return rc ? rc : c->error.code ? c->error.code : AWAIT_DROPPED;
  }
  uncount(w);
  host_status status = c->host->methods->resume(c->host, w->call, &result);
  if (status == HOST_PENDING) {
    c->pended = w;
    return AWAIT_AGAIN;
  }
  agenda_answered(c, status, &result);
  *op = w->op;
  recycle(c, w);
  return AWAIT_ANSWERED;
}

/* ---- The end --------------------------------------------------------------------------------- */

/* What closes with a call may drop others, so each look begins anew. */
static bool drop_in(context *c, awaiting *w, const rec_execution *e) {
  while (w && w->token != e) w = w->next;
  if (!w) return false;
  abandon_wait(c, w);
  wake(w);
  return true;
}

void await_drop(context *c, rec_execution *e) {
  for (await_frame *frame = c->awaits; e->n_awaiting && frame; frame = frame->outer) {
    while (e->n_awaiting && drop_in(c, frame->first, e)) continue;
    while (e->n_awaiting && drop_in(c, frame->woken, e)) continue;
  }
}

static void abandon_all(context *c, awaiting *w) {
  for (awaiting *next; w; w = next) {
    next = w->next;
    abandon_wait(c, w);
    execution_views_recycle(c, w->views);
    recycle(c, w);
  }
}

void await_close(context *c) {
  await_frame *frame = c->awaits;
  if (frame->alone) frame->alone->next = NULL;
  if (c->pended) abandon_wait(c, c->pended); /* its operation failed behind the call */
  c->pended = NULL;
  abandon_all(c, frame->alone);
  abandon_all(c, frame->first);
  abandon_all(c, frame->woken);
  c->awaits = frame->outer;
}

/* ---- Looking --------------------------------------------------------------------------------- */

static bool wait_concerns(const awaiting *w, orr_id group) {
  if (orr_id_group(w->op.execution) == group) return true;
  for (uint32_t i = 0; i < w->n_held; i++)
    if (orr_id_group(w->held[i].execution) == group) return true;
  return false;
}

static bool any_concerns(const awaiting *w, orr_id group) {
  while (w && !wait_concerns(w, group)) w = w->next;
  return w;
}

bool await_concerns(const context *c, orr_id instance) {
  orr_id group = orr_id_group(instance);
  for (const await_frame *frame = c->awaits; frame; frame = frame->outer) {
    if (frame->alone && wait_concerns(frame->alone, group)) return true;
    if (any_concerns(frame->first, group) || any_concerns(frame->woken, group)) return true;
  }
  return false;
}

/* A record of this unit, read again: a unit that has paused opens a new view. Those that it made itself are in no view. */
static int check_awaited(context *c, const rec_head *head, const char *what, orr_id id) {
  store_bytes value;
  if (!head->revision) return 0;
  int rc = unit_stored(c->u, head, &value, &c->error);
  if (rc != ORR_E_NOT_FOUND) return rc;
  return context_error(c, ORR_E_CONFLICT, "%s %" PRIu64 " was deleted while a call of its was awaited", what, id);
}

static int check_waits(context *c, const awaiting *w) {
  int rc = 0;
  for (orr_id checked = 0; !rc && w; w = w->next) {
    orr_id id = orr_id_instance(w->op.execution);
    if (id == checked) continue;
    const rec_instance *instance = unit_instance(c->u, id, &c->error);
    rc = instance ? check_awaited(c, &instance->head, "process instance", id) : c->error.code;
    checked = id;
  }
  return rc;
}

int await_check(context *c) {
  unit_pause(c->u);
  int rc = c->job ? check_awaited(c, &c->job->head, "job", c->job->id) : 0;
  for (const await_frame *frame = c->awaits; !rc && frame; frame = frame->outer) {
    if (frame->alone) rc = check_waits(c, frame->alone);
    if (!rc) rc = check_waits(c, frame->first);
  }
  unit_pause(c->u);
  return rc;
}

void await_wake(host_pending *call) {
  awaiting *w = call->awaiting;
  wake(w);
  context_awakened(w->context, w->frame);
}
