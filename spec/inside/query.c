/* What filters of a list take, as the tables of runtime/query have it: for the spec that holds each against a plain look. */
#include "inside.h"

#include "engine/engine.h"
#include "query/special.h"

static void add_name(void *ud, const char *name) {
  lua_State *L = ud;
  lua_pushstring(L, name);
  lua_rawseti(L, -2, (lua_Integer)lua_rawlen(L, -2) + 1);
}

static void push_fields(lua_State *L, const row_type *row, uint32_t from, uint32_t to) {
  static const char *const kinds[] = {[ROW_TEXT] = "text", [ROW_INT] = "number", [ROW_BOOL] = "boolean", [ROW_TIME] = "time",
                                      [ROW_ID] = "id", [ROW_VALUE] = "value"};
  lua_newtable(L);
  for (uint32_t i = from; i < to; i++) {
    lua_pushstring(L, kinds[row->fields[i].kind]);
    lua_setfield(L, -2, row->fields[i].name);
  }
}

/* keys(verb) -> { shown = { name = kind, … }, related = { … }, special = { names } } */
static int l_keys(lua_State *L) {
  const rec_type *type = rec_type_by_verb(luaL_checkstring(L, 1));
  luaL_argcheck(L, type, 1, "there is no such list");
  row_type row;
  row_type_of(type, &row);
  lua_newtable(L);
  push_fields(L, &row, 0, row.n_shown);
  lua_setfield(L, -2, "shown");
  push_fields(L, &row, row.n_shown, row.n_fields);
  lua_setfield(L, -2, "related");
  lua_newtable(L);
  special_names(type, add_name, L);
  lua_setfield(L, -2, "special");
  return 1;
}

/* questions(address) -> how many the store of the engine there has asked a server */
static int l_questions(lua_State *L) {
  const orr_engine *engine = (const orr_engine *)(intptr_t)luaL_checkinteger(L, 1);
  store_stats stats;
  if (store_get_stats(engine->store, &stats, NULL)) return luaL_error(L, "the store tells nothing");
  lua_pushinteger(L, (lua_Integer)stats.questions);
  return 1;
}

void inside_query(lua_State *L) {
  static const luaL_Reg functions[] = {{"keys", l_keys}, {"questions", l_questions}, {NULL, NULL}};
  luaL_setfuncs(L, functions, 0);
}
