/* Jobs of timer events. */
#ifndef ORR_TIMER_EVENT_H
#define ORR_TIMER_EVENT_H

#include "state/execution.h"

/* An intermediate event's timer fires, once. */
int timer_catch_job(context *c, rec_job *job);
/* That of a boundary event or an event sub-process; a cycle goes on. */
int timer_repeating_job(context *c, rec_job *job);

#endif
