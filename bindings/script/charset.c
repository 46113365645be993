/* Charsets by the system's iconv, and bytes as base64. */
#include "bindings/script/charset.h"

#include <errno.h>
#include <iconv.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/base64.h"

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

/* base64_encode(bytes) -> text */
static int encode_base64(lua_State *L) {
  size_t size;
  const char *bytes = luaL_checklstring(L, 1, &size);
  luaL_Buffer out;
  base64_write(bytes, size, luaL_buffinitsize(L, &out, base64_text_size(size)));
  luaL_pushresultsize(&out, base64_text_size(size));
  return 1;
}

/* base64_decode(text) -> bytes, or nil for what is none; white space is skipped */
static int decode_base64(lua_State *L) {
  size_t size, count;
  const char *text = luaL_checklstring(L, 1, &size);
  luaL_Buffer out;
  count = size;
  if (!base64_read(text, size, BASE64_MIME, luaL_buffinitsize(L, &out, size), &count)) return 0;
  luaL_pushresultsize(&out, count);
  return 1;
}

const luaL_Reg charset_functions[] = {{"base64_encode", encode_base64}, {"base64_decode", decode_base64},
                                      {"convert", convert}, {NULL, NULL}};
