/* What takes long and says how far it is, from Lua: upgrading, checking and copying a store.
 *
 * `progress(done, total)` is called now and then; nil: never. What it raises is raised when the work has ended, and it is not
 * called again. */
#ifndef ORRERY_BINDINGS_PROGRESS_H
#define ORRERY_BINDINGS_PROGRESS_H

#include <lauxlib.h>

/* upgrade(path, keep, force, progress): orr_store_upgrade. Module function, with the state as its upvalue. */
extern const luaL_Reg progress_functions[];
/* verify(progress): orr_engine_verify. copy_to(path, compact, progress): orr_engine_copy_to. Methods of an engine, with the
 * state as their upvalue. */
extern const luaL_Reg progress_methods[];

#endif
