/* Functions that tell a function of Lua how far they are: by hand, because they call back. */
#include "bindings/progress.h"

#include "bindings/api.h"
#include "bindings/arguments.h"
#include "bindings/orrl.h"

/* The listener, and what it has raised: no error of Lua may jump over the core, so it waits on the stack until that is done. */
typedef struct listener {
  lua_State *L;
  int progress, failure; /* stack indexes */
} listener;

/* Takes the arguments: so many, the last of which is `progress`. */
static listener take_listener(orrl_call *c, lua_State *L, const char *name, int arguments, int receivers) {
  int last = receivers + arguments;
  lua_settop(L, last);
  if (!lua_isnil(L, last)) luaL_checktype(L, last, LUA_TFUNCTION);
  orrl_begin(c, L, name, arguments);
  lua_pushnil(L);
  luaL_checkstack(L, LUA_MINSTACK, "progress");
  return (listener){L, last, last + 1};
}

static void call_progress(void *ud, int64_t done, int64_t total) {
  const listener *l = ud;
  if (!lua_isnil(l->L, l->failure)) return;
  lua_pushvalue(l->L, l->progress);
  lua_pushinteger(l->L, done);
  lua_pushinteger(l->L, total);
  if (lua_pcall(l->L, 2, 0, 0) != LUA_OK) lua_replace(l->L, l->failure);
}

static orr_progress_fn progress_of(const listener *l) { return lua_isnil(l->L, l->progress) ? NULL : call_progress; }

/* Ends the call: raises what the listener has raised, or gives what is in `out` (NULL: nothing). */
static int end_told(orrl_call *c, const listener *l, orr_builder *out) {
  if (!lua_isnil(l->L, l->failure)) {
    orrl_end(c);
    lua_settop(l->L, l->failure);
    return lua_error(l->L);
  }
  int n = out ? orrl_push_built(c, out) : 0;
  orrl_end(c);
  return n;
}

static int upgrade_run(lua_State *L) {
  enum { PATH = 1, KEEP, FORCE, PROGRESS };
  orrl_call c;
  orr_error err = {0};
  listener told = take_listener(&c, L, "orrery.upgrade", PROGRESS, 0);
  const char *path = orrl_text(&c, PATH, false);
  orr_upgrade_options options = {.size = sizeof options, .keep = orrl_boolean(&c, KEEP, true),
                                 .force = orrl_boolean(&c, FORCE, true), .progress = progress_of(&told), .progress_ud = &told};
  orr_builder *out = orrl_builder(&c);
  return orr_store_upgrade(path, &options, out, &err) ? orrl_raise(&c, &err) : end_told(&c, &told,
      out);
}

static int verify_run(lua_State *L) {
  enum { ENGINE = 1, PROGRESS };
  orrl_call c;
  orr_error err = {0};
  listener told = take_listener(&c, L, "engine:verify", PROGRESS - ENGINE, ENGINE);
  orr_engine *engine = orrl_object(&c, ENGINE, &orrl_engine_class);
  orr_verify_options options = {.size = sizeof options, .progress = progress_of(&told), .progress_ud = &told};
  orr_builder *out = orrl_builder(&c);
  return orr_engine_verify(engine, &options, out, &err) ? orrl_raise(&c, &err) : end_told(&c, &told, out);
}

static int copy_run(lua_State *L) {
  enum { ENGINE = 1, PATH, COMPACT, PROGRESS };
  orrl_call c;
  orr_error err = {0};
  listener told = take_listener(&c, L, "engine:copy_to", PROGRESS - ENGINE, ENGINE);
  orr_engine *engine = orrl_object(&c, ENGINE, &orrl_engine_class);
  const char *path = orrl_text(&c, PATH, false);
  orr_copy_options options = {.size = sizeof options, .compact = orrl_boolean(&c, COMPACT, true),
                              .progress = progress_of(&told), .progress_ud = &told};
  return orr_engine_copy_to(engine, path, &options, &err) ? orrl_raise(&c, &err) : end_told(&c, &told, NULL);
}

const luaL_Reg progress_functions[] = {{"upgrade", upgrade_run}, {NULL, NULL}};
const luaL_Reg progress_methods[] = {{"verify", verify_run}, {"copy_to", copy_run}, {NULL, NULL}};
