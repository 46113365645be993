/* Which processes have the store open. */
#ifndef ORR_UOW_OPENERS_H
#define ORR_UOW_OPENERS_H

#include "store/store.h"

/* Has this process of this machine the store open? `self` is our own, as the environment tells it, in whose namespace
 * `process` counts. False only when it certainly has not. */
bool openers_have(store *s, long process, long self);

#endif
