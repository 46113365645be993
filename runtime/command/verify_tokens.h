/* Checks the tokens of an instance against the invariants of state/execution.h: that scopes count the children they have,
 * that whatever waits has a reason to, and that tasks and jobs are those their tokens name. */
#ifndef ORR_VERIFY_TOKENS_H
#define ORR_VERIFY_TOKENS_H

#include "base/error.h"
#include "uow/uow.h"

/* Reads through `reader`'s view. `fn` is called for each that is found, also when the instance cannot be read. Takes as
 * much memory as the instance's tokens and jobs do. 0, or ORR_E_MEMORY; an instance that is gone has no problems. */
int verify_tokens(orr_engine *engine, unit *reader, orr_id instance, void (*fn)(void *ud, const char *problem), void *ud,
                  orr_error *err);

#endif
