/* orrery/lua.h: scripts for hosts in C, from the library liborrery-lua.
 *
 * An engine of liborrery alone runs literals, plain variables and delegates in C; a model that needs
 * more is refused when it is deployed. With orr_lua_use an engine runs conditions, scripts and
 * delegates in Lua, FEEL, DMN, HTTP and mail as well, in a program that has no Lua of its own.
 *
 * liborrery-lua has all functions of liborrery, so a program links one of the two: `pkg-config
 * --cflags --libs orrery-lua`, or orrery::lua in CMake. */
#ifndef ORRERY_LUA_H
#define ORRERY_LUA_H

#include "orrery.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct orr_lua_options {
  uint32_t size;
  const char *files;         /* the folder that has orrery/init.lua; NULL: found beside the library */
  const char *package_path;  /* where models' delegates in Lua lie: "app/?.lua;app/?/init.lua"; NULL: as LUA_PATH says */
  const orr_value *settings; /* a map of options of orrery.open: http, mail, shell, soap, secrets, sandbox; docs/lua.md */
} orr_lua_options ORR_OPTIONS;

/// Has the engine that is opened with `config` run Lua. Call it after orr_config_init. The options
/// are read by orr_engine_open, so what they point at must stay until then; a wrong one is its
/// `argument`. `options` NULL: all by default. Delegates in C that have the name of a Lua one come
/// first.
ORR_API(1) void orr_lua_use(orr_config *config, const orr_lua_options *options ORR_OPT);

#ifdef __cplusplus
}
#endif
#endif
