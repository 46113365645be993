/* Stores for the specs. A store is a userdata with an allocator of its own that can be told to fail; a failure is nil,
 * message, code, mark: "away", "in doubt" or "". */
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "allocator.h"
#include "base/error.h"
#include "hurry.h"
#include "inside.h"
#include "store/copy.h"
#include "store/dump.h"
#include "store/fault.h"
#include "store/open_checks.h"
#include "store/lmdb/lmdb_internal.h"
#include "store/memory.h"
#include "store/open.h"
#include "store/lmdb/pages.h"
#include "store/postgresql/schema.h"
#include "uow/readers.h"

#define STORE_BOX "orrery_inside.store"
#define SNAPSHOT_BOX "orrery_inside.snapshot"

typedef struct store_box {
  store *store;
  failing_allocator allocator;
  orr_env env;
  atomic_uint_fast64_t heard;
  atomic_uint_fast64_t told[2]; /* how often that it stays away, and that it is back */
  bool hears;
} store_box;

typedef struct snapshot_box {
  store_snapshot *snapshot;
} snapshot_box;

static int push_failure(lua_State *L, int rc, orr_error *err) {
  lua_pushnil(L);
  lua_pushstring(L, err->message);
  lua_pushinteger(L, rc);
  bool away = error_marked(err, STORE_AWAY), doubt = error_marked(err, STORE_IN_DOUBT);
  lua_pushstring(L, away && doubt ? "both" : away ? "away" : doubt ? "in doubt" : "");
  orr_error_clear(err);
  return 4;
}

static store_box *check_box(lua_State *L) { return luaL_checkudata(L, 1, STORE_BOX); }

static store *check_store(lua_State *L) {
  store_box *box = check_box(L);
  luaL_argcheck(L, box->store, 1, "closed store");
  return box->store;
}

static store_snapshot *check_snapshot(lua_State *L, int i) {
  snapshot_box *box = luaL_checkudata(L, i, SNAPSHOT_BOX);
  luaL_argcheck(L, box->snapshot, i, "closed snapshot");
  return box->snapshot;
}

static void note_watched(void *ud, const orr_error *why, int64_t ms) {
  (void)ms;
  atomic_fetch_add(&((store_box *)ud)->told[!why], 1);
}

/* store:state() -> "well", "away" or "failed"; how often it has told that it stays away, and that it is back */
static int l_state(lua_State *L) {
  static const char *const names[] = {"well", "away", "failed"};
  const store_box *box = check_box(L);
  lua_pushstring(L, names[store_state_of(check_store(L))]);
  for (int i = 0; i < 2; i++) lua_pushinteger(L, (lua_Integer)atomic_load(&box->told[i]));
  return 3;
}

/* ---- Opening --------------------------------------------------------------------------------- */

/* open{memory = bool, fault = bool, path, no_sync, map_size, fail_at}: fail_at arms the allocator before opening. */
static int l_open(lua_State *L) {
  luaL_checktype(L, 1, LUA_TTABLE);
  lua_settop(L, 1);
  store_box *box = lua_newuserdatauv(L, sizeof *box, 0);
  *box = (store_box){0};
  failing_allocator_init(&box->allocator);
  env_system(&box->env);
  box->env.allocator = failing_allocator_hook(&box->allocator);
  box->env.mono_ns = hurry_mono_ns;
  luaL_setmetatable(L, STORE_BOX);
  lua_getfield(L, 1, "memory");
  lua_getfield(L, 1, "fault");
  lua_getfield(L, 1, "path");
  lua_getfield(L, 1, "no_sync");
  lua_getfield(L, 1, "map_size");
  lua_getfield(L, 1, "fail_at");
  lua_getfield(L, 1, "level");
  store_options options = {
    .env = &box->env,
    .path = lua_tostring(L, 5),
    .no_sync = lua_toboolean(L, 6),
    .map_size = (size_t)lua_tointeger(L, 7),
    .level = (int)lua_tointeger(L, 9),
  };
  failing_allocator_arm(&box->allocator, (size_t)lua_tointeger(L, 8), false);
  orr_error err = {0};
  store *opened = NULL;
  int rc = lua_toboolean(L, 3) ? store_open_memory(&options, &opened, &err) : store_open(&options, &opened, &err);
  if (!rc && lua_toboolean(L, 4)) {
    rc = store_open_fault(opened, &box->env.allocator, &box->store, &err);
    if (rc) store_close(opened);
  } else {
    box->store = opened;
  }
  failing_allocator_arm(&box->allocator, 0, false);
  if (rc && box->allocator.live != 0) return luaL_error(L, "a failed open leaked %d bytes", (int)box->allocator.live);
  if (rc) return push_failure(L, rc, &err);
  store_watch(box->store, note_watched, box);
  lua_settop(L, 2);
  return 1;
}

/* store:level() -> the level of records that may be written */
static int l_level(lua_State *L) {
  lua_pushinteger(L, store_level(check_store(L)));
  return 1;
}

static int l_close(lua_State *L) {
  store_box *box = check_box(L);
  store_close(box->store);
  box->store = NULL;
  lua_pushinteger(L, (lua_Integer)box->allocator.live);
  return 1;
}

static int l_path(lua_State *L) {
  lua_pushstring(L, store_path(check_store(L)));
  return 1;
}

static int l_foreign(lua_State *L) {
  lua_pushinteger(L, (lua_Integer)store_foreign(check_store(L)));
  return 1;
}

static void count_heard(void *ud) { atomic_fetch_add(&((store_box *)ud)->heard, 1); }

/* heard() -> how often others' commits were heard of, from the first call on; true when they are just now */
static int l_heard(lua_State *L) {
  store_box *box = check_box(L);
  store *s = check_store(L);
  if (!box->hears) store_on_foreign_commit(s, count_heard, box);
  box->hears = true;
  lua_pushinteger(L, (lua_Integer)atomic_load(&box->heard));
  lua_pushboolean(L, store_tells_foreign_commits(s));
  return 2;
}

/* now() -> the store's time in milliseconds, by how many it seems to have jumped; nothing: it has none of its own */
static int l_now(lua_State *L) {
  int64_t now;
  if (!store_now(check_store(L), &now)) return 0;
  lua_pushinteger(L, (lua_Integer)now);
  lua_pushinteger(L, (lua_Integer)store_clock_jump(check_store(L)));
  return 2;
}

static int l_changed(lua_State *L) {
  lua_pushinteger(L, (lua_Integer)store_changed(check_store(L)));
  return 1;
}

/* copy(target, [compact]) -> true | nil, message, code */
static int l_copy(lua_State *L) {
  orr_error err = {0};
  int rc = store_copy(check_store(L), luaL_checkstring(L, 2), lua_toboolean(L, 3), NULL, &err);
  if (rc) return push_failure(L, rc, &err);
  lua_pushboolean(L, true);
  return 1;
}

/* copy_to(target) -> true | nil, message, code */
static int l_copy_to(lua_State *L) {
  orr_error err = {0};
  int rc = store_copy_to(check_store(L), &check_box(L)->env, luaL_checkstring(L, 2), false, NULL, &err);
  if (rc) return push_failure(L, rc, &err);
  lua_pushboolean(L, true);
  return 1;
}

static int l_stats(lua_State *L) {
  store_stats stats;
  orr_error err = {0};
  int rc = store_get_stats(check_store(L), &stats, &err);
  if (rc) return push_failure(L, rc, &err);
  lua_newtable(L);
  lua_pushinteger(L, (lua_Integer)stats.bytes_used);
  lua_setfield(L, -2, "bytes_used");
  lua_pushinteger(L, (lua_Integer)stats.bytes_mapped);
  lua_setfield(L, -2, "bytes_mapped");
  lua_pushinteger(L, (lua_Integer)stats.commits);
  lua_setfield(L, -2, "commits");
  lua_pushinteger(L, (lua_Integer)stats.entries);
  lua_setfield(L, -2, "entries");
  lua_pushinteger(L, (lua_Integer)stats.questions);
  lua_setfield(L, -2, "questions");
  return 1;
}

static void push_told(void *ud, const store_reader *reader, int64_t held_ms, bool ended) {
  lua_State *L = ud;
  lua_createtable(L, 0, 4);
  lua_pushinteger(L, reader->process);
  lua_setfield(L, -2, "process");
  lua_pushinteger(L, (lua_Integer)reader->behind);
  lua_setfield(L, -2, "behind");
  lua_pushnumber(L, (lua_Number)held_ms / 1000);
  lua_setfield(L, -2, "held");
  lua_pushboolean(L, ended);
  lua_setfield(L, -2, "ended");
  lua_seti(L, -2, luaL_len(L, -2) + 1);
}

/* watch_readers() -> look(store, seconds): what readers_watch tells at that time, an array; held(): how many are held for long,
 * and seconds of the longest */
static int l_look_at_readers(lua_State *L) {
  reader_watch *w = lua_touserdata(L, lua_upvalueindex(1));
  int64_t now_ns = (int64_t)(luaL_checknumber(L, 2) * 1e9);
  store *s = check_store(L);
  lua_newtable(L);
  readers_watch(w, s, now_ns, push_told, L);
  return 1;
}

static int l_held_by_readers(lua_State *L) {
  held_views held = readers_held(lua_touserdata(L, lua_upvalueindex(1)));
  lua_pushinteger(L, held.count);
  lua_pushinteger(L, held.longest_ms / 1000);
  return 2;
}

static int l_watch_readers(lua_State *L) {
  memset(lua_newuserdatauv(L, sizeof(reader_watch), 0), 0, sizeof(reader_watch));
  lua_pushvalue(L, -1);
  lua_pushcclosure(L, l_look_at_readers, 1);
  lua_insert(L, -2);
  lua_pushcclosure(L, l_held_by_readers, 1);
  return 2;
}

static int l_arm(lua_State *L) {
  static const char *const calls[] = {"any", "snapshot", "get", "scan", "next", "commit", NULL};
  fault_arm(check_store(L), (fault_call)luaL_checkoption(L, 2, NULL, calls), (uint64_t)luaL_checkinteger(L, 3),
            lua_toboolean(L, 4));
  return 0;
}

static int l_fail_memory(lua_State *L) {
  failing_allocator_arm(&check_box(L)->allocator, (size_t)luaL_checkinteger(L, 2), lua_toboolean(L, 3));
  return 0;
}

/* ---- Committing ------------------------------------------------------------------------------ */

/* {kind, key, [payload], [expected], [revision]}: with a revision the value gets a sealed header. Memory is the Lua state's. */
static void read_op(lua_State *L, int table, store_op *op) {
  static const char *const kinds[] = {"put", "delete", "check", "count", NULL};
  lua_geti(L, table, 1);
  op->kind = (store_op_kind)luaL_checkoption(L, -1, NULL, kinds);
  lua_geti(L, table, 2);
  op->key.data = luaL_checklstring(L, -1, &op->key.size);
  lua_getfield(L, table, "expected");
  op->expected = (uint32_t)luaL_optinteger(L, -1, STORE_ANY_REVISION);
  lua_geti(L, table, 3);
  size_t size;
  const char *payload = luaL_optlstring(L, -1, "", &size);
  lua_getfield(L, table, "revision");
  op->value = (store_bytes){payload, size};
  if (!lua_isnil(L, -1)) {
    char *value = lua_newuserdatauv(L, sizeof(store_header) + size, 0);
    lua_setfield(L, table, "value"); /* keeps it */
    memcpy(value + sizeof(store_header), payload, size);
    store_seal(value, sizeof(store_header) + size, (uint32_t)lua_tointeger(L, -1));
    op->value = (store_bytes){value, sizeof(store_header) + size};
  }
  lua_pop(L, 5); /* the strings stay in their table */
}

static void read_batch(lua_State *L, int table, store_batch *batch) {
  size_t count = (size_t)luaL_len(L, table);
  store_op *ops = lua_newuserdatauv(L, (count + 1) * sizeof *ops, 0);
  lua_setfield(L, table, "memory");
  for (size_t i = 0; i < count; i++) {
    lua_geti(L, table, (lua_Integer)i + 1);
    read_op(L, lua_gettop(L), &ops[i]);
    lua_pop(L, 1);
  }
  lua_getfield(L, table, "wary");
  *batch = (store_batch){.ops = ops, .count = count, .wary = lua_toboolean(L, -1), .status = 1};
  lua_pop(L, 1);
}

static store_batch *give(void *ud, size_t *count) {
  store_group *given = ud;
  *count = given->count;
  given->count = 0; /* asked a second time there are none */
  return given->batches;
}

/* This process is stopped in the middle of the commit. */
static store_batch *stop_and_give(void *ud, size_t *count) { return (void)raise(SIGSTOP), give(ud, count); }

/* commit({batch, ...}, [gathered, or "stopped"]) -> {{status, lost op from 1}, ...} | nil, message, code, statuses, mark */
static int l_commit(lua_State *L) {
  store *s = check_store(L);
  luaL_checktype(L, 2, LUA_TTABLE);
  size_t count = (size_t)luaL_len(L, 2);
  store_batch *batches = lua_newuserdatauv(L, (count + 1) * sizeof *batches, 0);
  for (size_t i = 0; i < count; i++) {
    lua_geti(L, 2, (lua_Integer)i + 1);
    read_batch(L, lua_gettop(L), &batches[i]);
    lua_pop(L, 1);
  }
  orr_error err = {0};
  store_group given = {.batches = batches, .count = count};
  store_gather gather = lua_isstring(L, 3) ? stop_and_give : give;
  int rc = lua_toboolean(L, 3) ? store_commit_gathered(s, gather, &given, &err) : store_commit(s, batches, count, &err);
  if (rc) push_failure(L, rc, &err);
  lua_newtable(L);
  for (size_t i = 0; i < count; i++) {
    lua_newtable(L);
    lua_pushinteger(L, batches[i].status);
    lua_setfield(L, -2, "status");
    lua_pushinteger(L, (lua_Integer)batches[i].lost_op + 1);
    lua_setfield(L, -2, "lost");
    lua_seti(L, -2, (lua_Integer)i + 1);
  }
  if (rc) lua_insert(L, -2); /* the mark comes last */
  return rc ? 5 : 1;
}

/* stake(from, to) -> is it ours?, up to where */
static int l_stake(lua_State *L) {
  uint64_t to = (uint64_t)luaL_checkinteger(L, 3);
  lua_pushboolean(L, store_stake(check_store(L), (uint64_t)luaL_checkinteger(L, 2), &to));
  lua_pushinteger(L, (lua_Integer)to);
  return 2;
}

/* unstake(from, to) */
static int l_unstake(lua_State *L) {
  store_unstake(check_store(L), (uint64_t)luaL_checkinteger(L, 2), (uint64_t)luaL_checkinteger(L, 3));
  return 0;
}

static int l_has_stakes(lua_State *L) {
  lua_pushboolean(L, store_has_stakes(check_store(L)));
  return 1;
}

/* losses() -> how many groups a store on disk will still write batch by batch, since a batch has lost */
static int l_losses(lua_State *L) {
  lua_pushinteger(L, (lua_Integer)((const lmdb_store *)check_store(L))->losses);
  return 1;
}

/* ---- Snapshots ------------------------------------------------------------------------------- */

static int l_snapshot(lua_State *L) {
  store *s = check_store(L);
  snapshot_box *box = lua_newuserdatauv(L, sizeof *box, 1);
  box->snapshot = NULL;
  luaL_setmetatable(L, SNAPSHOT_BOX);
  lua_pushvalue(L, 1);
  lua_setiuservalue(L, -2, 1);
  orr_error err = {0};
  int rc = store_snapshot_open(s, &box->snapshot, &err);
  return rc ? push_failure(L, rc, &err) : 1;
}

static int l_snapshot_close(lua_State *L) {
  snapshot_box *box = luaL_checkudata(L, 1, SNAPSHOT_BOX);
  store_snapshot_close(box->snapshot);
  box->snapshot = NULL;
  return 0;
}

/* foreign() -> number | nil: it cannot be told */
static int l_foreign_seen(lua_State *L) {
  uint64_t seen = store_foreign_seen(check_snapshot(L, 1));
  if (seen == STORE_FOREIGN_UNKNOWN) lua_pushnil(L);
  else lua_pushinteger(L, (lua_Integer)seen);
  return 1;
}

static int l_release(lua_State *L) {
  store_snapshot_release(check_snapshot(L, 1));
  return 0;
}

static int l_renew(lua_State *L) {
  orr_error err = {0};
  int rc = store_snapshot_renew(check_snapshot(L, 1), &err);
  if (rc) return push_failure(L, rc, &err);
  lua_settop(L, 1);
  return 1;
}

/* A sealed value gives payload and revision, any other its bytes. */
static int push_value(lua_State *L, store_bytes value) {
  if (!store_intact(value)) {
    lua_pushlstring(L, value.size > 0 ? value.data : "", value.size);
    return 1;
  }
  lua_pushlstring(L, (const char *)value.data + sizeof(store_header), value.size - sizeof(store_header));
  lua_pushinteger(L, store_revision(value));
  return 2;
}

/* get(key) -> payload, [revision] | false when absent | nil, message, code */
static int l_get(lua_State *L) {
  store_snapshot *snapshot = check_snapshot(L, 1);
  store_bytes key, value;
  key.data = luaL_checklstring(L, 2, &key.size);
  orr_error err = {0};
  int rc = store_get(snapshot, key, &value, &err);
  if (!rc) return push_value(L, value);
  if (rc != ORR_E_NOT_FOUND) return push_failure(L, rc, &err);
  lua_pushboolean(L, 0);
  return 1;
}

/* scan{prefix, from, backwards, stop, rows} -> {{key, payload, revision}, ...} */
static int l_scan(lua_State *L) {
  store_snapshot *snapshot = check_snapshot(L, 1);
  luaL_checktype(L, 2, LUA_TTABLE);
  store_range range = {0};
  lua_getfield(L, 2, "prefix");
  range.prefix.data = luaL_optlstring(L, -1, "", &range.prefix.size);
  lua_getfield(L, 2, "from");
  range.from.data = luaL_optlstring(L, -1, "", &range.from.size);
  lua_getfield(L, 2, "backwards");
  range.backwards = lua_toboolean(L, -1);
  lua_getfield(L, 2, "stop");
  range.stop.data = luaL_optlstring(L, -1, "", &range.stop.size);
  lua_getfield(L, 2, "rows");
  range.rows = (uint32_t)luaL_optinteger(L, -1, 0);
  orr_error err = {0};
  store_cursor *cursor;
  int rc = store_scan(snapshot, &range, &cursor, &err);
  if (rc) return push_failure(L, rc, &err);
  lua_newtable(L);
  store_bytes key, value;
  for (lua_Integer i = 1; (rc = store_next(cursor, &key, &value, &err)) == 0; i++) {
    lua_newtable(L);
    lua_pushlstring(L, key.data, key.size);
    lua_seti(L, -2, 1);
    int results = push_value(L, value);
    if (results == 2) lua_seti(L, -3, 3);
    lua_seti(L, -2, 2);
    lua_seti(L, -2, i);
  }
  if (rc == ORR_E_NOT_FOUND) rc = store_next(cursor, &key, &value, &err); /* the end stays the end */
  store_cursor_close(cursor);
  return rc == ORR_E_NOT_FOUND ? 1 : push_failure(L, rc, &err);
}

#define SPANS_MAX 64

/* The spans {low, high} or {key} from an argument on; their strings stay in their tables. */
static size_t check_spans(lua_State *L, int first, store_span spans[SPANS_MAX]) {
  int count = lua_gettop(L) - first + 1;
  luaL_argcheck(L, count <= SPANS_MAX, first, "too many spans");
  for (int i = 0; i < count; i++) {
    lua_geti(L, first + i, 1);
    spans[i].low.data = luaL_checklstring(L, -1, &spans[i].low.size);
    lua_geti(L, first + i, 2);
    spans[i].high.data = luaL_optlstring(L, -1, "", &spans[i].high.size);
    lua_pop(L, 2);
  }
  return (size_t)count;
}

/* read_ahead({low, high} or {key}, ...) */
static int l_read_ahead(lua_State *L) {
  store_span spans[SPANS_MAX];
  size_t count = check_spans(L, 2, spans);
  store_read_ahead(check_snapshot(L, 1), spans, count);
  return 0;
}

/* prefetch(store, {low, high} or {key}, ...) -> what the store fetched, for use; nil where it is near */
static int l_prefetch(lua_State *L) {
  store_span spans[SPANS_MAX];
  size_t count = check_spans(L, 2, spans);
  store_prefetched *p = store_prefetch(check_store(L), spans, count);
  if (!p) return 0;
  lua_pushlightuserdata(L, p);
  return 1;
}

/* use(snapshot, prefetched, [shared]): nil: no more. It is the snapshot's alone then, unless it is shared. */
static int l_use(lua_State *L) {
  store_prefetched *p = lua_touserdata(L, 2);
  store_snapshot_use(check_snapshot(L, 1), p);
  if (!lua_toboolean(L, 3)) store_prefetched_release(p);
  return 0;
}

/* young(prefetched) */
static int l_young(lua_State *L) {
  lua_pushboolean(L, store_prefetched_young(lua_touserdata(L, 1)));
  return 1;
}

static int l_digest(lua_State *L) {
  uint64_t digest;
  orr_error err = {0};
  int rc = store_digest(check_snapshot(L, 1), &digest, &err);
  if (rc) return push_failure(L, rc, &err);
  lua_pushinteger(L, (lua_Integer)digest);
  return 1;
}

/* ---- Forks and threads ----------------------------------------------------------------------- */

/* What a child of fork gets: bit by bit 1 when the call answered ORR_E_STATE. */
static int ask_in_child(store *s, store_snapshot *snapshot) {
  store_bytes key = {"k", 1}, value;
  store_op op = {.kind = STORE_PUT, .expected = STORE_ANY_REVISION, .key = key};
  store_batch batch = {.ops = &op, .count = 1};
  store_snapshot *fresh;
  store_cursor *cursor;
  store_stats stats;
  int answers = (store_commit(s, &batch, 1, NULL) == ORR_E_STATE) << 0;
  answers |= (store_snapshot_open(s, &fresh, NULL) == ORR_E_STATE) << 1;
  answers |= (store_get(snapshot, key, &value, NULL) == ORR_E_STATE) << 2;
  answers |= (store_scan(snapshot, &(store_range){0}, &cursor, NULL) == ORR_E_STATE) << 3;
  answers |= (store_snapshot_renew(snapshot, NULL) == ORR_E_STATE) << 4;
  answers |= (store_get_stats(s, &stats, NULL) == ORR_E_STATE) << 5;
  answers |= (store_changed(s) == 0) << 6;
  answers |= (store_copy(s, "copy", false, NULL, NULL) == ORR_E_STATE) << 7;
  store_snapshot_release(snapshot);
  store_snapshot_close(snapshot);
  store_close(s);
  return answers;
}

/* fork_answers(store, snapshot) -> the bits of ask_in_child, or nil when the child did not exit by itself */
static int l_fork_answers(lua_State *L) {
  store *s = check_store(L);
  store_snapshot *snapshot = check_snapshot(L, 2);
  pid_t child = fork();
  if (child == 0) _exit(ask_in_child(s, snapshot));
  int status;
  if (child < 0 || waitpid(child, &status, 0) != child || !WIFEXITED(status)) return 0;
  lua_pushinteger(L, WEXITSTATUS(status));
  return 1;
}

#define HAMMER_LOST_VIEWS_MAX 1000

typedef struct hammer {
  store *store;
  int number, rounds, failure;
  size_t ballast;
  uint64_t foreign; /* what views show of others' commits, whoever of us has committed: nobody else does */
} hammer;

#define HAMMER_FOREIGN (-1000) /* a view showed another number */

static bool shows_foreign(const hammer *h, store_snapshot *snapshot) {
  uint64_t seen = store_foreign_seen(snapshot);
  return seen != STORE_FOREIGN_UNKNOWN && h->foreign != STORE_FOREIGN_UNKNOWN && seen != h->foreign;
}

/* Adds one to the counter's revision, with ballast beside it, which must not be there; a lost race is run again, and so is a
 * view that the store lost. */
static int hammer_once(hammer *h, store_snapshot *snapshot, char *ballast, int round) {
  char key[32];
  int size = snprintf(key, sizeof key, "ballast-%d-%d", h->number, round), lost = 0;
  for (;;) {
    store_bytes found;
    int rc = store_snapshot_renew(snapshot, NULL);
    if (!rc) rc = store_get(snapshot, (store_bytes){"counter", 7}, &found, NULL);
    if (rc == ORR_E_STORE && lost++ < HAMMER_LOST_VIEWS_MAX) continue;
    if (rc && rc != ORR_E_NOT_FOUND) return rc;
    if (shows_foreign(h, snapshot)) return HAMMER_FOREIGN;
    uint32_t revision = rc ? 0 : store_revision(found);
    store_snapshot_release(snapshot);
    store_header header;
    store_seal(&header, sizeof header, revision + 1);
    store_op ops[] = {
      {.kind = STORE_PUT, .expected = STORE_ABSENT, .key = {key, (size_t)size}, .value = {ballast, h->ballast}},
      {.kind = STORE_PUT, .expected = revision, .key = {"counter", 7}, .value = {&header, sizeof header}},
    };
    store_batch batch = {.ops = ops, .count = 2};
    rc = store_commit(h->store, &batch, 1, NULL);
    if (rc || batch.status == 0) return rc;
    if (batch.status != ORR_E_CONFLICT) return batch.status;
  }
}

static void *hammer_run(void *ud) {
  hammer *h = ud;
  store_snapshot *snapshot;
  char *ballast = env_zalloc(NULL, h->ballast);
  h->failure = !ballast ? ORR_E_MEMORY : store_snapshot_open(h->store, &snapshot, NULL);
  if (h->failure == 0) {
    for (int i = 0; i < h->rounds && h->failure == 0; i++) h->failure = hammer_once(h, snapshot, ballast, i);
    store_snapshot_close(snapshot);
  }
  env_free(NULL, ballast, h->ballast);
  return NULL;
}

static uint64_t foreign_now(store *s) {
  store_snapshot *view;
  if (store_snapshot_open(s, &view, NULL)) return STORE_FOREIGN_UNKNOWN;
  uint64_t foreign = store_foreign_seen(view);
  store_snapshot_close(view);
  return foreign;
}

/* hammer(store, threads, rounds, ballast) -> 0 or the first failure's code */
static int l_hammer(lua_State *L) {
  enum { THREADS_MAX = 16 };
  store *s = check_store(L);
  int threads = (int)luaL_checkinteger(L, 2);
  luaL_argcheck(L, threads > 0 && threads <= THREADS_MAX, 2, "too many threads");
  pthread_t ids[THREADS_MAX];
  hammer hammers[THREADS_MAX];
  int started = 0, failure = 0;
  uint64_t foreign = foreign_now(s);
  for (; started < threads; started++) {
    hammer *h = &hammers[started];
    *h = (hammer){.store = s, .number = started, .foreign = foreign, .rounds = (int)luaL_checkinteger(L, 3),
                  .ballast = (size_t)luaL_checkinteger(L, 4)};
    if (pthread_create(&ids[started], NULL, hammer_run, h) != 0) break;
  }
  for (int i = 0; i < started; i++) {
    pthread_join(ids[i], NULL);
    if (failure == 0) failure = hammers[i].failure;
  }
  lua_pushinteger(L, started == threads ? failure : 1);
  return 1;
}

/* ---- Speed ----------------------------------------------------------------------------------- */

static double seconds(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

/* A record's key: tag, group, local; a batch writes four records of one group. */
static void bench_key(unsigned char *key, uint64_t number) {
  key[0] = (unsigned char)"IEVW"[number % 4];
  for (int i = 0; i < 8; i++) key[1 + i] = (unsigned char)((number / 4) >> (56 - 8 * i));
}

/* bench(store, ops, ops a batch, batches a commit, revision) -> ops/s: revision 1 inserts, greater ones update what is there */
static int l_bench(lua_State *L) {
  enum { KEY = 9, VALUE = 100 };
  store *s = check_store(L);
  uint64_t total = (uint64_t)luaL_checkinteger(L, 2), number = 0;
  size_t per_batch = (size_t)luaL_checkinteger(L, 3), per_commit = (size_t)luaL_checkinteger(L, 4);
  uint32_t revision = (uint32_t)luaL_checkinteger(L, 5);
  size_t ops_count = per_batch * per_commit;
  store_op *ops = lua_newuserdatauv(L, ops_count * sizeof *ops, 0);
  store_batch *batches = lua_newuserdatauv(L, per_commit * sizeof *batches, 0);
  unsigned char *bytes = lua_newuserdatauv(L, ops_count * (KEY + VALUE), 0);
  memset(bytes, 0, ops_count * (KEY + VALUE));
  double start = seconds();
  while (number < total) {
    for (size_t i = 0; i < ops_count; i++) {
      unsigned char *key = bytes + i * (KEY + VALUE);
      bench_key(key, number++);
      store_seal(key + KEY, VALUE, revision);
      ops[i] = (store_op){.kind = STORE_PUT, .expected = revision - 1, .key = {key, KEY}, .value = {key + KEY, VALUE}};
    }
    for (size_t i = 0; i < per_commit; i++) batches[i] = (store_batch){.ops = ops + i * per_batch, .count = per_batch};
    orr_error err = {0};
    int rc = store_commit(s, batches, per_commit, &err);
    if (rc) return push_failure(L, rc, &err);
    for (size_t i = 0; i < per_commit; i++) {
      if (batches[i].status != 0) return luaL_error(L, "a batch of the benchmark lost");
    }
  }
  lua_pushnumber(L, (double)number / (seconds() - start));
  return 1;
}

static int l_crc32c(lua_State *L) {
  size_t size;
  const char *text = luaL_checklstring(L, 1, &size);
  lua_pushinteger(L, store_crc32c(text, size));
  return 1;
}

/* make_schema(url, [role], [level]) -> true | nil, message, code */
static int l_make_schema(lua_State *L) {
  orr_env env;
  env_system(&env);
  store_options options = {.env = &env, .path = luaL_checkstring(L, 1), .level = (int)luaL_optinteger(L, 3, 0)};
  orr_error err = {0};
  int rc = postgres_schema_make(&options, luaL_optstring(L, 2, NULL), &err);
  if (rc) return push_failure(L, rc, &err);
  lua_pushboolean(L, true);
  return 1;
}

static int l_network_name(lua_State *L) {
  lua_pushstring(L, network_file_system_name((uint64_t)luaL_checkinteger(L, 1)));
  return 1;
}

static void add_finding(void *ud, const char *sentence) {
  lua_State *L = ud;
  lua_pushstring(L, sentence);
  lua_rawseti(L, -2, (lua_Integer)lua_rawlen(L, -2) + 1);
}

/* check_inner(bytes, pages) -> what an opening finds that reads so many pages at most of a store's data.mdb */
static int l_check_inner(lua_State *L) {
  size_t size;
  const uint8_t *map = (const uint8_t *)luaL_checklstring(L, 1, &size);
  disk_meta meta;
  pages_image image = {.map = map, .size = size, .inner_max = (uint64_t)luaL_checkinteger(L, 2)};
  for (size_t at = 0; at <= 4096; at += 4096) {
    memcpy(&meta, map + at, sizeof meta);
    if (meta.transaction > image.transaction) image.transaction = meta.transaction;
  }
  orr_env env;
  env_system(&env);
  uint64_t unsafe;
  orr_error err = {0};
  store_page_listener told = {.ud = L, .finding = add_finding};
  lua_newtable(L);
  if (!pages_check(&env.allocator, &image, PAGES_INNER, &told, &unsafe, &err)) return 1;
  return push_failure(L, err.code, &err);
}

static void ignore_signal(int number) { (void)number; }

/* interrupts(microseconds): a signal so often, which whatever waits is interrupted by; 0: none. */
static int l_interrupts(lua_State *L) {
  struct sigaction action = {.sa_handler = ignore_signal}; /* without SA_RESTART */
  suseconds_t every = (suseconds_t)luaL_checkinteger(L, 1);
  const struct itimerval timer = {{0, every}, {0, every}};
  sigaction(SIGALRM, &action, NULL);
  return setitimer(ITIMER_REAL, &timer, NULL) == 0 ? 0 : luaL_error(L, "no timer");
}

/* file_limit(bytes): from there on no file of this process can be written, as on a full disk; nil: as far as the host lets
 * us. */
static int l_file_limit(lua_State *L) {
  struct rlimit limit;
  signal(SIGXFSZ, SIG_IGN);
  if (getrlimit(RLIMIT_FSIZE, &limit) != 0) return luaL_error(L, "no limit of files");
  limit.rlim_cur = lua_isnoneornil(L, 1) ? limit.rlim_max : (rlim_t)luaL_checkinteger(L, 1);
  if (setrlimit(RLIMIT_FSIZE, &limit) != 0) return luaL_error(L, "the limit of files cannot be set");
  return 0;
}

void inside_store(lua_State *L) {
  static const luaL_Reg store_functions[] = {
    {"level", l_level}, {"state", l_state}, {"close", l_close}, {"path", l_path}, {"changed", l_changed},
    {"foreign", l_foreign}, {"stats", l_stats}, {"heard", l_heard}, {"now", l_now}, {"copy", l_copy}, {"copy_to", l_copy_to},
    {"arm", l_arm}, {"commit", l_commit}, {"losses", l_losses}, {"stake", l_stake},
    {"unstake", l_unstake}, {"has_stakes", l_has_stakes}, {"hammer", l_hammer}, {"fork_answers", l_fork_answers},
    {"bench", l_bench}, {"fail_memory", l_fail_memory}, {"snapshot", l_snapshot}, {"prefetch", l_prefetch},
    {"__gc", l_close}, {NULL, NULL},
  };
  static const luaL_Reg snapshot_functions[] = {
    {"close", l_snapshot_close}, {"release", l_release}, {"renew", l_renew}, {"get", l_get}, {"scan", l_scan},
    {"digest", l_digest}, {"read_ahead", l_read_ahead}, {"foreign", l_foreign_seen}, {"use", l_use},
    {"__gc", l_snapshot_close}, {NULL, NULL},
  };
  static const luaL_Reg functions[] = {
    {"open", l_open}, {"hurry", hurry_by}, {"watch_readers", l_watch_readers}, {"crc32c", l_crc32c},
    {"network_name", l_network_name}, {"make_schema", l_make_schema}, {"young", l_young}, {"check_inner", l_check_inner},
    {"file_limit", l_file_limit}, {"interrupts", l_interrupts}, {NULL, NULL}};
  luaL_newmetatable(L, STORE_BOX);
  luaL_setfuncs(L, store_functions, 0);
  lua_pushvalue(L, -1);
  lua_setfield(L, -2, "__index");
  luaL_newmetatable(L, SNAPSHOT_BOX);
  luaL_setfuncs(L, snapshot_functions, 0);
  lua_pushvalue(L, -1);
  lua_setfield(L, -2, "__index");
  lua_pop(L, 2);
  luaL_setfuncs(L, functions, 0);
}
