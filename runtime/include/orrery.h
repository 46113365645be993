/* orrery.h: a BPMN 2.0 workflow runtime that a program embeds.
 *
 * A host includes this header alone; it is the whole contract: what is not in it, or in the headers
 * that it includes, is not API. The Lua module's core, docs/api.md and the LuaCATS stubs are
 * generated from them (bindings/generate.lua), so their comments are the manual.
 *
 * Reading order: as they are included. Whoever embeds it needs values.h, and engine.h with its
 * delegates in C, first.
 *
 * Rules that hold everywhere
 * - Functions return 0 or a negative ORR_E_* code. `err`, always last, may be NULL; it must be zero
 *   or cleared on entry, is filled on failure, and is released with orr_error_clear.
 * - Option structs start with `uint32_t size` (sizeof); all other fields zero mean 'not given'.
 *   They are read during the call only.
 * - Texts are UTF-8, NUL-terminated, and copied by the callee. `const orr_value *` is read during
 *   the call only.
 * - Ids are opaque, never 0, and unique in a store. Times are milliseconds since the epoch, UTC.
 * - A value that the caller gives is read through `const orr_value *`; orr_iterate, orr_map_get and
 *   orr_builder read and write trees.
 * - An engine may be used from any thread. A transaction (orr_engine_begin) belongs to the thread
 *   that began it.
 * - A failed command leaves the store as it was.
 *
 * Caveats
 * - A store is opened once in a process: a second orr_engine_open of its path is ORR_E_STATE. Other
 *   processes may open it, too.
 * - A forked child must not use the parent's engines; every call answers ORR_E_STATE. It may exec.
 * - A delegate in C runs on a worker's thread and holds it while it runs; ids that it reads stay
 *   good, pointers end with the call.
 * - Time 0 is 'not given' in options and records: a clock at the epoch itself is not served.
 *   ORR_TIME_NONE says 'no time'.
 * - Stores on network file systems are refused: their locks and maps are not the machine's own. */
#ifndef ORRERY_H
#define ORRERY_H

#define ORR_VERSION "0.1.0"
#define ORR_VERSION_NUMBER 100

#include "orrery/values.h"
#include "orrery/engine.h"
#include "orrery/repository.h"
#include "orrery/instances.h"
#include "orrery/tasks.h"
#include "orrery/jobs.h"
#include "orrery/queries.h"
#include "orrery/executor.h"

#endif
