/* Looks at the external tasks of a topic while time passes, and while memory runs out. */
#include "allocator.h"
#include "engine/open.h"
#include "server/transport/topic_look.h"
#include "store/memory.h"
#include "verbs.h"

#define TOPICS_BOX "orrery.inside.topics"
#define BEGIN_MS INT64_C(1767225600000)

typedef struct topics_box {
  orr_engine *engine;
  failing_allocator allocator;
  int64_t now_ms, step_ms; /* each look at the clock finds it later by a step */
} topics_box;

static int64_t stepping_ms(void *ud) {
  topics_box *box = ud;
  return box->now_ms += box->step_ms;
}

static topics_box *check_box(lua_State *L) { return luaL_checkudata(L, 1, TOPICS_BOX); }

/* open(): an engine in memory, whose clock stands still */
static int l_open(lua_State *L) {
  topics_box *box = lua_newuserdatauv(L, sizeof *box, 0);
  *box = (topics_box){.now_ms = BEGIN_MS};
  failing_allocator_init(&box->allocator);
  luaL_setmetatable(L, TOPICS_BOX);
  orr_env env;
  env_system(&env);
  env.allocator = failing_allocator_hook(&box->allocator);
  env.ud = box;
  env.wall_ms = stepping_ms;
  store_options options = {.env = &env};
  orr_config config;
  orr_config_init(&config);
  engine_parts parts = {.env = &env};
  int rc = store_open_memory(&options, &parts.store, NULL);
  if (!rc) rc = engine_open_parts(&config, &parts, &box->engine, NULL);
  return rc ? luaL_error(L, "the engine cannot be opened: %s", orr_strerror(rc)) : 1;
}

/* call(verb, arguments): as verb_call */
static int l_call(lua_State *L) {
  topics_box *box = check_box(L);
  return verb_call(L, verb_argument(L), box->engine);
}

/* look(topic, most, [step_ms, [fail_at]]) -> tasks that are free, whether some may become so, milliseconds
 * until then; and whether an allocation failed, as the one numbered `fail_at` does */
static int l_look(lua_State *L) {
  topics_box *box = check_box(L);
  const char *topic = luaL_checkstring(L, 2);
  size_t most = (size_t)luaL_checkinteger(L, 3), fail_at = (size_t)luaL_optinteger(L, 5, 0);
  box->step_ms = luaL_optinteger(L, 4, 0);
  failing_allocator_arm(&box->allocator, fail_at, false);
  topic_state state = topic_look(box->engine, topic, most);
  bool failed = fail_at > 0 && box->allocator.requests >= fail_at;
  failing_allocator_arm(&box->allocator, 0, false);
  box->step_ms = 0;
  lua_pushinteger(L, (lua_Integer)state.free);
  lua_pushboolean(L, state.waits);
  lua_pushinteger(L, state.left_ms);
  lua_pushboolean(L, failed);
  return 4;
}

static int l_close(lua_State *L) {
  topics_box *box = check_box(L);
  orr_engine_close(box->engine);
  box->engine = NULL;
  return 0;
}

void inside_topics(lua_State *L) {
  static const luaL_Reg functions[] = {{"open", l_open}, {NULL, NULL}};
  static const luaL_Reg methods[] = {
      {"call", l_call}, {"look", l_look}, {"__gc", l_close}, {"__close", l_close}, {NULL, NULL}};
  luaL_newmetatable(L, TOPICS_BOX);
  luaL_setfuncs(L, methods, 0);
  lua_pushvalue(L, -1);
  lua_setfield(L, -2, "__index");
  lua_pop(L, 1);
  luaL_setfuncs(L, functions, 0);
}
