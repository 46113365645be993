/* Throwing signals. */
#ifndef ORR_EXEC_EVENT_SIGNAL_H
#define ORR_EXEC_EVENT_SIGNAL_H

#include "exec/event/subscription.h"

/* Whom a signal reaches. */
typedef struct signal_reach {
  const char *tenant; /* only receivers of this tenant; "": of no tenant; NULL: of all */
  bool nobody;        /* besides a tenant's, also those of no tenant */
  orr_id within;      /* only the call hierarchy of this instance; 0: everything */
} signal_reach;

/* Throws a signal to all receivers now (or by jobs when `async`). */
int signal_throw(context *c, const char *name, const signal_reach *reach, bool async, const signal_payload *sent);
/* The same to one subscription; a suspended receiver is ORR_E_SUSPENDED. */
int signal_send(context *c, const rec_subscription *s, bool async, const signal_payload *sent);
/* Runs a job that delivers a signal to one subscription. */
int signal_job(context *c, rec_job *job);

#endif
