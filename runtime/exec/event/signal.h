/* Throwing signals. */
#ifndef ORR_EXEC_EVENT_SIGNAL_H
#define ORR_EXEC_EVENT_SIGNAL_H

#include "exec/event/subscription.h"

/* Whom a signal reaches. */
typedef struct signal_reach {
  const char *tenant; /* those of this tenant alone; "": of nobody; NULL: of everyone */
  bool nobody;        /* beside a tenant's those of nobody, too */
  orr_id within;      /* the call hierarchy of this instance alone; 0: everyone */
} signal_reach;

/* Throws a signal to all receivers now (or by jobs when `async`). */
int signal_throw(context *c, const char *name, const signal_reach *reach, bool async, const signal_payload *sent);
/* The same to one subscription; a suspended receiver is ORR_E_SUSPENDED. */
int signal_send(context *c, const rec_subscription *s, bool async, const signal_payload *sent);
/* A job by which a signal reaches one subscription. */
int signal_job(context *c, rec_job *job);

#endif
