/* What exec/ does when rooms below it make or remove something. A table, because those rooms do not
 * know exec/. */
#ifndef ORR_EXEC_HOOKS_H
#define ORR_EXEC_HOOKS_H

#include "engine/engine.h"

/* For the engine to install. */
extern const exec_hooks exec_table;

#endif
