/* Values, arenas and errors for the specs. Values go in and out as their encoded bytes; null is a light userdata. */
#include <errno.h>
#include <jansson.h>
#include <pthread.h>
#include <string.h>

#include "allocator.h"
#include "base/arena.h"
#include "base/builder.h"
#include "base/error.h"
#include "base/library.h"
#include "base/timed_lock.h"
#include "base/value.h"
#include "inside.h"
#include "values.h"

static int push_failure(lua_State *L, int rc, orr_error *err) {
  lua_pushnil(L);
  lua_pushstring(L, err->message);
  lua_pushinteger(L, rc);
  orr_error_clear(err);
  return 3;
}

static orr_value to_scalar(lua_State *L, int i) {
  size_t size;
  switch (lua_type(L, i)) {
    case LUA_TBOOLEAN: return orr_bool(lua_toboolean(L, i));
    case LUA_TNUMBER: return lua_isinteger(L, i) ? orr_int(lua_tointeger(L, i)) : orr_float(lua_tonumber(L, i));
    case LUA_TSTRING: {
      const char *text = lua_tolstring(L, i, &size);
      return orr_bytes(text, size);
    }
    case LUA_TLIGHTUSERDATA: return orr_null();
    default: return (orr_value){0};
  }
}

/* json_taken(text): is it JSON for jansson, which shares no code with us? */
static int l_json_taken(lua_State *L) {
  size_t size;
  const char *text = luaL_checklstring(L, 1, &size);
  size_t flags = JSON_DECODE_ANY | JSON_ALLOW_NUL | JSON_DECODE_INT_AS_REAL;
  json_t *root = json_loadb(text, size, flags, NULL);
  lua_pushboolean(L, !!root);
  json_decref(root);
  return 1;
}

static int push_encoded(lua_State *L, const orr_value *value) {
  luaL_Buffer buffer;
  size_t size = value_encoded_size(value);
  uint8_t *start = (uint8_t *)luaL_buffinitsize(L, &buffer, size);
  const uint8_t *end = value_encode(start, value);
  if (end != start + size) return luaL_error(L, "value_encode wrote another size than value_encoded_size said");
  luaL_pushresultsize(&buffer, size);
  return 1;
}

/* The decoded value borrows the Lua string's bytes. */
static int decode_argument(lua_State *L, int i, orr_value *value) {
  size_t size;
  const uint8_t *at = (const uint8_t *)luaL_checklstring(L, i, &size), *end = at + size;
  int rc = value_decode(&at, end, value);
  return !rc && at != end ? ORR_E_STORE : rc;
}

/* ---- Values ---------------------------------------------------------------------------------- */

/* Runs the steps "array", "map", "end", {key = k}, {add = v}, {embed = bytes}, {key = k, add = v}. */
static void build_steps(lua_State *L, int table, orr_builder *b) {
  for (lua_Integer i = 1, n = luaL_len(L, table); i <= n; i++) {
    if (lua_geti(L, table, i) == LUA_TSTRING) {
      const char *step = lua_tostring(L, -1);
      if (strcmp(step, "array") == 0) orr_builder_array(b);
      if (strcmp(step, "map") == 0) orr_builder_map(b);
      if (strcmp(step, "end") == 0) orr_builder_end(b);
      lua_pop(L, 1);
      continue;
    }
    size_t size;
    lua_getfield(L, -1, "key");
    const char *key = lua_tolstring(L, -1, &size);
    if (key) orr_builder_key(b, key, size);
    orr_value value = {0};
    if (lua_getfield(L, -2, "add") != LUA_TNIL) value = to_scalar(L, -1);
    if (lua_getfield(L, -3, "embed") != LUA_TNIL) decode_argument(L, lua_gettop(L), &value);
    lua_getfield(L, -4, "nothing");
    if (value.type != ORR_NIL || lua_toboolean(L, -1)) orr_builder_add(b, &value);
    lua_pop(L, 5);
  }
}

/* build(steps, [n-th allocation that fails]) -> bytes | nil, message, code; raises when memory is left over */
static int l_build(lua_State *L) {
  luaL_checktype(L, 1, LUA_TTABLE);
  failing_allocator memory;
  failing_allocator_init(&memory);
  failing_allocator_arm(&memory, (size_t)luaL_optinteger(L, 2, 0), false);
  orr_allocator hook = failing_allocator_hook(&memory);
  orr_builder *b = builder_new(&hook);
  orr_error err = {0};
  if (!b) return push_failure(L, ORR_E_MEMORY, &err);
  build_steps(L, 1, b);
  orr_value value;
  int rc = orr_builder_value(b, &value, &err);
  int results = rc ? push_failure(L, rc, &err) : push_encoded(L, &value);
  orr_builder_free(b);
  return memory.live == 0 ? results : luaL_error(L, "%d bytes leaked", (int)memory.live);
}

/* decode(bytes) -> true, value | nil, "damaged" */
static int l_decode(lua_State *L) {
  orr_value value;
  if (decode_argument(L, 1, &value)) {
    lua_pushnil(L);
    lua_pushstring(L, "damaged");
    return 2;
  }
  lua_pushboolean(L, 1);
  inside_push_value(L, &value);
  return 2;
}

/* validate(bytes) -> code; also walks, counts, copies and compares, none of which may leave the bytes */
static int l_validate(lua_State *L) {
  orr_value value, copy;
  int rc = decode_argument(L, 1, &value);
  if (!rc) {
    orr_arena *arena = arena_new(NULL);
    if (!arena || value_copy(arena, &value, &copy)) return luaL_error(L, "out of memory");
    rc = value_validate(&copy, 0);
    orr_count(&copy);
    value_equal(&value, &copy);
    if (value_compare(&value, &copy, NULL) != 0) rc = 1;
    arena_free(arena);
  }
  lua_pushinteger(L, rc);
  return 1;
}

static int l_compare(lua_State *L) {
  orr_value a, b;
  if (decode_argument(L, 1, &a) || decode_argument(L, 2, &b)) return luaL_error(L, "damaged");
  bool comparable;
  int order = value_compare(&a, &b, &comparable);
  lua_pushinteger(L, (order > 0) - (order < 0));
  lua_pushboolean(L, comparable);
  lua_pushboolean(L, value_equal(&a, &b));
  return 3;
}

static int l_map_get(lua_State *L) {
  orr_value map;
  if (decode_argument(L, 1, &map)) return luaL_error(L, "damaged");
  orr_value value = orr_map_get(&map, luaL_checkstring(L, 2));
  inside_push_value(L, &value);
  return 1;
}

/* seconds(milliseconds) -> a value */
static int l_seconds(lua_State *L) {
  orr_value value = orr_seconds(luaL_checkinteger(L, 1));
  inside_push_value(L, &value);
  return 1;
}

/* milliseconds(encoded) -> an integer, or nil for no time */
static int l_milliseconds(lua_State *L) {
  orr_value value;
  if (decode_argument(L, 1, &value)) return luaL_error(L, "damaged");
  int64_t ms = orr_milliseconds(&value);
  if (ms == ORR_TIME_NONE) lua_pushnil(L);
  else lua_pushinteger(L, ms);
  return 1;
}

/* Does it read back to the end of its own bytes, whatever `behind` follows them? */
static bool varint_reads_back(uint64_t n, uint8_t behind, size_t more) {
  uint8_t bytes[32];
  memset(bytes, behind, sizeof bytes);
  const uint8_t *at = bytes, *end = varint_put(bytes, n);
  uint64_t back = ~n;
  return !varint_get(&at, end + more, &back) && at == end && back == n;
}

/* varint(n) -> bytes, that read back as n wherever they lie */
static int l_varint(lua_State *L) {
  uint64_t n = (uint64_t)luaL_checkinteger(L, 1);
  uint8_t bytes[16];
  const uint8_t *end = varint_put(bytes, n);
  if ((size_t)(end - bytes) != varint_size(n)) return luaL_error(L, "varint_size differs");
  for (size_t more = 0; more <= 8; more++)
    if (!varint_reads_back(n, 0, more) || !varint_reads_back(n, 0xFF, more))
      return luaL_error(L, "varint_get failed");
  lua_pushlstring(L, (const char *)bytes, (size_t)(end - bytes));
  return 1;
}

static int l_varint_get(lua_State *L) {
  size_t size;
  uint64_t n;
  const uint8_t *at = (const uint8_t *)luaL_checklstring(L, 1, &size);
  lua_pushinteger(L, varint_get(&at, at + size, &n));
  return 1;
}

/* ---- Arenas ---------------------------------------------------------------------------------- */

/* arena(sizes, [n-th allocation that fails]) -> used, live after reset, live after free | nil when memory was out.
 * Every block is filled with its number and checked at the end, so blocks that overlap are seen. Raises on a fault. */
static int l_arena(lua_State *L) {
  lua_settop(L, 2);
  size_t count = (size_t)luaL_len(L, 1);
  unsigned char **blocks = lua_newuserdatauv(L, (count + 1) * sizeof *blocks, 0);
  failing_allocator memory;
  failing_allocator_init(&memory);
  failing_allocator_arm(&memory, (size_t)luaL_optinteger(L, 2, 0), false);
  orr_allocator hook = failing_allocator_hook(&memory);
  orr_arena *arena = arena_new(&hook);
  const char *fault = NULL;
  bool out = !arena;
  for (size_t i = 0; i < count && !out; i++) {
    lua_geti(L, 1, (lua_Integer)i + 1);
    size_t size = (size_t)lua_tointeger(L, -1);
    lua_pop(L, 1);
    blocks[i] = arena_alloc(arena, size / 2);
    if (blocks[i]) memset(blocks[i], (int)(i & 0xFF), size / 2);
    if (blocks[i]) blocks[i] = arena_grow(arena, blocks[i], size / 2, size);
    out = !blocks[i];
    if (out) break;
    if ((uintptr_t)blocks[i] % 16 != 0) fault = "not aligned";
    memset(blocks[i] + size / 2, (int)(i & 0xFF), size - size / 2);
  }
  for (size_t i = 0; i < count && !out; i++) {
    lua_geti(L, 1, (lua_Integer)i + 1);
    size_t size = (size_t)lua_tointeger(L, -1);
    lua_pop(L, 1);
    for (size_t j = 0; j < size; j++) {
      if (blocks[i][j] != (i & 0xFF)) fault = "blocks overlap";
    }
  }
  lua_pushinteger(L, arena ? (lua_Integer)arena_used(arena) : 0);
  if (arena) arena_reset(arena);
  lua_pushinteger(L, (lua_Integer)memory.live);
  arena_free(arena);
  lua_pushinteger(L, (lua_Integer)memory.live);
  if (fault) return luaL_error(L, "%s", fault);
  if (out && memory.live != 0) return luaL_error(L, "leaked");
  if (out) lua_pushnil(L);
  return out ? 1 : 3;
}

static int l_arena_printf(lua_State *L) {
  orr_arena *arena = arena_new(NULL);
  if (!arena) return luaL_error(L, "out of memory");
  const char *text = arena_printf(arena, "%s-%d", luaL_checkstring(L, 1), (int)luaL_checkinteger(L, 2));
  lua_pushstring(L, text);
  arena_free(arena);
  return 1;
}

/* ---- Errors ---------------------------------------------------------------------------------- */

static int push_error(lua_State *L, const orr_error *err) {
  lua_newtable(L);
  lua_pushinteger(L, err->code);
  lua_setfield(L, -2, "code");
  lua_pushstring(L, err->message);
  lua_setfield(L, -2, "message");
  lua_pushstring(L, err->traceback);
  lua_setfield(L, -2, "traceback");
  lua_pushstring(L, orr_error_kind(err->code));
  lua_setfield(L, -2, "kind");
  if (err->details) {
    lua_pushinteger(L, value_validate(err->details, 0));
    lua_setfield(L, -2, "validity");
    inside_push_value(L, err->details);
    lua_setfield(L, -2, "details");
  }
  return 1;
}

/* error{code, message, wrap = text, traceback = text, details = {{name, value}, ...}} -> its fields, after a move */
static int l_error(lua_State *L) {
  orr_error err = {0}, moved = {0};
  lua_geti(L, 1, 1);
  lua_geti(L, 1, 2);
  error_set(&err, (int)lua_tointeger(L, -2), "%s", lua_tostring(L, -1));
  if (lua_getfield(L, 1, "wrap") == LUA_TSTRING && error_wrap(&err, "%s", lua_tostring(L, -1)) != err.code)
    return luaL_error(L, "code");
  lua_getfield(L, 1, "traceback");
  error_traceback(&err, lua_tostring(L, -1));
  if (lua_getfield(L, 1, "details") == LUA_TTABLE) {
    int details = lua_gettop(L);
    for (lua_Integer i = 1, n = luaL_len(L, details); i <= n; i++) {
      lua_geti(L, details, i);
      lua_geti(L, -1, 1);
      lua_geti(L, -2, 2);
      orr_value value = to_scalar(L, -1);
      if (error_detail(&err, lua_tostring(L, -2), &value)) return luaL_error(L, "out of memory");
      lua_pop(L, 3);
    }
  }
  error_move(&moved, &err);
  if (err.code != 0 || err.message || err.details) return luaL_error(L, "error_move left something");
  push_error(L, &moved);
  orr_error_clear(&moved);
  orr_error_clear(&moved);
  return 1;
}

static int l_strerror(lua_State *L) {
  int code = (int)luaL_checkinteger(L, 1);
  lua_pushstring(L, orr_strerror(code));
  lua_pushstring(L, orr_error_kind(code));
  return 2;
}

/* library(file, function): whether it points to something then, or nil, a message and a code. */
static int l_library(lua_State *L) {
  const char *names[] = {luaL_checkstring(L, 2), NULL};
  void (*function)(void) = NULL;
  library l = {.file = luaL_checkstring(L, 1), .names = names, .functions = &function};
  orr_error err = {0};
  int rc = library_load(&l, &err);
  if (rc) return push_failure(L, rc, &err);
  lua_pushboolean(L, function ? 1 : 0);
  return 1;
}

typedef struct lock_try {
  pthread_mutex_t mutex;
  int heard; /* what the other thread heard */
} lock_try;

static void *try_to_lock(void *ud) {
  lock_try *with = ud;
  with->heard = timed_lock(&with->mutex, 1);
  if (!with->heard) pthread_mutex_unlock(&with->mutex);
  return NULL;
}

static const char *hear_of_lock(lua_State *L, lock_try *with) {
  pthread_t thread;
  if (pthread_create(&thread, NULL, try_to_lock, with)) luaL_error(L, "no thread");
  pthread_join(thread, NULL);
  return with->heard == ETIMEDOUT ? "late" : with->heard ? "neither" : "locked";
}

/* timed_lock() -> what another thread hears of a mutex that is held, and of the same when it is
 * free */
static int l_timed_lock(lua_State *L) {
  lock_try with = {.mutex = PTHREAD_MUTEX_INITIALIZER};
  int own = timed_lock(&with.mutex, 1);
  if (own) return luaL_error(L, "a free mutex was not locked: %s", strerror(own));
  lua_pushstring(L, hear_of_lock(L, &with));
  pthread_mutex_unlock(&with.mutex);
  lua_pushstring(L, hear_of_lock(L, &with));
  return 2;
}

void inside_base(lua_State *L) {
  static const luaL_Reg functions[] = {
    {"json_taken", l_json_taken}, {"seconds", l_seconds},  {"milliseconds", l_milliseconds},
    {"build", l_build},           {"decode", l_decode},   {"validate", l_validate},     {"compare", l_compare},
    {"map_get", l_map_get},       {"varint", l_varint},   {"varint_get", l_varint_get}, {"arena", l_arena},
    {"arena_printf", l_arena_printf}, {"error", l_error}, {"strerror", l_strerror},     {"library", l_library},
    {"timed_lock", l_timed_lock},
    {NULL, NULL},
  };
  luaL_setfuncs(L, functions, 0);
  lua_pushlightuserdata(L, NULL);
  lua_setfield(L, -2, "null");
}
