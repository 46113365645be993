/* The engine's log, in Lua. */
#ifndef ORRERY_HOST_HOST_LOG_H
#define ORRERY_HOST_HOST_LOG_H

#include "bindings/host/host_types.h"

/* Has the engine's log go to the Lua function or level that its opener chose. */
void log_configure(lua_host *h, orr_config *config);
void log_drain(lua_host *h); /* on the opener's thread: what other threads have said */
/* Hands over what is left, and logs no more. On the opener's thread. */
void log_close(lua_host *h);

#endif
