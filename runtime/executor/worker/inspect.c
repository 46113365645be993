/* Asking the executor's threads what they are at. */
#include "executor/worker/inspect.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/engine.h"
#include "exec/awaiting.h"
#include "executor/pool_internal.h"
#include "time/iso8601.h"

/* ---- On the worker's thread ------------------------------------------------------------------ */

static void note(inspection *q, const inspected *item) {
  if (q->count < INSPECTED_MAX) q->items[q->count++] = *item;
  else free(item->traceback);
}

static const char *state_of(const run *r) {
  if (r->submitted) return "committing";
  return r->context && r->context->state == CONTEXT_PENDING ? "awaiting" : "running";
}

/* What a run is at in its script, as far as it has one. */
static inspected look_at_run(const worker *w, const run *r, bool brief) {
  inspected out = {.job = r->job, .since = r->since, .thread = w->index, .state = state_of(r)};
  context *c = r->submitted ? NULL : r->context;
  if (!c) return out;
  out.at = c->state == CONTEXT_PENDING ? await_mark(c) : call_place_read(&w->place);
  const host_methods *methods = c->host ? c->host->methods : NULL;
  if (methods && methods->line) (void)methods->line(c->host, c, out.line, sizeof out.line);
  if (methods && methods->traceback && !brief) out.traceback = methods->traceback(c->host, c);
  return out;
}

/* What is over is told no more, though its worker has not come round to let go of it.
 *
 * The lock is not held while scripts are looked at: making a text may collect garbage, and finalizers may call anything. */
static void tell(worker *w, inspection *q) {
  orr_executor *x = w->executor;
  for (run *r = w->runs; r; r = r->next_active) {
    if (r->of->engine != q->engine || atomic_load(&r->over)) continue;
    const inspected item = look_at_run(w, r, q->brief);
    pthread_mutex_lock(&x->ask_mutex);
    note(q, &item);
    pthread_mutex_unlock(&x->ask_mutex);
  }
}

void inspect_answer(worker *w) {
  orr_executor *x = w->executor;
  if (!atomic_load(&w->asked)) return;
  pthread_mutex_lock(&x->ask_mutex);
  inspection *q = w->question;
  w->question = NULL;
  atomic_store(&w->asked, false);
  if (q) q->taken++;
  pthread_mutex_unlock(&x->ask_mutex);
  if (!q) return;
  tell(w, q);
  pthread_mutex_lock(&x->ask_mutex);
  q->answered++;
  pthread_cond_broadcast(&x->answered);
  pthread_mutex_unlock(&x->ask_mutex);
}

bool inspect_safe_point(context *c) {
  if (c && c->worker && atomic_load_explicit(&((worker *)c->worker)->asked, memory_order_relaxed)) inspect_answer(c->worker);
  return c && call_place_overdue(c);
}

bool inspect_wants_notes(const context *c) { return c && c->worker; }

void inspect_note(context *c, const char *source, int line) {
  worker *w = c->worker;
  orr_time now = engine_now(c->engine);
  pthread_mutex_lock(&w->inbox_mutex);
  w->noted = (noted_call){.job = atomic_load(&w->current_job), .since = now, .line = line};
  strncpy(w->noted.source, source, sizeof w->noted.source - 1);
  pthread_mutex_unlock(&w->inbox_mutex);
}

/* ---- On the thread that asks ----------------------------------------------------------------- */

static uint32_t ask_all(orr_executor *x, inspection *q) {
  uint32_t asked = 0;
  for (uint32_t i = 0; i < x->n_workers; i++) {
    worker *w = &x->workers[i];
    if (!w->started) continue;
    w->question = q;
    atomic_store(&w->asked, true);
    bool sleeping = true;
    if (atomic_compare_exchange_strong(&w->sleeping, &sleeping, false)) uv_async_send(&w->wake);
    else if (q->engine->host && atomic_load(&w->current_job)) q->engine->host->methods->ask(w->thread);
    asked++;
  }
  return asked;
}

/* Where the thread's script called last what may block, while it was at the job. */
static void add_note(worker *w, inspected *item, bool brief) {
  char text[INSPECTED_LINE_BYTES + ISO_TIME_TEXT + 20], since[ISO_TIME_TEXT];
  pthread_mutex_lock(&w->inbox_mutex);
  noted_call at = w->noted;
  pthread_mutex_unlock(&w->inbox_mutex);
  if (at.job != item->job || at.line <= 0) return;
  item->in_c = at.since;
  snprintf(item->line, sizeof item->line, "%s:%d", at.source, at.line);
  iso_format_time(at.since, since);
  snprintf(text, sizeof text, "%s: in C since %s", item->line, since);
  if (!brief) item->traceback = strdup(text);
}

/* Of a thread that does not answer, what can be seen from outside. */
static void look_from_outside(worker *w, inspection *q) {
  inspected item = {.job = atomic_load(&w->current_job), .since = atomic_load(&w->current_since),
                    .thread = w->index, .state = "running", .at = call_place_read(&w->place)};
  if (!item.job || atomic_load(&w->current_engine) != q->engine) return;
  add_note(w, &item, q->brief);
  note(q, &item);
}

/* Takes the question back from those that have not read it, and tells of them what can be seen from outside. */
static void withdraw(orr_executor *x, inspection *q) {
  for (uint32_t i = 0; i < x->n_workers; i++) {
    worker *w = &x->workers[i];
    if (w->question != q) continue;
    w->question = NULL;
    atomic_store(&w->asked, false);
    look_from_outside(w, q);
  }
}

/* Waits until nobody else asks; false: not in time. ask_mutex is held. */
static bool may_ask(orr_executor *x, const struct timespec *until) {
  while (x->asking)
    if (pthread_cond_timedwait(&x->answered, &x->ask_mutex, until) != 0) return false;
  return true;
}

/* While its threads begin or end, the executor itself counts as asking. An executor that stops does so
 * until its threads have ended, and the caller may be one of them: so nobody waits here longer than
 * for an answer. */
void inspect_ask(orr_executor *x, inspection *q, double wait_s) {
  int64_t at = x->env.mono_ns(x->env.ud) + (int64_t)((wait_s > 0 ? wait_s < 60 ? wait_s : 60 : 0) * 1e9);
  struct timespec until = {.tv_sec = at / 1000000000, .tv_nsec = at % 1000000000};
  pthread_mutex_lock(&x->ask_mutex);
  if (may_ask(x, &until)) {
    x->asking = true;
    uint32_t asked = ask_all(x, q);
    while (q->answered < asked && pthread_cond_timedwait(&x->answered, &x->ask_mutex, &until) == 0) continue;
    withdraw(x, q);
    while (q->answered < q->taken) pthread_cond_wait(&x->answered, &x->ask_mutex);
    x->asking = false;
    pthread_cond_broadcast(&x->answered);
  }
  pthread_mutex_unlock(&x->ask_mutex);
}

void inspect_close(orr_executor *x) {
  pthread_mutex_lock(&x->ask_mutex);
  while (x->asking) pthread_cond_wait(&x->answered, &x->ask_mutex);
  x->asking = true;
  pthread_mutex_unlock(&x->ask_mutex);
}

void inspect_open(orr_executor *x) {
  pthread_mutex_lock(&x->ask_mutex);
  x->asking = false;
  pthread_cond_broadcast(&x->answered);
  pthread_mutex_unlock(&x->ask_mutex);
}

/* ---- One job --------------------------------------------------------------------------------- */

/* The number of the thread that has the job, from 1; 0: none has. */
static uint32_t thread_of(const orr_executor *x, orr_id job) {
  for (uint32_t i = 0; i < x->n_workers; i++)
    if (atomic_load(&x->workers[i].current_job) == job) return i + 1;
  return 0;
}

/* A thread has begun something else, which what waits for that thread waits behind. */
static bool behind_thread(const orr_executor *x, uint32_t i, executor_place *out) {
  out->behind = atomic_load(&x->workers[i].current_job);
  out->thread = out->behind ? i + 1 : 0;
  return out->behind;
}

/* Which thread has taken the entry, and not begun it; NULL: none has, it is queued. */
static const worker *taker_of(const orr_executor *x, const entry *e) {
  for (uint32_t i = 0; i < x->n_workers; i++)
    if (local_queue_has(&x->workers[i].local, e)) return &x->workers[i];
  return NULL;
}

/* Which thread has been at its job for longest. */
static const worker *longest_at_job(const orr_executor *x) {
  const worker *longest = NULL;
  for (uint32_t i = 0; i < x->n_workers; i++) {
    const worker *w = &x->workers[i];
    bool longer = !longest || atomic_load(&w->current_since) < atomic_load(&longest->current_since);
    if (longer) longest = w;
  }
  return longest;
}

/* All threads are at jobs. The entry waits behind the job of the thread that took it, or else behind
 * the longest. */
static bool crowded(const orr_executor *x, const entry *e, executor_place *out) {
  const worker *longest = longest_at_job(x), *taker = taker_of(x, e);
  return pool_all_busy_locked(x) && behind_thread(x, taker ? taker->index : longest->index, out);
}

static void place_of_entry(const orr_executor *x, const member *m, const entry *e,
                           executor_place *out) {
  const entry *holder = e->exclusive ? table_get(&m->busy, e->exclusive) : NULL;
  out->conflicts = e->conflicts;
  if (e->lent || thread_of(x, e->job)) {
    out->stage = STAGE_THREAD;
  } else if (holder && holder != e) {
    out->stage = STAGE_BEHIND;
    out->behind = holder->job;
    out->thread = thread_of(x, holder->job);
  } else if (e->not_before_ns > x->env.mono_ns(x->env.ud)) {
    out->stage = STAGE_RESTING;
  } else if (e->waits_on) {
    out->stage = STAGE_AWAITS;
    (void)behind_thread(x, e->waits_on - 1, out);
  } else {
    out->stage = !e->committing && crowded(x, e, out) ? STAGE_CROWDED : STAGE_HELD;
  }
}

executor_place executor_place_of(orr_executor *x, orr_engine *engine, orr_id job) {
  executor_place out = {.stage = STAGE_NONE};
  pthread_mutex_lock(&x->mutex);
  const member *m = pool_member(x, engine);
  const entry *e = m ? table_get(&m->flight, job) : NULL;
  if (e) place_of_entry(x, m, e, &out);
  pthread_mutex_unlock(&x->mutex);
  return out;
}

const char *executor_owner(orr_executor *x, const orr_engine *engine) {
  pthread_mutex_lock(&x->mutex);
  const member *m = pool_member(x, engine);
  pthread_mutex_unlock(&x->mutex);
  return m ? m->locker.name : NULL;
}
