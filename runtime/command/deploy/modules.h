/* The Lua modules among the resources of a deployment. */
#ifndef ORR_MODULES_H
#define ORR_MODULES_H

#include "command/deploy/models.h"

/* Adds a problem for each module that is no Lua, and a warning for each that returns nothing
 * although a model asks for it. 0 or the context's error. */
int modules_check(context *c, const orr_value *resources, problems *list);

/* The name by which models ask for the module in a file, with dots for slashes. NULL: out of
 * memory. */
const char *module_name(context *c, rec_text file);
/* Does a BPMN model ask for a module of this name, as a class, a delegate or a bean? Searches its
 * text, so a mention in a comment counts. False is also a failure (c->error). */
bool module_asked_for(context *c, const orr_value *text, const char *module);

#endif
