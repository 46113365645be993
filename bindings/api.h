/* What the generated glue offers the hand-written rooms. */
#ifndef ORRERY_ORRL_API_H
#define ORRERY_ORRL_API_H

#include "bindings/arguments.h"
#include "bindings/orrl.h"

extern const orrl_class orrl_engine_class, orrl_executor_class, orrl_feed_class, orrl_records_class, orrl_execution_class;
extern const orrl_options orrl_config, orrl_executor_options;
extern const luaL_Reg orrl_functions[]; /* of the module, not of an object */

/* Makes the metatables of every class. */
void orrl_open_classes(lua_State *L, orrl_state *state);

#endif
