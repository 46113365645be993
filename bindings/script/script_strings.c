/* The functions of Lua's string library that can work long for one instruction, as scripts have
 * them: the same answers, each part of the work counted as steps of the script's budget. Patterns
 * are pattern.c's. Upvalue 1 of each is the state. */
#include <string.h>

#include "bindings/script/budget.h"
#include "bindings/script/pattern.h"
#include "bindings/script/script_library.h"

enum { BYTES_A_STEP = 16 }; /* that C compares or copies in about the time of an instruction */

static void spend(lua_State *L, void *ud, int64_t steps) { budget_spend(L, ud, steps); }

/* Where a position that may count from the end lies, from 0; behind the end: size + 1. */
static size_t place(lua_Integer at, size_t size) {
  if (at > 0) return at - 1 <= (lua_Integer)size ? (size_t)at - 1 : size + 1;
  if (at == 0 || at < -(lua_Integer)size) return 0;
  return (size_t)((lua_Integer)size + at);
}

/* ---- Patterns -------------------------------------------------------------------------------- */

typedef void spender(lua_State *L, void *ud, int64_t steps);

typedef struct search {
  pattern p;
  bool anchored;
} search;

/* Subject and pattern are the arguments 1 and 2. */
static void search_begin(search *s, lua_State *L, bool may_anchor, spender *counted, void *ud) {
  size_t size, text_size;
  const char *subject = luaL_checklstring(L, 1, &size), *text = luaL_checklstring(L, 2, &text_size);
  s->anchored = may_anchor && text_size > 0 && *text == '^';
  pattern_begin(&s->p, L, subject, size, text + s->anchored, text_size - s->anchored);
  s->p.spend = counted;
  s->p.ud = ud;
}

static size_t subject_size(const search *s) { return (size_t)(s->p.subject_end - s->p.subject); }

/* The first match from `*at` on: its end, `*at` at its start; NULL: none. */
static const char *search_next(search *s, const char **at) {
  for (; *at <= s->p.subject_end; (*at)++) {
    const char *end = pattern_match(&s->p, *at);
    if (end) return end;
    s->p.steps++;
    if (s->anchored) break;
  }
  return NULL;
}

/* No character of the pattern means more than itself. */
static bool is_plain(const char *text, size_t size) {
  for (size_t i = 0; i < size; i++)
    if (memchr("^$*+?.([%-", text[i], 10)) return false;
  return true;
}

static int push_range(lua_State *L, const char *subject, const char *at, const char *end) {
  lua_pushinteger(L, at - subject + 1);
  lua_pushinteger(L, end - subject);
  return 2;
}

static int find_plain(lua_State *L, size_t init) {
  size_t size, part_size;
  const char *subject = lua_tolstring(L, 1, &size), *part = lua_tolstring(L, 2, &part_size);
  const char *at = subject + init;
  if (part_size > 0) at = memmem(at, size - init, part, part_size);
  if (at) return push_range(L, subject, at, at + part_size);
  lua_pushnil(L);
  return 1;
}

static int find_or_match(lua_State *L, bool find) {
  search s;
  search_begin(&s, L, true, spend, orrl_own_state(L));
  size_t size = subject_size(&s), init = place(luaL_optinteger(L, 3, 1), size), text_size;
  const char *at = s.p.subject + init, *text = lua_tolstring(L, 2, &text_size), *end = NULL;
  if (init <= size && find && (lua_toboolean(L, 4) || is_plain(text, text_size))) {
    budget_spend(L, s.p.ud, (int64_t)((size - init + text_size) / BYTES_A_STEP));
    return find_plain(L, init);
  }
  if (init <= size) end = search_next(&s, &at);
  pattern_settle(&s.p);
  if (!end) {
    lua_pushnil(L);
    return 1;
  }
  if (!find) return pattern_push_all(&s.p, at, end);
  int pushed = push_range(L, s.p.subject, at, end);
  return pushed + pattern_push_all(&s.p, NULL, NULL);
}

static int string_find(lua_State *L) { return find_or_match(L, true); }
static int string_match(lua_State *L) { return find_or_match(L, false); }

/* Upvalues: the state, subject, pattern, where to go on (from 0), where the last match ended (-1:
 * nowhere). */
static int next_match(lua_State *L) {
  search s;
  lua_settop(L, 0);
  lua_pushvalue(L, lua_upvalueindex(2));
  lua_pushvalue(L, lua_upvalueindex(3));
  search_begin(&s, L, false, spend, orrl_own_state(L));
  const char *at = s.p.subject + lua_tointeger(L, lua_upvalueindex(4)), *end;
  lua_Integer last = lua_tointeger(L, lua_upvalueindex(5));
  do end = search_next(&s, &at);
  while (end && end - s.p.subject == last && at++); /* nothing, right behind a match, is none */
  pattern_settle(&s.p);
  if (!end) return 0;
  lua_pushinteger(L, end - s.p.subject);
  lua_copy(L, -1, lua_upvalueindex(4));
  lua_replace(L, lua_upvalueindex(5));
  return pattern_push_all(&s.p, at, end);
}

static int string_gmatch(lua_State *L) {
  size_t size;
  luaL_checklstring(L, 1, &size);
  luaL_checkstring(L, 2);
  size_t init = place(luaL_optinteger(L, 3, 1), size);
  lua_settop(L, 2);
  lua_pushvalue(L, lua_upvalueindex(1));
  lua_insert(L, 1);
  lua_pushinteger(L, (lua_Integer)init);
  lua_pushinteger(L, -1);
  lua_pushcclosure(L, next_match, 5);
  return 1;
}

/* ---- gsub ------------------------------------------------------------------------------------ */

enum { REPLACEMENT = 3 };

/* A text with %0 to %9 and %%. */
static void add_text(pattern *p, luaL_Buffer *out, const char *at, const char *end) {
  lua_State *L = p->L;
  size_t size;
  const char *text = lua_tolstring(L, REPLACEMENT, &size), *stop = text + size, *escape;
  for (; (escape = memchr(text, '%', (size_t)(stop - text))); text = escape + 2) {
    char c = escape + 1 < stop ? escape[1] : '\0';
    luaL_addlstring(out, text, (size_t)(escape - text));
    if (c == '%') luaL_addchar(out, '%');
    else if (c == '0') luaL_addlstring(out, at, (size_t)(end - at));
    else if (c > '0' && c <= '9') {
      pattern_push(p, c - '1', at, end);
      luaL_tolstring(L, -1, NULL); /* a position is a number */
      lua_remove(L, -2);
      luaL_addvalue(out);
    } else luaL_error(L, "invalid use of '%%' in replacement string");
  }
  luaL_addlstring(out, text, (size_t)(stop - text));
}

/* What takes the match's place; false: it stays as it is. */
static bool add_replacement(pattern *p, luaL_Buffer *out, const char *at, const char *end) {
  lua_State *L = p->L;
  switch (lua_type(L, REPLACEMENT)) {
    case LUA_TFUNCTION:
      lua_pushvalue(L, REPLACEMENT);
      lua_call(L, pattern_push_all(p, at, end), 1);
      break;
    case LUA_TTABLE:
      pattern_push(p, 0, at, end);
      lua_gettable(L, REPLACEMENT);
      break;
    default: add_text(p, out, at, end); return true;
  }
  if (!lua_toboolean(L, -1)) {
    lua_pop(L, 1);
    luaL_addlstring(out, at, (size_t)(end - at));
    return false;
  }
  if (!lua_isstring(L, -1)) luaL_error(L, "invalid replacement value (a %s)", luaL_typename(L, -1));
  luaL_addvalue(out);
  return true;
}

static int string_gsub(lua_State *L) {
  search s;
  luaL_Buffer out;
  search_begin(&s, L, true, spend, orrl_own_state(L));
  bool usable = lua_isstring(L, REPLACEMENT) || lua_istable(L, REPLACEMENT);
  usable = usable || lua_isfunction(L, REPLACEMENT);
  luaL_argexpected(L, usable, REPLACEMENT, "string/function/table");
  lua_Integer most = luaL_optinteger(L, 4, (lua_Integer)subject_size(&s) + 1), count = 0;
  const char *at = s.p.subject, *last = NULL;
  bool changed = false;
  luaL_buffinit(L, &out);
  while (count < most) {
    const char *end = pattern_match(&s.p, at);
    s.p.steps++;
    if (end && end != last) { /* nothing, right behind a match, is none */
      count++;
      changed = add_replacement(&s.p, &out, at, end) || changed;
      at = last = end;
    } else if (at < s.p.subject_end) {
      luaL_addchar(&out, *at++);
    } else {
      break;
    }
    if (s.anchored) break;
  }
  pattern_settle(&s.p);
  luaL_addlstring(&out, at, (size_t)(s.p.subject_end - at));
  luaL_pushresult(&out);
  if (!changed) lua_pushvalue(L, 1);
  lua_pushinteger(L, count);
  return 2;
}

/* ---- Others ---------------------------------------------------------------------------------- */

/* Repeating nothing takes as long as repeating something, and gives nothing. */
static int string_rep(lua_State *L) {
  size_t size, separator;
  luaL_checklstring(L, 1, &size);
  luaL_checkinteger(L, 2);
  luaL_optlstring(L, 3, "", &separator);
  if (size + separator > 0) return script_original(L);
  lua_pushliteral(L, "");
  return 1;
}

static int string_byte(lua_State *L) {
  size_t size;
  luaL_checklstring(L, 1, &size);
  lua_Integer first = luaL_optinteger(L, 2, 1), last = luaL_optinteger(L, 3, first);
  size_t from = place(first, size), to = place(last, size);
  if (to > from) budget_spend(L, orrl_own_state(L), (int64_t)(to - from));
  return script_original(L);
}

const script_function script_strings[] = {
    {"find", string_find}, {"match", string_match}, {"gmatch", string_gmatch},
    {"gsub", string_gsub}, {"rep", string_rep},     {"byte", string_byte}, {NULL, NULL}};
