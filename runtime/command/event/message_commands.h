/* Messages to what waits in one instance. orr_engine_message is the command. */
#ifndef ORR_COMMAND_MESSAGE_COMMANDS_H
#define ORR_COMMAND_MESSAGE_COMMANDS_H

#include "command/frame.h"

/* Plans the delivery to everything in a running instance that waits for this message (NULL: for
 * any). `variables` (a map that lives as long as the arena; ORR_NIL: none) are set in the instance.
 * *none: nothing waits for it, or the instance is suspended. */
int message_deliver_within(context *c, orr_id instance, const char *name, const orr_value *variables, bool *none);
/* Runs a job that delivers a message to one subscription, or starts an instance. */
int message_job(context *c, rec_job *job);

#endif
