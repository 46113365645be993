/* Start subscriptions and start timers: which ones there are, whether they are allowed, and how
 * they pass from version to version. */
#include "command/deploy/start_events.h"

#include <inttypes.h>
#include <string.h>

#include "command/guard_row.h"
#include "engine/definition_cache.h"
#include "job/job.h"
#include "job/timer.h"
#include "model/names.h"
#include "state/expression.h"
#include "state/variable.h"
#include "uow/find.h"

/* Ids in a definition's group follow from the node, as those of its job definitions do: sixteen for each node, of which
 * the first is the subscription's. Locals below FIRST belong to the definition itself. */
enum { LOCAL_FIRST = 16, LOCALS_PER_NODE = 16 };

static const char *type_of(const node *n) {
  if (n->type != NODE_START_EVENT) return NULL;
  switch (n->event.type) {
    case EVENT_MESSAGE: return "message";
    case EVENT_SIGNAL: return "signal";
    case EVENT_CONDITIONAL: return "conditional";
    default: return NULL;
  }
}

static bool has_name(const node *n) { return n->event.type == EVENT_MESSAGE || n->event.type == EVENT_SIGNAL; }

/* The name of a message or signal start event; an expression is evaluated without variables. */
static int start_event_name(context *c, const definition *d, const node *start, const char **out) {
  const expr *name = &start->event.name;
  bool literal = name->kind == EXPR_LITERAL; /* a message's name that the dialect takes as it stands is one */
  *out = literal ? name->text : NULL;
  if (literal || !expr_given(name)) return 0;
  orr_value value, known;
  int rc = definition_variables(c, d, &known);
  if (!rc) rc = expr_value_over(c, name, &known, &value);
  if (rc) return rc;
  if (value.type != ORR_STRING) return context_error(c, ORR_E_EXPRESSION, "%s gives no text", name->text);
  *out = arena_strndup(c->arena, value.as.bytes, value.size);
  return *out ? 0 : context_memory(c);
}

/* ---- Finding --------------------------------------------------------------------------------- */

/* Start subscriptions of a type ("message", "signal", "conditional"), of one name (NULL: any). */
static int start_subscriptions(context *c, const char *type, const char *name, unit_found *out) {
  rec_key by[2] = {{.text = {type, strlen(type)}}};
  if (name) by[1].text = (rec_text){name, strlen(name)};
  int rc = unit_find_index(c->u, REC_INDEX_SUBSCRIPTION_NAME, by, name ? 2 : 1, 0, out, &c->error);
  if (rc) return rc;
  size_t kept = 0;
  for (size_t i = 0; i < out->count; i++)
    if (((const rec_subscription *)out->items[i])->execution_id == 0) out->items[kept++] = out->items[i];
  out->count = kept;
  return 0;
}

/* What this version would subscribe to were it the latest. */
static int subscriptions_of(context *c, const rec_definition *r, const definition *d, const char *type, const char *name,
                            unit_found *out) {
  out->items = ARENA_ARRAY(c->arena, rec_head *, d->process->n_children + 1);
  if (!out->items) return context_memory(c);
  for (uint32_t i = 0; i < d->process->n_children; i++) {
    const node *n = d->process->children[i];
    if (!type_of(n) || strcmp(type_of(n), type) != 0) continue;
    const char *own = NULL;
    int rc = name ? start_event_name(c, d, n, &own) : 0;
    if (rc) return rc;
    if (name && (!own || strcmp(own, name) != 0)) continue;
    rec_subscription *s = ARENA_NEW(c->arena, rec_subscription);
    if (!s) return context_memory(c);
    *s = (rec_subscription){.node = n->index + 1, .definition_id = r->id, .tenant = r->tenant};
    out->items[out->count++] = &s->head;
  }
  return 0;
}

int start_candidates(context *c, const char *type, const char *name, orr_id definition_id, unit_found *out) {
  if (!definition_id) return start_subscriptions(c, type, name, out);
  out->count = 0;
  const rec_definition *r = unit_definition(c->u, definition_id, &c->error);
  const definition *d = r ? context_definition(c, definition_id, &c->error) : NULL;
  return d ? subscriptions_of(c, r, d, type, name, out) : c->error.code;
}

int definition_jobs(context *c, orr_id definition_id, unit_found *out) {
  rec_key by = {.id = definition_id};
  return unit_find_every(c->u, REC_INDEX_JOB_OF_DEFINITION, &by, 1, out, &c->error);
}

/* ---- Checking -------------------------------------------------------------------------------- */

/* The other definition, of another key, that this message starts. NULL: there is none (or
 * c->error). */
static const rec_definition *other_receiver(context *c, const char *message, rec_text tenant, const char *key) {
  unit_found found;
  if (start_subscriptions(c, "message", message, &found)) return NULL;
  for (size_t i = 0; i < found.count; i++) {
    const rec_subscription *s = (const rec_subscription *)found.items[i];
    if (!rec_text_equal(s->tenant, tenant)) continue;
    const rec_definition *r = unit_definition(c->u, s->definition_id, &c->error);
    if (!r && c->error.code != 0) return NULL;
    if (r && !rec_text_is(r->key, key)) return r;
  }
  return NULL;
}

typedef struct check {
  context *c;
  rec_text tenant;
  problems *list;
  names seen; /* message names of this deployment, to the definition */
} check;

static problem_place place_of(const definition *d, const node *n) { return (problem_place){d->resource, n->line, 0, n->id}; }

static int check_message(check *k, definition *d, const node *n, const char *name) {
  context *c = k->c;
  const problem_place at = place_of(d, n);
  const definition *first = names_get(&k->seen, name);
  if (first) {
    problems_add(k->list, false, &at,
                 "message \"%s\" starts two processes of this deployment: \"%s\" and \"%s\"; a message can start one", name,
                 first->key, d->key);
    return 0;
  }
  const rec_definition *other = other_receiver(c, name, k->tenant, d->key);
  if (c->error.code != 0) return c->error.code;
  if (other)
    problems_add(k->list, false, &at, "message \"%s\" starts \"%s\" already (definition %" PRIu64 "); "
                 "a message can start one process", name, other->key.data, other->id);
  return names_put(&k->seen, name, d) ? 0 : context_memory(c);
}

static int check_start_event(check *k, definition *d, const node *n) {
  context *c = k->c;
  const char *name = NULL;
  if (start_event_name(c, d, n, &name)) {
    if (c->error.code == ORR_E_MEMORY || c->error.code == ORR_E_STORE) return c->error.code;
    const problem_place at = place_of(d, n);
    problems_add(k->list, false, &at, "the name of its %s cannot be told at deployment: %s", type_of(n),
                 c->error.message ? c->error.message : orr_strerror(c->error.code));
    orr_error_clear(&c->error);
    return 0;
  }
  return n->event.type == EVENT_MESSAGE && name ? check_message(k, d, n, name) : 0;
}

int start_events_check(context *c, definition *const *all, uint32_t count, const char *tenant, problems *list) {
  check k = {.c = c, .tenant = {tenant, tenant ? strlen(tenant) : 0}, .list = list, .seen.arena = c->arena};
  for (uint32_t i = 0; i < count; i++) {
    const node *process = all[i]->process;
    for (uint32_t j = 0; j < process->n_children; j++) {
      const node *n = process->children[j];
      int rc = type_of(n) && has_name(n) ? check_start_event(&k, all[i], n) : 0;
      if (rc) return rc;
    }
  }
  return 0;
}

/* ---- Coming and going ------------------------------------------------------------------------ */

static int subscribe_start_event(context *c, const definition *d, const rec_definition *r, const node *n, const char *name) {
  uint64_t local = LOCAL_FIRST + (uint64_t)n->index * LOCALS_PER_NODE;
  if (local > ORR_LOCAL_MAX) return context_error(c, ORR_E_LIMIT, "\"%s\" has too many nodes for start events", d->key);
  /* it would be among the latest definitions of all keys: two deployments that check meet here */
  bool unique = n->event.type == EVENT_MESSAGE && name;
  int rc = unique ? guard_row_write(c, "message", r->tenant, name) : 0;
  if (rc) return rc;
  rec_subscription *s = unit_new_subscription(c->u, orr_id_make(orr_id_group(d->id), (uint32_t)local));
  if (!s) return context_memory(c);
  s->type = unit_textz(c->u, type_of(n));
  s->name = unit_textz(c->u, name);
  s->node = n->index + 1;
  s->activity_id = unit_textz(c->u, n->id);
  s->definition_id = d->id;
  s->created = context_stamp(c);
  s->tenant = r->tenant;
  return 0;
}

static int create_start_timer(context *c, const definition *d, const rec_definition *r, const node *n) {
  rec_job *job = timer_job_create(c, ORR_JOB_TIMER_START, NULL, NULL, d, n, &n->event.timer);
  if (!job) return c->error.code;
  if (!r->suspended) return 0;
  if (context_touch(c, job)) return c->error.code;
  job->suspended = true;
  return job_place(c, job);
}

/* Does another definition receive this message? If not, `r` does from now on. */
static int take_message(context *c, const definition *d, const rec_definition *r, const char *name,
                        names *receivers, bool *taken) {
  const rec_definition *other = names_get(receivers, name);
  *taken = other && !rec_text_is(other->key, d->key);
  if (*taken)
    engine_log(c->engine, ORR_LOG_WARNING, NULL,
               "definition %" PRIu64 " (\"%s\") is the latest again, but message \"%s\" starts \"%s\""
               " by now", d->id, d->key, name, other->key.data);
  return other || names_put(receivers, name, (void *)r) ? 0 : context_memory(c);
}

/* `receivers`: of messages, where a version comes back; NULL: all start events were checked. */
static int create_one(context *c, const definition *d, const rec_definition *r, const node *n,
                      names *receivers) {
  if (n->type != NODE_START_EVENT) return 0;
  if (n->event.type == EVENT_TIMER) return create_start_timer(c, d, r, n);
  if (!type_of(n)) return 0;
  const char *name = NULL;
  int rc = has_name(n) ? start_event_name(c, d, n, &name) : 0;
  bool taken = false;
  if (!rc && receivers && name && n->event.type == EVENT_MESSAGE)
    rc = take_message(c, d, r, name, receivers, &taken);
  return rc || taken ? rc : subscribe_start_event(c, d, r, n, name);
}

static int create_start_events(context *c, const definition *d, const rec_definition *r,
                               names *receivers) {
  for (uint32_t i = 0; i < d->process->n_children; i++) {
    int rc = create_one(c, d, r, d->process->children[i], receivers);
    if (rc) return rc;
  }
  return 0;
}

int start_events_create(context *c, const definition *d, const rec_definition *r) {
  return create_start_events(c, d, r, NULL);
}

/* The definitions that by now receive what one is started by. */
static int note_receivers(context *c, const definition *d, const rec_definition *r,
                          names *receivers) {
  for (uint32_t i = 0; i < d->process->n_children; i++) {
    const node *n = d->process->children[i];
    const char *name = NULL;
    if (n->type != NODE_START_EVENT || n->event.type != EVENT_MESSAGE) continue;
    int rc = start_event_name(c, d, n, &name);
    if (rc) return rc;
    const rec_definition *other = name ? other_receiver(c, name, r->tenant, d->key) : NULL;
    if (c->error.code) return c->error.code;
    bool told = !other || names_get(receivers, name) || names_put(receivers, name, (void *)other);
    if (!told) return context_memory(c);
  }
  return 0;
}

/* Finds the receivers before the first version is subscribed, because a find would look through all
 * that have come back before. If two come back for one message, the second finds the first. */
int start_events_restore(context *c, const unit_found *all) {
  names receivers = {.arena = c->arena};
  int rc = 0;
  for (size_t i = 0; !rc && i < all->count; i++) {
    const rec_definition *r = (const rec_definition *)all->items[i];
    const definition *d = context_definition(c, r->id, &c->error);
    rc = d ? note_receivers(c, d, r, &receivers) : c->error.code;
  }
  for (size_t i = 0; !rc && i < all->count; i++) {
    const rec_definition *r = (const rec_definition *)all->items[i];
    const definition *d = context_definition(c, r->id, &c->error);
    rc = d ? create_start_events(c, d, r, &receivers) : c->error.code;
  }
  return rc;
}

static int delete_start_events(context *c, const unit_found *found) {
  for (size_t i = 0; i < found->count; i++)
    if (unit_delete(c->u, found->items[i])) return context_memory(c);
  return 0;
}

int start_events_remove(context *c, orr_id definition_id) {
  unit_found found;
  int rc = unit_find_group(c->u, &rec_subscription_type, orr_id_group(definition_id), &found, &c->error);
  if (!rc) rc = delete_start_events(c, &found);
  if (!rc) rc = definition_jobs(c, definition_id, &found);
  for (size_t i = 0; i < found.count && !rc; i++) {
    rec_job *job = (rec_job *)found.items[i];
    if (job->kind == ORR_JOB_TIMER_START) rc = job_remove(c, job);
  }
  return rc;
}
