/* Threads of a host that call one engine at the same time. A spec stops whoever commits at a
 * point of its way, lets others come meanwhile, and sees who wrote what together; or the process
 * ends at that point, as by kill -9. */
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stddef.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/error.h"
#include "engine/open.h"
#include "store/lmdb/lmdb_open.h"
#include "store/memory.h"
#include "uow/committer.h"
#include "verbs.h"

#define ENGINE_BOX "orrery_inside.callers.engine"

enum { CALLERS_MAX = 100 };

/* Of a commit: not begun, its group taken, on disk and nobody told. */
typedef enum commit_point { POINT_NONE, POINT_WAITING, POINT_TAKEN, POINT_WRITTEN } commit_point;

typedef struct callers_box callers_box;

typedef struct caller {
  callers_box *box;
  pthread_t thread;
  char what[16], key[64];
  orr_id id;
  int code;
  char message[200];
  bool joined;
} caller;

struct callers_box {
  orr_engine *engine;
  const store_methods *inner; /* the store's own */
  store_methods methods;      /* with a commit that stops */
  pthread_mutex_t mutex;
  pthread_cond_t changed;
  commit_point stops_at, dies_at;
  bool stopped, fails, told; /* told: of a deferred commit */
  bool goes;                 /* the next commit finds that the store has gone away */
  int heard[2];              /* what the log's calls gave when it heard of that */
  int64_t commits;
  size_t batches; /* of the last commit */
  pthread_t committing, teller;
  int n_callers;
  caller callers[CALLERS_MAX];
};

static callers_box *check_box(lua_State *L) {
  callers_box *box = luaL_checkudata(L, 1, ENGINE_BOX);
  luaL_argcheck(L, box->engine, 1, "closed");
  return box;
}

/* ---- Commits --------------------------------------------------------------------------------- */

static void reach(callers_box *box, commit_point point) {
  pthread_mutex_lock(&box->mutex);
  if (box->stops_at == point) box->stopped = true;
  pthread_cond_broadcast(&box->changed);
  while (box->stops_at == point) pthread_cond_wait(&box->changed, &box->mutex);
  if (box->dies_at == point) kill(getpid(), SIGKILL);
  pthread_mutex_unlock(&box->mutex);
}

static bool takes_early(callers_box *box) {
  pthread_mutex_lock(&box->mutex);
  bool stays = box->stops_at == POINT_TAKEN || box->dies_at == POINT_TAKEN;
  bool early = stays || box->fails || box->goes;
  pthread_mutex_unlock(&box->mutex);
  return early;
}

/* As a database does that is not reached. */
static int go_away(callers_box *box, store *s, orr_error *err) {
  box->goes = false;
  error_set(err, ORR_E_STORE, "injected loss");
  s->watcher(s->watcher_ud, err, 0);
  return ORR_E_STORE;
}

static int commit_with_stops(store *s, store_group *group, orr_error *err) {
  callers_box *box =
      (callers_box *)((char *)(uintptr_t)s->methods - offsetof(callers_box, methods));
  reach(box, POINT_WAITING);
  int rc = takes_early(box) ? store_group_gather(group, err) : 0;
  if (!rc) reach(box, POINT_TAKEN);
  if (!rc && box->fails) rc = error_set(err, ORR_E_STORE, "injected fault");
  if (!rc && box->goes) rc = go_away(box, s, err);
  box->fails = false;
  if (!rc) rc = box->inner->commit(s, group, err);
  box->commits++;
  box->batches = group->count;
  box->committing = pthread_self();
  reach(box, POINT_WRITTEN);
  return rc;
}

/* ---- A store that goes away ------------------------------------------------------------------ */

/* The log: on the thread that commits, in the middle of that. */
static void hear(void *ud, orr_log_level level, const char *message, const orr_value *fields) {
  callers_box *box = ud;
  (void)level, (void)fields;
  if (strncmp(message, "store away", strlen("store away")) != 0) return;
  orr_records *started = NULL;
  orr_start_options options = {.size = sizeof options, .key = "p"};
  box->heard[0] = orr_engine_executor_stop(box->engine, NULL);
  box->heard[1] = orr_engine_instance_start(box->engine, &options, &started, NULL);
  orr_records_free(started);
  orr_engine_close(box->engine);
}

/* ---- Opening --------------------------------------------------------------------------------- */

/* open(path): the store there, or one in memory */
static int l_open(lua_State *L) {
  const char *path = luaL_optstring(L, 1, NULL);
  callers_box *box = lua_newuserdatauv(L, sizeof *box, 0);
  memset(box, 0, sizeof *box);
  pthread_mutex_init(&box->mutex, NULL);
  pthread_cond_init(&box->changed, NULL);
  luaL_setmetatable(L, ENGINE_BOX);
  orr_env env;
  env_system(&env);
  store_options options = {.env = &env, .path = path};
  orr_config config;
  orr_config_init(&config);
  config.log = hear;
  config.log_ud = box;
  engine_parts parts = {.env = &env};
  orr_error err = {0};
  int rc = path ? store_open_lmdb(&options, &parts.store, &err)
                : store_open_memory(&options, &parts.store, &err);
  store *s = parts.store;
  if (!rc) rc = engine_open_parts(&config, &parts, &box->engine, &err);
  if (rc)
    return luaL_error(L, "the engine cannot be opened: %s",
                      err.message ? err.message : orr_strerror(rc));
  box->inner = s->methods;
  box->methods = *s->methods;
  box->methods.commit = commit_with_stops;
  s->methods = &box->methods;
  return 1;
}

static void end_caller(caller *k) {
  if (!k->joined) pthread_join(k->thread, NULL);
  k->joined = true;
}

static int l_release(lua_State *L) {
  callers_box *box = check_box(L);
  pthread_mutex_lock(&box->mutex);
  box->stops_at = POINT_NONE;
  box->stopped = false;
  pthread_cond_broadcast(&box->changed);
  pthread_mutex_unlock(&box->mutex);
  return 0;
}

static int l_close(lua_State *L) {
  callers_box *box = luaL_checkudata(L, 1, ENGINE_BOX);
  if (!box->engine) return 0;
  l_release(L);
  for (int i = 0; i < box->n_callers; i++) end_caller(&box->callers[i]);
  box->engine->store->methods = box->inner;
  orr_engine_close(box->engine);
  box->engine = NULL;
  return 0;
}

/* ---- Callers --------------------------------------------------------------------------------- */

static int run_start(const caller *k, orr_error *err) {
  orr_records *started = NULL;
  orr_start_options options = {.size = sizeof options, .key = "p", .business_key = k->key};
  int rc = orr_engine_instance_start(k->box->engine, &options, &started, err);
  orr_records_free(started);
  return rc;
}

static int run_message(const caller *k, orr_error *err) {
  orr_builder *answer = orr_builder_new();
  orr_message_options options = {.size = sizeof options, .instance = k->id};
  int rc = answer ? orr_engine_message(k->box->engine, k->key, &options, answer, err)
                  : error_memory(err);
  orr_builder_free(answer);
  return rc;
}

static void *run_caller(void *ud) {
  caller *k = ud;
  orr_error err = {0};
  if (strcmp(k->what, "start") == 0) k->code = run_start(k, &err);
  else if (strcmp(k->what, "message") == 0) k->code = run_message(k, &err);
  else k->code = orr_engine_task_complete(k->box->engine, k->id, NULL, NULL, NULL, &err);
  snprintf(k->message, sizeof k->message, "%s", err.message ? err.message : "");
  orr_error_clear(&err);
  return NULL;
}

/* begin("start", business key | "complete", "", task | "message", name, instance) -> the number
 * of its thread */
static int l_begin(lua_State *L) {
  callers_box *box = check_box(L);
  luaL_argcheck(L, box->n_callers < CALLERS_MAX, 1, "too many");
  caller *k = &box->callers[box->n_callers++];
  *k = (caller){.box = box, .id = (orr_id)luaL_optinteger(L, 4, 0)};
  snprintf(k->what, sizeof k->what, "%s", luaL_checkstring(L, 2));
  snprintf(k->key, sizeof k->key, "%s", luaL_optstring(L, 3, ""));
  if (pthread_create(&k->thread, NULL, run_caller, k)) return luaL_error(L, "no thread");
  lua_pushinteger(L, box->n_callers);
  return 1;
}

/* answer(number) -> "ok", or the kind of error and its message: waits for it. */
static int l_answer(lua_State *L) {
  callers_box *box = check_box(L);
  caller *k = &box->callers[luaL_checkinteger(L, 2) - 1];
  end_caller(k);
  lua_pushstring(L, k->code ? orr_error_kind(k->code) : "ok");
  lua_pushstring(L, k->message);
  return 2;
}

/* call(verb, arguments): as verb_call, on this thread */
static int l_call(lua_State *L) {
  const callers_box *box = check_box(L);
  return verb_call(L, verb_argument(L), box->engine);
}

/* ---- What a spec says and sees --------------------------------------------------------------- */

static commit_point check_point(lua_State *L) {
  static const char *const points[] = {"", "waiting", "taken", "written", NULL};
  return (commit_point)luaL_checkoption(L, 2, NULL, points);
}

/* stop(point): whoever comes there stops, until release(); who has stopped elsewhere goes on. */
static int l_stop(lua_State *L) {
  callers_box *box = check_box(L);
  pthread_mutex_lock(&box->mutex);
  box->stops_at = check_point(L);
  box->stopped = false;
  pthread_cond_broadcast(&box->changed);
  pthread_mutex_unlock(&box->mutex);
  return 0;
}

/* stopped(): waits until somebody has. */
static int l_stopped(lua_State *L) {
  callers_box *box = check_box(L);
  pthread_mutex_lock(&box->mutex);
  while (!box->stopped) pthread_cond_wait(&box->changed, &box->mutex);
  pthread_mutex_unlock(&box->mutex);
  return 0;
}

/* queued(n): waits until so many commits wait to be taken into a group. */
static int l_queued(lua_State *L) {
  const callers_box *box = check_box(L);
  size_t n = (size_t)luaL_checkinteger(L, 2);
  while (committer_waiting(box->engine->committer) != n) sched_yield();
  return 0;
}

/* die(point): whoever leaves it ends the process. */
static int l_die(lua_State *L) {
  callers_box *box = check_box(L);
  pthread_mutex_lock(&box->mutex);
  box->dies_at = check_point(L);
  pthread_mutex_unlock(&box->mutex);
  return 0;
}

/* fail(): the next commit fails. */
static int l_fail(lua_State *L) {
  check_box(L)->fails = true;
  return 0;
}

/* heard(verb, arguments) -> what stopping the executor and a start gave in the log, when it heard
 * that the store had gone away at the commit of the verb */
static int l_heard(lua_State *L) {
  callers_box *box = check_box(L);
  box->goes = true;
  l_call(L);
  for (int i = 0; i < 2; i++)
    lua_pushstring(L, box->heard[i] ? orr_error_kind(box->heard[i]) : "ok");
  return 2;
}

/* last() -> commits so far, batches of the last one, the number of the thread that made it, or
 * nil when it was no caller's */
static int l_last(lua_State *L) {
  const callers_box *box = check_box(L);
  lua_pushinteger(L, box->commits);
  lua_pushinteger(L, (lua_Integer)box->batches);
  for (int i = box->n_callers - 1; i >= 0;
       i--) { /* a thread's id may be that of one that has ended */
    if (!pthread_equal(box->callers[i].thread, box->committing)) continue;
    lua_pushinteger(L, i + 1);
    return 3;
  }
  return 2;
}

/* commit_in_child(verb, arguments) -> the kind of error of a commit that a child of fork makes of
 * this thread's transaction, or nil when a signal ended it */
static int l_commit_in_child(lua_State *L) {
  callers_box *box = check_box(L);
  int status;
  if (orr_engine_begin(box->engine, NULL)) return luaL_error(L, "no transaction");
  l_call(L);
  pid_t child = fork();
  if (child == 0) {
    alarm(60);
    box->engine->store->methods = box->inner; /* it stops nowhere */
    _exit(-orr_engine_commit(box->engine, NULL));
  }
  orr_engine_rollback(box->engine);
  if (child < 0 || waitpid(child, &status, 0) != child || !WIFEXITED(status)) return 0;
  lua_pushstring(L, orr_error_kind(-WEXITSTATUS(status)));
  return 1;
}

/* share(): starts the committer's thread. */
static int l_share(lua_State *L) {
  orr_error err = {0};
  return orr_engine_commits_share(check_box(L)->engine, &err) ? luaL_error(L, "no thread") : 0;
}

static void told(void *ud, const orr_error *err) {
  callers_box *box = ud;
  (void)err;
  pthread_mutex_lock(&box->mutex);
  box->told = true;
  box->teller = pthread_self();
  pthread_cond_broadcast(&box->changed);
  pthread_mutex_unlock(&box->mutex);
}

/* defer(verb, arguments): its commit is on its way. */
static int l_defer(lua_State *L) {
  callers_box *box = check_box(L);
  if (orr_engine_commit_defer(box->engine, told, box, NULL))
    return luaL_error(L, "it cannot be deferred");
  l_call(L);
  return orr_engine_commit_deferred(box->engine) ? 0 : luaL_error(L, "it was not deferred");
}

/* told() -> was it the thread of the last commit that told of the deferred one? Waits for it. */
static int l_told(lua_State *L) {
  callers_box *box = check_box(L);
  pthread_mutex_lock(&box->mutex);
  while (!box->told) pthread_cond_wait(&box->changed, &box->mutex);
  lua_pushboolean(L, pthread_equal(box->teller, box->committing));
  pthread_mutex_unlock(&box->mutex);
  return 1;
}

void inside_callers(lua_State *L) {
  static const luaL_Reg functions[] = {{"open", l_open}, {NULL, NULL}};
  static const luaL_Reg methods[] = {{"call", l_call},
                                     {"begin", l_begin},
                                     {"answer", l_answer},
                                     {"stop", l_stop},
                                     {"stopped", l_stopped},
                                     {"queued", l_queued},
                                     {"die", l_die},
                                     {"fail", l_fail},
                                     {"heard", l_heard},
                                     {"last", l_last},
                                     {"release", l_release},
                                     {"share", l_share},
                                     {"defer", l_defer},
                                     {"commit_in_child", l_commit_in_child},
                                     {"told", l_told},
                                     {"close", l_close},
                                     {"__gc", l_close},
                                     {"__close", l_close},
                                     {NULL, NULL}};
  luaL_newmetatable(L, ENGINE_BOX);
  luaL_setfuncs(L, methods, 0);
  lua_pushvalue(L, -1);
  lua_setfield(L, -2, "__index");
  lua_pop(L, 1);
  luaL_setfuncs(L, functions, 0);
}
