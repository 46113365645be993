/* Texts in other charsets: convert of orrery.core. */
#ifndef ORRERY_CHARSET_H
#define ORRERY_CHARSET_H

#include <lauxlib.h>

extern const luaL_Reg charset_functions[];

#endif
