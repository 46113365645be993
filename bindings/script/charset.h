/* Texts in other charsets, bytes as texts: convert, base64_encode and base64_decode of orrery.core. */
#ifndef ORRERY_CHARSET_H
#define ORRERY_CHARSET_H

#include <lauxlib.h>

extern const luaL_Reg charset_functions[];

#endif
