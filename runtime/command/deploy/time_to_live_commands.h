/* How long the history of a definition's instances is kept: what its record says. */
#ifndef ORR_TIME_TO_LIVE_COMMANDS_H
#define ORR_TIME_TO_LIVE_COMMANDS_H

#include "command/frame.h"

/* A historyTimeToLive as records keep it: "5" and "P5D" are a number of days, anything else the text; NULL: nothing. The
 * text is a copy. */
orr_value time_to_live_value(context *c, const char *text);

#endif
