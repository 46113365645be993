/* Times for the specs: milliseconds in and out; a failure is nil, message, code. */
#include "inside.h"

#include <string.h>

#include "base/arena.h"
#include "time/cron.h"
#include "time/cycle.h"
#include "time/iso8601.h"
#include "time/zone.h"

#define ZONE_BOX "orrery_inside.zone"

static int fail(lua_State *L, orr_error *err) {
  lua_pushnil(L);
  lua_pushstring(L, err->message);
  lua_pushinteger(L, err->code);
  orr_error_clear(err);
  return 3;
}

static const orr_allocator *allocator(void) {
  static orr_env env;
  if (!env.allocator.fn) env_system(&env);
  return &env.allocator;
}

static orr_zone *check_zone(lua_State *L, int i) {
  if (lua_isnoneornil(L, i)) return NULL;
  return *(orr_zone **)luaL_checkudata(L, i, ZONE_BOX);
}

static int push_zone(lua_State *L, orr_zone *zone) {
  *(orr_zone **)lua_newuserdatauv(L, sizeof zone, 0) = zone;
  luaL_setmetatable(L, ZONE_BOX);
  return 1;
}

static int zone_collect(lua_State *L) {
  zone_free(check_zone(L, 1));
  return 0;
}

static int l_zone(lua_State *L) {
  orr_error err = {0};
  orr_zone *zone;
  if (zone_load(allocator(), luaL_checkstring(L, 1), &zone, &err)) return fail(L, &err);
  return push_zone(L, zone);
}

static int l_zone_from_bytes(lua_State *L) {
  orr_error err = {0};
  orr_zone *zone;
  size_t size;
  const char *bytes = luaL_checklstring(L, 1, &size);
  if (zone_from_bytes(allocator(), "spec", (const uint8_t *)bytes, size, &zone, &err)) return fail(L, &err);
  return push_zone(L, zone);
}

static int l_offset(lua_State *L) {
  lua_pushinteger(L, zone_offset_ms(check_zone(L, 1), luaL_checkinteger(L, 2)));
  return 1;
}

static int l_instant(lua_State *L) {
  static const char *const fits[] = {"once", "gap", "twice"};
  orr_time at;
  zone_fit fit = zone_instant(check_zone(L, 1), luaL_checkinteger(L, 2), &at);
  lua_pushinteger(L, at);
  lua_pushstring(L, fits[fit]);
  return 2;
}

static int l_parse_time(lua_State *L) {
  orr_error err = {0};
  orr_time at;
  size_t size;
  const char *text = luaL_checklstring(L, 1, &size);
  if (iso_parse_time(text, size, check_zone(L, 2), &at, &err)) return fail(L, &err);
  lua_pushinteger(L, at);
  return 1;
}

static int l_format_time(lua_State *L) {
  char text[ISO_TIME_TEXT];
  iso_format_time(luaL_checkinteger(L, 1), text);
  lua_pushstring(L, text);
  return 1;
}

static int l_parse_duration(lua_State *L) {
  orr_error err = {0};
  orr_period p;
  size_t size;
  const char *text = luaL_checklstring(L, 1, &size);
  if (iso_parse_duration(text, size, &p, &err)) return fail(L, &err);
  lua_pushinteger(L, p.months);
  lua_pushinteger(L, p.days);
  lua_pushinteger(L, p.ms);
  return 3;
}

static int l_add(lua_State *L) {
  orr_error err = {0};
  orr_period p;
  orr_time at;
  size_t size;
  const char *text = luaL_checklstring(L, 2, &size);
  if (iso_parse_duration(text, size, &p, &err)) return fail(L, &err);
  if (iso_add(luaL_checkinteger(L, 1), check_zone(L, 4), &p, luaL_optinteger(L, 3, 1), &at, &err))
    return fail(L, &err);
  lua_pushinteger(L, at);
  return 1;
}

static bool flag(lua_State *L, int i, const char *name) {
  lua_getfield(L, i, name);
  bool on = lua_toboolean(L, -1);
  lua_pop(L, 1);
  return on;
}

static cycle_rules check_rules(lua_State *L, int i) {
  luaL_checktype(L, i, LUA_TTABLE);
  cycle_rules rules = {
      .cron = flag(L, i, "spring") ? CRON_SPRING : CRON_QUARTZ,
      .catch_up = flag(L, i, "skip") ? CYCLE_SKIP : flag(L, i, "all") ? CYCLE_ALL : CYCLE_ONCE,
      .start_is_extra = flag(L, i, "start_is_extra"),
      .back_from_end = flag(L, i, "back_from_end"),
      .zero_fires_once = flag(L, i, "zero_fires_once"),
  };
  if (flag(L, i, "macros")) rules.cron.macros = true;
  return rules;
}

/* cron_next(text, rules, zone, after): a time, false when there is none. */
static int l_cron_next(lua_State *L) {
  orr_error err = {0};
  orr_cron cron;
  orr_time at;
  size_t size;
  const char *text = luaL_checklstring(L, 1, &size);
  cycle_rules rules = check_rules(L, 2);
  if (cron_parse(text, size, &rules.cron, &cron, &err)) return fail(L, &err);
  if (cron_next(&cron, check_zone(L, 3), luaL_checkinteger(L, 4), &at)) {
    lua_pushinteger(L, at);
  } else {
    lua_pushboolean(L, 0);
  }
  return 1;
}

/* cycle(text, rules, zone, now, limit, state): the first firing, or the one after `state`; false when there is none. */
static int l_cycle(lua_State *L) {
  orr_error err = {0};
  orr_cycle cycle;
  cycle_state state = {0};
  size_t size;
  const char *text = luaL_checklstring(L, 1, &size);
  cycle_rules rules = check_rules(L, 2);
  const orr_zone *zone = check_zone(L, 3);
  orr_time now = luaL_checkinteger(L, 4), limit = luaL_optinteger(L, 5, ORR_TIME_NONE);
  if (cycle_parse(text, size, &rules, zone, &cycle, &err)) return fail(L, &err);
  cycle_end_at(&cycle, limit);
  bool fires;
  if (lua_istable(L, 6)) {
    lua_getfield(L, 6, "anchor");
    lua_getfield(L, 6, "due");
    lua_getfield(L, 6, "left");
    state = (cycle_state){lua_tointeger(L, -3), lua_tointeger(L, -2), lua_tointeger(L, -1)};
    fires = cycle_next(&cycle, &rules, zone, now, &state);
  } else {
    fires = cycle_first(&cycle, &rules, zone, now, &state);
  }
  if (!fires) {
    lua_pushboolean(L, 0);
    return 1;
  }
  lua_newtable(L);
  lua_pushinteger(L, state.anchor);
  lua_setfield(L, -2, "anchor");
  lua_pushinteger(L, state.due);
  lua_setfield(L, -2, "due");
  lua_pushinteger(L, state.left);
  lua_setfield(L, -2, "left");
  lua_pushstring(L, cycle.zone);
  lua_setfield(L, -2, "zone");
  return 1;
}

/* retry(text, left, now, zone): tries in all, and when to try again with so many left. */
static int l_retry(lua_State *L) {
  orr_error err = {0};
  retry_cycle cycle;
  orr_time due = 0;
  size_t size;
  const char *text = luaL_checklstring(L, 1, &size);
  orr_arena *arena = arena_new(allocator());
  if (!arena) return luaL_error(L, "out of memory");
  int rc = retry_parse(arena, text, size, &cycle, &err);
  if (!rc) rc = retry_due(&cycle, luaL_optinteger(L, 2, 1), check_zone(L, 4), luaL_optinteger(L, 3, 0), &due, &err);
  arena_free(arena);
  if (rc) return fail(L, &err);
  lua_pushinteger(L, cycle.tries);
  lua_pushinteger(L, due);
  return 2;
}

void inside_time(lua_State *L) {
  static const luaL_Reg functions[] = {
      {"zone", l_zone},           {"zone_from_bytes", l_zone_from_bytes}, {"offset", l_offset},
      {"instant", l_instant},     {"parse_time", l_parse_time},           {"format_time", l_format_time},
      {"parse_duration", l_parse_duration}, {"add", l_add},
      {"cron_next", l_cron_next}, {"cycle", l_cycle},                     {"retry", l_retry},
      {NULL, NULL},
  };
  luaL_newmetatable(L, ZONE_BOX);
  lua_pushcfunction(L, zone_collect);
  lua_setfield(L, -2, "__gc");
  lua_pop(L, 1);
  luaL_setfuncs(L, functions, 0);
}
