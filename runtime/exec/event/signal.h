/* Throwing signals. */
#ifndef ORR_EXEC_EVENT_SIGNAL_H
#define ORR_EXEC_EVENT_SIGNAL_H

#include "exec/event/subscription.h"

/* Throws a signal to all receivers now (or by jobs when `async`). `instance` limits it to one call hierarchy; 0: everyone.
 * `tenant`: of this tenant and of nobody; "": of nobody; NULL: of everyone. */
int signal_throw(context *c, const char *name, const char *tenant, orr_id instance, bool async, const signal_payload *sent);
/* The same to one subscription; a suspended receiver is ORR_E_SUSPENDED. */
int signal_send(context *c, const rec_subscription *s, bool async, const signal_payload *sent);

#endif
