/* Values between Lua and the runtime, for the specs: null is a light userdata. */
#ifndef ORR_INSIDE_VALUES_H
#define ORR_INSIDE_VALUES_H

#include "inside.h"
#include "orrery.h"

void inside_push_value(lua_State *L, const orr_value *value);
/* A table with a first element, or an empty one, is an array; others are maps. */
void inside_build_value(lua_State *L, int at, orr_builder *b);

#endif
