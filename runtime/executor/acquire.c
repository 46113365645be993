/* Job acquisition. */
#include "executor/acquire.h"

#include <inttypes.h>
#include <stddef.h>
#include <string.h>

#include "engine/engine.h"
#include "executor/owner/claims.h"
#include "executor/deployments.h"
#include "executor/job_log.h"
#include "executor/owner/reclaim.h"
#include "executor/stakes.h"
#include "executor/throttle.h"
#include "job/exclusive.h"
#include "uow/committer.h"
#include "uow/find.h"
#include "uow/flush.h"

/* Jobs locked in one batch: a lost race costs at most these. */
#define ACQUIRE_BATCH 64

/* Runs of candidates that others have staked, over which one round passes at most. */
#define LEFT_MAX 1000

/* Due timers made ready in one commit. */
#define PROMOTE_PAGE 2000

/* ---- Rules ----------------------------------------------------------------------------------- */

orr_executor_options acquire_options_merge(const orr_executor_options *base, const orr_executor_options *over) {
  orr_executor_options m = base ? *base : (orr_executor_options){0};
  if (!over) return m;
#define TAKE(field) \
  if (over->field) m.field = over->field
  TAKE(threads);
  TAKE(queue_size);
  TAKE(max_jobs_per_acquisition);
  TAKE(lock_time);
  TAKE(wait_time);
  TAKE(max_wait);
  TAKE(backoff_time);
  TAKE(max_backoff);
  TAKE(acquire_by_priority);
  TAKE(prefer_timer_jobs);
  TAKE(acquire_by_due_date);
  TAKE(priority_min);
  TAKE(priority_max);
  TAKE(deployment_aware);
  TAKE(exclusive_over_hierarchies);
  TAKE(owner);
  TAKE(drain_time);
  TAKE(delegate_timeout);
#undef TAKE
  if (over->backoff_factor > 0) m.backoff_factor = over->backoff_factor;
  if (over->acquire_by_aging > 0) m.acquire_by_aging = over->acquire_by_aging;
  return m;
}

static int bound_of(const orr_value *value, const char *name, bool *given, int64_t *out, orr_error *err) {
  *given = value && value->type != ORR_NIL && value->type != ORR_NULL;
  if (!*given) return 0;
  if (value->type != ORR_INT) return error_set(err, ORR_E_ARGUMENT, "%s must be an integer", name);
  *out = value->as.integer;
  return 0;
}

/* What a point of priority is worth, in the bits that its index has for it. */
static uint32_t aging_tau(orr_duration worth) { return worth < UINT32_MAX ? (uint32_t)worth : UINT32_MAX; }

int acquire_rules_read(const orr_executor_options *options, acquire_rules *out, orr_error *err) {
  *out = (acquire_rules){.lock_ms = options->lock_time > 0 ? options->lock_time : 300 * 1000,
                         .deployment_aware = options->deployment_aware == ORR_ON,
                         .exclusive_over_hierarchies = options->exclusive_over_hierarchies == ORR_ON,
                         .owner = options->owner};
  int rc = bound_of(options->priority_min, "priority_min", &out->has_min, &out->priority_min, err);
  if (!rc) rc = bound_of(options->priority_max, "priority_max", &out->has_max, &out->priority_max, err);
  if (rc) return rc;
  if (out->has_min && out->has_max && out->priority_min > out->priority_max)
    return error_set(err, ORR_E_ARGUMENT, "priority_min (%" PRId64 ") is above priority_max (%" PRId64 ")", out->priority_min,
                     out->priority_max);
  if (options->acquire_by_aging > 0) {
    out->order = (ready_order){.number = READY_AGING, .tau_ms = aging_tau(options->acquire_by_aging)};
  } else {
    out->order.number = (uint8_t)((options->acquire_by_priority == ORR_ON ? READY_BY_PRIORITY : 0) |
                                  (options->prefer_timer_jobs == ORR_ON ? READY_TIMERS_FIRST : 0) |
                                  (options->acquire_by_due_date == ORR_ON ? READY_BY_DUE : 0));
  }
  return 0;
}

int acquire_rules_from(orr_engine *engine, const orr_executor_options *options, acquire_rules *out, orr_error *err) {
  int rc = acquire_rules_read(options, out, err);
  return rc || !out->order.number ? rc : ready_activate(engine->units, out->order, err);
}

bool acquire_in_range(const acquire_rules *rules, int64_t priority) {
  return !(rules->has_min && priority < rules->priority_min) && !(rules->has_max && priority > rules->priority_max);
}

bool acquire_registered(orr_engine *engine, const acquire_rules *rules, const rec_job *job) {
  return !rules->deployment_aware || deployment_registered(engine, job->deployment_id);
}

bool acquire_allows(orr_engine *engine, const acquire_rules *rules, const rec_job *job) {
  return acquire_in_range(rules, job->priority) && acquire_registered(engine, rules, job);
}

/* ---- Promotion ------------------------------------------------------------------------------- */

/* Due timers become ready, page by page, so that the order in use sees all of them. */
static int promote_page(context *c, size_t page, bool *more, orr_time *next_due) {
  unit_found found;
  int rc = unit_find_index(c->u, REC_INDEX_JOB_DUE, NULL, 0, page, &found, &c->error);
  if (rc) return rc;
  *more = found.count == page;
  for (size_t i = 0; i < found.count; i++) {
    rec_job *job = (rec_job *)found.items[i];
    if (job->due > c->now) {
      *next_due = job->due;
      *more = false;
      return 0;
    }
    if (context_touch(c, job)) return c->error.code;
    job->state = ORR_JOB_READY;
  }
  return 0;
}

/* Mostly nothing is due, and the first timer says so: only behind one that is due a whole page is read. An order that was
 * asked for has to see all that is due before the first is taken; else the first page runs while the next is made ready. */
static int promote_due(orr_engine *engine, const acquire_rules *rules, acquisition *out, orr_error *err) {
  bool more = true;
  for (size_t page = 1, pages = 0; more; page = PROMOTE_PAGE, pages++) {
    if (pages == 2 && rules->order.number == 0) {
      out->unfinished = true;
      out->next_due = engine_now(engine);
      return 0;
    }
    context *c = context_begin(engine, NULL, err);
    if (!c) return err->code;
    int rc = promote_page(c, page, &more, &out->next_due);
    if (rc) error_move(err, &c->error);
    else if (unit_changed(c->u)) rc = unit_commit(c->u, err);
    context_end(c);
    /* a timer was changed or promoted meanwhile: the rest is for the next round, which must not be far */
    if (rc == ORR_E_CONFLICT) {
      orr_error_clear(err);
      out->lost++;
      return 0;
    }
    if (rc) return rc;
  }
  return 0;
}

/* ---- Locking --------------------------------------------------------------------------------- */

typedef acquire_round collector;

struct acquire_round {
  orr_engine *engine;
  const acquire_rules *rules;
  acquisition *out;
  uint32_t n_batches, current, in_batch; /* current: the one that takes jobs without limits, when in_batch > 0 */
  uint32_t skip;      /* candidates still to be left to others */
  bool limits;        /* there are limits in the store */
  uint32_t limited;   /* the batch of the limited jobs + 1; 0: not begun. One, since each writes its limit */
  limit_rooms rooms;  /* as that batch sees them */
  context *reading;   /* candidates are looked at here */
  uint32_t wanted;    /* candidates still to be staked, */
  orr_id last_staked; /* ... and the last that was */
  bool stopped;       /* a walk ended before the last candidate */
  stakes stakes;
  /* Of these the first n_batches are set: most rounds have one, so nothing is zeroed from here on. */
  context *batches[ACQUIRE_BATCHES_MAX];
  store_batch *made[ACQUIRE_BATCHES_MAX]; /* of `batches`, when the round is to be committed */
};

/* NULL with an empty err: there is no room for another batch. It sees what the candidates are looked at with. */
static context *begin_batch(collector *k, uint32_t *index, orr_error *err) {
  if (k->n_batches == ACQUIRE_BATCHES_MAX) return NULL;
  context *c = context_begin_beside(k->engine, k->reading->u, err);
  if (!c) return NULL;
  *index = k->n_batches;
  k->batches[k->n_batches++] = c;
  return c;
}

static context *batch_for_next(collector *k, orr_error *err) {
  if (k->in_batch > 0 && k->in_batch <= ACQUIRE_BATCH) return k->batches[k->current];
  context *c = begin_batch(k, &k->current, err);
  if (c) k->in_batch = 1; /* one more than the jobs in it */
  return c;
}

static int lock_instance(context *c, const acquire_rules *rules, rec_job *job, uint64_t owner, bool *taken) {
  orr_id scope_id = exclusive_scope(job, rules->exclusive_over_hierarchies);
  *taken = false;
  if (rules->one_exclusive && exclusive_holder(c, scope_id)) return 0;
  return c->error.code ? c->error.code : exclusive_take(c, job, scope_id, owner, taken);
}

int acquire_lock(context *c, const acquire_rules *rules, rec_job *job, bool *taken) {
  uint64_t owner = atomic_load(&rules->locker->number);
  *taken = true;
  int rc = job->exclusive ? lock_instance(c, rules, job, owner, taken) : 0;
  if (rc || !*taken) return rc;
  if (context_touch(c, job)) return c->error.code;
  job->state = ORR_JOB_LOCKED;
  job->owner = owner;
  job->attempts++;
  return lock_owner_rely(c, owner);
}

/* Locks the job in a batch; 1: the page is full. */
static int take_batch(collector *k, context *c, uint32_t batch, rec_job *job, const job_limits *limits, orr_error *err) {
  bool taken;
  int rc = acquire_lock(c, k->rules, job, &taken);
  if (!rc && taken && limits) rc = limit_take(c, limits, job);
  if (rc) {
    error_move(err, &c->error);
    return rc;
  }
  if (!taken) {
    k->out->blocked++;
    return k->out->behind_changes ? 1 : 0;
  }
  k->out->items[k->out->count++] = (acquired){.job = job->id, .exclusive = exclusive_scope_held(job), .batch = batch};
  return k->out->count == k->out->max ? 1 : 0;
}

/* A job with limits is locked or put aside here, in the batch of the limited ones. *done false: it has none. */
static int take_limited(collector *k, orr_id id, bool *done, orr_error *err) {
  *done = false;
  uint32_t index = k->limited - 1;
  context *c = k->limited ? k->batches[index] : begin_batch(k, &index, err);
  if (!c) return err->code ? err->code : 1;
  k->limited = index + 1;
  rec_job *job = unit_job(c->u, id, err);
  if (err->code) return err->code;
  job_limits pair;
  limit_room *full;
  int rc = job ? limit_rooms_for_job(c, &k->rooms, job, &pair, &full) : 0;
  if (rc) error_move(err, &c->error);
  if (rc || !job || (!pair.of[0] && !pair.of[1])) return rc;
  *done = true;
  if (job->state != ORR_JOB_READY || !acquire_allows(k->engine, k->rules, job)) return 0;
  if (!full) return take_batch(k, c, index, job, &pair, err);
  rc = throttle_park(c, job, full);
  if (rc) error_move(err, &c->error);
  k->out->throttled = true;
  k->out->rated = k->out->rated || limit_token_at(full->limit, c->now);
  bool enough = ++k->out->parked == THROTTLE_PARK_MAX;
  k->out->unfinished = k->out->unfinished || enough;
  return rc ? rc : enough;
}

static int take_candidate(void *ud, orr_id id, orr_error *err) {
  collector *k = ud;
  if (!absent_allows(k->engine, k->rules->taker, id)) return 0;
  if (k->skip > 0) {
    k->skip--;
    return 0;
  }
  bool done = false;
  int rc = k->limits ? take_limited(k, id, &done, err) : 0;
  if (rc || done) return rc;
  context *c = batch_for_next(k, err);
  if (!c) return err->code ? err->code : 1;
  rec_job *job = unit_job(c->u, id, err);
  if (err->code) return err->code;
  if (!job || job->state != ORR_JOB_READY || !acquire_allows(k->engine, k->rules, job)) return 0;
  uint32_t before = k->out->count;
  rc = take_batch(k, c, k->current, job, NULL, err);
  k->in_batch += k->out->count - before;
  return rc;
}

/* Leaves in `out` only what the store granted. */
static void keep_granted(collector *k, const store_batch *batches) {
  uint32_t kept = 0, total = k->out->count;
  for (uint32_t b = 0; b < k->n_batches; b++)
    if (batches[b].status == 0) unit_committed(k->batches[b]->u);
  for (uint32_t i = 0; i < total; i++) {
    if (batches[k->out->items[i].batch].status == 0) k->out->items[kept++] = k->out->items[i];
    else k->out->lost++;
  }
  if (k->limited && k->out->parked && batches[k->limited - 1].status != 0) k->out->lost++; /* it put nothing aside after all */
  k->out->count = kept;
}

static void log_locked(orr_engine *engine, const acquire_rules *rules, const acquisition *a) {
  if (!engine_logs(engine, ORR_LOG_DEBUG)) return;
  for (uint32_t i = 0; i < a->count; i++) {
    const event_field fields[] = {{"job", orr_int((int64_t)a->items[i].job)}, {"owner", orr_string(rules->locker->name)}};
    job_log(engine, ORR_LOG_DEBUG, "job locked", fields, 2, NULL);
  }
}

static orr_id next_of_share(void *ud, orr_id job) {
  const collector *k = ud;
  return share_next(k->out->share, job);
}

/* Looks at candidates through one view, behind the place. No view may be open while the store commits, nor a second one
 * beside it. */
static int look_at_candidates(collector *k, ready_place *place, ready_fn take, orr_error *err) {
  k->reading = context_begin(k->engine, NULL, err);
  if (!k->reading) return err->code;
  for (uint32_t b = 0; b < k->n_batches; b++) unit_borrow(k->batches[b]->u, k->reading->u);
  unit *u = k->reading->u;
  const ready_subset of_share = {next_of_share, 1u << SHARE_RUN_BITS};
  int rc = k->out->share ? ready_scan_some(u, place, of_share, take, k, err)
                         : ready_scan(u, k->rules->order.number, place, take, k, err);
  for (uint32_t b = 0; b < k->n_batches; b++) unit_pause(k->batches[b]->u);
  context_end(k->reading);
  return rc;
}

/* ---- Staking ---------------------------------------------------------------------------------
 *
 * First a walk over the ids alone stakes as many as are wanted, then those that are staked are taken in a view that is opened
 * after: who had staked them before has committed by then, and it is seen there. */

static int stake_candidate(void *ud, orr_id id, orr_error *err) {
  collector *k = ud;
  (void)err;
  if (!absent_allows(k->engine, k->rules->taker, id)) return 0;
  if (k->skip > 0) {
    k->skip--;
    return 0;
  }
  stakes_answer answer = stakes_try(&k->stakes, id);
  k->stopped = answer == STAKES_FULL;
  if (k->stopped) return 1;
  if (answer == STAKES_THEIRS) {
    if (k->out->left++ == 0) k->out->first_left = id;
    return 1; /* the walk goes on behind all that is theirs */
  }
  k->last_staked = id;
  k->stopped = --k->wanted == 0;
  return k->stopped;
}

/* Stakes what is wanted, from the place on, which moves. */
static int stake_candidates(collector *k, ready_place *place, orr_error *err) {
  k->wanted = k->out->max - k->out->count;
  k->last_staked = 0;
  stakes_forget(&k->stakes);
  context *c = context_begin(k->engine, NULL, err);
  if (!c) return err->code;
  int rc = 0;
  for (uint32_t left = UINT32_MAX; !rc && left != k->out->left && k->out->left < LEFT_MAX;) {
    left = k->out->left;
    k->stopped = false;
    rc = ready_scan(c->u, 0, place, stake_candidate, k, err);
    if (left != k->out->left) ready_place_behind(k->stakes.theirs_to, place);
  }
  context_end(c);
  stakes_trim(&k->stakes, k->last_staked);
  return rc;
}

static int take_staked(void *ud, orr_id id, orr_error *err) {
  collector *k = ud;
  bool past;
  if (!stakes_has(&k->stakes, id, &past)) return past;
  int rc = take_candidate(k, id, err);
  if (rc == 1) k->stopped = false; /* there is no room for more */
  return rc;
}

static int collect_staked(collector *k, orr_error *err) {
  ready_place place = k->out->place ? *k->out->place : (ready_place){0};
  int rc;
  do {
    rc = stake_candidates(k, &place, err);
    if (rc || k->stakes.count == 0) break;
    ready_place begin;
    ready_place_behind(k->stakes.runs[0].from - 1, &begin);
    rc = look_at_candidates(k, &begin, take_staked, err);
  } while (!rc && k->stopped);
  if (k->out->place) *k->out->place = place;
  return rc;
}

/* With nothing behind those that were left to others, they are ours to try. */
static int collect_jobs(collector *k, orr_error *err) {
  acquisition *out = k->out;
  for (k->skip = out->skip;; k->skip = 0) {
    bool at_front = k->skip == 0 && (!out->place || out->place->size == 0);
    int rc = out->stakes ? collect_staked(k, err) : look_at_candidates(k, out->place, take_candidate, err);
    if (rc || at_front || out->count || out->parked) return rc;
    if (out->place) *out->place = (ready_place){0};
  }
}

static int make_batches(collector *k, orr_error *err) {
  for (uint32_t b = 0; b < k->n_batches; b++) {
    int rc = unit_flush(k->batches[b]->u, &k->made[b], err);
    if (rc) return rc;
  }
  return 0;
}

static void free_round(collector *k) {
  stakes_end(&k->stakes);
  for (uint32_t b = 0; b < k->n_batches; b++) context_end(k->batches[b]);
  env_free(&k->engine->env.allocator, k, sizeof *k);
}

/* What a round makes ready before it looks at candidates. */
static int make_ready(orr_engine *engine, const acquire_rules *rules, bool (*still_mine)(void *ud, orr_id job), void *ud,
                      acquisition *out, bool *limits, orr_error *err) {
  int rc = lock_owner_keep(rules->locker, err);
  if (!rc) rc = claims_audit(rules->locker, still_mine, ud, err);
  if (!rc && lock_owner_judges(rules->locker))
    rc = reclaim_expired(engine, atomic_load(&rules->locker->number), &out->reclaimed, err);
  if (!rc) rc = promote_due(engine, rules, out, err);
  return rc ? rc : throttle_promote(engine, out, limits, err);
}

/* *settled: none of that is to be done, and no limits are set. A round that is committed behind other
 * changes must not do it itself, because those changes may be about the same jobs. */
static int look_settled(orr_engine *engine, bool *settled, orr_error *err) {
  bool limits, expired = false;
  unit_found due = {0};
  context *c = context_begin(engine, NULL, err);
  if (!c) return err->code;
  int rc = limits_exist(c, &limits);
  if (!rc) rc = unit_find_index(c->u, REC_INDEX_JOB_DUE, NULL, 0, 1, &due, &c->error);
  if (!rc) rc = reclaim_waits(c, &expired);
  *settled = !rc && !limits && !expired && !(due.count && ((const rec_job *)due.items[0])->due <= c->now);
  if (rc) error_move(err, &c->error);
  context_end(c);
  return rc;
}

int acquire_begin(orr_engine *engine, const acquire_rules *rules, bool (*still_mine)(void *ud, orr_id job), void *ud,
                  acquisition *out, acquire_round **round, orr_error *err) {
  *out = (acquisition){.items = out->items, .max = out->max, .place = out->place, .skip = out->skip,
                       .share = out->share, .stakes = out->stakes, .contested = out->contested,
                       .behind_changes = out->behind_changes};
  *round = NULL;
  absent_refresh(engine);
  bool limits = false, settled = true;
  int rc = out->behind_changes ? look_settled(engine, &settled, err) /* its owner is registered: it has the job that ends */
                               : make_ready(engine, rules, still_mine, ud, out, &limits, err);
  if (rc || out->max == 0 || !settled) return rc;
  collector *k = env_alloc(&engine->env.allocator, sizeof *k);
  if (!k) return error_memory(err);
  memset(k, 0, offsetof(collector, batches));
  k->engine = engine;
  k->rules = rules;
  k->out = out;
  k->limits = limits;
  stakes_begin(&k->stakes, engine->store);
  rc = collect_jobs(k, err);
  bool any = out->count || out->parked;
  if (!rc && any) rc = make_batches(k, err);
  if (!rc && any) {
    *round = k;
    return 0;
  }
  out->count = 0;
  free_round(k);
  return rc;
}

uint32_t acquire_batches(const acquire_round *k, store_batch *batches) {
  for (uint32_t b = 0; b < k->n_batches; b++) {
    batches[b] = *k->made[b];
    batches[b].wary = k->out->contested;
  }
  return k->n_batches;
}

void acquire_end(acquire_round *k, const store_batch *batches) {
  if (batches) {
    keep_granted(k, batches);
  } else {
    k->out->count = 0;
    atomic_fetch_add(&k->engine->locks_lost, 1); /* who knows what was written */
  }
  log_locked(k->engine, k->rules, k->out);
  free_round(k);
}

int acquire_jobs(orr_engine *engine, const acquire_rules *rules, bool (*still_mine)(void *ud, orr_id job), void *ud,
                 acquisition *out, orr_error *err) {
  acquire_round *round;
  int rc = acquire_begin(engine, rules, still_mine, ud, out, &round, err);
  if (rc || !round) return rc;
  store_batch batches[ACQUIRE_BATCHES_MAX];
  uint32_t n = acquire_batches(round, batches);
  rc = committer_commit(engine->committer, batches, n, err); /* with what others commit */
  acquire_end(round, rc ? NULL : batches);
  return rc;
}

/* ---- Giving back ----------------------------------------------------------------------------- */

static int give_back_lock(context *c, rec_job *job) {
  int rc = job_unlock(c, job);
  if (rc) return rc;
  if (job->attempts > 0) job->attempts--; /* it was not begun */
  return job_place(c, job);
}

/* Of these jobs those that `owner` still has, in one unit. */
static int release_some(orr_engine *engine, uint64_t owner, const orr_id *jobs, size_t count, orr_error *err) {
  context *c = context_begin(engine, NULL, err);
  if (!c) return err->code;
  int rc = 0;
  for (size_t i = 0; i < count && !rc; i++) {
    rec_job *job = unit_job(c->u, jobs[i], &c->error);
    rc = c->error.code;
    if (!rc && job && job->owner == owner) rc = give_back_lock(c, job);
  }
  if (rc) error_move(err, &c->error);
  else if (unit_changed(c->u)) rc = unit_commit(c->u, err);
  context_end(c);
  return rc;
}

/* In small units, so that one conflict costs little; a conflict means that the job moved on, which is fine. */
int acquire_release(orr_engine *engine, uint64_t owner, const orr_id *jobs, size_t count, orr_error *err) {
  for (size_t at = 0; owner && at < count; at += ACQUIRE_BATCH) {
    size_t n = count - at < ACQUIRE_BATCH ? count - at : ACQUIRE_BATCH;
    int rc = release_some(engine, owner, jobs + at, n, err);
    for (size_t i = 0; rc == ORR_E_CONFLICT && i < n; i++) {
      orr_error_clear(err);
      int one = release_some(engine, owner, jobs + at + i, 1, err);
      if (one && one != ORR_E_CONFLICT) return one;
    }
    if (rc && rc != ORR_E_CONFLICT) return rc;
    orr_error_clear(err);
  }
  return 0;
}
