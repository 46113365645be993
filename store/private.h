/* Folders of private stores, below the system's folder for temporary files. Each has a file on
 * which its process holds a lock for as long as it lives. The first private store of a process
 * removes what killed processes of its user have left. */
#ifndef ORR_STORE_PRIVATE_H
#define ORR_STORE_PRIVATE_H

#include "base/env.h"
#include "store/store.h"

#define PRIVATE_OWNER "owner" /* the file whose lock says that somebody uses the folder */

/* Makes a folder that nobody else may enter. `path`: free with env_free, size strlen + 1; also
 * after a failure, when it is not NULL. `owner`: a descriptor that holds the lock, for
 * private_remove; -1 after a failure. ORR_E_STORE: it cannot be made. */
int private_make(const orr_allocator *allocator, char **path, int *owner, orr_error *err);
/* Removes the folder with what is in it, and drops the lock. */
void private_remove(const char *path, int owner);
/* In a child of fork, which leaves the folder to its parent. */
void private_leave(int owner);

#endif
