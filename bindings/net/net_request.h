/* Calls over HTTP and SMTP, and programs, as Lua starts them. */
#ifndef ORRERY_NET_NET_REQUEST_H
#define ORRERY_NET_NET_REQUEST_H

#include "bindings/net/net_glue.h"

/* http(client, request, done): starts a call over HTTP and returns its handle. Module function. */
int net_glue_http(lua_State *L);
/* mail(client, message, done): the same with a message over SMTP. */
int net_glue_mail(lua_State *L);
/* spawn(client, process, done): the same with a program of this machine. */
int net_glue_spawn(lua_State *L);

#endif
