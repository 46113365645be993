/* A round of acquisition beside other executors. */
#include "executor/pool_internal.h"

/* How often an executor looks who else is at work. Who loses a job does so at once. */
#define NODES_LOOK_MS 1000

/* After a lost job, and to begin with, so many at once; then twice as many each time. Those that begin together do not know
 * of each other yet, and all want the first ones. */
#define JOBS_FIRST 16

/* Who helps others has less in hand. */
#define JOBS_MIN 64

/* How long the first ready job is left to the executor in whose share it is, by one with little to do: as long again with
 * each try that brings nothing. By one that has enough. */
#define PATIENCE_MIN_MS 100
#define PATIENCE_MAX_MS 5000
#define PATIENCE_BUSY_MS 5000

void front_init(shared_front *f) { *f = (shared_front){.page = JOBS_FIRST, .patience_ms = PATIENCE_MIN_MS}; }

static void look_for_nodes(member *m, int64_t now_ns) {
  orr_error err = {0};
  int rc = lock_owner_keep(&m->locker, &err); /* or the others do not know of this one */
  if (!rc) rc = share_look(&m->front.share, m->engine, atomic_load(&m->locker.number), &err);
  if (rc) m->front.share = (share){.count = 0};
  orr_error_clear(&err);
  m->front.look_ns = now_ns + NODES_LOOK_MS * INT64_C(1000000);
}

uint32_t front_look(member *m) {
  shared_front *f = &m->front;
  if (!store_is_shared(m->engine->store)) return m->page;
  int64_t now = m->executor->env.mono_ns(m->executor->env.ud);
  if (now >= f->look_ns) look_for_nodes(m, now);
  return f->page < m->page ? f->page : m->page;
}

static int acquire_scope(member *m, share_scope which, acquisition *a, orr_error *err) {
  share_begin(&m->front.share, which, m->page);
  return acquire_jobs(m->engine, &m->rules, pool_still_mine, m, a, err);
}

static bool found_none(const acquisition *a) { return !a->count && !a->lost && !a->parked; }

static bool is_patient(const shared_front *f, int64_t patience_ms, int64_t now_ns) {
  return !f->job || now_ns - f->since_ns < patience_ms * INT64_C(1000000);
}

static void note_front(shared_front *f, int64_t now_ns) {
  if (f->job == f->share.front) return;
  f->job = f->share.front;
  if (!f->abandoned) f->since_ns = now_ns;
}

/* Whatever is at the front: a few of them, and more as long as nobody else wants them. */
static int acquire_any(member *m, acquisition *a, int64_t now_ns, orr_error *err) {
  shared_front *f = &m->front;
  uint32_t room = a->max;
  if (!f->abandoned && a->max > JOBS_MIN) a->max = JOBS_MIN;
  int rc = acquire_scope(m, SHARE_ALL, a, err);
  a->max = room;
  f->abandoned = !rc && a->count && !a->lost;
  if (!f->abandoned) f->since_ns = now_ns;
  f->patience_ms = a->count ? PATIENCE_MIN_MS : f->patience_ms * 2;
  if (f->patience_ms > PATIENCE_MAX_MS) f->patience_ms = PATIENCE_MAX_MS;
  return rc;
}

/* The own share is empty. */
static int help_others(member *m, acquisition *a, int64_t now_ns, orr_error *err) {
  *a->place = (ready_place){0};
  a->skip = 0;
  int rc = acquire_scope(m, SHARE_SECOND, a, err);
  if (rc || !found_none(a) || is_patient(&m->front, m->front.patience_ms, now_ns)) return rc;
  return acquire_any(m, a, now_ns, err);
}

/* Has the member little in hand, and may there be something? What the round has made ready is looked at by the next one. */
static bool may_help(const member *m, const acquisition *a) {
  return m->front.job && m->round_began.in_flight < JOBS_MIN && !a->unfinished && !a->reclaimed;
}

static int acquire_shared(member *m, acquisition *a, orr_error *err) {
  shared_front *f = &m->front;
  int64_t now = m->executor->env.mono_ns(m->executor->env.ud);
  bool from_front = a->place->size == 0;
  a->share = &f->share;
  if (from_front && !is_patient(f, PATIENCE_BUSY_MS, now)) return acquire_any(m, a, now, err);
  int rc = acquire_scope(m, SHARE_OWN, a, err);
  if (rc || a->max == 0) return rc;
  if (from_front) note_front(f, now);
  if (!found_none(a)) f->patience_ms = PATIENCE_MIN_MS;
  else if (may_help(m, a)) rc = help_others(m, a, now, err);
  f->left = f->job && found_none(a);
  return rc;
}

int front_acquire(member *m, acquisition *a, orr_error *err) {
  shared_front *f = &m->front;
  f->left = false;
  bool divided = share_divides(&f->share) && m->rules.order.number == 0;
  int rc = divided ? acquire_shared(m, a, err)
                   : acquire_jobs(m->engine, &m->rules, pool_still_mine, m, a, err);
  if (a->lost) {
    f->page = JOBS_FIRST;
    f->look_ns = 0;
  } else if (f->page < m->page) {
    f->page *= 2;
  }
  return rc;
}
