/* Jobs of timer events. */
#ifndef ORR_TIMER_EVENT_H
#define ORR_TIMER_EVENT_H

#include "state/execution.h"

/* The timer of an intermediate event fires, once. */
int timer_catch_job(context *c, rec_job *job);
/* The timer of a boundary event or an event sub-process fires; a cycle continues. */
int timer_repeating_job(context *c, rec_job *job);

#endif
