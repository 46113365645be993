/* A secret is a userdata whose user value is its text. Lua sees "***"; joined to other texts it stays a secret. */
#include "bindings/net/secret.h"

#include <stdio.h>
#include <string.h>

#define CLASS "orrery.Secret"

bool secret_is(lua_State *L, int index) { return luaL_testudata(L, index, CLASS); }

void secret_wrap(lua_State *L) {
  lua_newuserdatauv(L, 0, 1);
  lua_insert(L, -2);
  lua_setiuservalue(L, -2, 1);
  luaL_setmetatable(L, CLASS);
}

const char *secret_text(lua_State *L, int index, size_t *size, bool *secret) {
  bool is = secret_is(L, index);
  if (secret && is) *secret = true;
  if (is) lua_getiuservalue(L, index, 1);
  else lua_pushvalue(L, index);
  return lua_isstring(L, -1) ? lua_tolstring(L, -1, size) : NULL;
}

/* A part of a text that is joined: as expressions would write it. */
static void push_part(lua_State *L, int index) {
  if (secret_is(L, index)) lua_getiuservalue(L, index, 1);
  else luaL_tolstring(L, index, NULL);
}

static int secret_concat(lua_State *L) {
  push_part(L, 1);
  push_part(L, 2);
  lua_concat(L, 2);
  secret_wrap(L);
  return 1;
}

static int secret_tostring(lua_State *L) {
  lua_pushliteral(L, "***");
  return 1;
}

/* secret(text) -> the opaque value; a secret stays one */
static int function_secret(lua_State *L) {
  if (!secret_is(L, 1)) luaL_checkstring(L, 1);
  lua_settop(L, 1);
  if (!secret_is(L, 1)) secret_wrap(L);
  return 1;
}

static int function_is_secret(lua_State *L) {
  lua_pushboolean(L, secret_is(L, 1));
  return 1;
}

/* secret_escape(secret) -> the secret with what a form's field may not hold as %XX */
static int function_escape(lua_State *L) {
  static const char PLAIN[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~";
  size_t size = 0;
  luaL_Buffer out;
  const char *text = secret_text(L, 1, &size, NULL);
  if (!text) return luaL_argerror(L, 1, "secret expected");
  luaL_buffinit(L, &out);
  for (size_t i = 0; i < size; i++) {
    char octet[4];
    if (text[i] != '\0' && strchr(PLAIN, text[i])) {
      luaL_addchar(&out, text[i]);
      continue;
    }
    snprintf(octet, sizeof octet, "%%%02X", (unsigned char)text[i]);
    luaL_addstring(&out, octet);
  }
  luaL_pushresult(&out);
  secret_wrap(L);
  return 1;
}

static void push_line(lua_State *L, const char *line, size_t size, bool secret) {
  lua_pushlstring(L, line, size);
  if (secret) secret_wrap(L);
}

/* header_lines(text or secret) -> array of the lines, trimmed, without empty ones (secrets when it is one), and array of
 * their names in lower case, which are no secret */
static int function_header_lines(lua_State *L) {
  size_t size = 0;
  bool secret = false;
  const char *text = secret_text(L, 1, &size, &secret);
  if (!text) return luaL_argerror(L, 1, "text expected");
  lua_newtable(L);
  lua_newtable(L);
  lua_Integer count = 0;
  for (const char *at = text, *end = text + size; at < end;) {
    const char *stop = memchr(at, '\n', (size_t)(end - at));
    const char *next = stop ? stop + 1 : end, *last = stop ? stop : end;
    while (at < last && strchr(" \t\r", *at)) at++;
    while (last > at && strchr(" \t\r", last[-1])) last--;
    if (last > at) {
      const char *colon = memchr(at, ':', (size_t)(last - at));
      count++;
      push_line(L, at, (size_t)(last - at), secret);
      lua_rawseti(L, -3, count);
      lua_getglobal(L, "string");
      lua_getfield(L, -1, "lower");
      lua_pushlstring(L, at, (size_t)((colon ? colon : last) - at));
      lua_call(L, 1, 1);
      lua_rawseti(L, -3, count);
      lua_pop(L, 1);
    }
    at = next;
  }
  return 2;
}

/* Expressions may ask any value for its text. */
static int secret_index(lua_State *L) {
  if (lua_type(L, 2) != LUA_TSTRING || strcmp(lua_tostring(L, 2), "toString") != 0) return 0;
  lua_pushcfunction(L, secret_tostring);
  return 1;
}

static const luaL_Reg metamethods[] = {{"__tostring", secret_tostring}, {"__index", secret_index},
                                        {"__concat", secret_concat}, {NULL, NULL}};

const luaL_Reg secret_functions[] = {
    {"secret", function_secret}, {"is_secret", function_is_secret}, {"secret_escape", function_escape},
    {"header_lines", function_header_lines}, {NULL, NULL}};

void secret_open(lua_State *L) {
  if (luaL_newmetatable(L, CLASS)) {
    luaL_setfuncs(L, metamethods, 0);
    lua_pushboolean(L, 0);
    lua_setfield(L, -2, "__metatable");
  }
  lua_pop(L, 1);
}
