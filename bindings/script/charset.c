/* Charsets by the system's iconv, and bytes as base64. */
#include "bindings/script/charset.h"

#include <errno.h>
#include <iconv.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>


/* Converts what `in` holds into the buffer, piece by piece. 0 or an errno. */
static int convert_all(iconv_t how, char *in, size_t left, luaL_Buffer *out) {
  for (bool flushed = false; !flushed;) {
    size_t room = LUAL_BUFFERSIZE;
    char *at = luaL_prepbuffer(out);
    flushed = left == 0;
    size_t rc = iconv(how, flushed ? NULL : &in, flushed ? NULL : &left, &at, &room);
    luaL_addsize(out, LUAL_BUFFERSIZE - room);
    if (rc == (size_t)-1 && errno != E2BIG) return errno;
    if (rc == (size_t)-1) flushed = false;
  }
  return 0;
}

/* convert(text, from, to) -> text, or nil and why not: an unknown charset, or a character that the other one does not have */
static int convert(lua_State *L) {
  size_t size;
  const char *text = luaL_checklstring(L, 1, &size);
  const char *from = luaL_checkstring(L, 2), *to = luaL_checkstring(L, 3);
  luaL_Buffer out;
  iconv_t how = iconv_open(to, from);
  if (how == (iconv_t)-1) {
    lua_pushnil(L);
    lua_pushfstring(L, "there is no way from charset %s to %s", from, to);
    return 2;
  }
  luaL_buffinit(L, &out);
  int problem = convert_all(how, (char *)(uintptr_t)text, size, &out);
  iconv_close(how);
  luaL_pushresult(&out);
  if (!problem) return 1;
  lua_pushnil(L);
  lua_pushfstring(L, "the text holds what %s cannot write", to);
  return 2;
}

static const char BASE64[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

/* base64_encode(bytes) -> text */
static int base64_encode(lua_State *L) {
  size_t size;
  const unsigned char *in = (const unsigned char *)luaL_checklstring(L, 1, &size);
  luaL_Buffer out;
  luaL_buffinit(L, &out);
  for (size_t i = 0; i < size; i += 3) {
    size_t left = size - i;
    uint32_t bits = (uint32_t)in[i] << 16 | (left > 1 ? (uint32_t)in[i + 1] << 8 : 0) | (left > 2 ? in[i + 2] : 0);
    luaL_addchar(&out, BASE64[bits >> 18]);
    luaL_addchar(&out, BASE64[bits >> 12 & 63]);
    luaL_addchar(&out, left > 1 ? BASE64[bits >> 6 & 63] : '=');
    luaL_addchar(&out, left > 2 ? BASE64[bits & 63] : '=');
  }
  luaL_pushresult(&out);
  return 1;
}

/* base64_decode(text) -> bytes, or nil for what is none; white space is skipped */
static int base64_decode(lua_State *L) {
  size_t size;
  const char *in = luaL_checklstring(L, 1, &size);
  uint32_t bits = 0;
  int held = 0;
  luaL_Buffer out;
  luaL_buffinit(L, &out);
  for (size_t i = 0; i < size && in[i] != '='; i++) {
    if (strchr(" \t\r\n", in[i])) continue;
    const char *at = in[i] ? strchr(BASE64, in[i]) : NULL;
    if (!at) return 0;
    bits = bits << 6 | (uint32_t)(at - BASE64);
    held += 6;
    if (held < 8) continue;
    held -= 8;
    luaL_addchar(&out, (char)(bits >> held & 255));
  }
  luaL_pushresult(&out);
  return 1;
}

const luaL_Reg charset_functions[] = {{"base64_encode", base64_encode}, {"base64_decode", base64_decode},
                                      {"convert", convert}, {NULL, NULL}};
