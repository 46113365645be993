/* A store's folder that is made beside its place and comes into it by a rename: so under the target's name there is a whole
 * store or nothing, whatever happens meanwhile. A process that is killed leaves the folder "<target>.copying-…" behind. */
#ifndef ORR_STORE_ASIDE_H
#define ORR_STORE_ASIDE_H

#include <limits.h>
#include <stdbool.h>

#include "base/env.h"

typedef struct aside {
  const char *from; /* what is copied, for messages; the caller's */
  char target[PATH_MAX], folder[PATH_MAX], data[PATH_MAX], parent[PATH_MAX];
} aside;

/* Makes the folder. ORR_E_STATE: the target is there already; ORR_E_ARGUMENT: it cannot be the name of a folder;
 * ORR_E_STORE: the folder cannot be made. `from` outlives `a`. */
int aside_make(aside *a, const char *from, const char *target, orr_error *err);
/* Brings the data file in it to the disk and the folder to its place, unless something lies there by now. */
int aside_put_in_place(const aside *a, orr_error *err);
/* Removes it, after whatever failed. */
void aside_remove(const aside *a);

/* Sets `err` to "copying <from>: <doing> <path>: <errno's text>"; ORR_E_STORE. */
int aside_failed(const aside *a, const char *doing, const char *path, orr_error *err);

#endif
