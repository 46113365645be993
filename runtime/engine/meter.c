/* Writing counters down. */
#include "engine/meter.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "record/key.h"

/* A row that another process of the same name writes at the same moment: both have few, and far between. */
enum { METER_ATTEMPTS = 10, METER_WORKERS_FIRST = 64 };

static const char *const names[METRICS] = {
#define METRIC_X(field, name, help) name,
    METRIC_MAP(METRIC_X)
#undef METRIC_X
};

typedef struct worker_list { /* hashes of names; now and then each once, and ascending */
  uint64_t *items;
  size_t count, capacity;
} worker_list;

struct meter {
  pthread_mutex_t writing;    /* guards what was counted before this interval */
  uint64_t counted[METRICS]; /* of each counter, what earlier intervals have */
  orr_time ended;             /* the interval that is over and not written yet */
  uint64_t counts[METRICS];   /* in it */
  worker_list old_workers;    /* the same */
  atomic_bool owes;           /* there is such an interval */
  atomic_int_fast64_t from;   /* of the interval that is counted now */
  pthread_mutex_t mutex;      /* guards `workers`; taken inside `writing`, never around it */
  worker_list workers;        /* of this interval */
};

static orr_time interval_of(orr_time now) { return now - now % METER_INTERVAL_MS; }

meter *meter_new(orr_engine *engine) {
  meter *m = env_zalloc(&engine->env.allocator, sizeof *m);
  if (!m) return NULL;
  pthread_mutex_init(&m->writing, NULL);
  pthread_mutex_init(&m->mutex, NULL);
  atomic_init(&m->from, interval_of(engine_now(engine)));
  return m;
}

static void free_workers(worker_list *w, const orr_allocator *allocator) {
  env_free(allocator, w->items, w->capacity * sizeof *w->items);
  *w = (worker_list){0};
}

void meter_free(meter *m, const orr_engine *engine) {
  if (!m) return;
  pthread_mutex_destroy(&m->writing);
  pthread_mutex_destroy(&m->mutex);
  free_workers(&m->workers, &engine->env.allocator);
  free_workers(&m->old_workers, &engine->env.allocator);
  env_free(&engine->env.allocator, m, sizeof *m);
}

void meter_reporter(const orr_engine *engine, char out[METER_REPORTER_BYTES]) {
  char machine[METER_REPORTER_BYTES / 2];
  engine->env.host_name(engine->env.ud, machine, sizeof machine);
  snprintf(out, METER_REPORTER_BYTES, "%s$%s", machine, engine->config.name ? engine->config.name : "default");
}

void meter_hash_text(uint64_t hash, char out[METER_HASH_BYTES]) { snprintf(out, METER_HASH_BYTES, "%016" PRIx64, hash); }

/* ---- Who was given tasks --------------------------------------------------------------------- */

static int compare_hashes(const void *a, const void *b) {
  uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
  return (x > y) - (x < y);
}

static void make_unique(worker_list *w) {
  size_t n = 0;
  if (w->count > 1) qsort(w->items, w->count, sizeof *w->items, compare_hashes);
  for (size_t i = 0; i < w->count; i++)
    if (i == 0 || w->items[i] != w->items[n - 1]) w->items[n++] = w->items[i];
  w->count = n;
}

/* Doubles when it is at least half full of different names. */
static bool make_worker_room(worker_list *w, const orr_allocator *allocator) {
  if (w->count < w->capacity) return true;
  make_unique(w);
  if (w->capacity && w->count <= w->capacity / 2) return true;
  size_t capacity = w->capacity ? w->capacity * 2 : METER_WORKERS_FIRST;
  uint64_t *grown = env_realloc(allocator, w->items, w->capacity * sizeof *w->items, capacity * sizeof *grown);
  if (!grown) return w->count < w->capacity;
  w->items = grown;
  w->capacity = capacity;
  return true;
}

typedef struct given_task {
  orr_engine *engine;
  uint64_t worker;
} given_task;

/* Without memory somebody is not counted: what they do is committed. */
static void add_worker(worker_list *w, uint64_t worker, const orr_allocator *allocator) {
  bool last = w->count && w->items[w->count - 1] == worker;
  if (!last && make_worker_room(w, allocator)) w->items[w->count++] = worker;
}

static void note_worker(void *ud) {
  const given_task *g = ud;
  meter *m = g->engine->meter;
  pthread_mutex_lock(&m->mutex);
  add_worker(&m->workers, g->worker, &g->engine->env.allocator);
  pthread_mutex_unlock(&m->mutex);
}

void meter_task_given(orr_engine *engine, unit *u, rec_text user) {
  if (user.size == 0) return;
  given_task given = {engine, rec_text_hash(user)};
  unit_after_commit_anywhere(u, note_worker, &given, sizeof given);
}

/* ---- Looking --------------------------------------------------------------------------------- */

static int copy_workers(worker_list *w, orr_arena *arena, meter_unwritten *out) {
  make_unique(w);
  size_t size = w->count * sizeof *w->items;
  uint64_t *copy = arena_alloc(arena, size + 1);
  if (copy && size) memcpy(copy, w->items, size);
  out->workers = copy;
  out->n_workers = w->count;
  return copy ? 0 : ORR_E_MEMORY;
}

static void look_at_counts(orr_engine *engine, meter_unwritten *ended, meter_unwritten *current) {
  const meter *m = engine->meter;
  *ended = (meter_unwritten){.from = m->ended};
  memcpy(ended->counts, m->counts, sizeof ended->counts);
  *current = (meter_unwritten){.from = atomic_load(&engine->meter->from)};
  for (int i = 0; i < METRICS; i++) current->counts[i] = metrics_get(engine, (metric)i) - m->counted[i];
}

int meter_read_begin(orr_engine *engine, orr_arena *arena, meter_unwritten *ended, meter_unwritten *current) {
  meter *m = engine->meter;
  pthread_mutex_lock(&m->writing);
  look_at_counts(engine, ended, current);
  int rc = copy_workers(&m->old_workers, arena, ended);
  pthread_mutex_lock(&m->mutex);
  if (!rc) rc = copy_workers(&m->workers, arena, current);
  pthread_mutex_unlock(&m->mutex);
  if (rc) meter_read_end(engine);
  return rc;
}

void meter_read_end(orr_engine *engine) { pthread_mutex_unlock(&engine->meter->writing); }

/* ---- Intervals ------------------------------------------------------------------------------- */

/* What could not be written yet counts with the interval that ends now. The caller has `writing`. */
static void begin_interval(orr_engine *engine, orr_time next) {
  meter *m = engine->meter;
  m->ended = atomic_load(&m->from);
  for (int i = 0; i < METRICS; i++) {
    uint64_t now = metrics_get(engine, (metric)i);
    m->counts[i] += now - m->counted[i];
    m->counted[i] = now;
  }
  pthread_mutex_lock(&m->mutex);
  for (size_t i = 0; i < m->workers.count; i++) add_worker(&m->old_workers, m->workers.items[i], &engine->env.allocator);
  m->workers.count = 0;
  pthread_mutex_unlock(&m->mutex);
  atomic_store(&m->owes, true);
  atomic_store(&m->from, next);
}

void meter_close_interval(orr_engine *engine) {
  meter *m = engine->meter;
  orr_time now = interval_of(engine_now(engine));
  if (atomic_load_explicit(&m->from, memory_order_relaxed) == now || pthread_mutex_trylock(&m->writing)) return;
  if (atomic_load(&m->from) != now) begin_interval(engine, now);
  pthread_mutex_unlock(&m->writing);
}

/* ---- Writing --------------------------------------------------------------------------------- */

static int add_to_row(unit *u, const rec_meter *key, uint64_t n, orr_error *err) {
  rec_meter *row = unit_meter_key(u, key, err);
  if (err->code) return err->code;
  if (!row) row = unit_new_meter(u, key);
  if (!row || unit_touch(u, row)) return error_memory(err);
  row->count += (int64_t)n;
  return 0;
}

static int put_rows(unit *u, const meter_unwritten *what, const char *reporter, orr_error *err) {
  int rc = 0;
  for (int i = 0; !rc && i < METRICS; i++) {
    rec_meter key = {.name = unit_textz(u, names[i]), .time = what->from, .reporter = unit_textz(u, reporter)};
    if (what->counts[i]) rc = add_to_row(u, &key, what->counts[i], err);
  }
  for (size_t i = 0; !rc && i < what->n_workers; i++) {
    char hash[METER_HASH_BYTES];
    meter_hash_text(what->workers[i], hash);
    rec_meter key = {.name = unit_textz(u, METER_WORKERS), .time = what->from, .reporter = unit_textz(u, hash)};
    rc = add_to_row(u, &key, 1, err);
  }
  return rc;
}

static int write_once(orr_engine *engine, const meter_unwritten *what, const char *reporter, orr_error *err) {
  unit *u = unit_begin(engine->units, err);
  if (!u) return err->code;
  int rc = put_rows(u, what, reporter, err);
  if (!rc && unit_changed(u)) rc = unit_commit(u, err);
  unit_end(u);
  return rc;
}

static int write_all(orr_engine *engine, const meter_unwritten *what, orr_error *err) {
  char reporter[METER_REPORTER_BYTES];
  int rc = ORR_E_CONFLICT;
  meter_reporter(engine, reporter);
  for (int attempt = 0; rc == ORR_E_CONFLICT && attempt < METER_ATTEMPTS; attempt++) {
    orr_error_clear(err);
    rc = write_once(engine, what, reporter, err);
  }
  return rc;
}

/* The caller has `writing`. */
static void write_ended(orr_engine *engine) {
  meter *m = engine->meter;
  orr_error err = {0};
  make_unique(&m->old_workers);
  meter_unwritten what = {.from = m->ended, .workers = m->old_workers.items, .n_workers = m->old_workers.count};
  memcpy(what.counts, m->counts, sizeof what.counts);
  int rc = write_all(engine, &what, &err);
  atomic_store(&m->owes, false); /* also after a failure: it is tried again when the next interval is over */
  if (rc && !engine_lost_store(&err)) {
    engine_log(engine, ORR_LOG_WARNING, NULL, "what was counted could not be written, and counts with the next interval: %s",
               err.message ? err.message : orr_strerror(rc));
  } else if (!rc) {
    memset(m->counts, 0, sizeof m->counts);
    free_workers(&m->old_workers, &engine->env.allocator);
  }
  orr_error_clear(&err);
}

void meter_write(orr_engine *engine) {
  meter *m = engine->meter;
  meter_close_interval(engine);
  if (!atomic_load_explicit(&m->owes, memory_order_relaxed) || pthread_mutex_trylock(&m->writing)) return;
  if (atomic_load(&m->owes)) write_ended(engine);
  pthread_mutex_unlock(&m->writing);
}

void meter_write_rest(orr_engine *engine) {
  pthread_mutex_lock(&engine->meter->writing);
  if (atomic_load(&engine->meter->owes)) write_ended(engine);
  begin_interval(engine, atomic_load(&engine->meter->from));
  write_ended(engine);
  pthread_mutex_unlock(&engine->meter->writing);
}
