/* The skeleton of an engine that runs durable jobs: what is left when there is no interpreter, no history, no acquisition
 * and no model. Threads take jobs from one queue, read each one's record, resume a coroutine of its own for it, and hand the
 * batch that ends it to a committer, which writes the batches of all in groups, each synced. A job of a chain writes
 *
 *   execution (35 bytes), job (127, the next one in its place), the row of its lock out and in;
 *
 * the last one deletes the three. It bounds what an engine of this design can reach on the machine at that minute. */
#include <lauxlib.h>
#include <lualib.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/error.h"
#include "skeleton.h"
#include "store/lmdb/lmdb_open.h"
#include "uow/committer.h"

#define IN_FLIGHT 4000 /* chains, as many as an executor's queue has room for */
#define STROKE 32      /* jobs that a thread takes at a time */
#define JOB_BYTES 127
#define EXECUTION_BYTES 35
#define KEY_BYTES 9
#define ROW_BYTES 19
#define WORKERS_MAX 64

typedef struct skeleton skeleton;

/* A chain of jobs in hand: its records' keys, and what the batch under way writes. */
typedef struct chain {
  commit_request request; /* first: `done` casts */
  struct chain *next;
  skeleton *of;
  uint32_t left, revision;
  store_batch batch;
  store_op ops[4];
  uint8_t job_key[KEY_BYTES], execution_key[KEY_BYTES], row[2][ROW_BYTES];
  uint8_t job[JOB_BYTES], execution[EXECUTION_BYTES];
} chain;

struct skeleton {
  store *store;
  committer *committer;
  uint32_t chains, jobs;      /* of all; of each chain */
  pthread_mutex_t mutex;
  pthread_cond_t work;
  chain *first, **last;
  uint32_t begun, ended;
  bool failed;
  chain *memory;
};

/* ---- Records --------------------------------------------------------------------------------- */

static void write_key(uint8_t *key, char tag, uint32_t number) {
  memset(key, 0, KEY_BYTES);
  key[0] = (uint8_t)tag;
  for (int i = 0; i < 4; i++) key[KEY_BYTES - 1 - i] = (uint8_t)(number >> 8 * i);
}

/* Sorted by when the lock expires, which every job of a chain moves. */
static void write_row(uint8_t *row, uint32_t number, uint32_t left) {
  memset(row, 0, ROW_BYTES);
  row[0] = 'i';
  row[ROW_BYTES - KEY_BYTES - 1] = (uint8_t)(UINT8_MAX - left);
  write_key(row + ROW_BYTES - KEY_BYTES, 'W', number);
}

static void seal_records(chain *c) {
  store_seal(c->job, sizeof c->job, c->revision);
  store_seal(c->execution, sizeof c->execution, c->revision);
}

/* The chain's next number, its records as they lie in the store. */
static void begin_chain(chain *c, uint32_t number) {
  c->left = c->of->jobs;
  c->revision = 1;
  write_key(c->job_key, 'W', number);
  write_key(c->execution_key, 'E', number);
  write_row(c->row[0], number, c->left);
  memset(c->job + sizeof(store_header), 'j', sizeof c->job - sizeof(store_header));
  memset(c->execution + sizeof(store_header), 'e', sizeof c->execution - sizeof(store_header));
  seal_records(c);
}

static store_bytes bytes_of(const void *data, size_t size) { return (store_bytes){data, size}; }
static store_bytes job_key_of(const chain *c) { return bytes_of(c->job_key, KEY_BYTES); }
static store_bytes execution_key_of(const chain *c) { return bytes_of(c->execution_key, KEY_BYTES); }
static store_bytes job_of(const chain *c) { return bytes_of(c->job, JOB_BYTES); }
static store_bytes execution_of(const chain *c) { return bytes_of(c->execution, EXECUTION_BYTES); }

static store_op row_op(store_op_kind kind, const uint8_t *row) {
  return (store_op){.kind = kind, .expected = STORE_ANY_REVISION, .key = bytes_of(row, ROW_BYTES)};
}

static void make_batch(chain *c, uint32_t number) {
  bool last = --c->left == 0;
  store_op_kind kind = last ? STORE_DELETE : STORE_PUT;
  uint32_t was = c->revision++;
  seal_records(c);
  c->ops[0] = (store_op){.kind = kind, .expected = was, .key = execution_key_of(c)};
  c->ops[1] = (store_op){.kind = kind, .expected = was, .key = job_key_of(c)};
  c->ops[2] = row_op(STORE_DELETE, c->row[0]);
  if (!last) {
    c->ops[0].value = execution_of(c);
    c->ops[1].value = job_of(c);
    write_row(c->row[1], number, c->left);
    c->ops[3] = row_op(STORE_PUT, c->row[1]);
  }
  c->batch = (store_batch){.ops = c->ops, .count = last ? 3 : 4};
}

/* ---- The queue ------------------------------------------------------------------------------- */

static void queue_locked(skeleton *s, chain *c) {
  c->next = NULL;
  *s->last = c;
  s->last = &c->next;
  pthread_cond_signal(&s->work);
}

static uint32_t number_of(const chain *c) {
  uint32_t number = 0;
  for (int i = 0; i < 4; i++) number |= (uint32_t)c->job_key[KEY_BYTES - 1 - i] << 8 * i;
  return number;
}

/* The committer's thread: the chain's next job, or another chain in its place. */
static void answered(commit_request *request, const orr_error *err) {
  chain *c = (chain *)request;
  skeleton *s = c->of;
  pthread_mutex_lock(&s->mutex);
  s->failed = s->failed || err || c->batch.status;
  if (c->left) {
    memcpy(c->row[0], c->row[1], ROW_BYTES);
    queue_locked(s, c);
  } else {
    s->ended++;
    if (s->begun < s->chains) {
      begin_chain(c, s->begun++);
      queue_locked(s, c);
    }
  }
  if (s->failed || s->ended == s->chains) pthread_cond_broadcast(&s->work);
  pthread_mutex_unlock(&s->mutex);
}

/* How many were taken; 0: all is done. */
static uint32_t take_some(skeleton *s, chain **out) {
  uint32_t n = 0;
  pthread_mutex_lock(&s->mutex);
  while (!s->first && s->ended < s->chains && !s->failed) pthread_cond_wait(&s->work, &s->mutex);
  for (; n < STROKE && s->first && !s->failed; n++) {
    out[n] = s->first;
    s->first = s->first->next;
  }
  if (!s->first) s->last = &s->first;
  pthread_mutex_unlock(&s->mutex);
  return n;
}

/* ---- Workers --------------------------------------------------------------------------------- */

/* As a delegate runs: in a coroutine of its own. */
static bool resume_one(lua_State *L) {
  int results;
  lua_State *co = lua_newthread(L);
  lua_pushvalue(L, 1);
  lua_xmove(L, co, 1);
  bool ran = lua_resume(co, L, 0, &results) == LUA_OK;
  lua_pop(L, 1);
  return ran;
}

static bool run_one(skeleton *s, lua_State *L, store_snapshot *view, chain *c) {
  store_bytes value;
  bool there = !store_get(view, job_key_of(c), &value, NULL) && store_revision(value) == c->revision;
  if (!there || !resume_one(L)) return false;
  make_batch(c, number_of(c));
  c->request = (commit_request){.batches = &c->batch, .count = 1, .done = answered};
  committer_submit(s->committer, &c->request);
  return true;
}

static void fail_all(skeleton *s) {
  pthread_mutex_lock(&s->mutex);
  s->failed = true;
  pthread_cond_broadcast(&s->work);
  pthread_mutex_unlock(&s->mutex);
}

static void *work(void *ud) {
  skeleton *s = ud;
  chain *taken[STROKE];
  store_snapshot *view = NULL;
  lua_State *L = luaL_newstate();
  bool fine = L && luaL_loadstring(L, "return") == LUA_OK && !store_snapshot_open(s->store, &view, NULL);
  for (uint32_t n = 1; fine && n;) {
    store_snapshot_release(view); /* none while it waits */
    n = take_some(s, taken);
    fine = !store_snapshot_renew(view, NULL);
    for (uint32_t i = 0; i < n && fine; i++) fine = run_one(s, L, view, taken[i]);
  }
  if (!fine) fail_all(s);
  store_snapshot_close(view);
  if (L) lua_close(L);
  return NULL;
}

/* ---- All of it ------------------------------------------------------------------------------- */

/* The records of all chains, as what starts them would have left them. */
static int write_all(skeleton *s, orr_error *err) {
  int rc = 0;
  for (uint32_t from = 0; from < s->chains && !rc; from += IN_FLIGHT) {
    store_batch batches[IN_FLIGHT];
    uint32_t n = s->chains - from < IN_FLIGHT ? s->chains - from : IN_FLIGHT;
    for (uint32_t i = 0; i < n; i++) {
      chain *c = &s->memory[i];
      begin_chain(c, from + i);
      c->ops[0] = (store_op){.kind = STORE_PUT, .key = execution_key_of(c), .value = execution_of(c)};
      c->ops[1] = (store_op){.kind = STORE_PUT, .key = job_key_of(c), .value = job_of(c)};
      c->ops[2] = row_op(STORE_PUT, c->row[0]);
      batches[i] = (store_batch){.ops = c->ops, .count = 3};
    }
    rc = store_commit(s->store, batches, n, err);
  }
  return rc;
}

static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static int run_workers(skeleton *s, uint32_t n, double *seconds, orr_error *err) {
  pthread_t threads[WORKERS_MAX];
  uint32_t started = 0;
  double begun = now();
  pthread_mutex_lock(&s->mutex);
  for (; s->begun < IN_FLIGHT && s->begun < s->chains; s->begun++) {
    begin_chain(&s->memory[s->begun], s->begun);
    queue_locked(s, &s->memory[s->begun]);
  }
  pthread_mutex_unlock(&s->mutex);
  while (started < n && !pthread_create(&threads[started], NULL, work, s)) started++;
  if (started < n) fail_all(s);
  for (uint32_t i = 0; i < started; i++) pthread_join(threads[i], NULL);
  committer_free(s->committer);
  s->committer = NULL;
  *seconds = now() - begun;
  return s->failed || started < n ? error_set(err, ORR_E_STATE, "the skeleton failed") : 0;
}

int skeleton_run(const char *directory, uint32_t chains, uint32_t jobs, uint32_t workers, double *seconds,
                 orr_error *err) {
  orr_env env;
  env_system(&env);
  store_options options = {.env = &env, .path = directory};
  skeleton s = {.chains = chains, .jobs = jobs, .last = &s.first};
  pthread_mutex_init(&s.mutex, NULL);
  pthread_cond_init(&s.work, NULL);
  s.memory = calloc(IN_FLIGHT, sizeof *s.memory);
  int rc = s.memory && workers <= WORKERS_MAX ? store_open_lmdb(&options, &s.store, err) : error_memory(err);
  for (uint32_t i = 0; !rc && i < IN_FLIGHT; i++) s.memory[i].of = &s;
  if (!rc) rc = write_all(&s, err);
  if (!rc) {
    s.committer = committer_new(&env, s.store, err);
    rc = s.committer ? committer_start(s.committer, err) : err->code;
    if (!rc) rc = run_workers(&s, workers, seconds, err);
  }
  committer_free(s.committer);
  if (s.store) store_close(s.store);
  pthread_cond_destroy(&s.work);
  pthread_mutex_destroy(&s.mutex);
  free(s.memory);
  return rc;
}
