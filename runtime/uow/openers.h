/* Which processes have the store open. */
#ifndef ORR_UOW_OPENERS_H
#define ORR_UOW_OPENERS_H

#include "store/store.h"

/* Does this process of this machine have the store open? `self` is our own process by its id in the
 * environment; `process` counts in its namespace. False only when it certainly has not. */
bool openers_have(store *s, long process, long self);

#endif
