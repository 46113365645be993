/* What exec/ does for the rooms below it: a table, since they do not know it. */
#ifndef ORR_EXEC_HOOKS_H
#define ORR_EXEC_HOOKS_H

#include "engine/engine.h"

/* For the engine to install. */
extern const exec_hooks exec_table;

#endif
