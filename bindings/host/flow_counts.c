/* Counts the flows that tokens take, on whichever thread (engine_flow_watch). */
#include "bindings/host/flow_counts.h"

#include <stdlib.h>
#include <string.h>

#include "bindings/api.h"
#include "bindings/host/host.h"
#include "bindings/host/host_types.h"

typedef struct flow_count {
  char *process, *flow;
  lua_Integer taken;
} flow_count;

struct flow_counts {
  pthread_mutex_t mutex; /* guards the fields below */
  flow_count *items;
  size_t count, capacity;
  bool lost;             /* memory was out, so the counts are not whole */
};

static flow_count *find_count(const flow_counts *f, const char *process, const char *flow_id) {
  for (size_t i = 0; i < f->count; i++)
    if (strcmp(f->items[i].flow, flow_id) == 0 && strcmp(f->items[i].process, process) == 0) return &f->items[i];
  return NULL;
}

static bool grow_counts(flow_counts *f) {
  if (f->count < f->capacity) return true;
  size_t capacity = f->capacity ? 2 * f->capacity : 64;
  flow_count *items = realloc(f->items, capacity * sizeof *items);
  if (!items) return false;
  f->items = items;
  f->capacity = capacity;
  return true;
}

static flow_count *new_count(flow_counts *f, const char *process, const char *flow_id) {
  if (!grow_counts(f)) return NULL;
  flow_count made = {strdup(process), strdup(flow_id), 0};
  if (made.process && made.flow) {
    f->items[f->count] = made;
    return &f->items[f->count++];
  }
  free(made.process);
  free(made.flow);
  return NULL;
}

static void count_taken(void *ud, const char *process, const char *flow_id) {
  flow_counts *f = ud;
  pthread_mutex_lock(&f->mutex);
  flow_count *found = find_count(f, process, flow_id);
  if (!found) found = new_count(f, process, flow_id);
  if (found) found->taken++;
  else f->lost = true;
  pthread_mutex_unlock(&f->mutex);
}

void flow_counts_free(flow_counts *f) {
  if (!f) return;
  for (size_t i = 0; i < f->count; i++) {
    free(f->items[i].process);
    free(f->items[i].flow);
  }
  free(f->items);
  pthread_mutex_destroy(&f->mutex);
  free(f);
}

static orr_engine *open_engine(lua_State *L) {
  const orrl_box *box = luaL_checkudata(L, 1, orrl_engine_class.name);
  if (!box->object || !host_of(box->object)) luaL_error(L, "the engine is closed");
  return box->object;
}

/* count_flows(engine): from now on. Before anything runs. */
static int function_count_flows(lua_State *L) {
  orr_engine *engine = open_engine(L);
  lua_host *h = host_of(engine);
  if (h->flows) return 0;
  flow_counts *f = calloc(1, sizeof *f);
  if (!f) return luaL_error(L, "out of memory");
  pthread_mutex_init(&f->mutex, NULL);
  h->flows = f;
  engine->flow_watch = (engine_flow_watch){count_taken, f};
  return 0;
}

/* One row of the table at the top: t[process][flow] = taken. */
static void push_count(lua_State *L, const char *process, const char *flow_id, lua_Integer taken) {
  luaL_getsubtable(L, -1, process);
  lua_pushinteger(L, taken);
  lua_setfield(L, -2, flow_id);
  lua_pop(L, 1);
}

/* The names stay until the engine closes and only `taken` changes, so rows are copied one by one: nothing that raises
 * happens under the lock. */
static bool read_count(flow_counts *f, size_t i, flow_count *out) {
  pthread_mutex_lock(&f->mutex);
  bool there = i < f->count;
  if (there) *out = f->items[i];
  pthread_mutex_unlock(&f->mutex);
  return there;
}

static bool counts_are_whole(flow_counts *f) {
  pthread_mutex_lock(&f->mutex);
  bool whole = !f->lost;
  pthread_mutex_unlock(&f->mutex);
  return whole;
}

/* flows_taken(engine) -> { [process key] = { [flow id] = times } } */
static int function_flows_taken(lua_State *L) {
  flow_counts *f = host_of(open_engine(L))->flows;
  flow_count row;
  if (!f) return luaL_error(L, "flows are not counted");
  if (!counts_are_whole(f)) return luaL_error(L, "out of memory");
  lua_newtable(L);
  for (size_t i = 0; read_count(f, i, &row); i++) push_count(L, row.process, row.flow, row.taken);
  return 1;
}

const luaL_Reg flow_counts_functions[] = {
    {"count_flows", function_count_flows}, {"flows_taken", function_flows_taken}, {NULL, NULL}};
