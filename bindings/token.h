/* Tokens of OAuth that an engine's threads share: one for each name, and one of them at a time fetches it. */
#ifndef ORRERY_TOKEN_H
#define ORRERY_TOKEN_H

#include <lauxlib.h>

#include "bindings/host/host_types.h"

extern const luaL_Reg token_functions[];
/* The host goes: frees the tokens that it holds. No thread fetches one any more. */
void tokens_free(lua_host *h);

#endif
