/* What a script raised, as the core's failure. */
#include "bindings/host/host_error.h"

#include <string.h>

#include "bindings/value.h"
#include "base/value.h"

static int code_of_kind(const char *kind) {
#define X(name, number, text_kind, text) \
  if (strcmp(kind, text_kind) == 0) return number;
  ORR_ERROR_MAP(X)
#undef X
  return 0;
}

static const char *text_field(lua_State *L, int index, const char *name) {
  lua_pushstring(L, name);
  lua_rawget(L, index);
  const char *text = lua_type(L, -1) == LUA_TSTRING ? lua_tostring(L, -1) : NULL;
  lua_pop(L, 1); /* the table still holds it */
  return text;
}

/* A copy in the arena; lenient: without what cannot be stored. False: `refusal` says why there is none, or is empty where
 * memory is out. */
static bool copy_raised(lua_State *L, fiber *f, int index, bool lenient, orr_value *out, char *refusal) {
  orr_value value;
  *refusal = '\0';
  orr_builder_reset(f->state->builder);
  if (!orrl_build(L, f->state, index, f->state->builder, "", lenient, refusal)) return false;
  if (orr_builder_value(f->state->builder, &value, NULL) || !f->arena) return false;
  return !value_copy(f->arena, &value, out);
}

static orr_value lenient_copy(lua_State *L, fiber *f, int index) {
  char refusal[ORRL_REFUSAL];
  orr_value out;
  return copy_raised(L, f, index, true, &out, refusal) ? out : (orr_value){0};
}

/* { type, parents... } of a raised table, { "error" } of anything else. */
static orr_value types_of(lua_State *L, fiber *f, int index) {
  orr_builder *b = f->state->builder;
  orr_value text, value, out = {0};
  const char *type = lua_istable(L, index) ? text_field(L, index, "type") : NULL;
  orr_builder_reset(b);
  orr_builder_array(b);
  text = orr_string(type ? type : "error");
  orr_builder_add(b, &text);
  if (lua_istable(L, index)) {
    lua_pushliteral(L, "parents");
    lua_rawget(L, index);
    for (lua_Integer i = 1; lua_istable(L, -1) && lua_rawgeti(L, -1, i) == LUA_TSTRING; i++) {
      text = orr_string(lua_tostring(L, -1));
      orr_builder_add(b, &text);
      lua_pop(L, 1);
    }
  }
  lua_settop(L, index);
  orr_builder_end(b);
  if (orr_builder_value(b, &value, NULL) || !f->arena || value_copy(f->arena, &value, &out)) return (orr_value){0};
  return out;
}

enum { CAUSES_MAX = 32 }; /* a chain that comes back to itself ends here */

static void read_types(lua_State *L, fiber *f, host_result *result) {
  int top = lua_gettop(L);
  result->types = types_of(L, f, top);
  for (int i = 0; i < CAUSES_MAX && lua_istable(L, -1); i++) {
    lua_pushliteral(L, "cause");
    lua_rawget(L, -2);
    if (lua_isnil(L, -1)) {
      lua_pop(L, 1);
      break;
    }
  }
  result->root_types = types_of(L, f, lua_gettop(L));
  lua_settop(L, top);
}

static const char *arena_text(fiber *f, const char *text) { return text && f->arena ? arena_strdup(f->arena, text) : NULL; }

/* One that Orrery raised always has a message, to be read; what was said with the error stands apart. */
static const char *said_with_bpmn_error(lua_State *L, int at) {
  return text_field(L, at, "error_code") ? text_field(L, at, "error_message") : text_field(L, at, "message");
}

/* False: it is none that can be thrown, since its variables cannot be stored, and the error says which. */
static bool read_bpmn_error(lua_State *L, fiber *f, host_result *result) {
  int top = lua_gettop(L);
  const char *code = text_field(L, top, "code");
  if (!code) code = text_field(L, top, "error_code");
  result->bpmn_error = code;
  result->code = arena_text(f, code);
  result->message = arena_text(f, said_with_bpmn_error(L, top));
  lua_pushliteral(L, "variables");
  lua_rawget(L, top);
  char refusal[ORRL_REFUSAL];
  bool sound = !lua_istable(L, -1) || copy_raised(L, f, lua_gettop(L), false, &result->variables, refusal);
  lua_settop(L, top);
  if (sound) return true;
  if (*refusal) error_set(&result->error, ORR_E_ARGUMENT, "the variables of BPMN error \"%s\": %s", code ? code : "", refusal);
  else error_memory(&result->error);
  result->bpmn_error = false;
  result->code = NULL;
  return false;
}

/* Details of an engine's error that a delegate let through go on as they are. */
static void keep_details(lua_State *L, fiber *f, orr_error *err) {
  orr_value key, item, fields = lenient_copy(L, f, lua_gettop(L));
  orr_iterator it = orr_iterate(&fields);
  while (orr_next(&it, &key, &item)) {
    char name[64];
    if (key.size >= sizeof name) continue;
    memcpy(name, key.as.bytes, key.size);
    name[key.size] = '\0';
    if (strcmp(name, "kind") == 0 || strcmp(name, "message") == 0 || strcmp(name, "traceback") == 0) continue;
    error_detail(err, name, &item); /* without memory the error loses a detail */
  }
}

typedef struct failure {
  fiber *f;
  host_result *result;
  int code;
} failure;

static void describe_error(lua_State *L, failure *at) {
  host_result *result = at->result;
  int top = lua_gettop(L);
  const char *kind = lua_istable(L, top) ? text_field(L, top, "kind") : NULL;
  int code = kind ? code_of_kind(kind) : 0;
  if (code == ORR_E_BPMN_ERROR && !read_bpmn_error(L, at->f, result)) return;
  read_types(L, at->f, result);
  const char *message = lua_istable(L, top) ? text_field(L, top, "message") : NULL;
  if (!message) { /* in Lua, within what is left of the script's budget */
    orrl_push_hook(L, at->f->state, "describe");
    lua_pushvalue(L, top);
    lua_call(L, 1, 1);
    message = luaL_tolstring(L, -1, NULL);
  }
  error_set(&result->error, code != 0 ? code : at->code, "%s", message);
  lua_settop(L, top);
  if (code != 0) {
    keep_details(L, at->f, &result->error);
    return;
  }
  orr_value cause = lenient_copy(L, at->f, top);
  error_detail(&result->error, "cause", &cause);
}

/* Runs protected: tostring of a raised object may raise in turn. Arguments: the failure, the object. */
static int describe_body(lua_State *L) {
  failure *at = lua_touserdata(L, 1);
  describe_error(L, at);
  return 0;
}

static int describe_traceback(lua_State *L) {
  failure *at = lua_touserdata(L, 1);
  luaL_traceback(L, at->f->co, NULL, 0);
  error_traceback(&at->result->error, lua_tostring(L, -1));
  return 0;
}

static int describe_protected(lua_State *L, lua_CFunction body, failure *at, lua_State *object) {
  lua_pushcfunction(L, body);
  lua_pushlightuserdata(L, at);
  if (object) {
    lua_pushvalue(object, -1);
    lua_xmove(object, L, 1);
  }
  int status = fiber_call_beside(at->f, L, object ? 2 : 1);
  if (status != LUA_OK) lua_pop(L, 1);
  return status;
}

void host_failure(fiber *f, int status, int default_code, host_result *result) {
  lua_State *co = f->co, *L = f->state->running ? f->state->running->co : f->state->L;
  failure at = {f, result, default_code};
  if (status == LUA_ERRMEM || !lua_checkstack(L, 8) || !lua_checkstack(co, 2)) {
    if (f->budget.refused) budget_error(f, "memory", &result->error);
    else error_memory(&result->error);
    return;
  }
  status = describe_protected(L, describe_body, &at, co);
  if (status == LUA_ERRMEM) {
    orr_error_clear(&result->error);
    *result = (host_result){0};
    error_memory(&result->error);
  } else if (status != LUA_OK && f->budget.spent) {
    budget_error(f, f->budget.spent, &result->error);
  } else if (status != LUA_OK) {
    error_set(&result->error, default_code, "a script failed, and its error cannot be shown");
  }
  if (f->resumable) (void)describe_protected(L, describe_traceback, &at, NULL); /* a protected call has unwound its stack */
}
