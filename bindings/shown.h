/* Text of others as a terminal may have it, for Lua: base/shown.h. */
#ifndef ORRERY_SHOWN_H
#define ORRERY_SHOWN_H

#include <lauxlib.h>

/* Replaces the text on top of the stack by what is shown of it, its lines kept and indented. */
void shown_replace(lua_State *L);

/* shown(text, [lines]) -> the text with escapes for its control characters, and for its line
 * breaks unless `lines`: then each further line begins with four blanks */
extern const luaL_Reg shown_functions[];

#endif
