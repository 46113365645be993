/* The objects that delegates, listeners and scripts get. */
#ifndef ORRERY_HOST_HOST_EXECUTION_H
#define ORRERY_HOST_HOST_EXECUTION_H

#include "bindings/host/host_types.h"

/* Pushes the object that the fiber's callee gets: the execution, or the task of a task listener. */
void execution_push(lua_State *L, fiber *f);
/* The same as scripts and expressions get it: it leads to no engine but the view of one. */
void execution_push_script(lua_State *L, fiber *f);
/* Puts the execution on top as scripts have it in its place; false, and nothing done, for what is
 * no execution. */
bool execution_script_side(lua_State *L);
/* The same for the execution as delegates have it. */
bool execution_host_side(lua_State *L);
/* Pushes the object of the task whose listener the fiber runs. */
void task_push(lua_State *L, fiber *f);
/* texts_compute(execution): does its model's dialect replace expressions in texts that variables hold? Module function. */
int execution_texts_compute(lua_State *L);
/* Makes the class of execution objects, once for each Lua state. */
void execution_open(lua_State *L, orrl_state *state);
/* Pushes the Lua engine of this thread. */
void host_push_engine(lua_State *L, lua_thread *t);

#endif
