/* Hand-over: a job created here, while this process's executor has room, is created already locked by it. So it costs one
 * write to make and one to complete, and runs at once; acquisition is for the rest. Decided just before the batch is made,
 * carried out after its commit. */
#ifndef ORR_HANDOVER_H
#define ORR_HANDOVER_H

#include "engine/engine.h"

/* For the engine to install: hand-over around commits, and what wakes the executor (engine/engine.h). */
extern const engine_hooks executor_hooks;

#endif
