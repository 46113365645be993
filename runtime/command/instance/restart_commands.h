/* Restarting one ended instance. orr_engine_instances_restart is the command for many. */
#ifndef ORR_COMMAND_RESTART_COMMANDS_H
#define ORR_COMMAND_RESTART_COMMANDS_H

#include "command/frame.h"

/* Starts a new instance of the definition with the variables that the ended one had, and plans its
 * first steps. Uses the options that say how to start; their instructions are checked already.
 * ORR_E_ARGUMENT: its history does not allow it. */
int restart_from_history(context *c, orr_id definition, const orr_restart_options *options, orr_id ended);

#endif
