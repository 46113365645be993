/* orrery.h: a BPMN 2.0 workflow runtime that a program embeds.
 *
 * A host includes this header alone; it is the whole contract: what is not in it, or in the headers
 * that it includes, is not API. The Lua module's core, docs/api.md and the LuaCATS stubs are
 * generated from them (bindings/generate.lua), so their comments are the manual.
 *
 * Read the headers in the order in which they are included below. To embed the engine, begin with
 * values.h and engine.h, which has the delegates in C.
 *
 * Rules that hold everywhere
 * - Functions return 0 or a negative ORR_E_* code. `err`, always last, may be NULL; it must be zero
 *   or cleared on entry, is filled on failure, and is released with orr_error_clear.
 * - Option structs start with `uint32_t size` (sizeof); all other fields zero mean 'not given'.
 *   They are read during the call only.
 * - Texts are UTF-8, NUL-terminated, and copied by the callee.
 * - Ids are opaque, never 0, and unique in a store. Times are milliseconds since the epoch, UTC, and
 *   durations are milliseconds, too (orr_time, orr_duration, names with _ms). Inside of values they
 *   are numbers of seconds, as scripts compute with them: in variables, records, filters and maps.
 *   orr_seconds makes such a value, orr_milliseconds reads one.
 * - A value is passed as `const orr_value *`, and read during the call only. orr_iterate and
 *   orr_map_get read trees of values, an orr_builder makes them.
 * - What a function gives goes to where `out` points. An `orr_builder *out` is the caller's, who made
 *   it and frees it. NULL is fine when the result is not wanted: in place of any builder, and where
 *   the declaration says ORR_OUT. An engine, a feed or an executor, which somebody has to close, is
 *   always wanted.
 * - ORR_OPT marks what need not be given: NULL, or an id or a time of 0. NULL for the engine or for
 *   another argument without that mark is ORR_E_ARGUMENT, and the message names the argument. A
 *   function that cannot fail does nothing, and answers false, 0, NULL or ORR_NIL (-1 where the
 *   answer counts changes or is a descriptor).
 * - An engine may be used from any thread. A transaction (orr_engine_begin) belongs to the thread
 *   that began it.
 * - A failed command leaves the store as it was.
 *
 * Caveats
 * - A process opens a store once: a second orr_engine_open of its path is ORR_E_STATE. Other
 *   processes may open it, too.
 * - A forked child must not use the parent's engines; every call answers ORR_E_STATE. It may exec.
 * - A delegate in C occupies its worker's thread while it runs. The ids that it reads stay valid;
 *   pointers are valid until it returns.
 * - Time 0 means 'not given' in options and records, so a clock cannot stand at the epoch itself.
 *   ORR_TIME_NONE means 'no time'.
 * - Stores on network file systems are refused, because locks and memory maps do not work across
 *   machines. */
#ifndef ORRERY_H
#define ORRERY_H

#define ORR_VERSION "1.0.0"      /* build, command, Lua, REST and packages read it here */
#define ORR_VERSION_NUMBER 10000 /* 10000 * major + 100 * minor + patch */

#include "orrery/values.h"
#include "orrery/engine.h"
#include "orrery/repository.h"
#include "orrery/instances.h"
#include "orrery/tasks.h"
#include "orrery/jobs.h"
#include "orrery/queries.h"
#include "orrery/executor.h"

#endif
