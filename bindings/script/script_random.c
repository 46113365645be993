/* math.random and math.randomseed of scripts: a generator of each script's own (xoshiro256**), so that none of them moves, or
 * foretells, the numbers of the host program or of another script. */
#include "bindings/script/script_library.h"

#include <string.h>

#include "bindings/host/host_types.h"

static uint64_t rotate_left(uint64_t x, int by) { return x << by | x >> (64 - by); }

static uint64_t next_random(script_random *r) {
  uint64_t *s = r->state, result = rotate_left(s[1] * 5, 7) * 9, moved = s[1] << 17;
  s[2] ^= s[0];
  s[3] ^= s[1];
  s[1] ^= s[2];
  s[0] ^= s[3];
  s[2] ^= moved;
  s[3] = rotate_left(s[3], 45);
  return result;
}

static void seed_random(script_random *r, uint64_t a, uint64_t b) {
  *r = (script_random){.seeded = true, .state = {a, 0xff, b, 0}};
  for (int i = 0; i < 16; i++) next_random(r); /* what is near is far apart then */
}

static uint64_t outside_random(const fiber *f) {
  const orr_env *env = &f->thread->host->base.engine->env;
  return env->random(env->ud);
}

/* The running script's; raises when none runs. */
static fiber *drawing(lua_State *L) {
  fiber *f = orrl_own_state(L)->running;
  if (!f || !f->thread) luaL_error(L, "random numbers are for running scripts");
  return f;
}

static uint64_t draw(lua_State *L) {
  fiber *f = drawing(L);
  if (!f->random.seeded) seed_random(&f->random, outside_random(f), outside_random(f));
  return next_random(&f->random);
}

/* One of 0..most, each as likely as the others. */
static uint64_t draw_up_to(lua_State *L, uint64_t most) {
  uint64_t mask = most, drawn;
  for (int by = 1; by < 64; by *= 2) mask |= mask >> by;
  do drawn = draw(L) & mask;
  while (drawn > most);
  return drawn;
}

static int push_between(lua_State *L, lua_Integer low, lua_Integer high, int argument) {
  luaL_argcheck(L, low <= high, argument, "interval is empty");
  uint64_t most = (uint64_t)high - (uint64_t)low;
  lua_pushinteger(L, (lua_Integer)((uint64_t)low + draw_up_to(L, most)));
  return 1;
}

/* random(), random(high), random(low, high); random(0): all bits */
static int math_random(lua_State *L) {
  switch (lua_gettop(L)) {
    case 0: lua_pushnumber(L, (lua_Number)(draw(L) >> 11) * 0x1p-53); return 1;
    case 1:
      if (luaL_checkinteger(L, 1) != 0) return push_between(L, 1, luaL_checkinteger(L, 1), 1);
      lua_pushinteger(L, (lua_Integer)draw(L));
      return 1;
    case 2: return push_between(L, luaL_checkinteger(L, 1), luaL_checkinteger(L, 2), 2);
    default: return luaL_error(L, "wrong number of arguments");
  }
}

/* The bits of a number that is no integer. */
static lua_Integer seed_of(lua_Number n) {
  lua_Integer bits;
  memcpy(&bits, &n, sizeof bits);
  return bits;
}

/* randomseed(), randomseed(a, b): for this script alone, and until it ends; the seeds */
static int math_randomseed(lua_State *L) {
  fiber *f = drawing(L);
  bool given = !lua_isnoneornil(L, 1);
  lua_Integer a = given ? seed_of(luaL_checknumber(L, 1)) : (lua_Integer)outside_random(f);
  if (lua_isinteger(L, 1)) a = lua_tointeger(L, 1);
  lua_Integer b = given ? luaL_optinteger(L, 2, 0) : (lua_Integer)outside_random(f);
  seed_random(&f->random, (uint64_t)a, (uint64_t)b);
  lua_pushinteger(L, a);
  lua_pushinteger(L, b);
  return 2;
}

const script_function script_numbers[] = {{"random", math_random}, {"randomseed", math_randomseed}, {NULL, NULL}};
