/* Contexts: begin, commit, end; and the definitions and instances they look up. */
#include "state/context.h"

#include <inttypes.h>
#include <string.h>

#include "engine/definition_cache.h"
#include "engine/metrics.h"
#include "state/numbers.h"
#include "state/tracing.h"
#include "uow/committer.h"
#include "uow/flush.h"

/* A context over `u`, which it takes over; NULL: the unit could not be begun. */
static context *begin(engine_thread *thread, host_thread *own_host, unit *u, orr_error *err) {
  if (!u) return NULL;
  orr_engine *engine = thread->engine;
  orr_arena *arena = unit_arena(u);
  context *c = ARENA_NEW(arena, context);
  if (c) {
    c->engine = engine;
    c->arena = arena;
  }
  if (!c || engine->exec->context_opened(c)) {
    unit_end(u);
    error_memory(err);
    return NULL;
  }
  c->u = u;
  c->host = own_host ? own_host : thread->host;
  c->user = thread->user ? arena_strdup(arena, thread->user) : NULL;
  if (thread->trace) tracing_open(c, thread->trace);
  c->now = engine_now(engine);
  c->lists.changes_tail = &c->lists.changes;
  return c;
}

context *context_begin(orr_engine *engine, host_thread *own_host, orr_error *err) {
  engine_thread *thread = engine_thread_get(engine, err);
  if (!thread) return NULL;
  if (thread->current) unit_pause(thread->current->u);
  return begin(thread, own_host, unit_begin(engine->units, err), err);
}

context *context_begin_beside(orr_engine *engine, unit *lender, orr_error *err) {
  engine_thread *thread = engine_thread_get(engine, err);
  return thread ? begin(thread, NULL, unit_begin_beside(lender, err), err) : NULL;
}

/* ---- Commit ---------------------------------------------------------------------------------- */

static int refuse_doomed(context *c, orr_error *err) {
  int code = c->rollback_reason.code ? c->rollback_reason.code : ORR_E_STATE;
  if (c->rollback_reason.code) error_move(err, &c->rollback_reason);
  else error_set(err, code, "a part of this transaction failed");
  return code;
}

static int prepare_commit(context *c, orr_error *err) {
  if (c->rollback_only) return refuse_doomed(c, err);
  int rc = numbers_hand_on(c);
  if (!rc) rc = c->engine->hooks->commit_prepare(c);
  if (rc) error_move(err, &c->error);
  return rc;
}

int context_flush(context *c, store_batch **out, orr_error *err) {
  int rc = prepare_commit(c, err);
  return rc ? rc : unit_flush(c->u, out, err);
}

void context_count(orr_engine *engine, const context_counts *counted) {
  metrics_count(engine, METRIC_ACTIVITY_START, counted->activities_started);
  metrics_count(engine, METRIC_ACTIVITY_END, counted->activities_ended);
  metrics_count(engine, METRIC_INSTANCE_START, counted->roots_started);
  metrics_count(engine, METRIC_INSTANCE_END, counted->instances_ended);
  if (counted->cleaned_instances) metrics_count(engine, METRIC_CLEANED_INSTANCES, counted->cleaned_instances);
  if (counted->cleaned_decisions) metrics_count(engine, METRIC_CLEANED_DECISIONS, counted->cleaned_decisions);
  if (counted->cleaned_batches) metrics_count(engine, METRIC_CLEANED_BATCHES, counted->cleaned_batches);
}

enum { TOLD_AT_ONCE = 32 }; /* jobs */

/* Passes the store's answer on to the hook for new jobs and to the trace, and ends the context. */
static void finish_commit(context *c, int status) {
  const engine_hooks *hooks = c->engine->hooks;
  placed_job jobs[TOLD_AT_ONCE];
  if (status == 0) context_count(c->engine, &c->counted);
  for (uint32_t from = 0; from < c->created.count; from += TOLD_AT_ONCE)
    hooks->commit_done(c->engine, jobs, hooks->jobs_placed(c, from, jobs, TOLD_AT_ONCE), status);
  if (c->spans) tracing_end(tracing_take(c), status ? orr_error_kind(status) : NULL);
  context_end(c);
}

void context_committed(context *c, int status) {
  if (status == 0) unit_committed(c->u);
  finish_commit(c, status);
}

int context_commit_batch(context *c, store_batch *batch, orr_error *err) {
  int rc = 0;
  if (batch->count > 0) {
    engine_thread_waits(c->engine, true);
    rc = committer_commit(c->engine->committer, batch, 1, err);
    engine_thread_waits(c->engine, false);
  }
  return rc ? rc : unit_batch_status(batch, err);
}

static int commit_grouped(context *c, orr_error *err) {
  store_batch *batch = NULL;
  int rc = unit_flush(c->u, &batch, err);
  if (!rc) rc = context_commit_batch(c, batch, err);
  if (!rc) unit_committed(c->u);
  return rc;
}

int context_commit(context *c, orr_error *err) {
  int rc = prepare_commit(c, err);
  if (!rc) rc = commit_grouped(c, err);
  finish_commit(c, rc);
  return rc;
}

void context_end(context *c) {
  c->engine->exec->context_closed(c);
  if (c->spans) tracing_end(tracing_take(c), "abandoned");
  c->state = CONTEXT_ENDED;
  for (uint32_t i = 0; i < c->pins.capacity; i++)
    if (c->pins.slots[i]) definition_release(c->pins.slots[i]);
  orr_error_clear(&c->error);
  orr_error_clear(&c->rollback_reason);
  orr_error_clear(&c->result.error);
  unit_end(c->u); /* the context lies in its arena */
}

int context_set_user(context *c, const char *user, orr_error *err) {
  const char *copy = user ? arena_strdup(c->arena, user) : NULL;
  if (user && !copy) return error_memory(err);
  c->user = copy;
  return 0;
}

bool context_inside(orr_engine *engine) {
  const engine_thread *thread = pthread_getspecific(engine->thread_key);
  const context *c = thread ? thread->current : NULL;
  return c && !(c->transaction && c->command_depth == 0);
}

const char *context_text(context *c, const orr_value *text, const char *what) {
  if (memchr(text->as.bytes, '\0', text->size)) {
    context_error(c, ORR_E_ARGUMENT, "%s: a text without zero bytes expected", what);
    return NULL;
  }
  const char *copy = arena_strndup(c->arena, text->as.bytes, text->size);
  if (!copy) context_memory(c);
  return copy;
}

/* ---- Definitions and instances --------------------------------------------------------------- */

/* The slot of a pinned definition, or where it would be. */
static definition **pin_slot(definition **slots, uint32_t capacity, orr_id id) {
  uint32_t i = (uint32_t)orr_id_group(id) & (capacity - 1);
  while (slots[i] && slots[i]->id != id) i = (i + 1) & (capacity - 1);
  return &slots[i];
}

#define PINS_MIN 8 /* a power of two */

static int pin(context *c, definition *d) {
  if (c->pins.count * 2 >= c->pins.capacity) {
    uint32_t capacity = c->pins.capacity ? c->pins.capacity * 2 : PINS_MIN;
    definition **slots = ARENA_ARRAY(c->arena, definition *, capacity);
    if (!slots) return ORR_E_MEMORY;
    memset(slots, 0, capacity * sizeof(definition *));
    for (uint32_t i = 0; i < c->pins.capacity; i++)
      if (c->pins.slots[i]) *pin_slot(slots, capacity, c->pins.slots[i]->id) = c->pins.slots[i];
    c->pins.slots = slots;
    c->pins.capacity = capacity;
  }
  *pin_slot(c->pins.slots, c->pins.capacity, d->id) = d;
  c->pins.count++;
  return 0;
}

definition *context_definition(context *c, orr_id id, orr_error *err) {
  definition *d = c->pins.count ? *pin_slot(c->pins.slots, c->pins.capacity, id) : NULL;
  if (d) return d;
  d = definitions_get(c->engine, c, id, err);
  if (d && pin(c, d)) {
    definition_release(d);
    error_memory(err);
    return NULL;
  }
  return d;
}

static bool context_exists(const rec_head *head) { return head->state != REC_DELETED && head->state != REC_VOID; }

/* Nearly every step needs the instance and the definition of its token, mostly the last ones. */
static bool is_last_instance(const context *c, orr_id id) {
  const rec_instance *last = c->last.instance;
  return last && last->id == id && context_exists(&last->head);
}

static rec_instance *look_instance_up(context *c, orr_id id, orr_error *err) {
  rec_instance *instance = unit_instance(c->u, id, err);
  if (!instance) {
    if (!err || !err->code) error_set(err, ORR_E_NOT_FOUND, "there is no process instance %" PRIu64, id);
    return NULL;
  }
  c->last.instance = instance;
  c->last.definition = NULL;
  return instance;
}

rec_instance *context_instance(context *c, orr_id any_id_of_instance, orr_error *err) {
  orr_id id = orr_id_instance(any_id_of_instance);
  return is_last_instance(c, id) ? c->last.instance : look_instance_up(c, id, err);
}

static definition *look_definition_up(context *c, orr_id any_id_of_instance, orr_error *err) {
  const rec_instance *instance = context_instance(c, any_id_of_instance, err);
  if (instance) c->last.definition = context_definition(c, instance->definition_id, err);
  return instance ? c->last.definition : NULL;
}

definition *context_definition_of(context *c, orr_id any_id_of_instance, orr_error *err) {
  definition *d = c->last.definition;
  bool last = d && is_last_instance(c, orr_id_instance(any_id_of_instance)) && d->id == c->last.instance->definition_id;
  return last ? d : look_definition_up(c, any_id_of_instance, err);
}
