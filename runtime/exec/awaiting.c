/* Pending host calls: parking their operations, waking, continuing and dropping them. */
#include "exec/awaiting.h"

#include <inttypes.h>
#include <string.h>

#include "exec/context_run.h"
#include "state/execution.h"

struct awaited_call {
  context *context;
  await_frame *frame;
  awaited_call *next, *previous;
  host_pending *call;      /* NULL: dropped */
  operation op;            /* runs with the answer */
  operation *held;         /* what was parked with it, as it lay on the agenda */
  uint32_t n_held, held_capacity;
  uint32_t planned;        /* those of `held` that the operation planned itself, still in reverse */
  uint32_t begun;          /* the run of the agenda that made the call */
  uint32_t base;           /* if it blocks the agenda: the agenda's, kept as it is */
  struct view_slot *views; /* what the callee sees */
  place_mark at;           /* where the call is */
  int64_t interrupt_at;    /* its deadline, by call_clock; 0: none */
  rec_execution *token;    /* that counts it as pending, or NULL */
  bool blocks_agenda, woken;
};

/* ---- Lists ----------------------------------------------------------------------------------- */

static void list_append(awaited_call **first, awaited_call **last, awaited_call *w) {
  w->next = NULL;
  w->previous = *last;
  if (*last) (*last)->next = w;
  else *first = w;
  *last = w;
}

static void list_remove(awaited_call **first, awaited_call **last, awaited_call *w) {
  if (w->previous) w->previous->next = w->next;
  else *first = w->next;
  if (w->next) w->next->previous = w->previous;
  else *last = w->previous;
}

static void wake(awaited_call *w) {
  await_frame *frame = w->frame;
  if (w->woken) return;
  w->woken = true;
  if (w->blocks_agenda) return;
  list_remove(&frame->first, &frame->last, w);
  list_append(&frame->woken, &frame->woken_last, w);
}

static void uncount(awaited_call *w) {
  if (w->token) w->token->n_awaiting--;
  w->token = NULL;
}

static void recycle(context *c, awaited_call *w) {
  w->next = c->spare_awaited;
  c->spare_awaited = w;
}

static awaited_call *take_free(context *c) {
  awaited_call *w = c->spare_awaited;
  if (!w) return ARENA_NEW(c->arena, awaited_call);
  c->spare_awaited = w->next;
  *w = (awaited_call){.held = w->held, .held_capacity = w->held_capacity};
  return w;
}

/* ---- Beginning ------------------------------------------------------------------------------- */

void await_open(context *c, await_frame *frame) {
  *frame = (await_frame){.outer = c->awaits};
  c->awaits = frame;
}

/* The run that is canceling this token or instance in such a way that others can run on. 0:
 * none. */
static uint32_t canceling_run(context *c, orr_id id) {
  if (orr_id_local(id) == 1) {
    const rec_instance *i = unit_instance(c->u, id, &c->error);
    return i ? i->canceled_by : 0;
  }
  const rec_execution *e = execution_get(c, id);
  return e ? e->canceled_by : 0;
}

/* Does a call of the operation hold up everything that was planned since a run, or only its own
 * branch? */
static bool holds_up_since(context *c, const operation *op, uint32_t *run) {
  *run = op->flags & (OP_CANCELED | OP_HOLDS_PLANNED) ? canceling_run(c, op->execution) : 0;
  if (*run) return true;
  *run = op->planned_by;
  return op->flags & OP_HOLDS_PLANNED;
}

static bool holds_up_all(context *c, const operation *op) {
  uint32_t run;
  if (orr_id_local(op->execution) != 1 && !(op->flags & OP_CANCELED)) return false;
  return !holds_up_since(c, op, &run);
}

int await_begin(context *c, const operation *op, operation_fn next, host_pending *call,
                const place_mark *at) {
  awaited_call *w = take_free(c);
  if (!w) {
    c->host->methods->abandon(c->host, call);
    return context_memory(c);
  }
  w->context = c;
  w->call = call;
  w->op = *op;
  w->op.run = next;
  w->at = *at;
  w->begun = c->agenda.runs;
  w->interrupt_at = at->deadline;
  w->blocks_agenda = holds_up_all(c, op);
  call->awaiting = w;
  c->pending_call = w;
  return 0;
}

/* ---- Stepping aside -------------------------------------------------------------------------- */

static int hold_wait(context *c, awaited_call *w, uint32_t from) {
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

/* Everything of its branch down to the last operation about the same token is parked with it,
 * because these follow one another. What lies deeper is about other tokens. */
static uint32_t branch_end(const agenda *a, orr_id token) {
  uint32_t from = a->base;
  uint32_t own = a->count - a->planned; /* what it planned itself is parked in any case */
  while (from < own && a->items[from].execution != token) from++;
  return from;
}

/* What was planned since a run lies on top. */
static uint32_t planned_since(const context *c, uint32_t run) {
  uint32_t from = c->floor;
  while (from < c->agenda.count && c->agenda.items[from].planned_by < run) from++;
  return from;
}

int await_park(context *c, const struct view_slot *mark) {
  awaited_call *w = c->pending_call;
  c->pending_call = NULL;
  w->frame = c->awaits;
  w->woken = false;
  w->views = execution_views_detach(c, mark);
  if (w->blocks_agenda) {
    w->base = c->agenda.base;
    w->frame->blocking = w;
    return RUN_PENDING;
  }
  list_append(&w->frame->first, &w->frame->last, w);
  w->token = execution_get(c, w->op.execution);
  if (w->token) w->token->n_awaiting++;
  uint32_t run;
  bool since = holds_up_since(c, &w->op, &run);
  c->branches_overtake = c->branches_overtake || canceling_run(c, w->op.execution);
  return hold_wait(c, w, since ? planned_since(c, run) : branch_end(&c->agenda, w->op.execution));
}

/* ---- Going on -------------------------------------------------------------------------------- */

awaited_call *await_next(context *c) {
  await_frame *frame = c->awaits;
  awaited_call *w = frame->woken;
  if (frame->blocking) {
    w = frame->blocking->woken ? frame->blocking : NULL;
    if (w) frame->blocking = NULL;
  } else if (w) {
    list_remove(&frame->woken, &frame->woken_last, w);
  }
  return w;
}

/* Its branch begins at its new place on the agenda. */
static int put_back(context *c, awaited_call *w) {
  agenda *a = &c->agenda;
  a->runs++;
  a->execution = w->op.execution;
  a->base = w->blocks_agenda ? w->base : a->count;
  execution_views_attach(c, w->views);
  w->views = NULL;
  if (w->blocks_agenda) return 0;
  int rc = agenda_reserve(c, w->n_held);
  if (rc) return rc;
  for (uint32_t i = 0; i < w->n_held; i++) {
    a->items[a->count] = w->held[i];
    a->items[a->count++].base = a->base;
  }
  a->planned = w->planned;
  return 0;
}

/* Is the waiting token gone, or at another node? A trigger moves a token without canceling its
 * wait. */
static bool has_moved(context *c, const awaited_call *w) {
  if (w->blocks_agenda) return false;
  if (orr_id_local(w->op.execution) == 1) return !unit_instance(c->u, w->op.execution, &c->error);
  const rec_execution *e = execution_get(c, w->op.execution);
  if (!e) return true;
  const definition *d = context_definition_of(c, e->id, &c->error);
  return d && w->op.node && d->nodes[e->node - 1] != w->op.node;
}

static void abandon_wait(context *c, awaited_call *w) {
  uncount(w);
  if (!w->call) return;
  host_pending *call = w->call;
  w->call = NULL;
  c->host->methods->abandon(c->host, call);
}

int await_resume(context *c, awaited_call *w, operation *op) {
  host_result result = {0};
  int rc = put_back(c, w);
  if (!rc && w->call && has_moved(c, w)) abandon_wait(c, w);
  if (rc || c->error.code || !w->call) {
    abandon_wait(c, w);
    recycle(c, w);
    return rc ? rc : c->error.code ? c->error.code : AWAIT_DROPPED;
  }
  uncount(w);
  place_mark before = call_place_enter(c, &w->at);
  host_status status = c->host->methods->resume(c->host, w->call, &result);
  call_place_leave(c, &before);
  call_place_fail_overdue(c, &w->at, &status, &result);
  if (status == HOST_PENDING) {
    c->pending_call = w;
    return AWAIT_AGAIN;
  }
  agenda_answered(c, status, &result);
  *op = w->op;
  recycle(c, w);
  return AWAIT_ANSWERED;
}

/* ---- One behind the other -------------------------------------------------------------------- */

/* Is `id` below `outer`, perhaps in an instance that was called from there? */
static bool is_within(context *c, orr_id id, orr_id outer) {
  while (id && id != outer) {
    bool root = orr_id_local(id) == 1;
    const rec_instance *i = root ? unit_instance(c->u, id, &c->error) : NULL;
    const rec_execution *e = root ? NULL : execution_get(c, id);
    id = i ? i->super_execution : e ? e->parent : 0;
  }
  return id != 0;
}

static bool is_canceled_within(context *c, const awaited_call *w, orr_id outer) {
  orr_id id = w->op.execution;
  return w->call && canceling_run(c, id) && is_within(c, id, outer);
}

static awaited_call *canceled_within(context *c, awaited_call *w, orr_id outer) {
  while (w && !is_canceled_within(c, w, outer)) w = w->next;
  return w;
}

/* Moves a call to the innermost frame, whose run needs its end. */
static awaited_call *frame_adopt(context *c, awaited_call *w) {
  await_frame *from = w->frame, *to = c->awaits;
  if (from == to) return w;
  list_remove(w->woken ? &from->woken : &from->first, w->woken ? &from->woken_last : &from->last, w);
  list_append(w->woken ? &to->woken : &to->first, w->woken ? &to->woken_last : &to->last, w);
  w->frame = to;
  return w;
}

awaited_call *await_of_canceled(context *c, orr_id execution) {
  if (!c->branches_overtake) return NULL;
  for (await_frame *frame = c->awaits; frame; frame = frame->outer) {
    awaited_call *w = canceled_within(c, frame->first, execution);
    if (!w) w = canceled_within(c, frame->woken, execution);
    if (w) return frame_adopt(c, w);
  }
  return NULL;
}

static awaited_call *last_since(awaited_call *w, uint32_t run) {
  while (w && w->begun < run) w = w->previous;
  return w;
}

awaited_call *await_since(const context *c, uint32_t run) {
  awaited_call *w = last_since(c->awaits->last, run);
  return w ? w : last_since(c->awaits->woken_last, run);
}

void await_hold_behind(context *c, awaited_call *w, uint32_t since) {
  c->queue_behind = w;
  c->queue_since = since;
}

int await_hold_planned(context *c) {
  awaited_call *w = c->queue_behind;
  agenda *a = &c->agenda;
  uint32_t from = planned_since(c, c->queue_since), n = a->count - from;
  operation *held = ARENA_ARRAY(c->arena, operation, n + w->n_held);
  c->queue_behind = NULL;
  if (!held) return context_memory(c);
  memcpy(held, a->items + from, n * sizeof *held);
  if (w->n_held) memcpy(held + n, w->held, w->n_held * sizeof *held);
  w->held = held;
  w->n_held += n;
  w->held_capacity = w->n_held;
  a->count = from;
  return 0;
}

/* ---- The end --------------------------------------------------------------------------------- */

/* Drops one call. Abandoning it may drop others, so the caller begins anew each time. */
static bool drop_in(context *c, awaited_call *w, const rec_execution *e) {
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

static void abandon_all(context *c, awaited_call *w) {
  for (awaited_call *next; w; w = next) {
    next = w->next;
    abandon_wait(c, w);
    execution_views_recycle(c, w->views);
    recycle(c, w);
  }
}

void await_close(context *c) {
  await_frame *frame = c->awaits;
  if (frame->blocking) frame->blocking->next = NULL;
  if (c->pending_call) abandon_wait(c, c->pending_call); /* its operation failed after the call */
  c->pending_call = NULL;
  abandon_all(c, frame->blocking);
  abandon_all(c, frame->first);
  abandon_all(c, frame->woken);
  c->awaits = frame->outer;
}

/* ---- Looking --------------------------------------------------------------------------------- */

/* A call that continues all the same, and waits again, is interrupted once more. */
static void interrupt_late(context *c, awaited_call *w, int64_t now, int64_t *next) {
  enum { AGAIN_MS = 100 };
  if (!w || !w->call || !w->interrupt_at) return;
  if (w->interrupt_at <= now) {
    w->interrupt_at = now + AGAIN_MS;
    c->host->methods->interrupt(c->host, w->call);
  }
  if (!*next || w->interrupt_at < *next) *next = w->interrupt_at;
}

int64_t await_interrupt(context *c, int64_t now) {
  int64_t next = 0;
  for (const await_frame *frame = c->awaits; frame; frame = frame->outer) {
    interrupt_late(c, frame->blocking, now, &next);
    for (awaited_call *w = frame->first; w; w = w->next) interrupt_late(c, w, now, &next);
  }
  return next;
}

place_mark await_mark(const context *c) {
  for (const await_frame *frame = c->awaits; frame; frame = frame->outer) {
    const awaited_call *w = frame->blocking ? frame->blocking : frame->first ? frame->first : frame->woken;
    if (w) return w->at;
  }
  return (place_mark){0};
}

static bool wait_concerns(const awaited_call *w, orr_id group) {
  if (orr_id_group(w->op.execution) == group) return true;
  for (uint32_t i = 0; i < w->n_held; i++)
    if (orr_id_group(w->held[i].execution) == group) return true;
  return false;
}

static bool any_concerns(const awaited_call *w, orr_id group) {
  while (w && !wait_concerns(w, group)) w = w->next;
  return w;
}

bool await_concerns(const context *c, orr_id instance) {
  orr_id group = orr_id_group(instance);
  for (const await_frame *frame = c->awaits; frame; frame = frame->outer) {
    if (frame->blocking && wait_concerns(frame->blocking, group)) return true;
    if (any_concerns(frame->first, group) || any_concerns(frame->woken, group)) return true;
  }
  return false;
}

/* Reads a record of this unit again, in the new view of a unit that was paused. A record that the
 * unit itself made is in no view. */
static int check_awaited(context *c, const rec_head *head, const char *what, orr_id id) {
  store_bytes value;
  if (!head->revision) return 0;
  int rc = unit_stored(c->u, head, &value, &c->error);
  if (rc != ORR_E_NOT_FOUND) return rc;
  return context_error(c, ORR_E_CONFLICT, "%s %" PRIu64 " was deleted while a call of its was awaited", what, id);
}

static int check_waits(context *c, const awaited_call *w) {
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
    if (frame->blocking) rc = check_waits(c, frame->blocking);
    if (!rc) rc = check_waits(c, frame->first);
  }
  unit_pause(c->u);
  return rc;
}

void await_wake(host_pending *call) {
  awaited_call *w = call->awaiting;
  wake(w);
  context_awakened(w->context, w->frame);
}
