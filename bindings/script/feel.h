/* What lua/orrery/feel needs of C: decimals, regular expressions, zones, letters, and the bounds.
 */
#ifndef ORRERY_BINDINGS_FEEL_H
#define ORRERY_BINDINGS_FEEL_H

#include <lauxlib.h>

/* Pushes the table of it, core.feel. */
void feel_open(lua_State *L);

#endif
