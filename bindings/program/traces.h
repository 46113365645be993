/* orrery.traces: the exporter of traces, for commands that keep engines at work. */
#ifndef ORRERY_PROGRAM_TRACES_H
#define ORRERY_PROGRAM_TRACES_H

#include <lua.h>

#include "base/trace.h"

/* Pushes the module: open(options). */
int luaopen_orrery_traces(lua_State *L);
/* The tracer of the exporter at this index; NULL: there is nil. Raises for anything else. */
tracer *traces_tracer(lua_State *L, int index);

#endif
