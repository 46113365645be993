/* FEEL for the specs: feel.compile(text, { form =, names = { { name, type, lua }, … }, open =,
 * input =, input_type = }) gives { lua, constants, type, literal, names, unknown }, or nil,
 * message, code, line, column. Types are texts, as after `instance of`. */
#include "decision/feel/type.h"
#include "inside.h"

#include <string.h>

#include "allocator.h"
#include "base/arena.h"
#include "decision/feel/unit.h"

enum { NAMES_MAX = 64 };

typedef struct compile_call {
  lua_State *L;
  orr_arena *arena;
  feel_unit *unit;
  feel_name names[NAMES_MAX];
  feel_scope scope;
} compile_call;

static const char *field_text(lua_State *L, int i, const char *name) {
  lua_getfield(L, i, name);
  const char *text = lua_tostring(L, -1);
  lua_pop(L, 1); /* the table holds it */
  return text;
}

/* NULL for no text, and for one that is no type. */
static const feel_type *type_of(compile_call *c, const char *text) {
  feel_code code;
  if (!text) return NULL;
  feel_request request = {.form = FEEL_TYPE, .text = text, .size = strlen(text)};
  return !feel_compile(c->unit, &request, &code, NULL, NULL) ? code.type : NULL;
}

static const char *item_text(lua_State *L, int i, int n) {
  lua_rawgeti(L, i, n);
  const char *text = lua_tostring(L, -1);
  lua_pop(L, 1);
  return text;
}

static void read_names(compile_call *c, int options) {
  lua_getfield(c->L, options, "names");
  for (size_t i = 0; lua_istable(c->L, -1) && i < NAMES_MAX; i++) {
    if (lua_rawgeti(c->L, -1, (lua_Integer)i + 1) != LUA_TTABLE) {
      lua_pop(c->L, 1);
      break;
    }
    int at = lua_gettop(c->L);
    c->names[i] = (feel_name){item_text(c->L, at, 1), type_of(c, item_text(c->L, at, 2)),
                              item_text(c->L, at, 3)};
    c->scope.n_names = i + 1;
    lua_pop(c->L, 1);
  }
  c->scope.names = c->names;
  lua_getfield(c->L, options, "open");
  c->scope.open = lua_toboolean(c->L, -1);
  lua_pop(c->L, 2);
}

static enum feel_form form_of(const char *name) {
  if (name && strcmp(name, "tests") == 0) return FEEL_UNARY_TESTS;
  return name && strcmp(name, "type") == 0 ? FEEL_TYPE : FEEL_EXPRESSION;
}

static void push_list(lua_State *L, const char *const *texts, size_t n, const char *name) {
  lua_newtable(L);
  for (size_t i = 0; i < n; i++) {
    lua_pushstring(L, texts[i]);
    lua_rawseti(L, -2, (lua_Integer)i + 1);
  }
  lua_setfield(L, -2, name);
}

static void push_code(compile_call *c, const feel_code *code) {
  lua_newtable(c->L);
  lua_pushlstring(c->L, code->lua, code->size);
  lua_setfield(c->L, -2, "lua");
  lua_pushstring(c->L, feel_unit_constants(c->unit));
  lua_setfield(c->L, -2, "constants");
  lua_pushstring(c->L, feel_type_lua(c->arena, code->type));
  lua_setfield(c->L, -2, "type");
  lua_pushboolean(c->L, code->literal);
  lua_setfield(c->L, -2, "literal");
  push_list(c->L, code->names, code->n_names, "names");
  push_list(c->L, code->unknown, code->n_unknown, "unknown");
}

static int l_feel_compile(lua_State *L) {
  orr_error err = {0};
  feel_code code;
  feel_place where;
  feel_request request = {0};
  lua_settop(L, 2);
  if (!lua_istable(L, 2)) {
    lua_newtable(L);
    lua_replace(L, 2);
  }
  request.text = luaL_checklstring(L, 1, &request.size);
  failing_allocator counting;
  failing_allocator_init(&counting);
  orr_allocator failing = failing_allocator_hook(&counting);
  compile_call c = {.L = L, .arena = arena_new(&failing)};
  c.unit = c.arena ? feel_unit_new(c.arena) : NULL;
  if (!c.unit) return luaL_error(L, "out of memory");
  read_names(&c, 2);
  request.form = form_of(field_text(L, 2, "form"));
  request.input = field_text(L, 2, "input");
  request.input_type = type_of(&c, field_text(L, 2, "input_type"));
  request.scope = &c.scope;
  lua_getfield(L, 2, "fail_at");
  failing_allocator_arm(&counting, (size_t)luaL_optinteger(L, -1, 0), false);
  int rc = feel_compile(c.unit, &request, &code, &where, &err), results = 1;
  failing_allocator_arm(&counting, 0, false);
  if (rc) {
    lua_pushnil(L);
    lua_pushstring(L, err.message);
    lua_pushinteger(L, rc);
    lua_pushinteger(L, where.line);
    lua_pushinteger(L, where.column);
    orr_error_clear(&err);
    results = 5;
  } else {
    push_code(&c, &code);
  }
  arena_free(c.arena);
  return results;
}

void inside_feel(lua_State *L) {
  lua_pushcfunction(L, l_feel_compile);
  lua_setfield(L, -2, "compile");
}
