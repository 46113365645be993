/* Opening a store, of whichever kind its path names. */
#ifndef ORR_STORE_OPEN_H
#define ORR_STORE_OPEN_H

#include "store/store.h"

/* What options->path names: a store in PostgreSQL when it is a URL (postgresql/postgresql.h), else one on disk. */
int store_open(const store_options *options, store **out, orr_error *err);

#endif
