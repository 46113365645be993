/* A store in memory: for specs and simulation, and to compare the store on disk with. */
#ifndef ORR_STORE_MEMORY_H
#define ORR_STORE_MEMORY_H

#include "store/store.h"

/* Opens an empty store of its own: `options.path` is not used. Errors as store_open_lmdb's. */
int store_open_memory(const store_options *options, store **out, orr_error *err);

#endif
