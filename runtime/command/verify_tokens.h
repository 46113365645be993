/* Checks the tokens of an instance against the invariants of state/execution.h: scopes count the
 * children that they have, whatever waits has a reason, and tasks and jobs are those that their
 * tokens name. */
#ifndef ORR_VERIFY_TOKENS_H
#define ORR_VERIFY_TOKENS_H

#include "base/error.h"
#include "uow/uow.h"

/* Reads through `reader`'s view. Calls `fn` for each problem, also when the instance cannot be
 * read. Needs memory for the instance's tokens and jobs. 0, or ORR_E_MEMORY; an instance that is
 * gone has no problems. */
int verify_tokens(orr_engine *engine, unit *reader, orr_id instance, void (*fn)(void *ud, const char *problem), void *ud,
                  orr_error *err);

#endif
