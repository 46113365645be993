/* The floor under the glue: scratch memory of a call, errors as Lua objects, boxes around the core's objects. */
#include "bindings/orrl.h"

#include <ctype.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bindings/api.h"
#include "base/limits.h"
#include "bindings/script/budget.h"
#include "bindings/signals.h"
#include "bindings/value.h"

/* ---- Scratch --------------------------------------------------------------------------------- */

static orrl_scratch *scratch_new(orrl_state *state) {
  orrl_scratch *s = calloc(1, sizeof *s);
  if (!s) return NULL;
  s->values = calloc(ORRL_VALUES, sizeof *s->values);
  if (!s->values) {
    free(s);
    return NULL;
  }
  s->next_all = state->all;
  state->all = s;
  return s;
}

void orrl_begin(orrl_call *c, lua_State *L, const char *name, int arguments) {
  orrl_state *state = lua_touserdata(L, lua_upvalueindex(1));
  *c = (orrl_call){.L = L, .state = state, .name = name, .scratch = state->free};
  if (state->running) budget_enter(state);
  else state->hook = lua_gethook(state->L);
  if (c->scratch) state->free = c->scratch->next_free;
  else c->scratch = scratch_new(state);
  if (!c->scratch) luaL_error(L, "out of memory");
  c->scratch->builder_count = c->scratch->value_count = 0;
  c->scratch->taken = true;
  state->calls++;
  if (state->written[0]) {
    memcpy(c->written, state->written, sizeof c->written);
    state->written[0] = '\0';
    c->name = c->written;
  }
  int most = arguments + (strchr(name, ':') ? 1 : 0);
  if (lua_gettop(L) > most) orrl_argument(c, most + 1, "at most %d argument%s", arguments, arguments == 1 ? "" : "s");
  lua_settop(L, most); /* absent arguments are nil, so that their indexes are sure */
}

void orrl_end(orrl_call *c) {
  if (!c->scratch->taken) return;
  c->scratch->taken = false;
  c->state->calls--;
  c->scratch->next_free = c->state->free;
  c->state->free = c->scratch;
}

orr_builder *orrl_builder(orrl_call *c) {
  orrl_scratch *s = c->scratch;
  if (s->builder_count == s->builder_capacity) {
    size_t capacity = s->builder_capacity + 4;
    orr_builder **grown = realloc(s->builders, capacity * sizeof *grown);
    if (!grown) luaL_error(c->L, "out of memory");
    memset(grown + s->builder_capacity, 0, 4 * sizeof *grown);
    s->builders = grown;
    s->builder_capacity = capacity;
  }
  orr_builder **slot = &s->builders[s->builder_count];
  if (!*slot) *slot = orr_builder_new();
  else orr_builder_reset(*slot);
  if (!*slot) luaL_error(c->L, "out of memory");
  s->builder_count++;
  return *slot;
}

/* ---- Errors ---------------------------------------------------------------------------------- */

static void push_details(lua_State *L, orrl_state *state, const orr_value *details) {
  orr_value key, item;
  orr_iterator it = orr_iterate(details);
  while (orr_next(&it, &key, &item)) {
    lua_pushlstring(L, key.as.bytes, key.size);
    orrl_push_stored(L, state, &item);
    lua_rawset(L, -3);
  }
}

typedef struct pushed_error {
  orrl_state *state;
  const orr_error *err;
} pushed_error;

static int push_error_body(lua_State *L) {
  const pushed_error *pushed = lua_touserdata(L, 1);
  const orr_error *err = pushed->err;
  lua_createtable(L, 0, 4);
  if (err->details) push_details(L, pushed->state, err->details);
  lua_pushstring(L, orr_error_kind(err->code));
  lua_setfield(L, -2, "kind");
  lua_pushstring(L, err->message ? err->message : orr_strerror(err->code));
  lua_setfield(L, -2, "message");
  if (err->traceback) {
    lua_pushstring(L, err->traceback);
    lua_setfield(L, -2, "traceback");
  }
  lua_rawgeti(L, LUA_REGISTRYINDEX, pushed->state->error_ref);
  lua_setmetatable(L, -2);
  return 1;
}

/* Protected, since the error's texts are ours to free when there is no memory for Lua's. */
void orrl_push_error(lua_State *L, orrl_state *state, orr_error *err) {
  pushed_error pushed = {state, err};
  lua_pushcfunction(L, push_error_body);
  lua_pushlightuserdata(L, &pushed);
  int status = lua_pcall(L, 1, 1, 0);
  orr_error_clear(err);
  if (status != LUA_OK) lua_error(L);
}

/* The innermost line from this level on that is none of Orrery's own. */
static bool find_frame(lua_State *L, const orrl_state *state, int level, lua_Debug *frame) {
  size_t own = strlen(state->own_files);
  for (; lua_getstack(L, level, frame); level++) {
    lua_getinfo(L, "Sl", frame);
    if (frame->currentline >= 0 && !(own && strncmp(frame->source, state->own_files, own) == 0)) return true;
  }
  return false;
}

bool orrl_line(lua_State *L, const orrl_state *state, char *out, size_t size) {
  lua_Debug frame;
  if (!find_frame(L, state, 0, &frame)) return false;
  snprintf(out, size, "%s:%d", frame.short_src, frame.currentline);
  return true;
}

void orrl_push_where(lua_State *L, orrl_state *state, int level) {
  lua_Debug frame;
  if (find_frame(L, state, level, &frame)) lua_pushfstring(L, "%s:%d", frame.short_src, frame.currentline);
  else lua_pushnil(L);
}

int orrl_own_files(lua_State *L) {
  orrl_state *state = lua_touserdata(L, lua_upvalueindex(1));
  snprintf(state->own_files, sizeof state->own_files, "%s", luaL_checkstring(L, 1));
  return 0;
}

int orrl_called(lua_State *L) {
  orrl_state *state = lua_touserdata(L, lua_upvalueindex(1));
  snprintf(state->written, sizeof state->written, "%s", luaL_checkstring(L, 1));
  return 0;
}

/* The error object is on top. What a delegate's own call raised within says already where that was. */
static int raise_here(orrl_call *c) {
  lua_State *L = c->L;
  lua_pushliteral(L, "where");
  if (lua_rawget(L, -2) == LUA_TNIL) {
    orrl_push_where(L, c->state, 1);
    lua_setfield(L, -3, "where");
  }
  lua_pop(L, 1);
  return lua_error(L);
}

int orrl_raise(orrl_call *c, orr_error *err) {
  bool interrupted = err->message && strstr(err->message, "interrupted by ");
  if (interrupted && !c->state->running) signals_told(c->state);
  orrl_end(c);
  orrl_push_error(c->L, c->state, err);
  return raise_here(c);
}

static int raise_text(orrl_call *c, int code, const char *text) {
  orrl_end(c);
  lua_createtable(c->L, 0, 2);
  lua_pushstring(c->L, orr_error_kind(code));
  lua_setfield(c->L, -2, "kind");
  lua_pushstring(c->L, text);
  lua_setfield(c->L, -2, "message");
  lua_rawgeti(c->L, LUA_REGISTRYINDEX, c->state->error_ref);
  lua_setmetatable(c->L, -2);
  return raise_here(c);
}

/* Each part of the name before its last stands for an argument that the caller did not write; "+1" for one that only the
 * caller wrote. */
static int refuse_argument(orrl_call *c, int code, int index, const char *message) {
  char text[ORRL_REFUSAL * 3];
  const char *name = c->name;
  int own = 0;
  for (const char *colon; (colon = strchr(name, ':')); own++) name = colon + 1;
  int size = (int)strcspn(name, "+"), more = name[size] == '+' ? name[size + 1] - '0' : 0;
  if (index <= own) snprintf(text, sizeof text, "calling '%.*s' on a bad self (%s)", size, name, message);
  else snprintf(text, sizeof text, "bad argument #%d to '%.*s' (%s)", index - own + more, size, name, message);
  return raise_text(c, code, text);
}

int orrl_argument(orrl_call *c, int index, const char *format, ...) {
  char message[ORRL_REFUSAL * 2];
  va_list args;
  va_start(args, format);
  vsnprintf(message, sizeof message, format, args);
  va_end(args);
  return refuse_argument(c, ORR_E_ARGUMENT, index, message);
}

int orrl_no_id(orrl_call *c, int index, const char *name, const char *text) {
  char message[ORRL_REFUSAL];
  snprintf(message, sizeof message,
           "%s%s\"%.100s\" is no id; ids are positive numbers, or texts of their digits, as records carry them",
           name ? name : "", name ? ": " : "", text);
  return refuse_argument(c, ORR_E_NOT_FOUND, index, message);
}

/* ---- Boxes ----------------------------------------------------------------------------------- */

/* The box that a class's own function (upvalue 1) was called on. */
static orrl_box *own_box(lua_State *L) {
  const orrl_class *class = lua_touserdata(L, lua_upvalueindex(1));
  return luaL_checkudata(L, 1, class->name);
}

static int box_close(lua_State *L) {
  orrl_box *box = own_box(L);
  if (!box->object) return 0;
  void *object = box->object;
  box->object = NULL;
  if (!box->borrowed && box->class->destroy) box->class->destroy(object);
  return 0;
}

static int box_text(lua_State *L) {
  const orrl_box *box = own_box(L);
  lua_pushfstring(L, "%s(%p%s)", box->class->name, (const void *)box, !box->object ? ", closed" : "");
  return 1;
}

void orrl_class_new(lua_State *L, const orrl_class *class, const luaL_Reg *methods, orrl_state *state) {
  static const luaL_Reg common[] = {
    {"__gc", box_close}, {"__close", box_close}, {"close", box_close}, {"__tostring", box_text}, {NULL, NULL}};
  luaL_newmetatable(L, class->name);
  lua_pushlightuserdata(L, (void *)(uintptr_t)class);
  luaL_setfuncs(L, common, 1);
  if (methods) {
    lua_pushlightuserdata(L, state);
    luaL_setfuncs(L, methods, 1);
  }
  lua_pushvalue(L, -1);
  lua_setfield(L, -2, "__index");
  lua_pop(L, 1);
}

orrl_box *orrl_box_new(lua_State *L, const orrl_class *class, void *object, bool borrowed) {
  orrl_box *box = lua_newuserdatauv(L, sizeof *box, 1);
  *box = (orrl_box){.object = object, .class = class, .borrowed = borrowed};
  luaL_setmetatable(L, class->name);
  return box;
}

static int refuse_closed(orrl_call *c, const orrl_class *class) {
  char text[ORRL_REFUSAL];
  const char *name = strchr(class->name, '.') + 1;
  snprintf(text, sizeof text, "the %c%s is closed", tolower((unsigned char)*name), name + 1);
  return raise_text(c, ORR_E_STATE, text);
}

void *orrl_object(orrl_call *c, int index, const orrl_class *class) {
  const orrl_box *box = luaL_testudata(c->L, index, class->name);
  if (!box) orrl_argument(c, index, "%s expected, got %s", class->name, luaL_typename(c->L, index));
  else if (!box->object) refuse_closed(c, class);
  return box ? box->object : NULL;
}

/* ---- Results --------------------------------------------------------------------------------- */

int orrl_push_built(orrl_call *c, orr_builder *builder) {
  orr_value value;
  /* A command that found nothing builds nothing, which is no failure. */
  if (orr_builder_value(builder, &value, NULL)) value = (orr_value){0};
  orrl_push_stored(c->L, c->state, &value);
  return 1;
}

void orrl_push_id(lua_State *L, orr_id id) {
  char text[20], *end = text + sizeof text, *at = end; /* records carry several, so no printf */
  do *--at = (char)('0' + id % 10);
  while (id /= 10);
  lua_pushlstring(L, at, (size_t)(end - at));
}

static bool names_id(const char *name) {
  if (strcmp(name, "id") == 0 || strcmp(name, "scope") == 0) return true;
  size_t n = strlen(name);
  return n > 3 && memcmp(name + n - 3, "_id", 3) == 0;
}

/* Ids are texts in Lua: opaque, safe in JSON, never mistaken for a number to count with. In the core's values they are
 * integers. */
void orrl_push_field(lua_State *L, orrl_state *state, const char *name, const orr_value *value) {
  if (value->type == ORR_INT && names_id(name)) orrl_push_id(L, (orr_id)value->as.integer);
  else orrl_push_value(L, state, value);
}

/* The methods of a kind of record for the table on top of the stack. The receiver at 1 is the engine's box. */
static void set_class(lua_State *L, const char *kind) {
  if (lua_getiuservalue(L, 1, 1) == LUA_TTABLE) lua_getfield(L, -1, kind);
  else lua_pushnil(L);
  lua_remove(L, -2);
  if (lua_istable(L, -1)) lua_setmetatable(L, -2);
  else lua_pop(L, 1);
}

/* The definitions of a deployment: records within a record. */
static void push_definitions(orrl_call *c, const orr_value *list) {
  orr_iterator items = orr_iterate(list);
  orr_value item, key, value;
  lua_newtable(c->L);
  for (lua_Integer i = 1; orr_next(&items, NULL, &item); i++) {
    orr_iterator fields = orr_iterate(&item);
    lua_newtable(c->L);
    while (orr_next(&fields, &key, &value)) {
      const char *name = lua_pushlstring(c->L, key.as.bytes, key.size);
      orrl_push_field(c->L, c->state, name, &value);
      lua_rawset(c->L, -3);
    }
    set_class(c->L, "definition");
    lua_rawseti(c->L, -2, i);
  }
}

static void push_record(orrl_call *c, const orr_records *records, size_t index) {
  const char *name;
  orr_value value;
  lua_createtable(c->L, 0, 16);
  for (size_t n = 0; orr_records_field(records, index, n, &name, &value); n++) {
    lua_pushstring(c->L, name);
    if (value.type == ORR_ARRAY && strcmp(name, "definitions") == 0) push_definitions(c, &value);
    else orrl_push_field(c->L, c->state, name, &value);
    lua_rawset(c->L, -3);
  }
}

int orrl_push_records(orrl_call *c, orr_records *records) {
  lua_State *L = c->L;
  c->scratch->records = records; /* held and boxed for the case that memory runs out on the way */
  orrl_box *box = orrl_box_new(L, &orrl_records_class, records, false);
  c->scratch->records = NULL;
  size_t count = orr_records_count(records);
  lua_createtable(L, (int)(count & 0xffffff), 0);
  for (size_t i = 0; i < count; i++) {
    push_record(c, records, i);
    set_class(L, orr_records_kind(records));
    lua_rawseti(L, -2, (lua_Integer)i + 1);
  }
  box->object = NULL;
  orr_records_free(records);
  return 1;
}
