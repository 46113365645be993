/* orrery_bench: what the benchmarks measure with and compare to.
 *
 * The bare store: `record` listens to an engine's store while a benchmark runs and keeps every commit as it was, its
 * batches, keys and values; `replay` then writes the same bytes in the same batches into a copy of the store as it was
 * before, with nothing around it. What the engine reaches of that speed is what the engine costs. */
#include <lauxlib.h>
#include <lua.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "callers.h"
#include "engine/engine.h"
#include "skeleton.h"
#include "store/lmdb/lmdb_open.h"
#include "store/store.h"

/* ---- Measures -------------------------------------------------------------------------------- */

static double seconds_of(clockid_t clock) {
  struct timespec now;
  clock_gettime(clock, &now);
  return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

/* now() -> seconds on the monotonic clock */
static int bench_now(lua_State *L) {
  lua_pushnumber(L, seconds_of(CLOCK_MONOTONIC));
  return 1;
}

/* used() -> seconds of processor time, all threads */
static int bench_used(lua_State *L) {
  lua_pushnumber(L, seconds_of(CLOCK_PROCESS_CPUTIME_ID));
  return 1;
}

/* resident() -> bytes of private memory in use: the store's map, which is shared with the file, does not count. */
static int bench_resident(lua_State *L) {
  FILE *f = fopen("/proc/self/statm", "r");
  unsigned long size = 0, resident = 0, shared = 0;
  int fields = f ? fscanf(f, "%lu %lu %lu", &size, &resident, &shared) : 0;
  if (f) fclose(f);
  if (fields != 3) return luaL_error(L, "the process's memory cannot be read");
  lua_pushinteger(L, (lua_Integer)((resident - shared) * (unsigned long)sysconf(_SC_PAGESIZE)));
  return 1;
}

/* ---- Recording ------------------------------------------------------------------------------- */

typedef struct recorded {
  store_batch *batches; /* ops, keys and values are copies, one piece of memory a batch */
  size_t count;
} recorded;

static struct recorder {
  store *store;
  const store_methods *methods; /* the store's own */
  store_methods listening;
  pthread_mutex_t mutex;        /* held across a commit, so that the order kept is the order written */
  recorded *commits;
  size_t count, capacity;
  uint64_t batches, ops, bytes;
  bool failed;
} recorder = {.mutex = PTHREAD_MUTEX_INITIALIZER};

static size_t batch_size(const store_batch *batch) {
  size_t size = batch->count * sizeof *batch->ops;
  for (size_t i = 0; i < batch->count; i++) size += batch->ops[i].key.size + batch->ops[i].value.size;
  return size;
}

static store_bytes keep(char **at, store_bytes bytes) {
  if (bytes.size > 0) memcpy(*at, bytes.data, bytes.size);
  store_bytes kept = {*at, bytes.size};
  *at += bytes.size;
  return kept;
}

static bool copy_batch(const store_batch *from, store_batch *to) {
  char *memory = malloc(batch_size(from) + 1);
  if (!memory) return false;
  store_op *ops = (store_op *)(void *)memory;
  char *at = memory + from->count * sizeof *ops;
  for (size_t i = 0; i < from->count; i++) {
    ops[i] = from->ops[i];
    ops[i].key = keep(&at, from->ops[i].key);
    ops[i].value = keep(&at, from->ops[i].value);
    recorder.bytes += ops[i].key.size + ops[i].value.size;
  }
  recorder.ops += from->count;
  *to = (store_batch){.ops = ops, .count = from->count};
  return true;
}

static bool add_commit(const store_batch *batches, size_t count) {
  if (recorder.count == recorder.capacity) {
    size_t capacity = recorder.capacity > 0 ? recorder.capacity * 2 : 1024;
    recorded *grown = realloc(recorder.commits, capacity * sizeof *grown);
    if (!grown) return false;
    recorder.commits = grown;
    recorder.capacity = capacity;
  }
  recorded *commit = &recorder.commits[recorder.count];
  *commit = (recorded){.batches = calloc(count, sizeof *commit->batches)};
  if (!commit->batches) return false;
  recorder.count++;
  for (size_t i = 0; i < count; i++) { /* what lost a race has left no trace, and would leave none again */
    if (batches[i].status != 0) continue;
    if (!copy_batch(&batches[i], &commit->batches[commit->count])) return false;
    commit->count++;
    recorder.batches++;
  }
  return true;
}

static int listening_commit(store *s, store_group *group, orr_error *err) {
  pthread_mutex_lock(&recorder.mutex);
  int rc = recorder.methods->commit(s, group, err);
  if (!rc && !add_commit(group->batches, group->count)) recorder.failed = true;
  pthread_mutex_unlock(&recorder.mutex);
  return rc;
}

static void forget_commits(void) {
  for (size_t i = 0; i < recorder.count; i++) {
    for (size_t b = 0; b < recorder.commits[i].count; b++) free((void *)(uintptr_t)recorder.commits[i].batches[b].ops);
    free(recorder.commits[i].batches);
  }
  free(recorder.commits);
  recorder.commits = NULL;
  recorder.count = recorder.capacity = 0;
  recorder.batches = recorder.ops = recorder.bytes = 0;
}

/* record(address): begins to keep what the engine at this address commits, while it does nothing yet. */
static int bench_record(lua_State *L) {
  const orr_engine *engine = (const orr_engine *)(intptr_t)luaL_checkinteger(L, 1);
  forget_commits();
  recorder.store = engine->store;
  recorder.methods = engine->store->methods;
  recorder.listening = *recorder.methods;
  recorder.listening.commit = listening_commit;
  recorder.store->methods = &recorder.listening;
  return 0;
}

/* questions(address): how many the store of the engine there has asked a server. */
static int bench_questions(lua_State *L) {
  const orr_engine *engine = (const orr_engine *)(intptr_t)luaL_checkinteger(L, 1);
  store_stats stats;
  if (store_get_stats(engine->store, &stats, NULL)) return luaL_error(L, "the store tells nothing");
  lua_pushinteger(L, (lua_Integer)stats.questions);
  return 1;
}

/* recorded() -> commits, batches, ops, bytes; listens no more. The engine does nothing now. */
static int bench_recorded(lua_State *L) {
  recorder.store->methods = recorder.methods;
  if (recorder.failed) return luaL_error(L, "out of memory while recording");
  lua_pushinteger(L, (lua_Integer)recorder.count);
  lua_pushinteger(L, (lua_Integer)recorder.batches);
  lua_pushinteger(L, (lua_Integer)recorder.ops);
  lua_pushinteger(L, (lua_Integer)recorder.bytes);
  return 4;
}

/* ---- Replaying ------------------------------------------------------------------------------- */

static int replay_all(store *s, orr_error *err) {
  for (size_t i = 0; i < recorder.count; i++) {
    const recorded *commit = &recorder.commits[i];
    int rc = store_commit(s, commit->batches, commit->count, err);
    for (size_t b = 0; b < commit->count && !rc; b++) rc = commit->batches[b].status;
    if (rc) return rc;
  }
  return 0;
}

/* replay(directory) -> seconds. The directory holds the store as it was when recording began. */
static int bench_replay(lua_State *L) {
  orr_env env;
  env_system(&env);
  store_options options = {.env = &env, .path = luaL_checkstring(L, 1)};
  store *s = NULL;
  orr_error err = {0};
  int rc = store_open_lmdb(&options, &s, &err);
  double begun = seconds_of(CLOCK_MONOTONIC);
  if (!rc) rc = replay_all(s, &err);
  double ended = seconds_of(CLOCK_MONOTONIC);
  if (s) store_close(s);
  if (rc) return luaL_error(L, "replay: %s", err.message ? err.message : orr_strerror(rc));
  lua_pushnumber(L, ended - begun);
  return 1;
}

/* skeleton(directory, chains, jobs, workers) -> seconds */
static int bench_skeleton(lua_State *L) {
  orr_error err = {0};
  double seconds = 0;
  int rc = skeleton_run(luaL_checkstring(L, 1), (uint32_t)luaL_checkinteger(L, 2), (uint32_t)luaL_checkinteger(L, 3),
                        (uint32_t)luaL_checkinteger(L, 4), &seconds, &err);
  if (rc) return luaL_error(L, "skeleton: %s", err.message ? err.message : orr_strerror(rc));
  lua_pushnumber(L, seconds);
  return 1;
}

/* callers(address, what, key, ids or count, threads, grouped) -> seconds, processor seconds,
 * commits; see callers.h. `what`: 0 starts, 1 completes, 2 sends messages */
static int bench_callers(lua_State *L) {
  orr_engine *engine = (orr_engine *)(intptr_t)luaL_checkinteger(L, 1);
  const char *key = lua_tostring(L, 3);
  uint32_t count = (uint32_t)(lua_istable(L, 4) ? luaL_len(L, 4) : luaL_checkinteger(L, 4));
  orr_id *ids = lua_newuserdatauv(L, sizeof *ids * (count + 1), 0);
  for (uint32_t i = 0; lua_istable(L, 4) && i < count; i++) {
    lua_rawgeti(L, 4, (lua_Integer)i + 1);
    ids[i] = (orr_id)lua_tointeger(L, -1);
    lua_pop(L, 1);
  }
  callers_cost cost;
  orr_error err = {0};
  callers_what what = (callers_what)luaL_checkinteger(L, 2);
  uint32_t threads = (uint32_t)luaL_checkinteger(L, 5);
  int rc = callers_run(engine, what, key, ids, count, threads, lua_toboolean(L, 6), &cost, &err);
  if (rc) return luaL_error(L, "callers: %s", err.message ? err.message : orr_strerror(rc));
  lua_pushnumber(L, cost.seconds);
  lua_pushnumber(L, cost.processor);
  lua_pushinteger(L, (lua_Integer)cost.commits);
  return 3;
}

static const luaL_Reg functions[] = {{"now", bench_now}, {"used", bench_used},
                                     {"resident", bench_resident}, {"questions", bench_questions},
                                     {"record", bench_record},
                                     {"recorded", bench_recorded}, {"replay", bench_replay},
                                     {"skeleton", bench_skeleton},
                                     {"callers", bench_callers}, {NULL, NULL}};

__attribute__((visibility("default"))) int luaopen_orrery_bench(lua_State *L);

int luaopen_orrery_bench(lua_State *L) {
  luaL_newlib(L, functions);
  return 1;
}
