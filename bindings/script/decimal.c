/* FEEL's numbers in Lua: an integer while it is whole and fits, else a userdata with these bytes.
 * Functions take both, and give both; where there is no finite answer, or an operand is no number,
 * they give nil. */
#include "bindings/script/decimal.h"

#include <string.h>

#include "decision/feel/decimal.h"

static const char decimal_type[] = "orrery.Decimal";

/* ---- In and out ------------------------------------------------------------------------------ */

/* Upvalue 1 of every function here is the metatable: comparing tables is faster than looking a
 * type's name up. */
static bool to_decimal(lua_State *L, int i, feel_decimal *out) {
  int fits;
  lua_Integer n;
  switch (lua_type(L, i)) {
    case LUA_TNUMBER:
      if (!lua_isinteger(L, i)) return decimal_from_double(lua_tonumber(L, i), out);
      n = lua_tointegerx(L, i, &fits);
      *out = decimal_from_integer(n);
      return true;
    case LUA_TUSERDATA:
      if (!lua_getmetatable(L, i)) return false;
      fits = lua_rawequal(L, -1, lua_upvalueindex(1));
      lua_pop(L, 1);
      if (fits) memcpy(out, lua_touserdata(L, i), sizeof *out);
      return fits;
    default: return false;
  }
}

static int push_decimal(lua_State *L, bool known, feel_decimal d) {
  int64_t n;
  if (!known) {
    lua_pushnil(L);
  } else if (decimal_to_integer(d, &n)) {
    lua_pushinteger(L, n);
  } else {
    memcpy(lua_newuserdatauv(L, sizeof d, 0), &d, sizeof d);
    lua_pushvalue(L, lua_upvalueindex(1));
    lua_setmetatable(L, -2);
  }
  return 1;
}

#define BINARY(name)                                                                         \
  static int l_##name(lua_State *L) {                                                        \
    feel_decimal a, b, out = {0};                                                            \
    bool known = to_decimal(L, 1, &a) && to_decimal(L, 2, &b) && decimal_##name(a, b, &out); \
    return push_decimal(L, known, out);                                                      \
  }
BINARY(add)
BINARY(sub)
BINARY(mul)
BINARY(div)
BINARY(pow)
BINARY(modulo)
#undef BINARY

#define UNARY(name)                                               \
  static int l_##name(lua_State *L) {                             \
    feel_decimal a, out = {0};                                    \
    bool known = to_decimal(L, 1, &a) && decimal_##name(a, &out); \
    return push_decimal(L, known, out);                           \
  }
UNARY(sqrt)
UNARY(exp)
UNARY(log)
#undef UNARY

/* round(number, scale, mode): mode as in `modes`. */
static int l_round(lua_State *L) {
  static const char *const modes[] = {"half even", "floor",   "ceiling",   "down",
                                      "up",        "half up", "half down", NULL};
  feel_decimal a, out = {0};
  int mode = luaL_checkoption(L, 3, "half even", modes);
  lua_Integer scale = luaL_checkinteger(L, 2);
  bool known = scale >= DECIMAL_SCALE_MIN && scale <= DECIMAL_SCALE_MAX && to_decimal(L, 1, &a) &&
               decimal_round(a, (int)scale, (decimal_rounding)mode, &out);
  return push_decimal(L, known, out);
}

/* parse(text): nil when it is no number. */
static int l_parse(lua_State *L) {
  feel_decimal d = {0};
  size_t size;
  const char *text = luaL_checklstring(L, 1, &size);
  return push_decimal(L, decimal_parse(text, size, &d), d);
}

/* of(number): a Lua number, floats by their shortest text. */
static int l_of(lua_State *L) {
  feel_decimal d = {0};
  return push_decimal(L, to_decimal(L, 1, &d), d);
}

static int l_is(lua_State *L) {
  feel_decimal d;
  lua_pushboolean(L, lua_type(L, 1) == LUA_TUSERDATA && to_decimal(L, 1, &d));
  return 1;
}

/* compare(a, b): below 0, 0, above 0; nil when one is no number. */
static int l_compare(lua_State *L) {
  feel_decimal a, b;
  if (!to_decimal(L, 1, &a) || !to_decimal(L, 2, &b)) return 0;
  lua_pushinteger(L, decimal_compare(a, b));
  return 1;
}

static int l_float(lua_State *L) {
  feel_decimal d;
  if (!to_decimal(L, 1, &d)) return 0;
  lua_pushnumber(L, decimal_to_double(d));
  return 1;
}

/* Text without an exponent. */
static int l_text(lua_State *L) {
  feel_decimal d;
  luaL_Buffer b;
  if (!to_decimal(L, 1, &d)) return 0;
  char *out = luaL_buffinitsize(L, &b, DECIMAL_TEXT);
  luaL_pushresultsize(&b, decimal_format(d, out));
  return 1;
}

/* ---- Metamethods: a decimal compares with integers, too -------------------------------------- */

static int l_eq(lua_State *L) {
  feel_decimal a, b;
  lua_pushboolean(
      L, to_decimal(L, 1, &a) && to_decimal(L, 2, &b) && a.low == b.low && a.high == b.high);
  return 1;
}

static int compare_or_raise(lua_State *L) {
  feel_decimal a, b;
  if (!to_decimal(L, 1, &a) || !to_decimal(L, 2, &b))
    return luaL_error(L, "attempt to compare %s with %s", luaL_typename(L, 1), luaL_typename(L, 2));
  return decimal_compare(a, b);
}

static int l_lt(lua_State *L) {
  lua_pushboolean(L, compare_or_raise(L) < 0);
  return 1;
}

static int l_le(lua_State *L) {
  lua_pushboolean(L, compare_or_raise(L) <= 0);
  return 1;
}

static const luaL_Reg metamethods[] = {
    {"__eq", l_eq}, {"__lt", l_lt}, {"__le", l_le}, {"__tostring", l_text}, {NULL, NULL}};

static const luaL_Reg functions[] = {
    {"add", l_add},         {"sub", l_sub},   {"mul", l_mul}, {"div", l_div},   {"pow", l_pow},
    {"modulo", l_modulo},   {"sqrt", l_sqrt}, {"exp", l_exp}, {"log", l_log},   {"round", l_round},
    {"parse", l_parse},     {"of", l_of},     {"is", l_is},   {"text", l_text}, {"float", l_float},
    {"compare", l_compare}, {NULL, NULL}};

void decimal_open(lua_State *L) {
  luaL_newlibtable(L, functions);
  if (luaL_newmetatable(L, decimal_type)) {
    lua_pushvalue(L, -1);
    luaL_setfuncs(L, metamethods, 1);
    lua_pushboolean(L, 0);
    lua_setfield(L, -2, "__metatable"); /* scripts cannot reach it */
  }
  luaL_setfuncs(L, functions, 1);
}
