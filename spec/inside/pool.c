/* The executor's pool without threads: what acquisition puts in, what one worker has in hand, and how its runs end, so that a
 * spec says in which order they meet; and shares of the work as a pure function. */
#include <string.h>

#include "executor/pool_internal.h"
#include "inside.h"

#define POOL_BOX "orrery_inside.pool"

enum { ROOM = 100, HANDS = LOCAL_QUEUE_MAX };

typedef struct pool_box {
  orr_executor executor;
  member member;
  worker worker;
  entry *hands[HANDS]; /* begun and not ended */
  int in_hand;
} pool_box;

static pool_box *check_box(lua_State *L) { return luaL_checkudata(L, 1, POOL_BOX); }

/* open() */
static int l_open(lua_State *L) {
  pool_box *box = lua_newuserdatauv(L, sizeof *box, 0);
  memset(box, 0, sizeof *box);
  luaL_setmetatable(L, POOL_BOX);
  orr_executor *x = &box->executor;
  env_system(&x->env);
  pthread_mutex_init(&x->mutex, NULL);
  pthread_cond_init(&x->acquire, NULL);
  pthread_cond_init(&x->progress, NULL);
  box->member = (member){.executor = x, .capacity = ROOM, .last = &box->member.first};
  box->worker.executor = x;
  x->members[0] = &box->member;
  x->n_members = x->n_workers = 1;
  x->workers = &box->worker;
  return 1;
}

/* acquired(job [, exclusive]): acquisition had reserved room for it, and has locked it. */
static int l_acquired(lua_State *L) {
  pool_box *box = check_box(L);
  box->member.in_flight++;
  const placed_job job = {.id = (orr_id)luaL_checkinteger(L, 2), .exclusive = (orr_id)luaL_optinteger(L, 3, 0)};
  pool_enqueue(&box->member, &job);
  return 0;
}

/* begin() -> the job that the worker begins, or nil. */
static int l_begin(lua_State *L) {
  pool_box *box = check_box(L);
  luaL_argcheck(L, box->in_hand < HANDS, 1, "the worker has its hands full");
  if (!local_queue_left(&box->worker.local)) pool_take(&box->worker);
  entry *e = local_queue_next(&box->worker.local);
  if (e) box->hands[box->in_hand++] = e;
  if (e) lua_pushinteger(L, (lua_Integer)e->job);
  else lua_pushnil(L);
  return 1;
}

static entry **in_hand(lua_State *L, pool_box *box) {
  orr_id job = (orr_id)luaL_checkinteger(L, 2);
  for (int i = 0; i < box->in_hand; i++)
    if (box->hands[i]->job == job) return &box->hands[i];
  luaL_argerror(L, 2, "the worker has not begun it");
  return NULL;
}

/* commits(job): the run is over, its answer is not there yet. */
static int l_commits(lua_State *L) {
  pool_committing(*in_hand(L, check_box(L)));
  return 0;
}

/* ends(job): the worker lets go of the first run of it that it has in hand. */
static int l_ends(lua_State *L) {
  pool_box *box = check_box(L);
  entry **at = in_hand(L, box), *e = *at;
  memmove(at, at + 1, (size_t)(&box->hands[--box->in_hand] - at) * sizeof *at);
  pool_finished(e);
  return 0;
}

/* in_flight() -> how many jobs have room. */
static int l_in_flight(lua_State *L) {
  lua_pushinteger(L, check_box(L)->member.in_flight);
  return 1;
}

static void end_all(pool_box *box) {
  while (box->in_hand) pool_finished(box->hands[--box->in_hand]);
}

static int l_gc(lua_State *L) {
  pool_box *box = check_box(L);
  const orr_allocator *allocator = &box->executor.env.allocator;
  end_all(box);
  pool_stop(&box->executor); /* what was not begun goes */
  size_t count = 0, capacity = 0;
  orr_id *given_back = pool_drain(&box->member, true, &count, &capacity);
  if (given_back) env_free(allocator, given_back, capacity * sizeof *given_back);
  for (entry *e = box->executor.idle_entries, *next; e; e = next) {
    next = e->next;
    env_free(allocator, e, sizeof *e);
  }
  table_free(&box->member.flight, allocator);
  table_free(&box->member.busy, allocator);
  return 0;
}

/* share(nodes, scope, page, front, id) -> the first id that is wanted; the first of the nodes asks. scope: 0 own, 1 second,
 * 2 all */
static int l_share(lua_State *L) {
  share s = {.front = (orr_id)luaL_checkinteger(L, 4)};
  for (lua_Integer i = 1; i <= luaL_len(L, 1); i++) {
    lua_geti(L, 1, i);
    s.nodes[s.count++] = (uint64_t)luaL_checkinteger(L, -1);
    lua_pop(L, 1);
  }
  share_begin(&s, (share_scope)luaL_checkinteger(L, 2), (uint32_t)luaL_checkinteger(L, 3));
  lua_pushinteger(L, (lua_Integer)share_next(&s, (orr_id)luaL_checkinteger(L, 5)));
  return 1;
}

void inside_pool(lua_State *L) {
  static const luaL_Reg functions[] = {{"open", l_open}, {"share", l_share}, {NULL, NULL}};
  static const luaL_Reg methods[] = {{"acquired", l_acquired}, {"begin", l_begin}, {"commits", l_commits},
                                     {"ends", l_ends}, {"in_flight", l_in_flight}, {"__gc", l_gc}, {NULL, NULL}};
  luaL_newmetatable(L, POOL_BOX);
  luaL_setfuncs(L, methods, 0);
  lua_pushvalue(L, -1);
  lua_setfield(L, -2, "__index");
  lua_pop(L, 1);
  luaL_setfuncs(L, functions, 0);
}
