/* The server's pool of threads, at an end that no client can time. */
#include <semaphore.h>
#include <string.h>

#include "inside.h"
#include "server/transport/pool.h"

enum { THREADS = 4 };

static sem_t begun, may_end;

static void warm_nothing(void *ud) { (void)ud; }

/* Keeps the only place until the other request has run. */
static void hold_place(request *q) {
  (void)q;
  sem_post(&begun);
  while (sem_wait(&may_end)) continue;
}

static void allow_end(request *q) {
  (void)q;
  sem_post(&may_end);
}

/* end_while_full() -> true: the pool has ended, though its only place was taken and a request
 * waited that alone could free it */
static int l_end_while_full(lua_State *L) {
  static request holds, waits;
  memset(&holds, 0, sizeof holds);
  memset(&waits, 0, sizeof waits);
  pool *p = pool_new(THREADS, 1, warm_nothing, NULL);
  if (!p) return luaL_error(L, "out of memory");
  sem_init(&begun, 0, 0);
  sem_init(&may_end, 0, 0);
  bool taken = pool_submit(p, &holds, hold_place);
  while (taken && sem_wait(&begun)) continue;
  taken = taken && pool_submit(p, &waits, allow_end);
  pool_end(p);
  pool_free(p);
  sem_destroy(&begun);
  sem_destroy(&may_end);
  lua_pushboolean(L, taken);
  return 1;
}

void inside_server_pool(lua_State *L) {
  static const luaL_Reg functions[] = {{"end_while_full", l_end_while_full}, {NULL, NULL}};
  luaL_setfuncs(L, functions, 0);
}
