/* XML as Lua tables: xml_parse of orrery.core. */
#ifndef ORRERY_XML_TREE_H
#define ORRERY_XML_TREE_H

#include <lauxlib.h>

extern const luaL_Reg xml_functions[];

#endif
