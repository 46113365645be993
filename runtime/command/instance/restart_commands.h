/* Restarting one ended instance; orr_engine_restart is the command over many. */
#ifndef ORR_COMMAND_RESTART_COMMANDS_H
#define ORR_COMMAND_RESTART_COMMANDS_H

#include "command/frame.h"

/* Starts a new instance of the definition with the variables that an ended one had, and plans its first steps. Of the
 * options those are used that say how; the instructions must be checked. ORR_E_ARGUMENT: its history does not allow it. */
int restart_from_history(context *c, orr_id definition, const orr_restart_options *options, orr_id ended);

#endif
