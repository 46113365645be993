/* The unit of work for the specs. Records go in and out as tables by the generated descriptions, so those are tested with
 * the rest. A failure is nil, message, code. */
#include "inside.h"

#include <pthread.h>
#include <string.h>
#include <time.h>

#include "allocator.h"
#include "record/codec.h"
#include "record/key.h"
#include "store/memory.h"
#include "store/open.h"
#include "uow/find.h"
#include "uow/flush.h"
#include "uow/ready.h"
#include "uow/relation.h"
#include "uow/source.h"
#include "uow/succession.h"
#include "uow/uow.h"
#include "uow/verify.h"

#define SOURCE_BOX "orrery_inside.uow.source"
#define UNIT_BOX "orrery_inside.uow.unit"

typedef struct source_box {
  failing_allocator memory;
  orr_env env;
  store *store;
  unit_source *source;
} source_box;

typedef struct unit_box {
  unit *u; /* NULL: ended */
} unit_box;

static int fail(lua_State *L, orr_error *err) {
  lua_pushnil(L);
  lua_pushstring(L, err->message ? err->message : orr_strerror(err->code));
  lua_pushinteger(L, err->code);
  orr_error_clear(err);
  return 3;
}

static int done(lua_State *L, int rc, orr_error *err) {
  if (rc) return fail(L, err);
  lua_pushboolean(L, 1);
  return 1;
}

static source_box *check_source(lua_State *L) { return luaL_checkudata(L, 1, SOURCE_BOX); }

static unit *check_unit(lua_State *L) {
  unit_box *box = luaL_checkudata(L, 1, UNIT_BOX);
  luaL_argcheck(L, box->u, 1, "the unit has ended");
  return box->u;
}

static const rec_type *check_type(lua_State *L, int i) {
  const char *name = luaL_checkstring(L, i);
  for (size_t k = 0; k < REC_TYPE_COUNT; k++)
    if (strcmp(rec_types[k]->name, name) == 0) return rec_types[k];
  luaL_argerror(L, i, "no such kind of record");
  return NULL;
}

/* ---- Records as tables ----------------------------------------------------------------------- */

static rec_text text_at(lua_State *L, unit *u, int i) {
  size_t size;
  const char *bytes = luaL_checklstring(L, i, &size);
  return unit_text(u, bytes, size);
}

static orr_value value_at(lua_State *L, unit *u, int i) {
  switch (lua_type(L, i)) {
    case LUA_TNIL: return (orr_value){0};
    case LUA_TBOOLEAN: return orr_bool(lua_toboolean(L, i));
    case LUA_TNUMBER: return lua_isinteger(L, i) ? orr_int(lua_tointeger(L, i)) : orr_float(lua_tonumber(L, i));
    default: {
      rec_text text = text_at(L, u, i);
      return orr_bytes(text.data, text.size);
    }
  }
}

static void list_from(lua_State *L, unit *u, void *at, bool texts) {
  size_t count = lua_rawlen(L, -1);
  void *items = arena_zalloc(unit_arena(u), (count + 1) * sizeof(rec_text));
  for (size_t i = 0; i < count; i++) {
    lua_rawgeti(L, -1, (lua_Integer)i + 1);
    if (texts) ((rec_text *)items)[i] = text_at(L, u, -1);
    else ((orr_id *)items)[i] = (orr_id)luaL_checkinteger(L, -1);
    lua_pop(L, 1);
  }
  if (texts) *(rec_texts *)at = (rec_texts){items, count};
  else *(rec_ids *)at = (rec_ids){items, count};
}

/* Sets one field from the value on top of the stack. */
static void field_set(lua_State *L, unit *u, void *record, const rec_field *field) {
  void *at = (char *)record + field->offset;
  switch ((rec_field_type)field->type) {
    case REC_ID: *(orr_id *)at = (orr_id)luaL_checkinteger(L, -1); break;
    case REC_BOOL: *(bool *)at = lua_toboolean(L, -1); break;
    case REC_INT: case REC_TIME: *(int64_t *)at = luaL_checkinteger(L, -1); break;
    case REC_U8: *(uint8_t *)at = (uint8_t)luaL_checkinteger(L, -1); break;
    case REC_NODE: *(uint32_t *)at = (uint32_t)luaL_checkinteger(L, -1); break;
    case REC_TEXT: *(rec_text *)at = text_at(L, u, -1); break;
    case REC_VALUE: *(orr_value *)at = value_at(L, u, -1); break;
    case REC_IDS: list_from(L, u, at, false); break;
    case REC_TEXTS: list_from(L, u, at, true); break;
  }
}

static void fields_set(lua_State *L, unit *u, void *record, const rec_type *type, int table) {
  if (lua_isnoneornil(L, table)) return;
  for (uint8_t i = type->n_key; i < type->n_fields; i++) {
    lua_getfield(L, table, type->fields[i].name);
    if (!lua_isnil(L, -1)) field_set(L, u, record, &type->fields[i]);
    lua_pop(L, 1);
  }
}

static void push_value(lua_State *L, const orr_value *value) {
  switch (value->type) {
    case ORR_BOOL: lua_pushboolean(L, value->as.boolean); break;
    case ORR_INT: lua_pushinteger(L, value->as.integer); break;
    case ORR_FLOAT: lua_pushnumber(L, value->as.number); break;
    case ORR_STRING: lua_pushlstring(L, value->as.bytes, value->size); break;
    default: lua_pushnil(L);
  }
}

/* A text that is not NUL-terminated would come out longer here. */
static void push_text(lua_State *L, const rec_text *text) {
  if (!text->data) lua_pushnil(L);
  else lua_pushlstring(L, text->data, text->data[text->size] == 0 ? text->size : text->size + 1);
}

static void push_list(lua_State *L, const void *at, bool texts) {
  const rec_ids *ids = at;
  const rec_texts *list = at;
  size_t count = texts ? list->count : ids->count;
  lua_createtable(L, (int)count, 0);
  for (size_t i = 0; i < count; i++) {
    if (texts) push_text(L, &list->items[i]);
    else lua_pushinteger(L, (lua_Integer)ids->items[i]);
    lua_rawseti(L, -2, (lua_Integer)i + 1);
  }
}

static void push_field(lua_State *L, const void *record, const rec_field *field) {
  const void *at = record_field(record, field);
  switch ((rec_field_type)field->type) {
    case REC_ID: lua_pushinteger(L, (lua_Integer) * (const orr_id *)at); break;
    case REC_BOOL: lua_pushboolean(L, *(const bool *)at); break;
    case REC_INT: case REC_TIME: lua_pushinteger(L, *(const int64_t *)at); break;
    case REC_U8: lua_pushinteger(L, *(const uint8_t *)at); break;
    case REC_NODE: lua_pushinteger(L, *(const uint32_t *)at); break;
    case REC_TEXT: push_text(L, at); break;
    case REC_VALUE: push_value(L, at); break;
    case REC_IDS: push_list(L, at, false); break;
    case REC_TEXTS: push_list(L, at, true); break;
  }
}

static int push_record(lua_State *L, const void *record) {
  const rec_type *type = ((const rec_head *)record)->type;
  lua_createtable(L, 0, type->n_fields);
  for (uint8_t i = 0; i < type->n_fields; i++) {
    push_field(L, record, &type->fields[i]);
    lua_setfield(L, -2, type->fields[i].name);
  }
  return 1;
}

/* Records with an id take it; others a list of their key fields, set into a record of the arena. */
static void *key_at(lua_State *L, unit *u, const rec_type *type, int i) {
  void *key = arena_zalloc(unit_arena(u), type->size);
  if (!key) luaL_error(L, "out of memory");
  for (uint8_t k = 0; k < type->n_key; k++) {
    if (type->keyed) lua_rawgeti(L, i, k + 1);
    else lua_pushvalue(L, i);
    field_set(L, u, key, &type->fields[k]);
    lua_pop(L, 1);
  }
  return key;
}

static void *get_at(lua_State *L, unit *u, orr_error *err) {
  const rec_type *type = check_type(L, 2);
  if (type->keyed) return unit_get_key(u, type, key_at(L, u, type, 3), err);
  return unit_get(u, type, (orr_id)luaL_checkinteger(L, 3), err);
}

/* ---- Units ----------------------------------------------------------------------------------- */

static int l_get(lua_State *L) {
  unit *u = check_unit(L);
  orr_error err = {0};
  void *record = get_at(L, u, &err);
  if (record) return push_record(L, record);
  if (err.code != 0) return fail(L, &err);
  lua_pushnil(L);
  return 1;
}

static int l_new(lua_State *L) {
  unit *u = check_unit(L);
  const rec_type *type = check_type(L, 2);
  void *record =
      type->keyed ? unit_new_key(u, type, key_at(L, u, type, 3)) : unit_new(u, type, (orr_id)luaL_checkinteger(L, 3));
  if (!record) return 0;
  fields_set(L, u, record, type, 4);
  lua_pushboolean(L, !unit_attach(u, record));
  return 1;
}

/* Runs on a record that must exist: set, delete, rely. */
static void *existing(lua_State *L, unit *u) {
  orr_error err = {0};
  void *record = get_at(L, u, &err);
  if (record) return record;
  fail(L, &err);
  luaL_error(L, "no such record: %s", lua_tostring(L, -2));
  return NULL;
}

static int l_set(lua_State *L) {
  unit *u = check_unit(L);
  rec_head *head = existing(L, u);
  int rc = unit_touch(u, head);
  unit_detach(u, head);
  fields_set(L, u, head, head->type, 4);
  lua_pushboolean(L, !rc && !unit_attach(u, head));
  return 1;
}

static int l_delete(lua_State *L) {
  unit *u = check_unit(L);
  lua_pushboolean(L, !unit_delete(u, existing(L, u)));
  return 1;
}

/* unit:succeed(id, next): the job `next`, which is new, takes the place of this one, which goes, if it may. */
static int l_succeed(lua_State *L) {
  unit *u = check_unit(L);
  orr_error err = {0};
  rec_job *from = unit_job(u, (orr_id)luaL_checkinteger(L, 2), &err), *to = unit_job(u, (orr_id)luaL_checkinteger(L, 3), &err);
  luaL_argcheck(L, from && to, 2, "no such job");
  if (!unit_delete(u, from)) succession_begin(from, to);
  return 0;
}

static int l_rely(lua_State *L) {
  unit *u = check_unit(L);
  lua_pushboolean(L, !unit_rely(u, existing(L, u)));
  return 1;
}

static int l_rely_exists(lua_State *L) {
  unit *u = check_unit(L);
  lua_pushboolean(L, !unit_rely_exists(u, existing(L, u)));
  return 1;
}

static int l_next_id(lua_State *L) {
  unit *u = check_unit(L);
  orr_error err = {0};
  rec_instance *instance = unit_instance(u, (orr_id)luaL_checkinteger(L, 2), &err);
  luaL_argcheck(L, instance, 2, "no such instance");
  orr_id id = unit_next_id(u, instance, &err);
  if (id == 0) return fail(L, &err);
  lua_pushinteger(L, (lua_Integer)id);
  return 1;
}

static int l_pause(lua_State *L) {
  unit_pause(check_unit(L));
  return 0;
}

/* After a failed spec the source may have gone first: its units are not touched then. */
static int l_close(lua_State *L) {
  unit_box *box = luaL_checkudata(L, 1, UNIT_BOX);
  lua_getiuservalue(L, 1, 1);
  const source_box *source = lua_touserdata(L, -1);
  if (source && source->source) unit_end(box->u);
  box->u = NULL;
  return 0;
}

static int l_commit(lua_State *L) {
  orr_error err = {0};
  int rc = unit_commit(check_unit(L), &err);
  l_close(L);
  return done(L, rc, &err);
}

/* The batch as text: one operation a line, in order. */
static int l_flush(lua_State *L) {
  orr_error err = {0};
  store_batch *batch = NULL;
  if (unit_flush(check_unit(L), &batch, &err)) return fail(L, &err);
  lua_createtable(L, (int)batch->count, 0);
  for (size_t i = 0; i < batch->count; i++) {
    static const char *const kinds[] = {"put ", "delete ", "check "};
    lua_pushstring(L, kinds[batch->ops[i].kind]);
    lua_pushlstring(L, batch->ops[i].key.data, batch->ops[i].key.size);
    lua_concat(L, 2);
    lua_rawseti(L, -2, (lua_Integer)i + 1);
  }
  return 1;
}

/* ---- Finds ----------------------------------------------------------------------------------- */

static int push_found(lua_State *L, rec_head *const *items, size_t count) {
  lua_createtable(L, (int)count, 0);
  for (size_t i = 0; i < count; i++) {
    push_record(L, items[i]);
    lua_rawseti(L, -2, (lua_Integer)i + 1);
  }
  return 1;
}

static size_t keys_at(lua_State *L, unit *u, const rec_type *type, const uint8_t *numbers, int table, rec_key *out) {
  size_t n = lua_rawlen(L, table);
  for (size_t i = 0; i < n; i++) {
    lua_rawgeti(L, table, (lua_Integer)i + 1);
    const rec_field *field = &type->fields[!numbers ? i : numbers[i]];
    if (field->type == REC_TEXT) out[i].text = text_at(L, u, -1);
    else if (field->type == REC_ID) out[i].id = (orr_id)luaL_checkinteger(L, -1);
    else out[i].integer = luaL_checkinteger(L, -1);
    lua_pop(L, 1);
  }
  return n;
}

static const rec_index_type *check_index(lua_State *L, int i) {
  const char *name = luaL_checkstring(L, i);
  for (int number = 0; number < REC_INDEX_COUNT; number++)
    if (rec_indexes[number] && strcmp(rec_indexes[number]->name, name) == 0) return rec_indexes[number];
  luaL_argerror(L, i, "no such index");
  return NULL;
}

static int l_find_index(lua_State *L) {
  unit *u = check_unit(L);
  const rec_index_type *index = check_index(L, 2);
  rec_key keys[REC_INDEX_FIELDS_MAX] = {0};
  size_t n = keys_at(L, u, index->type, index->fields, 3, keys);
  orr_error err = {0};
  unit_found found;
  if (unit_find_index(u, (enum rec_index)index->number, keys, n, (size_t)luaL_optinteger(L, 4, 0), &found, &err))
    return fail(L, &err);
  return push_found(L, found.items, found.count);
}

static int l_find_every(lua_State *L) {
  unit *u = check_unit(L);
  const rec_index_type *index = check_index(L, 2);
  rec_key keys[REC_INDEX_FIELDS_MAX] = {0};
  size_t n = keys_at(L, u, index->type, index->fields, 3, keys);
  orr_error err = {0};
  unit_found found;
  if (unit_find_every(u, (enum rec_index)index->number, keys, n, &found, &err)) return fail(L, &err);
  return push_found(L, found.items, found.count);
}

static int l_find_keys(lua_State *L) {
  unit *u = check_unit(L);
  const rec_type *type = check_type(L, 2);
  rec_key keys[8] = {0};
  size_t n = keys_at(L, u, type, NULL, 3, keys);
  orr_error err = {0};
  unit_found found;
  if (unit_find_keys(u, type, keys, n, &found, &err)) return fail(L, &err);
  return push_found(L, found.items, found.count);
}

static int l_find_group(lua_State *L) {
  orr_error err = {0};
  unit_found found;
  if (unit_find_group(check_unit(L), check_type(L, 2), (uint64_t)luaL_checkinteger(L, 3), &found, &err))
    return fail(L, &err);
  return push_found(L, found.items, found.count);
}

static int l_find_all(lua_State *L) {
  orr_error err = {0};
  unit_found found;
  if (unit_find_all(check_unit(L), check_type(L, 2), &found, &err)) return fail(L, &err);
  return push_found(L, found.items, found.count);
}

static int l_relation(lua_State *L) {
  static const char *const names[] = {"children", "subscriptions", "jobs", NULL};
  unit *u = check_unit(L);
  orr_error err = {0};
  void *scope = existing(L, u);
  struct rec_relation *list = unit_relation_of(u, scope, (unit_relation)luaL_checkoption(L, 4, NULL, names), &err);
  return !list ? fail(L, &err) : push_found(L, list->items, list->count);
}

typedef struct ready_list {
  lua_State *L;
  lua_Integer count, limit;
} ready_list;

static int ready_add(void *ud, orr_id job, orr_error *err) {
  ready_list *list = ud;
  (void)err;
  lua_pushinteger(list->L, (lua_Integer)job);
  lua_rawseti(list->L, -2, ++list->count);
  return list->count == list->limit;
}

/* unit:ready(order, [limit], [place]) -> ids, place */
static int l_ready(lua_State *L) {
  ready_list list = {L, 0, luaL_optinteger(L, 3, 0)};
  ready_place place = {0};
  const char *row = luaL_optlstring(L, 4, "", &place.size);
  if (place.size > sizeof place.row) return luaL_argerror(L, 4, "no place");
  memcpy(place.row, row, place.size);
  orr_error err = {0};
  lua_newtable(L);
  if (ready_scan(check_unit(L), (uint8_t)luaL_checkinteger(L, 2), &place, ready_add, &list, &err)) return fail(L, &err);
  lua_pushlstring(L, (const char *)place.row, place.size);
  return 2;
}

/* unit:leads("job", id, order, [tau]) -> boolean */
static int l_leads(lua_State *L) {
  unit *u = check_unit(L);
  const rec_job *job = existing(L, u);
  ready_order order = {(uint8_t)luaL_checkinteger(L, 4), (uint32_t)luaL_optinteger(L, 5, 0)};
  bool leads;
  orr_error err = {0};
  if (ready_leads(u, order, job, &leads, &err)) return fail(L, &err);
  lua_pushboolean(L, leads);
  return 1;
}

/* ---- Sources --------------------------------------------------------------------------------- */

/* open([directory]): a store in memory, or one that an engine has left. */
static int l_open(lua_State *L) {
  orr_error err = {0};
  const char *path = luaL_optstring(L, 1, NULL);
  source_box *box = lua_newuserdatauv(L, sizeof *box, 0);
  memset(box, 0, sizeof *box);
  luaL_setmetatable(L, SOURCE_BOX);
  env_system(&box->env);
  failing_allocator_init(&box->memory);
  box->env.allocator = failing_allocator_hook(&box->memory);
  store_options options = {.env = &box->env, .path = path};
  if ((path ? store_open : store_open_memory)(&options, &box->store, &err) != 0) return fail(L, &err);
  box->source = unit_source_new(&box->env, box->store, NULL, &err);
  if (!box->source) return fail(L, &err);
  return 1;
}

static int l_source_close(lua_State *L) {
  source_box *box = check_source(L);
  unit_source_free(box->source);
  store_close(box->store);
  box->source = NULL;
  box->store = NULL;
  return 0;
}

/* From the n-th request for memory on there is none; 0: plenty. */
static int l_fail_at(lua_State *L) {
  failing_allocator_arm(&check_source(L)->memory, (size_t)luaL_checkinteger(L, 2), true);
  return 0;
}

/* Forgets everything but the store. */
static int l_reopen(lua_State *L) {
  source_box *box = check_source(L);
  orr_error err = {0};
  unit_source_free(box->source);
  box->source = unit_source_new(&box->env, box->store, NULL, &err);
  return done(L, err.code, &err);
}

static int l_begin(lua_State *L) {
  source_box *source = check_source(L);
  orr_error err = {0};
  unit_box *box = lua_newuserdatauv(L, sizeof *box, 1);
  box->u = NULL;
  luaL_setmetatable(L, UNIT_BOX);
  lua_pushvalue(L, 1); /* the source lives as long as its units */
  lua_setiuservalue(L, -2, 1);
  box->u = unit_begin(source->source, &err);
  return !box->u ? fail(L, &err) : 1;
}

static int l_group(lua_State *L) {
  orr_error err = {0};
  uint64_t group = unit_source_group(check_source(L)->source, NULL, &err);
  if (group == 0) return fail(L, &err);
  lua_pushinteger(L, (lua_Integer)group);
  return 1;
}

#define RACE_THREADS 4
#define RACE_GROUPS 5000

typedef struct racer {
  unit_source *source;
  pthread_t thread;
  uint64_t groups[RACE_GROUPS];
} racer;

static void *race(void *ud) {
  racer *r = ud;
  for (int i = 0; i < RACE_GROUPS; i++) {
    unit *u = unit_begin(r->source, NULL);
    r->groups[i] = !u ? 0 : orr_id_group(unit_new_group(u, NULL));
    unit_end(u);
  }
  return NULL;
}

/* Threads that take groups as fast as they can; all they got. */
static int l_race(lua_State *L) {
  source_box *box = check_source(L);
  racer *racers = lua_newuserdatauv(L, RACE_THREADS * sizeof *racers, 0);
  int started = 0;
  for (; started < RACE_THREADS; started++) {
    racers[started].source = box->source;
    if (pthread_create(&racers[started].thread, NULL, race, &racers[started]) != 0) break;
  }
  for (int i = 0; i < started; i++) pthread_join(racers[i].thread, NULL);
  lua_createtable(L, RACE_THREADS * RACE_GROUPS, 0);
  for (int i = 0; i < started * RACE_GROUPS; i++) {
    lua_pushinteger(L, (lua_Integer)racers[i / RACE_GROUPS].groups[i % RACE_GROUPS]);
    lua_rawseti(L, -2, i + 1);
  }
  return 1;
}

static int l_activate(lua_State *L) {
  orr_error err = {0};
  ready_order order = {(uint8_t)luaL_checkinteger(L, 2), (uint32_t)luaL_optinteger(L, 3, 0)};
  int rc = ready_activate(check_source(L)->source, order, &err);
  return done(L, rc, &err);
}

static void problem_add(void *ud, const char *problem) {
  lua_State *L = ud;
  lua_pushstring(L, problem);
  lua_rawseti(L, -2, (lua_Integer)lua_rawlen(L, -2) + 1);
}

static int l_verify(lua_State *L) {
  orr_error err = {0};
  verify_counts counts;
  verify_listener told = {.ud = L, .problem = problem_add};
  lua_newtable(L);
  if (store_verify(check_source(L)->source, &told, &counts, &err)) return fail(L, &err);
  lua_pushinteger(L, (lua_Integer)counts.records);
  lua_pushinteger(L, (lua_Integer)counts.rows);
  return 3;
}

/* The store's bytes as they are: key -> value. */
static int l_dump(lua_State *L) {
  orr_error err = {0};
  store_snapshot *snapshot = NULL;
  store_cursor *cursor = NULL;
  store_range everything = {0};
  store_bytes key, value;
  int rc = store_snapshot_open(check_source(L)->store, &snapshot, &err);
  if (!rc) rc = store_scan(snapshot, &everything, &cursor, &err);
  lua_newtable(L);
  while (!rc && (rc = store_next(cursor, &key, &value, &err)) == 0) {
    lua_pushlstring(L, key.data, key.size);
    lua_pushlstring(L, value.size > 0 ? value.data : "", value.size);
    lua_rawset(L, -3);
  }
  store_cursor_close(cursor);
  store_snapshot_close(snapshot);
  return rc == ORR_E_NOT_FOUND ? 1 : fail(L, &err);
}

/* Plants bytes behind the units' back; nil removes. */
static int l_plant(lua_State *L) {
  orr_error err = {0};
  store_op op = {.kind = lua_isnoneornil(L, 3) ? STORE_DELETE : STORE_PUT, .expected = STORE_ANY_REVISION};
  op.key.data = luaL_checklstring(L, 2, &op.key.size);
  op.value.data = luaL_optlstring(L, 3, NULL, &op.value.size);
  store_batch batch = {.ops = &op, .count = 1};
  int rc = store_commit(check_source(L)->store, &batch, 1, &err);
  return done(L, rc, &err);
}

/* A stored value with another body under a checksum that fits: damage that only the decoder can see. */
static int l_seal(lua_State *L) {
  size_t size;
  const char *body = luaL_checklstring(L, 1, &size);
  char *bytes = lua_newuserdatauv(L, size + sizeof(store_header), 0);
  store_header header = {0, 1};
  memcpy(bytes, &header, sizeof header);
  memcpy(bytes + sizeof header, body, size);
  header.checksum = store_crc32c(bytes + 4, size + 4);
  memcpy(bytes, &header, sizeof header);
  lua_pushlstring(L, bytes, size + sizeof header);
  return 1;
}

/* ---- What a unit costs ----------------------------------------------------------------------- */

/* Loads an instance, a token and a job, changes the first two, deletes the job, creates the next one, flushes. */
static int bench_unit(source_box *box, orr_id instance_id, orr_id token_id, orr_id job_id, orr_id next_id, bool commit,
                      orr_error *err) {
  int rc = ORR_E_NOT_FOUND;
  unit *u = unit_begin(box->source, err);
  if (!u) return err->code;
  rec_instance *instance = unit_instance(u, instance_id, err);
  rec_execution *token = unit_execution(u, token_id, err);
  rec_job *job = unit_job(u, job_id, err);
  if (!instance || !token || !job) goto out;
  rec_job *next = unit_new_job(u, next_id);
  if (!next || unit_touch(u, instance) || unit_touch(u, token)) goto out;
  rec_head kept = next->head;
  *next = *job;
  next->head = kept;
  next->id = next_id;
  instance->sequence++;
  token->node++;
  token->job_id = next_id;
  unit_delete(u, job);
  store_batch *batch;
  rc = commit ? unit_commit(u, err) : unit_flush(u, &batch, err);

out:
  unit_end(u);
  return rc;
}

static int l_bench(lua_State *L) {
  source_box *box = check_source(L);
  lua_Integer n = luaL_checkinteger(L, 2);
  orr_id base = (orr_id)luaL_checkinteger(L, 3);
  bool commit = lua_toboolean(L, 4);
  orr_error err = {0};
  struct timespec begin, end;
  clock_gettime(CLOCK_MONOTONIC, &begin);
  for (lua_Integer i = 0; i < n; i++) {
    orr_id job = base + 2 + (commit ? (orr_id)i : 0);
    int rc = bench_unit(box, base, base + 1, job, base + 3 + (orr_id)i, commit, &err);
    if (rc) return fail(L, &err);
  }
  clock_gettime(CLOCK_MONOTONIC, &end);
  lua_pushnumber(L, (double)(end.tv_sec - begin.tv_sec) + (double)(end.tv_nsec - begin.tv_nsec) / 1e9);
  return 1;
}

static const luaL_Reg unit_methods[] = {
    {"get", l_get}, {"new", l_new}, {"set", l_set}, {"delete", l_delete}, {"succeed", l_succeed}, {"rely", l_rely},
    {"rely_exists", l_rely_exists}, {"next_id", l_next_id},
    {"pause", l_pause}, {"commit", l_commit}, {"flush", l_flush}, {"close", l_close}, {"find_index", l_find_index},
    {"find_every", l_find_every}, {"find_keys", l_find_keys}, {"find_group", l_find_group}, {"find_all", l_find_all},
    {"relation", l_relation}, {"ready", l_ready}, {"leads", l_leads},
    {"__gc", l_close}, {NULL, NULL}};

static const luaL_Reg source_methods[] = {
    {"close", l_source_close}, {"reopen", l_reopen}, {"begin", l_begin}, {"group", l_group}, {"activate", l_activate},
    {"verify", l_verify}, {"dump", l_dump}, {"plant", l_plant}, {"bench", l_bench},
    {"race", l_race}, {"fail_at", l_fail_at},
    {"__gc", l_source_close}, {NULL, NULL}};

static void define(lua_State *L, const char *name, const luaL_Reg *methods) {
  luaL_newmetatable(L, name);
  luaL_setfuncs(L, methods, 0);
  lua_pushvalue(L, -1);
  lua_setfield(L, -2, "__index");
  lua_pop(L, 1);
}

static const luaL_Reg functions[] = {{"open", l_open}, {"seal", l_seal}, {NULL, NULL}};

void inside_uow(lua_State *L) {
  define(L, UNIT_BOX, unit_methods);
  define(L, SOURCE_BOX, source_methods);
  luaL_setfuncs(L, functions, 0);
}
