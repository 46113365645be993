/* Copies of a store, to a folder or to a database, whatever kind of store it is itself.
 *
 * A store that can copy itself into its own kind does so (store_copy). Otherwise a new store is filled
 * entry by entry from one view, and then compared with that view. A folder is filled as a staging
 * folder (store/staging.h). A database has none: there a mark lies beside the entries until all are
 * copied and compared, and opening refuses a store with that mark. */
#ifndef ORR_STORE_COPY_H
#define ORR_STORE_COPY_H

#include "store/store.h"

/* `target`: a folder that must not be there yet, or the URL of a database with an empty schema, or with a copy that was
 * interrupted, which is begun anew. The copy is on the disk when this returns. Others go on writing to `from`; its view is
 * held until the end. ORR_E_STATE: the target is taken, or another copy is made into it at the same time; ORR_E_STORE: one
 * of the two stores failed, or they differ in the end. `progress`: as store_copy has it, else in entries, each of which counts
 * twice. */
int store_copy_to(store *from, const orr_env *env, const char *target, bool compact, const store_progress *progress,
                  orr_error *err);

/* ORR_E_STORE when the store is a copy that was not finished. */
int store_check_finished(store *s, orr_error *err);

#endif
