/* The job room from inside: back-off, regions and rivals as pure functions, and the executor's hash table. */
#include <stdlib.h>

#include "executor/backoff.h"
#include "executor/idle.h"
#include "executor/region.h"
#include "executor/rivals.h"
#include "base/table.h"
#include "inside.h"

static int64_t field(lua_State *L, int at, const char *name) {
  lua_getfield(L, at, name);
  int64_t n = luaL_optinteger(L, -1, 0);
  lua_pop(L, 1);
  return n;
}

static backoff_rules rules_at(lua_State *L, int at) {
  lua_getfield(L, at, "factor");
  double factor = luaL_optnumber(L, -1, 2);
  lua_pop(L, 1);
  return (backoff_rules){.idle_ms = field(L, at, "idle"),
                         .idle_max_ms = field(L, at, "idle_max"),
                         .conflict_ms = field(L, at, "conflict"),
                         .conflict_max_ms = field(L, at, "conflict_max"),
                         .factor = factor,
                         .decrease_after = (uint32_t)field(L, at, "decrease_after")};
}

/* backoff_rules { wait_time =, max_wait =, … in ms } -> rules, as backoff takes them */
static int l_backoff_rules(lua_State *L) {
  const orr_executor_options options = {.wait_time = field(L, 1, "wait_time"), .max_wait = field(L, 1, "max_wait"),
                                        .backoff_time = field(L, 1, "backoff_time"), .max_backoff = field(L, 1, "max_backoff")};
  backoff_rules rules = backoff_rules_of(&options);
  const struct { const char *name; int64_t value; } fields[] = {
      {"idle", rules.idle_ms}, {"idle_max", rules.idle_max_ms}, {"conflict", rules.conflict_ms},
      {"conflict_max", rules.conflict_max_ms}, {"decrease_after", rules.decrease_after}};
  lua_newtable(L);
  for (size_t i = 0; i < sizeof fields / sizeof *fields; i++) {
    lua_pushinteger(L, fields[i].value);
    lua_setfield(L, -2, fields[i].name);
  }
  lua_pushnumber(L, rules.factor);
  lua_setfield(L, -2, "factor");
  return 1;
}

static bool flag(lua_State *L, int at, const char *name) {
  bool set = lua_getfield(L, at, name) != LUA_TNIL && lua_toboolean(L, -1);
  lua_pop(L, 1);
  return set;
}

/* backoff(rules, state, outcome, random) -> wait; `state` is a table that is read and written */
static int l_backoff(lua_State *L) {
  backoff_rules rules = rules_at(L, 1);
  backoff_state state = {.idle_level = (uint32_t)field(L, 2, "idle"), .conflict_level = (uint32_t)field(L, 2, "conflict"),
                         .calm = (uint32_t)field(L, 2, "calm")};
  backoff_outcome outcome = {.acquired = (uint32_t)field(L, 3, "acquired"), .lost = (uint32_t)field(L, 3, "lost"),
                             .asked = (uint32_t)field(L, 3, "asked"), .left = flag(L, 3, "left")};
  int64_t wait = backoff_next(&rules, &state, &outcome, (uint64_t)luaL_checkinteger(L, 4));
  lua_pushinteger(L, state.idle_level);
  lua_setfield(L, 2, "idle");
  lua_pushinteger(L, state.conflict_level);
  lua_setfield(L, 2, "conflict");
  lua_pushinteger(L, state.calm);
  lua_setfield(L, 2, "calm");
  lua_pushboolean(L, state.lost);
  lua_setfield(L, 2, "lost");
  lua_pushinteger(L, wait);
  return 1;
}

static int l_backoff_conflict(lua_State *L) {
  backoff_rules rules = rules_at(L, 1);
  lua_pushinteger(L, backoff_conflict(&rules, (uint32_t)luaL_checkinteger(L, 2), (uint64_t)luaL_checkinteger(L, 3)));
  return 1;
}

/* region(state, outcome, rounds_max, random) -> pages to pass over; `state` is a table that is read and written */
static int l_region(lua_State *L) {
  region r = {.away = flag(L, 1, "away"), .rounds = (uint32_t)field(L, 1, "rounds")};
  region_outcome outcome = {
      .lost = flag(L, 2, "lost"), .filled = flag(L, 2, "filled"), .level = (uint32_t)field(L, 2, "level")};
  uint32_t pages = region_next(&r, &outcome, (uint32_t)luaL_checkinteger(L, 3), (uint64_t)luaL_checkinteger(L, 4));
  lua_pushboolean(L, r.away);
  lua_setfield(L, 1, "away");
  lua_pushinteger(L, r.rounds);
  lua_setfield(L, 1, "rounds");
  lua_pushinteger(L, pages);
  return 1;
}

/* rivals(state, committed, outcome, now_ns) -> whether the round stakes, and is wary; `state` is a table that is read and
 * written */
static int l_rivals(lua_State *L) {
  rivals r = {.there = (uint32_t)field(L, 1, "there"), .heedless = (uint32_t)field(L, 1, "heedless"),
              .first = (orr_id)field(L, 1, "first"), .since_ns = (int64_t)field(L, 1, "since"),
              .impatient = flag(L, 1, "impatient")};
  rivals_look(&r, lua_toboolean(L, 2));
  bool stakes = rivals_stake(&r), wary = rivals_wary(&r, stakes);
  const rivals_outcome outcome = {.lost = flag(L, 3, "lost"), .first = (orr_id)field(L, 3, "first")};
  rivals_settle(&r, &outcome, luaL_checkinteger(L, 4));
  const struct { const char *name; lua_Integer value; } fields[] = {
      {"there", r.there}, {"heedless", r.heedless}, {"first", (lua_Integer)r.first}, {"since", r.since_ns}};
  for (size_t i = 0; i < sizeof fields / sizeof *fields; i++) {
    lua_pushinteger(L, fields[i].value);
    lua_setfield(L, 1, fields[i].name);
  }
  lua_pushboolean(L, r.impatient);
  lua_setfield(L, 1, "impatient");
  lua_pushboolean(L, stakes);
  lua_pushboolean(L, wary);
  return 2;
}

static idle_traffic traffic_at(lua_State *L, int at) {
  return (idle_traffic){.in_flight = (uint32_t)field(L, at, "in_flight"), .handed = (uint64_t)field(L, at, "handed")};
}

/* idle(before, found, after) -> is it at rest? */
static int l_idle(lua_State *L) {
  idle_traffic before = traffic_at(L, 1), after = traffic_at(L, 3);
  idle_found found = {
      .failed = flag(L, 2, "failed"), .acquired = (uint32_t)field(L, 2, "acquired"), .left = (uint32_t)field(L, 2, "left")};
  lua_pushboolean(L, idle_shown(&before, &found, &after));
  return 1;
}

/* table(operations) -> answers: { {"put", key, n} | {"get", key} | {"remove", key} | {"count"} } */
static int l_table(lua_State *L) {
  table t = {0};
  orr_allocator allocator = {0};
  lua_newtable(L);
  for (lua_Integer i = 1; i <= luaL_len(L, 1); i++) {
    lua_geti(L, 1, i);
    lua_geti(L, -1, 1);
    const char *verb = lua_tostring(L, -1);
    lua_geti(L, -2, 2);
    orr_id key = (orr_id)luaL_optinteger(L, -1, 0);
    lua_geti(L, -3, 3);
    intptr_t value = (intptr_t)luaL_optinteger(L, -1, 0);
    lua_pop(L, 4);
    intptr_t answer = 0;
    if (verb[0] == 'p') answer = table_put(&t, &allocator, key, (void *)value);
    else if (verb[0] == 'g') answer = (intptr_t)table_get(&t, key);
    else if (verb[0] == 'r') table_remove(&t, key);
    else answer = t.count;
    lua_pushinteger(L, answer);
    lua_seti(L, 2, i);
  }
  table_free(&t, &allocator);
  return 1;
}

void inside_job(lua_State *L) {
  static const luaL_Reg functions[] = {{"backoff_rules", l_backoff_rules}, {"backoff", l_backoff},
                                       {"backoff_conflict", l_backoff_conflict}, {"region", l_region},
                                       {"rivals", l_rivals}, {"idle", l_idle},
                                       {"table", l_table}, {NULL, NULL}};
  luaL_setfuncs(L, functions, 0);
}
