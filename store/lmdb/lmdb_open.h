/* A store on disk. */
#ifndef ORR_STORE_LMDB_OPEN_H
#define ORR_STORE_LMDB_OPEN_H

#include "store/store.h"

/* options->path is a folder, which is made where it is missing. What is refused stands in store.h. */
int store_open_lmdb(const store_options *options, store **out, orr_error *err);

#endif
