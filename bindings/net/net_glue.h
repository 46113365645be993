/* orrery.core's net_*: clients of runtime/net, and the calls that Lua starts on them; and between its files how a call is
 * begun and answered. */
#ifndef ORRERY_NET_GLUE_H
#define ORRERY_NET_GLUE_H

#include <lauxlib.h>

#include "base/trace.h"
#include "bindings/host/fiber.h"
#include "net/client.h"

extern const luaL_Reg net_functions[];
/* Makes the classes of clients and of the handles of calls, once for each Lua state. */
void net_glue_open(lua_State *L);
/* The engine closes: its clients on this state's thread close, and their calls end without an answer. */
void net_drop(orrl_state *state, const orr_engine *engine);
/* The fiber is given up in the middle of its call: what it started goes with it. */
void net_abandon(orrl_state *state, const fiber *f);

typedef struct net_box net_box;   /* a client, as Lua holds it */
typedef struct net_job net_job;   /* a call that is under way */

/* The stack of each function: client, request, done. */
/* The client at index 1; raises when its engine is closed, or index 2 is no table. */
net_client *net_glue_client(lua_State *L);
/* Makes the job and pushes its handle; `done` must lie at index 3. `detached`: it outlives the fiber that starts it. */
net_job *net_glue_begin(lua_State *L, bool detached);
/* What the starting function answered: returns the handle to Lua, or raises. */
int net_glue_started(lua_State *L, net_job *job, net_call *call, orr_error *err);
/* Calls done with what `push` pushes (it returns how many), and forgets the job. */
void net_glue_answer(net_job *job, int (*push)(lua_State *L, const void *answer), const void *answer);
/* done(nil, name of the error, message) */
void net_glue_failed(net_job *job, net_error error, const char *message);

/* The span of the job's call, which ends with the job; NULL is fine, and is what it has without one. */
void net_glue_trace(net_job *job, trace_span *s);
/* The same span, for what is to be said of it. */
trace_span *net_glue_span(net_job *job);

/* Fields of the request at index 2. What they return stays on the stack, and so valid, until the function returns. */
const char *net_field(lua_State *L, const char *name, size_t *size, bool *secret); /* NULL: not given */
/* `otherwise` when it is not given. */
const char *net_text_field(lua_State *L, const char *name, const char *otherwise);
/* Raises when it is no integer; `otherwise` when it is not given. */
int64_t net_integer_field(lua_State *L, const char *name, int64_t otherwise);
int64_t net_ms_field(lua_State *L, const char *name);                              /* given in seconds */
bool net_flag_field(lua_State *L, const char *name);                               /* false: not given */
/* An array of texts; `count` entries and a NULL. */
const char **net_texts_field(lua_State *L, const char *name, size_t *count, size_t *secrets);

#endif
