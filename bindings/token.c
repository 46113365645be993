/* The cache behind lua/orrery/outside/oauth.lua. A token lives in the host, under its mutex; Lua gets it as a secret. A thread
 * that says it will fetch one is believed until its time is up, so that a fetch that is lost holds nobody up for ever. */
#include "bindings/token.h"

#include <stdlib.h>
#include <string.h>

#include "bindings/api.h"
#include "bindings/host/host.h"
#include "bindings/net/secret.h"

struct token {
  token *next;
  char *name, *text;    /* text NULL: none */
  uint64_t expires_ns;  /* monotonic */
  uint64_t fetched_until_ns; /* somebody fetches it, who has until then; 0: nobody does */
};

static lua_host *host_argument(lua_State *L) {
  const orrl_box *box = luaL_checkudata(L, 1, orrl_engine_class.name);
  if (!box->object) luaL_error(L, "the engine has been closed");
  return host_of(box->object);
}

/* Under the mutex; NULL when memory is out. */
static token *find_token(lua_host *h, const char *name) {
  for (token *t = h->tokens; t; t = t->next)
    if (strcmp(t->name, name) == 0) return t;
  token *t = calloc(1, sizeof *t);
  if (!t || !(t->name = strdup(name))) {
    free(t);
    return NULL;
  }
  t->next = h->tokens;
  h->tokens = t;
  return t;
}

/* token_take(engine, name, seconds) -> the token; or nil and true: the caller fetches it, and has so many seconds; or nil
 * and false: somebody else does */
static int token_take(lua_State *L) {
  lua_host *h = host_argument(L);
  const char *name = luaL_checkstring(L, 2);
  double seconds = luaL_checknumber(L, 3);
  uint64_t now = uv_hrtime();
  pthread_mutex_lock(&h->mutex);
  token *t = find_token(h, name);
  char *text = t && t->text && now < t->expires_ns ? strdup(t->text) : NULL;
  bool fetch = t && !text && now >= t->fetched_until_ns;
  if (fetch) t->fetched_until_ns = now + (uint64_t)(seconds * 1e9);
  pthread_mutex_unlock(&h->mutex);
  if (!t) return luaL_error(L, "out of memory");
  if (text) {
    lua_pushstring(L, text);
    free(text);
    secret_wrap(L);
    return 1;
  }
  lua_pushnil(L);
  lua_pushboolean(L, fetch);
  return 2;
}

/* token_put(engine, name, text or nil, seconds): the fetch is over; nil: it failed, or the token is no good. */
static int token_put(lua_State *L) {
  lua_host *h = host_argument(L);
  const char *name = luaL_checkstring(L, 2), *given = luaL_optstring(L, 3, NULL);
  double seconds = luaL_optnumber(L, 4, 0);
  char *text = given ? strdup(given) : NULL;
  pthread_mutex_lock(&h->mutex);
  token *t = find_token(h, name);
  if (t) {
    free(t->text);
    t->text = text;
    t->expires_ns = uv_hrtime() + (uint64_t)((seconds > 0 ? seconds : 0) * 1e9);
    t->fetched_until_ns = 0;
  } else {
    free(text);
  }
  pthread_mutex_unlock(&h->mutex);
  return 0;
}

void tokens_free(lua_host *h) {
  for (token *t = h->tokens, *next; t; t = next) {
    next = t->next;
    free(t->name);
    free(t->text);
    free(t);
  }
}

const luaL_Reg token_functions[] = {{"token_take", token_take}, {"token_put", token_put}, {NULL, NULL}};
