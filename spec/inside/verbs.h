/* The public verbs for specs, by name: each takes one table of arguments and gives its answer, or nil, message, code. */
#ifndef ORR_INSIDE_VERBS_H
#define ORR_INSIDE_VERBS_H

#include "inside.h"
#include "orrery.h"

typedef struct verb verb;

const verb *verb_at(size_t i); /* NULL behind the last */
const verb *verb_named(const char *name);
const char *verb_name(const verb *v);
/* The verb that argument 2 names. The name goes, and argument 3 is argument 2 then. */
const verb *verb_argument(lua_State *L);

/* Argument 2 on the stack is the table of arguments, or nil; everything above it goes. How many results were pushed. */
int verb_call(lua_State *L, const verb *v, orr_engine *engine);
/* nil, message, code; clears the error. */
int verb_push_failure(lua_State *L, int rc, orr_error *err);

#endif
