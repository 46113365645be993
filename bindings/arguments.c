/* Reading arguments and option tables. Everything here raises unless the value fits, so nothing may be held that Lua does
 * not own. */
#include "bindings/arguments.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/nearest.h"
#include "bindings/value.h"

static bool absent(orrl_call *c, int index, bool optional) { return optional && lua_isnoneornil(c->L, index); }

static void expected(orrl_call *c, int index, const char *name, const char *what) {
  orrl_argument(c, index, "%s%s%s expected, got %s", name ? name : "", name ? ": " : "", what, luaL_typename(c->L, index));
}

static const char *read_text_argument(orrl_call *c, int value, int index, const char *name) {
  size_t size = 0;
  if (lua_type(c->L, value) != LUA_TSTRING) {
    orrl_argument(c, index, "%s%sstring expected, got %s", name ? name : "", name ? ": " : "", luaL_typename(c->L, value));
  }
  const char *text = lua_tolstring(c->L, value, &size);
  if (strlen(text) != size)
    orrl_argument(c, index, "%s%sa text without zero bytes expected", name ? name : "", name ? ": " : "");
  return text;
}

const char *orrl_text(orrl_call *c, int index, bool optional) {
  return absent(c, index, optional) ? NULL : read_text_argument(c, index, index, NULL);
}

int64_t orrl_integer(orrl_call *c, int index, bool optional) {
  int fits = 0;
  if (absent(c, index, optional)) return 0;
  if (lua_type(c->L, index) != LUA_TNUMBER) expected(c, index, NULL, "integer");
  int64_t n = lua_tointegerx(c->L, index, &fits);
  if (!fits) orrl_argument(c, index, "number has no integer representation");
  return n;
}

double orrl_number(orrl_call *c, int index, bool optional) {
  if (absent(c, index, optional)) return 0;
  if (lua_type(c->L, index) != LUA_TNUMBER) expected(c, index, NULL, "number");
  return lua_tonumber(c->L, index);
}

bool orrl_boolean(orrl_call *c, int index, bool optional) {
  if (absent(c, index, optional)) return false;
  if (!lua_isboolean(c->L, index)) expected(c, index, NULL, "boolean");
  return lua_toboolean(c->L, index);
}

orr_cascade orrl_cascade(orrl_call *c, int index) {
  bool text = lua_type(c->L, index) == LUA_TSTRING;
  if (text && strcmp(lua_tostring(c->L, index), "quietly") == 0) return ORR_CASCADE_QUIETLY;
  return orrl_boolean(c, index, true) ? ORR_CASCADE : ORR_ALONE;
}

/* What was never an id names nothing: there is no such thing. */
static orr_id read_id_argument(orrl_call *c, int value, int index, const char *name) {
  int fits = 0, type = lua_type(c->L, value);
  if (type != LUA_TNUMBER && type != LUA_TSTRING) {
    orrl_argument(c, index, "%s%sid expected, got %s", name ? name : "", name ? ": " : "", luaL_typename(c->L, value));
  }
  lua_Integer id = lua_tointegerx(c->L, value, &fits);
  if (!fits || id <= 0) orrl_no_id(c, index, name, lua_tostring(c->L, value));
  return (orr_id)id;
}

orr_id orrl_id(orrl_call *c, int index, bool optional) {
  return absent(c, index, optional) ? 0 : read_id_argument(c, index, index, NULL);
}

/* Seconds beyond this have no milliseconds in 64 bits. */
#define SECONDS_MAX 9.0e15

static int64_t seconds(orrl_call *c, int value, int index) {
  if (lua_isinteger(c->L, value)) {
    lua_Integer n = lua_tointeger(c->L, value);
    if (n < -(lua_Integer)SECONDS_MAX || n > (lua_Integer)SECONDS_MAX)
      orrl_argument(c, index, "the number of seconds is out of range");
    return n * 1000;
  }
  double n = lua_tonumber(c->L, value);
  if (!(fabs(n) < SECONDS_MAX)) orrl_argument(c, index, "the number of seconds is out of range");
  return llround(n * 1000);
}

/* A wrong time or duration as an argument error that names the argument. */
static void bad_time(orrl_call *c, int index, const char *name, orr_error *err) {
  char message[ORRL_REFUSAL];
  snprintf(message, sizeof message, "%s%s%s", name ? name : "", name ? ": " : "",
           err->message ? err->message : orr_strerror(err->code));
  orr_error_clear(err);
  orrl_argument(c, index, "%s", message);
}

static orr_time read_time(orrl_call *c, int value, int index, const char *name) {
  orr_error err = {0};
  orr_time time = 0;
  if (lua_type(c->L, value) == LUA_TNUMBER) return seconds(c, value, index);
  if (lua_touserdata(c->L, value) == c->state->null) return ORR_TIME_NONE;
  if (orrl_moment(c->L, c->state, value, &time)) return time;
  if (lua_type(c->L, value) != LUA_TSTRING) {
    orrl_argument(c, index, "%s%stime expected, got %s", name ? name : "", name ? ": " : "", luaL_typename(c->L, value));
  }
  if (orr_time_parse(read_text_argument(c, value, index, name), &time, &err)) bad_time(c, index, name, &err);
  return time;
}

static orr_duration read_duration(orrl_call *c, int value, int index, const char *name) {
  orr_error err = {0};
  orr_duration duration = 0;
  if (lua_type(c->L, value) == LUA_TNUMBER) return seconds(c, value, index);
  if (lua_type(c->L, value) != LUA_TSTRING) {
    orrl_argument(c, index, "%s%sduration expected, got %s", name ? name : "", name ? ": " : "", luaL_typename(c->L, value));
  }
  if (orr_duration_parse(read_text_argument(c, value, index, name), 0, &duration, &err)) bad_time(c, index, name, &err);
  return duration;
}

/* Where a time need not be given, 0 says that it was not: the epoch itself is its next millisecond there. */
static orr_time given_time(orr_time time) { return time ? time : 1; }

orr_time orrl_time(orrl_call *c, int index, bool optional) {
  if (absent(c, index, optional)) return 0;
  orr_time time = read_time(c, index, index, NULL);
  return optional ? given_time(time) : time;
}

orr_duration orrl_duration(orrl_call *c, int index, bool optional) {
  return absent(c, index, optional) ? 0 : read_duration(c, index, index, NULL);
}

static const orr_value *read_value(orrl_call *c, int value, int index, const char *name) {
  char refusal[ORRL_REFUSAL];
  orrl_scratch *s = c->scratch;
  if (s->value_count == ORRL_VALUES) orrl_argument(c, index, "too many values");
  orr_value *out = &s->values[s->value_count++];
  if (orrl_scalar(c->L, c->state, value, out)) return out;
  orr_builder *builder = orrl_builder(c);
  orr_error err = {0};
  if (!orrl_build(c->L, c->state, value, builder, name, false, refusal)) orrl_argument(c, index, "%s", refusal);
  if (orr_builder_value(builder, out, &err)) orrl_raise(c, &err);
  return out;
}

const orr_value *orrl_value(orrl_call *c, int index, bool optional, const char *name) {
  return absent(c, index, optional) ? NULL : read_value(c, index, index, name);
}

/* ---- Option tables --------------------------------------------------------------------------- */

const char *orrl_nearest(const char *wrong, const char *const *names, size_t count) {
  nearest best = nearest_to(wrong, strlen(wrong));
  for (size_t i = 0; i < count; i++) nearest_offer(&best, names[i], strlen(names[i]));
  return best.name;
}

/* "a, b, c", as far as there is room. */
static const char *enumerate(const char *const *names, size_t count, char *out, size_t size) {
  size_t used = 0;
  out[0] = '\0';
  for (size_t i = 0; i < count; i++) {
    size_t n = strlen(names[i]);
    if (used + n + sizeof ", ..." > size) {
      strcpy(out + used, ", ...");
      break;
    }
    used += (size_t)snprintf(out + used, size - used, "%s%s", used > 0 ? ", " : "", names[i]);
  }
  return out;
}

enum { ENUMERATED = 400 };

static bool among(const char *const *names, size_t count, const char *name) {
  for (size_t i = 0; i < count; i++)
    if (strcmp(names[i], name) == 0) return true;
  return false;
}

static void unknown_option(orrl_call *c, int index, const orrl_options *options, const char *wrong) {
  const char *names[64] = {0};
  size_t count = options->count < 64 ? options->count : 64;
  for (size_t i = 0; i < count; i++) names[i] = options->items[i].name;
  const char *near = orrl_nearest(wrong, names, count);
  char list[ENUMERATED], hint[160] = "";
  if (near) orrl_argument(c, index, "unknown option \"%s\"; did you mean \"%s\"?", wrong, near);
  if (among(names, count, "variables")) /* the first thing that one tries */
    snprintf(hint, sizeof hint, "; a variable goes into variables = { %.80s = ... }", wrong);
  enumerate(names, count, list, sizeof list);
  orrl_argument(c, index, "unknown option \"%s\"%s; known are %s", wrong, hint, list);
}

static int read_enum(orrl_call *c, int index, const orrl_option *option) {
  const char *const *names = option->details;
  const char *text = read_text_argument(c, -1, index, option->name);
  size_t count = 0;
  for (; names[count]; count++) {
    if (strcmp(names[count], text) == 0) return (int)count;
  }
  const char *near = orrl_nearest(text, names, count);
  char list[ENUMERATED];
  if (near) return orrl_argument(c, index, "%s: \"%s\" is not known; did you mean \"%s\"?", option->name, text, near);
  return orrl_argument(c, index, "%s: \"%s\" is not known; it is one of %s", option->name, text, enumerate(names, count, list,
                                                                                                           sizeof list));
}

static void option_type(orrl_call *c, int index, const orrl_option *option, int type, const char *what) {
  if (lua_type(c->L, -1) != type)
    orrl_argument(c, index, "%s: %s expected, got %s", option->name, what, luaL_typename(c->L, -1));
}

static int64_t option_integer(orrl_call *c, int index, const orrl_option *option, const char *what) {
  int fits = 0;
  int64_t n = lua_tointegerx(c->L, -1, &fits);
  if (!fits || lua_type(c->L, -1) != LUA_TNUMBER) {
    orrl_argument(c, index, "%s: %s expected, got %s", option->name, what, luaL_typename(c->L, -1));
  }
  return n;
}

/* Room for an option struct that another points at: one of a call, since no struct of the header points at two. */
static void *orrl_nested(const orrl_call *c, int index, const orrl_options *options) {
  if (options->size > sizeof c->scratch->nested) orrl_argument((orrl_call *)c, index, "%s: too large", options->name);
  return c->scratch->nested.bytes;
}

/* The value on top of the stack goes into its member. */
static void read_option(orrl_call *c, int index, const orrl_option *option, void *out) {
  char *member = (char *)out + option->offset;
  int64_t n;
  switch ((orrl_option_type)option->type) {
    case ORRL_TEXT: *(const char **)(void *)member = read_text_argument(c, -1, index, option->name); return;
    case ORRL_INTEGER: *(int64_t *)(void *)member = option_integer(c, index, option, "integer"); return;
    case ORRL_UINT32:
      n = option_integer(c, index, option, "integer");
      if (n < 0 || n > UINT32_MAX) orrl_argument(c, index, "%s: out of range", option->name);
      *(uint32_t *)(void *)member = (uint32_t)n;
      return;
    case ORRL_NUMBER:
      option_type(c, index, option, LUA_TNUMBER, "number");
      *(double *)(void *)member = lua_tonumber(c->L, -1);
      return;
    case ORRL_BOOLEAN:
      option_type(c, index, option, LUA_TBOOLEAN, "boolean");
      *(bool *)member = lua_toboolean(c->L, -1);
      return;
    case ORRL_ID: *(orr_id *)(void *)member = read_id_argument(c, -1, index, option->name); return;
    case ORRL_TIME: *(orr_time *)(void *)member = given_time(read_time(c, -1, index, option->name)); return;
    case ORRL_DURATION: *(orr_duration *)(void *)member = read_duration(c, -1, index, option->name); return;
    case ORRL_SWITCH:
      option_type(c, index, option, LUA_TBOOLEAN, "boolean");
      *(orr_switch *)(void *)member = lua_toboolean(c->L, -1) ? ORR_ON : ORR_OFF;
      return;
    case ORRL_ENUM: *(int *)(void *)member = read_enum(c, index, option); return;
    case ORRL_VALUE: *(const orr_value **)(void *)member = read_value(c, lua_gettop(c->L), index, option->name); return;
    case ORRL_NESTED:
      orrl_read_options(c, lua_gettop(c->L), option->details, orrl_nested(c, index, option->details));
      *(const void **)(void *)member = orrl_nested(c, index, option->details);
      return;
  }
}

static const orrl_option *find_option(const orrl_options *options, const char *name) {
  for (size_t i = 0; i < options->count; i++) {
    if (strcmp(options->items[i].name, name) == 0) return &options->items[i];
  }
  return NULL;
}

void orrl_read_options(orrl_call *c, int index, const orrl_options *options, void *out) {
  lua_State *L = c->L;
  memset(out, 0, options->size);
  *(uint32_t *)out = (uint32_t)options->size;
  if (lua_isnoneornil(L, index)) return;
  if (!lua_istable(L, index)) orrl_argument(c, index, "table of %s expected, got %s", options->name, luaL_typename(L, index));
  luaL_checkstack(L, (int)options->count + 8, options->name);
  for (lua_pushnil(L); lua_next(L, index);) {
    int key_index = lua_gettop(L) - 1;
    const char *key = lua_type(L, -2) == LUA_TSTRING ? lua_tostring(L, -2) : NULL;
    if (!key) orrl_argument(c, index, "%s have names; got the key %s", options->name, luaL_tolstring(L, -2, NULL));
    const orrl_option *option = find_option(options, key);
    if (!option) unknown_option(c, index, options, key);
    else read_option(c, index, option, out);
    /* The value, with those of a nested table, stays below the key: what it lends must outlive changes that a delegate
     * makes to the caller's table. */
    lua_rotate(L, key_index, -1);
  }
}
