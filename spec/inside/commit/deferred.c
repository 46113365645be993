/* Commits that their commands do not wait for: an engine over a memory store that fails when it is told to, commands with
 * deferred commits, and a hold on the thread that commits, so that a spec says what is on its way together. */
#include <pthread.h>
#include <string.h>

#include "base/error.h"
#include "engine/open.h"
#include "store/fault.h"
#include "store/memory.h"
#include "verbs.h"

#define ENGINE_BOX "orrery_inside.deferred.engine"

enum { SLOTS_MAX = 64 };

typedef struct deferral_box deferral_box;

/* One command's commit. */
typedef struct deferral_slot {
  deferral_box *box;
  bool holds, told; /* holds: the commit's thread stays in the call that tells of it, until release() */
  int code;
  char message[200];
} deferral_slot;

struct deferral_box {
  orr_engine *engine;
  store *store;
  pthread_mutex_t mutex;
  pthread_cond_t changed;
  bool released;
  int waits, resumed;
  int n_slots;
  deferral_slot slots[SLOTS_MAX];
};

static deferral_box *check_box(lua_State *L) {
  deferral_box *box = luaL_checkudata(L, 1, ENGINE_BOX);
  luaL_argcheck(L, box->engine, 1, "closed");
  return box;
}

static void committed(void *ud, const orr_error *err) {
  deferral_slot *slot = ud;
  deferral_box *box = slot->box;
  pthread_mutex_lock(&box->mutex);
  slot->told = true;
  slot->code = err ? err->code : 0;
  snprintf(slot->message, sizeof slot->message, "%s", err && err->message ? err->message : "");
  pthread_cond_broadcast(&box->changed);
  while (slot->holds && !box->released) pthread_cond_wait(&box->changed, &box->mutex);
  pthread_mutex_unlock(&box->mutex);
}

static void count_waits(void *ud, bool waits) {
  deferral_box *box = ud;
  if (waits) box->waits++;
  else box->resumed++;
}

/* open() */
static int l_open(lua_State *L) {
  deferral_box *box = lua_newuserdatauv(L, sizeof *box, 0);
  memset(box, 0, sizeof *box);
  pthread_mutex_init(&box->mutex, NULL);
  pthread_cond_init(&box->changed, NULL);
  luaL_setmetatable(L, ENGINE_BOX);
  orr_env env;
  env_system(&env);
  store_options options = {.env = &env};
  orr_config config;
  orr_config_init(&config);
  engine_parts parts = {.env = &env};
  store *inner = NULL;
  orr_error err = {0};
  int rc = store_open_memory(&options, &inner, &err);
  if (!rc) rc = store_open_fault(inner, &env.allocator, &parts.store, &err);
  box->store = parts.store;
  if (!rc) rc = engine_open_parts(&config, &parts, &box->engine, &err);
  if (!rc) rc = orr_engine_commits_share(box->engine, &err);
  if (!rc) rc = orr_engine_waits_watch(box->engine, count_waits, box, &err);
  return rc ? luaL_error(L, "the engine cannot be opened") : 1;
}

static int l_close(lua_State *L) {
  deferral_box *box = luaL_checkudata(L, 1, ENGINE_BOX);
  orr_engine_close(box->engine);
  box->engine = NULL;
  return 0;
}

static int call(lua_State *L, deferral_box *box) {
  return verb_call(L, verb_argument(L), box->engine);
}

/* call(verb, arguments): as verb_call */
static int l_call(lua_State *L) { return call(L, check_box(L)); }

/* defer(verb, arguments, holds) -> a number to wait for it by, or false when nothing was deferred; and verb_call's results */
static int l_defer(lua_State *L) {
  deferral_box *box = check_box(L);
  luaL_argcheck(L, box->n_slots < SLOTS_MAX, 1, "too many");
  deferral_slot *slot = &box->slots[box->n_slots++];
  *slot = (deferral_slot){.box = box, .holds = lua_toboolean(L, 4)};
  orr_error err = {0};
  if (orr_engine_commit_defer(box->engine, committed, slot, &err)) return verb_push_failure(L, err.code, &err);
  int results = call(L, box);
  if (orr_engine_commit_deferred(box->engine)) lua_pushinteger(L, box->n_slots);
  else lua_pushboolean(L, false);
  lua_insert(L, -results - 1);
  return results + 1;
}

/* answer(number) -> "ok", or the kind of error and its message: waits for it. */
static int l_answer(lua_State *L) {
  deferral_box *box = check_box(L);
  deferral_slot *slot = &box->slots[luaL_checkinteger(L, 2) - 1];
  pthread_mutex_lock(&box->mutex);
  while (!slot->told) pthread_cond_wait(&box->changed, &box->mutex);
  pthread_mutex_unlock(&box->mutex);
  lua_pushstring(L, slot->code ? orr_error_kind(slot->code) : "ok");
  lua_pushstring(L, slot->message);
  return 2;
}

/* told(number) -> has it been told? Of a closed engine, too. */
static int l_told(lua_State *L) {
  deferral_box *box = luaL_checkudata(L, 1, ENGINE_BOX);
  pthread_mutex_lock(&box->mutex);
  lua_pushboolean(L, box->slots[luaL_checkinteger(L, 2) - 1].told);
  pthread_mutex_unlock(&box->mutex);
  return 1;
}

static int l_release(lua_State *L) {
  deferral_box *box = check_box(L);
  pthread_mutex_lock(&box->mutex);
  box->released = true;
  pthread_cond_broadcast(&box->changed);
  pthread_mutex_unlock(&box->mutex);
  return 0;
}

/* fail(): the next commit of the store fails. */
static int l_fail(lua_State *L) {
  fault_arm(check_box(L)->store, FAULT_COMMIT, 1, false);
  return 0;
}

/* waits() -> how often commands of this thread began to wait, and went on */
static int l_waits(lua_State *L) {
  const deferral_box *box = check_box(L);
  lua_pushinteger(L, box->waits);
  lua_pushinteger(L, box->resumed);
  return 2;
}

static int l_begin(lua_State *L) {
  if (orr_engine_begin(check_box(L)->engine, NULL)) return luaL_error(L, "no transaction");
  return 0;
}

static int l_rollback(lua_State *L) {
  orr_engine_rollback(check_box(L)->engine);
  return 0;
}

void inside_deferred(lua_State *L) {
  static const luaL_Reg functions[] = {{"open", l_open}, {NULL, NULL}};
  static const luaL_Reg methods[] = {
      {"call", l_call},   {"defer", l_defer}, {"answer", l_answer}, {"told", l_told},         {"release", l_release},
      {"fail", l_fail},   {"waits", l_waits}, {"begin", l_begin},   {"rollback", l_rollback}, {"close", l_close},
      {"__gc", l_close}, {"__close", l_close}, {NULL, NULL}};
  luaL_newmetatable(L, ENGINE_BOX);
  luaL_setfuncs(L, methods, 0);
  lua_pushvalue(L, -1);
  lua_setfield(L, -2, "__index");
  lua_pop(L, 1);
  luaL_setfuncs(L, functions, 0);
}
