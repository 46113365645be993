/* A store's folder that is made beside its target and then renamed to it. So under the target's name
 * there is a whole store or nothing, whatever happens meanwhile. A process that is killed leaves the
 * folder "<target>.copying-…" behind. */
#ifndef ORR_STORE_STAGING_H
#define ORR_STORE_STAGING_H

#include <limits.h>
#include <stdbool.h>

#include "base/env.h"

typedef struct staging {
  const char *from; /* what is copied, for messages; the caller's */
  char target[PATH_MAX], folder[PATH_MAX], data[PATH_MAX], parent[PATH_MAX];
} staging;

/* Makes the folder. ORR_E_STATE: the target is there already; ORR_E_ARGUMENT: it cannot be the name of a folder;
 * ORR_E_STORE: the folder cannot be made. `from` outlives `a`. */
int staging_make(staging *a, const char *from, const char *target, orr_error *err);
/* Syncs the data file and renames the folder, unless the target exists by now. */
int staging_put_in_place(const staging *a, orr_error *err);
/* Removes the folder after a failure. */
void staging_remove(const staging *a);

/* Sets `err` to "copying <from>: <doing> <path>: <errno's text>"; ORR_E_STORE. */
int staging_failed(const staging *a, const char *doing, const char *path, orr_error *err);

#endif
