/* How long the history of a definition's instances is kept. */
#ifndef ORR_TIME_TO_LIVE_COMMANDS_H
#define ORR_TIME_TO_LIVE_COMMANDS_H

#include "command/frame.h"

/* A historyTimeToLive as records keep it: a number of days for "5" and "P5D", else a copy of the
 * text; NULL: nothing. */
orr_value time_to_live_value(context *c, const char *text);

#endif
