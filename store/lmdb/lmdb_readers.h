/* Who else has a store on disk open. */
#ifndef ORR_STORE_LMDB_READERS_H
#define ORR_STORE_LMDB_READERS_H

#include "store/store.h"

/* The id of another process that has this store on disk open, as far as LMDB's table of readers tells; 0: none. */
long store_lmdb_other(store *s);
/* Has this process of our own namespace the store open? True, too, when nobody can tell: of a store
 * that is not on disk, and of this process itself. */
bool store_lmdb_opened_by(store *s, long process);

#endif
