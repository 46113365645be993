/* What a node says of itself, and what is known of all. */
#include "executor/owner/cluster.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "engine/engine.h"
#include "executor/pool_internal.h"
#include "uow/find.h"

enum { BOUND_MIN = 1, BOUND_MAX = 2 };
#define CLUSTER_DEPLOYMENTS_MAX 1000 /* of one that has more they are not listed: */
#define ANY_DEPLOYMENT 0          /* each counts as registered */

/* ---- Telling --------------------------------------------------------------------------------- */

static int tell_jobs_at(const member *m, context *c, rec_owner *r) {
  const orr_executor *x = m->executor;
  uint32_t n_workers = x->n_workers;
  orr_id *ids = ARENA_ARRAY(c->arena, orr_id, n_workers + 1);
  size_t count = 0;
  if (!ids) return ORR_E_MEMORY;
  for (uint32_t i = 0; i < n_workers; i++) {
    const worker *w = &x->workers[i];
    orr_id job = atomic_load(&w->current_job);
    if (job && atomic_load(&w->current_engine) == m->engine) ids[count++] = job;
  }
  r->jobs = (rec_ids){ids, count};
  return 0;
}

static int tell_deployments(orr_engine *engine, context *c, rec_owner *r) {
  orr_id *ids = ARENA_ARRAY(c->arena, orr_id, CLUSTER_DEPLOYMENTS_MAX);
  if (!ids) return ORR_E_MEMORY;
  pthread_mutex_lock(&engine->mutex);
  size_t count = engine->n_registered;
  bool listed = count <= CLUSTER_DEPLOYMENTS_MAX;
  if (listed && count) memcpy(ids, engine->registered, count * sizeof *ids);
  pthread_mutex_unlock(&engine->mutex);
  if (!listed) ids[0] = ANY_DEPLOYMENT;
  r->deployments = (rec_ids){ids, listed ? count : 1};
  return 0;
}

int cluster_tell(void *ud, context *c, rec_owner *r) {
  member *m = ud;
  orr_executor *x = m->executor;
  pthread_mutex_lock(&x->mutex);
  r->held = m->in_flight;
  r->room = m->in_flight < m->capacity ? m->capacity - m->in_flight : 0;
  r->stopping = x->stopping;
  pthread_mutex_unlock(&x->mutex);
  r->told = c->now;
  r->lease = m->locker.lock_ms;
  r->threads = x->n_threads;
  r->aware = m->rules.deployment_aware;
  r->hierarchies = m->rules.exclusive_over_hierarchies;
  r->bounds = (m->rules.has_min ? BOUND_MIN : 0) | (m->rules.has_max ? BOUND_MAX : 0);
  r->priority_min = m->rules.priority_min;
  r->priority_max = m->rules.priority_max;
  int rc = r->aware ? tell_deployments(m->engine, c, r) : 0;
  return rc ? rc : tell_jobs_at(m, c, r);
}

/* ---- Listing --------------------------------------------------------------------------------- */

const char *cluster_state_name(cluster_state state) {
  static const char *const names[] = {
      [CLUSTER_AT_WORK] = "at work", [CLUSTER_SILENT] = "silent", [CLUSTER_EXPIRED] = "expired", [CLUSTER_GONE] = "gone"};
  return names[state];
}

bool cluster_is_executor(const cluster_node *n) { return n->owner->threads > 0; }
bool cluster_is_alive(const cluster_node *n) { return n->state == CLUSTER_AT_WORK || n->state == CLUSTER_SILENT; }

/* It prolongs its lease when a third of it is over. */
static bool is_silent(const rec_owner *o, orr_time now) { return o->threads > 0 && now - o->told > o->lease * 2 / 3; }

/* The executor of another engine of this process; a folder is open here once. */
static bool is_of_another(orr_engine *engine, const rec_owner *o) {
  if (!o->threads || !running_keeps_files(engine) || !owner_is_own(engine, o)) return false;
  orr_executor *x = engine->executor;
  if (!x || engine_forked(engine)) return true;
  pthread_mutex_lock(&x->mutex);
  uint64_t number = 0;
  for (uint32_t i = 0; i < x->n_members; i++)
    if (x->members[i]->engine == engine) number = atomic_load(&x->members[i]->locker.number);
  pthread_mutex_unlock(&x->mutex);
  return number != o->number;
}

static cluster_state state_of_owner(context *c, const rec_owner *o) {
  orr_engine *engine = c->engine;
  if (!owner_lives(engine, o) || !owner_is_here(engine, o) || is_of_another(engine, o)) return CLUSTER_GONE;
  if (o->fenced || o->expires <= c->now) return CLUSTER_EXPIRED;
  return is_silent(o, c->now) ? CLUSTER_SILENT : CLUSTER_AT_WORK;
}

static int compare_owners(const void *a, const void *b) {
  const rec_owner *x = ((const cluster_node *)a)->owner, *y = ((const cluster_node *)b)->owner;
  if (x->fenced != y->fenced) return x->fenced < y->fenced ? -1 : 1;
  if (x->started != y->started) return x->started < y->started ? -1 : 1;
  return x->number < y->number ? -1 : x->number > y->number;
}

int cluster_find(context *c, cluster_nodes *out) {
  unit_found found;
  *out = (cluster_nodes){0};
  int rc = unit_find_all(c->u, &rec_owner_type, &found, &c->error);
  if (rc) return rc;
  out->items = ARENA_ARRAY(c->arena, cluster_node, found.count + 1);
  if (!out->items) return context_memory(c);
  for (size_t i = 0; i < found.count; i++) {
    const rec_owner *o = (const rec_owner *)(const void *)found.items[i];
    out->items[out->count++] = (cluster_node){
        .owner = o, .state = state_of_owner(c, o), .room = (uint32_t)o->room, .waiting = UINT32_MAX,
        .stopping = o->stopping, .jobs = o->jobs};
  }
  qsort(out->items, out->count, sizeof *out->items, compare_owners);
  return 0;
}

static cluster_node *node_of(cluster_nodes *list, uint64_t number) {
  for (size_t i = 0; i < list->count; i++)
    if (list->items[i].owner->number == number) return &list->items[i];
  return NULL;
}

static int count_exclusive(void *ud, rec_head *record, bool *stop) {
  const rec_exclusive *lock = (const rec_exclusive *)(const void *)record;
  cluster_node *n = node_of(ud, lock->owner);
  (void)stop;
  if (n) n->held += lock->count;
  return 0;
}

static int count_alone(void *ud, rec_head *record, bool *stop) {
  cluster_node *n = ud;
  (void)record;
  *stop = ++n->held >= CLUSTER_HELD_MAX;
  return 0;
}

/* Exclusive jobs by the locks of their instances, the others by their rows (claims.h). */
int cluster_count_held(context *c, cluster_nodes *list) {
  const access_path locks = {.type = &rec_exclusive_type};
  for (size_t i = 0; i < list->count; i++) list->items[i].held = 0;
  int rc = list->count ? unit_walk(c->u, &locks, count_exclusive, list, NULL, &c->error) : 0;
  for (size_t i = 0; !rc && i < list->count; i++) {
    const rec_key owner = {.id = list->items[i].owner->number};
    const access_path rows = {.type = &rec_job_type, .index = REC_INDEX_JOB_LOCKED, .n_fields = 1, .fields = &owner};
    rc = unit_walk(c->u, &rows, count_alone, &list->items[i], NULL, &c->error);
  }
  return rc;
}

/* ---- One of them ----------------------------------------------------------------------------- */

static bool ids_have(rec_ids ids, orr_id id) {
  for (size_t i = 0; i < ids.count; i++)
    if (ids.items[i] == id) return true;
  return false;
}

bool cluster_was_at(const rec_owner *owner, orr_id job) { return !owner->stopping && ids_have(owner->jobs, job); }

running_view cluster_view(const cluster_node *n, orr_id deployment) {
  const rec_owner *o = n->owner;
  return (running_view){
      .rules = {.has_min = o->bounds & BOUND_MIN,
                .has_max = o->bounds & BOUND_MAX,
                .priority_min = o->priority_min,
                .priority_max = o->priority_max,
                .deployment_aware = o->aware,
                .exclusive_over_hierarchies = o->hierarchies,
                .owner = o->name.data},
      .room = n->room,
      .waiting = n->waiting,
      .registered = !o->aware || !deployment || ids_have(o->deployments, deployment) ||
                    ids_have(o->deployments, ANY_DEPLOYMENT),
      .stopping = n->stopping,
      .record = o,
      .told = n->jobs,
  };
}

/* ---- Files ----------------------------------------------------------------------------------- */

static cluster_node *node_of_file(const cluster_nodes *list, const running_view *view) {
  for (size_t i = 0; i < list->count; i++) {
    cluster_node *n = &list->items[i];
    if (n->owner->fenced || n->state == CLUSTER_GONE) continue;
    if (rec_text_is(n->owner->name, view->rules.owner)) return n;
  }
  return NULL;
}

typedef struct listening {
  context *c;
  cluster_nodes *list;
  int rc;
} listening;

static void hear_now(void *ud, const running_view *view) {
  listening *l = ud;
  cluster_node *n = node_of_file(l->list, view);
  orr_id *ids = n ? ARENA_ARRAY(l->c->arena, orr_id, RUNNING_THREADS_MAX) : NULL;
  size_t count = 0;
  if (!n || !ids) {
    if (n) l->rc = context_memory(l->c);
    return;
  }
  for (uint32_t i = 0; i < RUNNING_THREADS_MAX; i++) {
    orr_id job = running_view_job(view, i);
    if (job) ids[count++] = job;
  }
  n->room = view->room;
  n->waiting = view->waiting;
  n->stopping = view->stopping;
  n->jobs = (rec_ids){ids, count};
}

int cluster_hear_files(context *c, cluster_nodes *list) {
  listening l = {c, list, 0};
  running_each(c->engine, 0, hear_now, &l);
  return l.rc;
}

/* ---- Executors ------------------------------------------------------------------------------- */

typedef struct hearing {
  const cluster_nodes *list;
  bool *heard; /* of the list: those that have a file */
  void (*visit)(void *ud, const running_view *view);
  void *ud;
} hearing;

static void hear_file(void *ud, const running_view *view) {
  const hearing *h = ud;
  running_view known = *view;
  const cluster_node *n = node_of_file(h->list, view);
  if (n) {
    known.record = n->owner;
    h->heard[n - h->list->items] = true;
  }
  h->visit(h->ud, &known);
}

int cluster_each_executor(context *c, orr_id deployment, void (*visit)(void *ud, const running_view *view), void *ud) {
  cluster_nodes list;
  int rc = cluster_find(c, &list);
  if (rc) return rc;
  hearing h = {.list = &list, .heard = ARENA_ARRAY(c->arena, bool, list.count + 1), .visit = visit, .ud = ud};
  if (!h.heard) return context_memory(c);
  running_each(c->engine, deployment, hear_file, &h);
  for (size_t i = 0; i < list.count; i++) {
    const cluster_node *n = &list.items[i];
    if (h.heard[i] || !cluster_is_executor(n) || !cluster_is_alive(n)) continue;
    running_view view = cluster_view(n, deployment);
    visit(ud, &view);
  }
  return 0;
}

const char *cluster_title(context *c, const rec_owner *owner) {
  char machine[OWNER_MACHINE_BYTES];
  long pid;
  if (owner_process(owner->name.data, owner->name.size, &pid, machine))
    return arena_printf(c->arena, "process %ld on %s", pid, machine);
  if (!owner->pid || !owner->host.size) return arena_strdup(c->arena, owner->name.data);
  return arena_printf(c->arena, "%s (process %" PRId64 " on %s)", owner->name.data, owner->pid, owner->host.data);
}
