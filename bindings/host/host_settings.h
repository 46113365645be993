/* What an engine's script host is told when the engine opens: a table of Lua's, made and checked by
 * lua/orrery/engine.lua. */
#ifndef ORRERY_HOST_SETTINGS_H
#define ORRERY_HOST_SETTINGS_H

#include "bindings/host/host_types.h"

/* Of one script's budget; 0: none. */
typedef struct host_limits {
  int64_t instructions, memory_bytes, script_ns, await_ns;
} host_limits;

/* Reads the limits from the table at `index`. Raises when one is no number that fits. */
host_limits settings_limits(orrl_call *c, int index);
/* Gives the host the limits, and what else the table says: { log, log_level, module_path, libraries, outside }. Raises only
 * when memory is out. */
void settings_take(orrl_call *c, int index, const host_limits *limits, lua_host *h);

#endif
