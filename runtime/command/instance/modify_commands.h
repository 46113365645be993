/* Modification: canceling and starting activities of a running instance, also as the way an instance begins. */
#ifndef ORR_COMMAND_MODIFY_COMMANDS_H
#define ORR_COMMAND_MODIFY_COMMANDS_H

#include "state/execution.h"

/* The OP_* flags of a modification's options. */
uint32_t modify_flags(bool skip_listeners, bool skip_io_mappings);

/* Checks an array of instructions as far as the model alone can tell. `starting`: the instance does
 * not run yet, so nothing can be canceled. */
int modify_check(context *c, const definition *d, const orr_value *instructions, bool starting);
/* Plans checked instructions, one after the other. The instance ends when they leave nothing in it.
 * `reason` may be NULL. */
int modify_plan(context *c, orr_id instance, const orr_value *instructions, uint32_t flags, const char *reason);
/* Plans to begin each node, a multi-instance as a whole, in the scopes around it; those that do not
 * run are opened. The values of `local_variables` must live as long as the arena. */
int modify_begin(context *c, orr_id instance, const node *const *nodes, uint32_t count, const orr_value *local_variables);

#endif
