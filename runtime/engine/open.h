/* Opening an engine with parts of the caller's own. Hosts call orr_engine_open. */
#ifndef ORR_ENGINE_OPEN_H
#define ORR_ENGINE_OPEN_H

#include "engine/engine.h"

/* An engine with parts of the caller's own: for specs and simulation. The engine takes the store, also when opening fails. */
typedef struct engine_parts {
  const orr_env *env;        /* NULL: the system's clocks and randomness, with the configuration's allocator */
  store *store;              /* NULL: LMDB at the configuration's path */
} engine_parts;
/* orr_engine_open with other parts; takes them over, whether it succeeds or not. Of an error,
 * *out is NULL. */
int engine_open_parts(const orr_config *config, const engine_parts *parts, orr_engine **out, orr_error *err);
/* Does the calling thread run this engine's log, which hears that the store has gone away or is back? That comes in the
 * middle of a call of the store, a commit of others among them. */
bool engine_hears_of_store(const orr_engine *engine);

#endif
