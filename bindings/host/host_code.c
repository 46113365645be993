/* Scripts and expressions: compiled once a state, run in an environment that shows variables as
 * globals.
 *
 * A script's chunk takes its environment as an argument (`local _ENV = ...` before its first line),
 * so one compiled chunk serves many fibers at once. The environment is a table of the fiber's own,
 * used again: what a script assigns lands in it and is cleared afterwards; what it does not have is
 * looked up by `find_global`. */
#include "bindings/host/host_code.h"

#include <stdlib.h>
#include <string.h>

#include "engine/engine.h"
#include "engine/time_zone.h"
#include "bindings/host/host.h"
#include "bindings/host/host_connector.h"
#include "bindings/host/host_execution.h"
#include "bindings/host/host_names.h"
#include "bindings/host/host_view.h"
#include "state/variable.h"
#include "time/zone.h"
#include "bindings/value.h"

/* ---- Compiled chunks ------------------------------------------------------------------------- */

/* Keyed by the expression's address. Definitions come and go, so an address may return as another expression: an entry
 * counts only when the text is the same too, and then the chunk is right whatever the definition. */
typedef struct chunk {
  const expr *key;
  char *code;
  size_t size;
  int ref;
} chunk;

enum { CHUNKS = 1024 }; /* a power of two; more expressions than that share places and are compiled again */

struct code_cache {
  chunk chunks[CHUNKS];
};

static chunk *slot(lua_thread *t, const expr *e) {
  size_t hash = ((size_t)e >> 4) * (size_t)0x9E3779B97F4A7C15u;
  return &t->code->chunks[hash >> 50 & (CHUNKS - 1)];
}

static void drop(lua_thread *t, chunk *at) {
  if (!at->key) return;
  luaL_unref(t->state->L, LUA_REGISTRYINDEX, at->ref);
  free(at->code);
  *at = (chunk){0};
}

void code_forget(lua_thread *t) {
  if (!t->code) return;
  for (size_t i = 0; i < CHUNKS; i++) drop(t, &t->code->chunks[i]);
}

/* What load reads: a prefix on the first line, then the text. */
typedef struct source {
  const char *parts[2];
  size_t sizes[2];
  int next;
} source;

static const char *read_source(lua_State *L, void *ud, size_t *size) {
  source *s = ud;
  (void)L;
  while (s->next < 2 && s->sizes[s->next] == 0) s->next++;
  if (s->next == 2) return NULL;
  *size = s->sizes[s->next];
  return s->parts[s->next++];
}

static int load_behind(lua_State *L, const char *prefix, const char *code, size_t size, const char *name) {
  source s = {{prefix, code}, {strlen(prefix), size}, 0};
  return lua_load(L, read_source, &s, name, "t");
}

typedef enum code_use {
  CODE_EXPRESSION, /* compiled UEL: a chunk as it stands */
  CODE_SCRIPT,     /* Lua that runs: a chunk in a scope */
  CODE_VALUE,      /* Lua that is evaluated: may be one expression without `return`, as at the Lua prompt: `amount > 100` */
} code_use;

static int load(lua_State *L, const char *code, size_t size, code_use use, const char *name) {
  if (use == CODE_EXPRESSION) return load_behind(L, "", code, size, name);
  if (use == CODE_VALUE) {
    if (load_behind(L, "local _ENV = ...; return ", code, size, name) == LUA_OK) return LUA_OK;
    lua_pop(L, 1);
  }
  return load_behind(L, "local _ENV = ...; ", code, size, name);
}

static void compile_chunk(lua_State *L, const expr *e, bool evaluated) {
  char name[80];
  snprintf(name, sizeof name, "=%s:%d", e->kind == EXPR_SCRIPT ? "script" : "expression", e->line);
  if (e->code_size > ORR_SCRIPT_BYTES_MAX) luaL_error(L, "the script is larger than %d bytes", ORR_SCRIPT_BYTES_MAX);
  code_use use = e->kind != EXPR_SCRIPT ? CODE_EXPRESSION : evaluated ? CODE_VALUE : CODE_SCRIPT;
  if (load(L, e->code, e->code_size, use, name) != LUA_OK) lua_error(L);
}

/* Pushes the compiled chunk of an expression or script; raises on bad syntax. */
static void code_push(lua_State *L, fiber *f, const expr *e) {
  lua_thread *t = f->thread;
  if (!t->code) t->code = calloc(1, sizeof *t->code);
  if (!t->code) luaL_error(L, "out of memory");
  chunk *at = slot(t, e);
  if (at->key == e && at->size == e->code_size && memcmp(at->code, e->code, e->code_size) == 0) {
    lua_rawgeti(L, LUA_REGISTRYINDEX, at->ref);
    return;
  }
  compile_chunk(L, e, f->kept.kind == 0); /* a model's expression is either evaluated or called, always the same */
  drop(t, at);
  lua_pushvalue(L, -1);
  int ref = luaL_ref(L, LUA_REGISTRYINDEX); /* may raise, so the copy comes after it */
  char *copy = malloc(e->code_size + 1);
  if (!copy) { /* it only is compiled again */
    luaL_unref(L, LUA_REGISTRYINDEX, ref);
    return;
  }
  memcpy(copy, e->code, e->code_size);
  *at = (chunk){.key = e, .code = copy, .size = e->code_size, .ref = ref};
}

/* Checking runs at deployment, without a thread: in a state that knows nothing but the grammar. */
int host_check_script(host *self, const char *code, size_t size, int *line, orr_error *err) {
  (void)self;
  *line = 0;
  if (size > ORR_SCRIPT_BYTES_MAX)
    return error_set(err, ORR_E_LIMIT, "the script is larger than %d bytes", ORR_SCRIPT_BYTES_MAX);
  lua_State *L = luaL_newstate();
  if (!L) return error_memory(err);
  int rc = 0;
  if (load(L, code, size, CODE_VALUE, "=script") != LUA_OK) {
    const char *message = lua_tostring(L, -1);
    const char *text = message ? message : "it is no Lua";
    if (strncmp(text, "script:", 7) == 0) {
      char *end;
      *line = (int)strtol(text + 7, &end, 10);
      if (end[0] == ':' && end[1] == ' ') text = end + 2;
    }
    rc = error_set(err, ORR_E_EXPRESSION, "%s", text);
  }
  lua_close(L);
  return rc;
}

/* ---- Names in scripts and expressions -------------------------------------------------------- */

/* What every script has, whatever its variables are called. */
static bool push_implicit(lua_State *L, fiber *f, const char *name) {
  bool known = true;
  if (strcmp(name, "execution") == 0 && f->view && f->view->id != 0) {
    execution_push_script(L, f);
  } else if (strcmp(name, "task") == 0 && f->view && f->view->task != 0) {
    task_push(L, f);
    view_show(L, f);
  } else if (strcmp(name, "orrery") == 0) {
    orrl_push_hook(L, f->state, "orrery");
  } else if (strcmp(name, "authenticatedUserId") == 0) {
    lua_pushstring(L, f->context ? f->context->user : NULL);
  } else {
    known = false;
  }
  return known;
}

/* `dated`: a Date comes as a declared value, not as its seconds. */
static bool push_variable(lua_State *L, fiber *f, const char *name, bool dated) {
  orr_value value = {0};
  if (f->variables && f->variables->type == ORR_MAP) value = orr_map_get(f->variables, name);
  if (value.type == ORR_NIL && f->view && f->view->id != 0) {
    orr_error err = {0};
    if (variable_get(f->context, f->view->id, name, &value)) {
      error_move(&err, &f->context->error);
      orrl_push_error(L, f->state, &err);
      lua_error(L);
    }
  }
  if (value.type == ORR_NIL) return false;
  if (dated) orrl_push_dated(L, f->state, &value);
  else orrl_push_value(L, f->state, &value);
  return true;
}

/* Implicit objects, variables, registered names. Upvalue 1 is the fiber. */
static bool push_dated_name(lua_State *L, fiber *f, const char *name, bool dated) {
  if (f->pure) return push_variable(L, f, name, dated);
  return connector_push_extra(L, f, name) || push_implicit(L, f, name) || push_variable(L, f, name, dated) ||
         view_push_named(L, f, name);
}

static bool push_name(lua_State *L, fiber *f, const char *name) { return push_dated_name(L, f, name, false); }

static int find_global(lua_State *L) {
  fiber *f = lua_touserdata(L, lua_upvalueindex(1));
  if (lua_type(L, 2) != LUA_TSTRING || f->serial == 0) return 0;
  if (push_name(L, f, lua_tostring(L, 2))) return 1;
  lua_rawgeti(L, LUA_REGISTRYINDEX, f->thread->sandbox_ref);
  lua_pushvalue(L, 2);
  lua_rawget(L, -2);
  return 1;
}

/* ---- The scope of expressions: lua/orrery/el.lua says what it has. Upvalue 1 is the fiber. --- */

/* scope.get(name, dated) -> found, value */
static int scope_get_name(lua_State *L) {
  fiber *f = lua_touserdata(L, lua_upvalueindex(1));
  const char *name = luaL_checkstring(L, 1);
  bool found = f->serial != 0 && push_dated_name(L, f, name, lua_toboolean(L, 2));
  lua_pushboolean(L, found);
  if (!found) return 1;
  lua_insert(L, -2);
  return 2;
}

/* Is a task or a listener run that an expression stands for? Then a bean that is missing is a
 * missing delegate. */
static bool implements(const fiber *f) {
  const implementation *run = f->kept.run;
  return run && run->kind != IMPLEMENTATION_SCRIPT && run->kind != IMPLEMENTATION_TYPE;
}

/* scope.bean(name) -> found, value */
static int scope_bean(lua_State *L) {
  fiber *f = lua_touserdata(L, lua_upvalueindex(1));
  const char *name = luaL_checkstring(L, 1);
  bool found = f->serial != 0 && !f->pure && names_bean(L, f, name, implements(f));
  lua_pushboolean(L, found);
  if (!found) return 1;
  lua_insert(L, -2);
  view_show(L, f);
  return 2;
}

static int scope_now(lua_State *L) {
  fiber *f = lua_touserdata(L, lua_upvalueindex(1));
  lua_pushnumber(L, (lua_Number)(f->context ? f->context->now : orr_engine_now(f->thread->host->base.engine)) / 1000);
  return 1;
}

/* The zone that expressions count by. */
static const orr_zone *zone_of(fiber *f) {
  const orr_zone *zone = f->context ? time_zone(f->context) : NULL;
  if (!zone && f->context) orr_error_clear(&f->context->error);
  return zone ? zone : time_zone_seen(f->thread->host->base.engine);
}

/* scope.task(id): any task, by its id as a number or a text. */
static int scope_task(lua_State *L) {
  fiber *f = lua_touserdata(L, lua_upvalueindex(1));
  if (f->pure) return luaL_error(L, "there are no tasks in this text");
  orrl_push_hook(L, f->state, "find_task");
  host_push_engine(L, f->thread);
  lua_pushvalue(L, 1);
  lua_call(L, 2, 1);
  view_show(L, f);
  return 1;
}

/* What changes from call to call. */
static int scope_index(lua_State *L) {
  fiber *f = lua_touserdata(L, lua_upvalueindex(1));
  const char *name = lua_type(L, 2) == LUA_TSTRING ? lua_tostring(L, 2) : "";
  if (strcmp(name, "missing") == 0) lua_pushboolean(L, f->missing_is_nil);
  else if (strcmp(name, "user") == 0 && !f->pure) lua_pushstring(L, f->context ? f->context->user : NULL);
  else if (strcmp(name, "zone") == 0) lua_pushstring(L, zone_name(zone_of(f)));
  else lua_pushnil(L);
  return 1;
}

static void set_method(lua_State *L, fiber *f, const char *name, lua_CFunction fn) {
  lua_pushlightuserdata(L, f);
  lua_pushcclosure(L, fn, 1);
  lua_setfield(L, -2, name);
}

static void set_index(lua_State *L, fiber *f, lua_CFunction fn) {
  lua_createtable(L, 0, 2);
  set_method(L, f, "__index", fn);
  lua_pushboolean(L, 0);
  lua_setfield(L, -2, "__metatable"); /* scripts cannot reach it */
  lua_setmetatable(L, -2);
}

void code_prepare(lua_State *L, fiber *f) {
  lua_newtable(L);
  set_index(L, f, find_global);
  f->env_ref = luaL_ref(L, LUA_REGISTRYINDEX);
  lua_createtable(L, 0, 4);
  set_method(L, f, "get", scope_get_name);
  set_method(L, f, "bean", scope_bean);
  set_method(L, f, "now", scope_now);
  set_method(L, f, "task", scope_task);
  set_index(L, f, scope_index);
  f->scope_ref = luaL_ref(L, LUA_REGISTRYINDEX);
}

/* ---- Running --------------------------------------------------------------------------------- */

static void call_variable(lua_State *L, fiber *f, const expr *e) {
  if (push_name(L, f, e->name)) return;
  if (f->missing_is_nil) {
    lua_pushnil(L);
    return;
  }
  const implementation *run = f->kept.run;
  if (run && run->kind == IMPLEMENTATION_DELEGATE && &run->value == e) { /* `${name}` gives what the class `name` is */
    names_resolve(L, f, e->name);
    return;
  }
  orr_error err = {0};
  error_set(&err, ORR_E_EXPRESSION, "there is no variable and no registered name \"%s\"", e->name);
  orrl_push_error(L, f->state, &err);
  lua_error(L);
}

static void push_expression_arguments(lua_State *L, fiber *f) {
  orrl_push_hook(L, f->state, "el");
  lua_rawgeti(L, LUA_REGISTRYINDEX, f->scope_ref);
}

/* A script whose text is known only now: from a variable or expression, or a resource that one of them names. */
static void push_late_script(lua_State *L, fiber *f, const expr *e) {
  if (!e->code) {
    call_variable(L, f, e);
  } else {
    code_push(L, f, e);
    push_expression_arguments(L, f);
    lua_call(L, 2, 1);
  }
  if (e->kind == EXPR_SCRIPT_RESOURCE) {
    orrl_push_hook(L, f->state, "resource");
    host_push_engine(L, f->thread);
    lua_pushinteger(L, (lua_Integer)host_deployment(f));
    lua_pushvalue(L, -4);
    lua_call(L, 3, 1);
    lua_remove(L, -2);
  }
  size_t size;
  const char *text = lua_type(L, -1) == LUA_TSTRING ? lua_tolstring(L, -1, &size) : NULL;
  if (!text) luaL_error(L, "the script is a %s, not a text", luaL_typename(L, -1));
  else if (size > ORR_SCRIPT_BYTES_MAX) luaL_error(L, "the script is larger than %d bytes", ORR_SCRIPT_BYTES_MAX);
  else if (load(L, text, size, true, "=script") != LUA_OK) lua_error(L);
  lua_remove(L, -2);
}

void code_call(lua_State *L, fiber *f, const expr *e, lua_KContext ud, lua_KFunction k) {
  int arguments = 1;
  switch (e->kind) {
    case EXPR_VARIABLE: call_variable(L, f, e); return;
    case EXPR_NONE:
    case EXPR_LITERAL: lua_pushlstring(L, e->text ? e->text : "", e->text ? e->size : 0); return;
    case EXPR_CODE:
      code_push(L, f, e);
      push_expression_arguments(L, f);
      arguments = 2;
      break;
    case EXPR_SCRIPT: code_push(L, f, e); break;
    case EXPR_SCRIPT_TEXT:
    case EXPR_SCRIPT_RESOURCE: push_late_script(L, f, e); break;
  }
  if (arguments == 1) {
    lua_rawgeti(L, LUA_REGISTRYINDEX, f->env_ref);
    f->env_used = true;
    budget_begin(f, L, "script");
  } else if (k || f->kept.kind == 0) {
    budget_begin(f, L, "expression");
  } else { /* a delegate asks, and goes on */
    budget_call(L, f, arguments);
    return;
  }
  if (k) lua_callk(L, arguments, 1, ud, k);
  else lua_call(L, arguments, 1);
}

void code_store_assignments(lua_State *L, fiber *f) {
  char refusal[ORRL_REFUSAL];
  lua_rawgeti(L, LUA_REGISTRYINDEX, f->env_ref);
  int env = lua_gettop(L);
  for (lua_pushnil(L); lua_next(L, env); lua_pop(L, 1)) {
    orr_value value;
    if (lua_type(L, -2) != LUA_TSTRING || lua_isfunction(L, -1)) continue;
    const char *name = lua_tostring(L, -2);
    if (!host_to_arena(L, f->state, -1, f->arena, name, &value, refusal)) luaL_error(L, "%s", refusal);
    int rc = variable_set(f->context, f->view->id, name, &value);
    if (rc) {
      orr_error err = {0};
      error_move(&err, &f->context->error);
      if (rc == ORR_E_NOT_FOUND) { /* what the script called has canceled it: its variables have gone */
        orr_error_clear(&err);
        break;
      }
      orrl_push_error(L, f->state, &err);
      lua_error(L);
    }
  }
  lua_settop(L, env - 1);
}

void code_clear(lua_State *L, fiber *f) {
  if (!f->env_used) return;
  f->env_used = false;
  lua_rawgeti(L, LUA_REGISTRYINDEX, f->env_ref);
  int env = lua_gettop(L);
  for (lua_pushnil(L); lua_next(L, env);) {
    lua_pop(L, 1);
    lua_pushvalue(L, -1);
    lua_pushnil(L);
    lua_rawset(L, env); /* clearing a field during a traversal is allowed */
  }
  lua_pop(L, 1);
}
