/* What scripts and expressions see in place of the program's values, as far as C has a part in it;
 * lua/orrery/view.lua has the rest. */
#ifndef ORRERY_HOST_HOST_VIEW_H
#define ORRERY_HOST_HOST_VIEW_H

#include "bindings/host/host_types.h"

/* Puts the view of the value on top in its place. */
void view_show(lua_State *L, const fiber *f);
/* Puts what the program knows in the place of what a script or expression gave: on top. */
void view_reveal(lua_State *L, const fiber *f);
/* Is it a name under which the engine finds what the program gave it for itself ("secrets of:")? */
bool view_reserved(const char *name);
/* Pushes the view of what is registered under this name, or returns false: reserved ones are none. */
bool view_push_named(lua_State *L, fiber *f, const char *name);

extern const luaL_Reg view_functions[];

#endif
