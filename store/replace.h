/* A store's file that is made anew in a folder beside it, and takes its place by a rename: under the store's name there is
 * the old file or the new one, whatever happens meanwhile. A process that is killed leaves the folder "upgrading-…" in the
 * store's own, which the next attempt removes. */
#ifndef ORR_STORE_REPLACE_H
#define ORR_STORE_REPLACE_H

#include <limits.h>

#include "store/store.h"

typedef struct replacement {
  const char *path; /* of the store; the caller's */
  char folder[PATH_MAX];
} replacement;

/* Is there a store on disk, or was there one? Opening would make one. */
bool replace_there(const char *path);
/* Bytes on the disk that a new file may need beside an old one of which so many are in use. */
uint64_t replace_needs(uint64_t bytes_used);
/* Removes what earlier attempts left, and makes the folder, for a store to be opened in. ORR_E_STORE: the disk has no room
 * for a file as replace_needs says, or the folder cannot be made. Whoever else might be at the same is the caller's care. */
int replace_begin(replacement *r, const char *path, uint64_t bytes_used, orr_error *err);
/* Brings the new store's file, which must be closed, to the disk and to its place. `keep`: the old one stays beside it, as
 * "data.mdb.old". ORR_E_STORE: the old one is in its place, or the new one is and its name may not be on the disk yet. */
int replace_finish(replacement *r, bool keep, orr_error *err);
/* Removes the folder with what is in it; also after replace_finish. */
void replace_end(replacement *r);

#endif
