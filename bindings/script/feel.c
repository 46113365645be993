/* core.feel: the parts of FEEL's library that are C. */
#include "bindings/script/feel.h"

#include <locale.h>
#include <string.h>
#include <wctype.h>

#include "base/env.h"
#include "base/limits.h"
#include "bindings/script/budget.h"
#include "bindings/script/decimal.h"
#include "decision/feel/regex.h"
#include "time/zone.h"

static int push_feel_failure(lua_State *L, orr_error *err) {
  int limit = err->code == ORR_E_LIMIT;
  lua_pushnil(L);
  lua_pushstring(L, err->message ? err->message : "out of memory");
  lua_pushboolean(L, limit);
  orr_error_clear(err);
  return 3;
}

enum { COMPILING_STEPS_A_BYTE = 8, TEXT_BYTES_A_STEP = 8 };

/* What a call is about to do counts as steps of the script or expression that runs. */
static void feel_spend(lua_State *L, size_t steps) {
  budget_spend(L, orrl_state_of(L), (int64_t)steps);
}

/* ---- Regular expressions --------------------------------------------------------------------- */

#define REGEX "orrery.feel.Regex"

static int regex_collect(lua_State *L) {
  feel_regex **box = luaL_checkudata(L, 1, REGEX);
  regex_free(*box);
  *box = NULL;
  return 0;
}

/* regex(pattern, flags): a compiled one, or nil, message, whether a limit was met. */
static int l_regex(lua_State *L) {
  size_t size;
  orr_error err = {0};
  const char *pattern = luaL_checklstring(L, 1, &size), *flags = luaL_optstring(L, 2, "");
  feel_regex **box = lua_newuserdatauv(L, sizeof *box, 0);
  *box = NULL;
  luaL_setmetatable(L, REGEX);
  feel_spend(L, size * COMPILING_STEPS_A_BYTE);
  return regex_compile(pattern, size, flags, box, &err) ? push_feel_failure(L, &err) : 1;
}

/* find(regex, text, from): first and last byte of the match and of each group (false, false for one
 * that took no part); nothing when there is none; nil, message, whether a limit was met. */
static int l_find(lua_State *L) {
  size_t size;
  orr_error err = {0};
  const regex_span *spans;
  feel_regex *regex = *(feel_regex **)luaL_checkudata(L, 1, REGEX);
  const char *text = luaL_checklstring(L, 2, &size);
  lua_Integer from = luaL_optinteger(L, 3, 1);
  luaL_argcheck(L, from >= 1 && (size_t)from <= size + 1, 3, "beyond the text");
  feel_spend(L, (size - (size_t)from + 1) / TEXT_BYTES_A_STEP);
  if (regex_find(regex, text, size, (size_t)from - 1, &spans, &err))
    return push_feel_failure(L, &err);
  if (!spans) return 0;
  int n = (int)regex_groups(regex) + 1;
  luaL_checkstack(L, 2 * n, "too many groups");
  for (int i = 0; i < n; i++) {
    if (spans[i].start == SIZE_MAX) {
      lua_pushboolean(L, 0);
      lua_pushboolean(L, 0);
    } else {
      lua_pushinteger(L, (lua_Integer)spans[i].start + 1);
      lua_pushinteger(L, (lua_Integer)spans[i].end);
    }
  }
  return 2 * n;
}

/* ---- Zones ----------------------------------------------------------------------------------- */

#define ZONE "orrery.feel.Zone"

static int feel_zone_collect(lua_State *L) {
  orr_zone **box = luaL_checkudata(L, 1, ZONE);
  zone_free(*box);
  *box = NULL;
  return 0;
}

/* zone(name): an IANA zone, or nil when there is none of that name. */
static int l_zone(lua_State *L) {
  orr_error err = {0};
  const orr_allocator system = {0}; /* malloc; the zone keeps a copy */
  const char *name = luaL_checkstring(L, 1);
  orr_zone **box = lua_newuserdatauv(L, sizeof *box, 0);
  *box = NULL;
  luaL_setmetatable(L, ZONE);
  return zone_load(&system, name, box, &err) ? push_feel_failure(L, &err) : 1;
}

/* zone_offset(zone, seconds since 1970, UTC): seconds. */
static int l_zone_offset(lua_State *L) {
  orr_zone *zone = *(orr_zone **)luaL_checkudata(L, 1, ZONE);
  lua_pushinteger(L, zone_offset_ms(zone, luaL_checkinteger(L, 2) * 1000) / 1000);
  return 1;
}

/* zone_instant(zone, seconds since 1970 by the local clock): UTC; the earlier one where clocks show
 * it twice. */
static int l_zone_instant(lua_State *L) {
  orr_time at;
  orr_zone *zone = *(orr_zone **)luaL_checkudata(L, 1, ZONE);
  zone_instant(zone, luaL_checkinteger(L, 2) * 1000, &at);
  lua_pushinteger(L, at / 1000);
  return 1;
}

/* ---- Letters --------------------------------------------------------------------------------- */

/* Letters of every script, whatever the host program's locale is: libc-bin brings C.UTF-8. It is
 * loaded when a case is first converted; upvalue 1 is the box that holds it. */
#define LOCALE "orrery.feel.Locale"

static int locale_collect(lua_State *L) {
  locale_t *box = luaL_checkudata(L, 1, LOCALE);
  if (*box) freelocale(*box);
  *box = NULL;
  return 0;
}

static locale_t letters_of(lua_State *L) {
  locale_t *box = lua_touserdata(L, lua_upvalueindex(1));
  if (!*box) *box = newlocale(LC_CTYPE_MASK, "C.UTF-8", NULL);
  if (!*box) luaL_error(L, "the locale C.UTF-8 is missing");
  return *box;
}

/* The character at `i`, and its bytes; one byte that begins none is itself. */
static wint_t letter_at(const char *text, size_t size, size_t i, size_t *bytes) {
  unsigned char c = (unsigned char)text[i];
  *bytes = c < 0xC2 ? 1 : c < 0xE0 ? 2 : c < 0xF0 ? 3 : 4;
  if (*bytes > size - i) *bytes = 1;
  if (*bytes == 1) return c;
  wint_t code = c & (0x7Fu >> *bytes);
  for (size_t k = 1; k < *bytes; k++) code = code << 6 | (text[i + k] & 0x3F);
  return code;
}

static int convert_case(lua_State *L, wint_t (*convert)(wint_t, locale_t)) {
  locale_t letters = letters_of(L);
  size_t size, bytes;
  luaL_Buffer b;
  const char *text = luaL_checklstring(L, 1, &size);
  feel_spend(L, size);
  luaL_buffinit(L, &b);
  for (size_t i = 0; i < size; i += bytes) {
    wint_t code = letter_at(text, size, i, &bytes);
    if (bytes == 1) {
      luaL_addchar(&b, code < 0x80 ? (char)convert(code, letters) : (char)code);
    } else {
      lua_pushfstring(L, "%U", (long)convert(code, letters));
      luaL_addvalue(&b);
    }
  }
  luaL_pushresult(&b);
  return 1;
}

static int l_upper(lua_State *L) { return convert_case(L, towupper_l); }
static int l_lower(lua_State *L) { return convert_case(L, towlower_l); }

/* less(a, b): texts by their characters, whatever the host program's locale; Lua's own "<" goes by
 * that. */
static int l_less(lua_State *L) {
  size_t na, nb;
  const char *a = luaL_checklstring(L, 1, &na), *b = luaL_checklstring(L, 2, &nb);
  int order = memcmp(a, b, na < nb ? na : nb);
  lua_pushboolean(L, order < 0 || (order == 0 && na < nb));
  return 1;
}

/* random() -> 64 bits as an integer */
static int l_random(lua_State *L) {
  orr_env env;
  env_system(&env);
  lua_pushinteger(L, (lua_Integer)env.random(env.ud));
  return 1;
}

/* ---- The table ------------------------------------------------------------------------------- */

static void new_class(lua_State *L, const char *name, lua_CFunction collect) {
  luaL_newmetatable(L, name);
  lua_pushcfunction(L, collect);
  lua_setfield(L, -2, "__gc");
  lua_pushboolean(L, 0);
  lua_setfield(L, -2, "__metatable");
  lua_pop(L, 1);
}

static void set_limit(lua_State *L, const char *name, lua_Integer value) {
  lua_pushinteger(L, value);
  lua_setfield(L, -2, name);
}

static void push_limits(lua_State *L) {
  lua_newtable(L);
  set_limit(L, "iterations", ORR_FEEL_ITERATIONS_MAX);
  set_limit(L, "list", ORR_FEEL_LIST_MAX);
  set_limit(L, "work", ORR_FEEL_WORK_MAX);
  set_limit(L, "text", ORR_FEEL_TEXT_BYTES_MAX);
  set_limit(L, "calls", ORR_FEEL_CALLS_MAX);
  set_limit(L, "diagnostics", ORR_FEEL_DIAGNOSTICS_MAX);
}

static const luaL_Reg functions[] = {{"regex", l_regex},
                                     {"find", l_find},
                                     {"zone", l_zone},
                                     {"zone_offset", l_zone_offset},
                                     {"zone_instant", l_zone_instant},
                                     {"less", l_less},
                                     {"random", l_random},
                                     {NULL, NULL}};
static const luaL_Reg letter_functions[] = {{"upper", l_upper}, {"lower", l_lower}, {NULL, NULL}};

static void add_letters(lua_State *L) {
  locale_t *box = lua_newuserdatauv(L, sizeof *box, 0);
  *box = NULL;
  luaL_setmetatable(L, LOCALE);
  luaL_setfuncs(L, letter_functions, 1);
}

void feel_open(lua_State *L) {
  new_class(L, REGEX, regex_collect);
  new_class(L, ZONE, feel_zone_collect);
  new_class(L, LOCALE, locale_collect);
  luaL_newlib(L, functions);
  add_letters(L);
  decimal_open(L);
  lua_setfield(L, -2, "decimal");
  push_limits(L);
  lua_setfield(L, -2, "limits");
}
