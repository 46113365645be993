/* What a call of a model's runs: the method of a delegate or listener, a function, a script or a task type; and its result. */
#include "bindings/host/host_callee.h"

#include <string.h>

#include "bindings/host/fiber.h"
#include "bindings/host/host.h"
#include "bindings/host/host_code.h"
#include "bindings/host/host_execution.h"
#include "bindings/host/host_names.h"
#include "bindings/host/host_types.h"
#include "bindings/host/host_view.h"
#include "bindings/value.h"

static const char *method_of(host_call_kind kind) {
  switch (kind) {
    case HOST_LISTENER:
    case HOST_TASK_LISTENER: return "notify";
    case HOST_TRIGGER: return "trigger";
    case HOST_MAP_INPUT: return "map_input";
    case HOST_MAP_OUTPUT: return "map_output";
    case HOST_DELEGATE:
    case HOST_SCRIPT: break;
  }
  return "execute";
}

/* Camunda's signalable behaviors spell it signal. */
static const char *other_method_of(host_call_kind kind) {
  if (kind == HOST_TRIGGER) return "signal";
  return kind == HOST_LISTENER || kind == HOST_TASK_LISTENER ? "execute" : "notify";
}

/* The variable that takes the result, when there is one: then the value must be storable. */
static const char *call_result_name(const fiber *f) {
  const node *n = f->view ? f->view->node : NULL;
  if (f->kept.kind != HOST_DELEGATE && f->kept.kind != HOST_SCRIPT && f->kept.kind != HOST_TRIGGER) return NULL;
  if (!n || !n->service) return NULL;
  if (n->type < NODE_SERVICE_TASK || n->type > NODE_BUSINESS_RULE_TASK || n->type == NODE_RECEIVE_TASK) return NULL;
  if (&n->service->run != f->kept.run) return NULL;
  if (n->service->result_variable) return n->service->result_variable;
  return expr_given(&n->service->result_variable_expression) ? "result" : NULL;
}

static bool is_a(lua_State *L, const fiber *f, const char *hook) {
  if (lua_type(L, -1) != LUA_TTABLE || !lua_getmetatable(L, -1)) return false;
  orrl_push_hook(L, f->state, hook);
  bool same = lua_rawequal(L, -1, -2);
  lua_pop(L, 2);
  return same;
}

/* The callee's value is on top. */
static int take_result(lua_State *L, int status, lua_KContext ud) {
  fiber *f = (fiber *)ud;
  char refusal[ORRL_REFUSAL];
  (void)status;
  view_reveal(L, f);
  if (is_a(L, f, "Future")) {
    orrl_push_hook(L, f->state, "await");
    lua_insert(L, -2);
    lua_callk(L, 1, 1, ud, take_result);
    return take_result(L, LUA_OK, ud);
  }
  lua_rawgeti(L, LUA_REGISTRYINDEX, f->state->wait_ref);
  f->result.wait = lua_rawequal(L, -1, -2);
  lua_pop(L, 1);
  if (f->kept.store_assignments) code_store_assignments(L, f);
  code_clear(L, f);
  const char *name = call_result_name(f);
  bool fits = !f->result.wait && host_to_arena(L, f->state, -1, f->arena, name ? name : "result", &f->result.value, refusal);
  if (!fits) f->result.value = (orr_value){0};
  if (!fits && !f->result.wait && name) return luaL_error(L, "%s", refusal);
  return 0;
}

static bool maps(const fiber *f) { return f->kept.kind == HOST_MAP_INPUT || f->kept.kind == HOST_MAP_OUTPUT; }

static int push_arguments(lua_State *L, fiber *f) {
  if (f->kept.kind == HOST_TASK_LISTENER) task_push(L, f);
  else execution_push(L, f);
  if (f->kept.kind != HOST_TRIGGER && !maps(f)) return 1;
  orrl_push_value(L, f->state, &f->kept.data);
  return 2;
}

static const char *callee_text(const fiber *f) { return f->kept.run->value.text ? f->kept.run->value.text : "?"; }

static int call_nobody(lua_State *L, fiber *f) {
  lua_settop(L, 0);
  lua_pushnil(L);
  return take_result(L, LUA_OK, (lua_KContext)f);
}

/* A module that returns nothing is `true` once it is loaded. */
static int refuse_callee(lua_State *L, const fiber *f) {
  bool empty_module = f->kept.run->kind == IMPLEMENTATION_CLASS && lua_isboolean(L, -1) && lua_toboolean(L, -1);
  if (!empty_module) return luaL_error(L, "\"%s\" gives a %s, not a delegate", callee_text(f), luaL_typename(L, -1));
  return luaL_error(L, "the module \"%s\" returns nothing; a delegate's returns a function, or a table with execute",
                    callee_text(f));
}

/* Is there such a method, in the table on top or in its class? Nothing is called by looking. */
static bool has_method(lua_State *L, const char *name) {
  int top = lua_gettop(L);
  lua_pushstring(L, name);
  bool found = lua_rawget(L, top) != LUA_TNIL;
  if (!found && luaL_getmetafield(L, top, "__index") == LUA_TTABLE) {
    lua_pushstring(L, name);
    found = lua_rawget(L, -2) != LUA_TNIL;
  }
  lua_settop(L, top);
  return found;
}

/* Flowable's delegates of futures go on there; here execute awaits, and goes on itself. */
static void refuse_after_execution(lua_State *L, const fiber *f) {
  if (f->kept.kind == HOST_DELEGATE && lua_istable(L, -1) && has_method(L, "afterExecution"))
    luaL_error(L, "\"%s\" has a method afterExecution, which nobody calls: let execute await the future, and go on there",
               callee_text(f));
}

/* A listener's table with notify, a delegate's with execute, or a plain function; which has been called when its task is
 * triggered. */
static int call_callee(lua_State *L, fiber *f) {
  int arguments;
  if (lua_isfunction(L, -1)) {
    if (f->kept.kind == HOST_TRIGGER) return call_nobody(L, f);
    arguments = push_arguments(L, f);
  } else {
    const char *method = method_of(f->kept.kind);
    if (!lua_istable(L, -1) && !lua_isuserdata(L, -1)) return refuse_callee(L, f);
    refuse_after_execution(L, f);
    if (lua_getfield(L, -1, method) == LUA_TNIL) {
      lua_pop(L, 1);
      lua_getfield(L, -1, other_method_of(f->kept.kind));
    }
    if (!lua_isfunction(L, -1) && f->kept.kind != HOST_DELEGATE) return call_nobody(L, f);
    if (!lua_isfunction(L, -1)) return luaL_error(L, "\"%s\" has no method %s", callee_text(f), method);
    lua_insert(L, -2);
    arguments = 1 + push_arguments(L, f);
    if (maps(f)) { /* the hook calls the mapper with what it is to see */
      orrl_push_hook(L, f->state, method);
      lua_insert(L, -(++arguments + 1));
    }
  }
  lua_callk(L, arguments, 1, (lua_KContext)f, take_result);
  return take_result(L, LUA_OK, (lua_KContext)f);
}

static int call_value(lua_State *L, int status, lua_KContext ud) {
  (void)status;
  fiber *f = (fiber *)ud;
  budget_leave(f);
  view_reveal(L, f);
  if (lua_type(L, -1) == LUA_TSTRING) {
    names_resolve(L, f, lua_tostring(L, -1));
    lua_remove(L, -2);
  }
  return call_callee(L, f);
}

/* A task type that the program has not registered is one of lua/orrery/tasks/. */
static void push_built_in(lua_State *L, const fiber *f, const char *type) {
  orrl_push_hook(L, f->state, "task_type");
  lua_pushstring(L, type);
  lua_call(L, 1, 1);
}

int callee_call(lua_State *L) {
  fiber *f = lua_touserdata(L, 1);
  const implementation *run = f->kept.run;
  lua_settop(L, 0);
  switch (run->kind) {
    case IMPLEMENTATION_TYPE:
      if (!names_push(L, f->thread, lua_pushfstring(L, "type:%s", run->type_name))) push_built_in(L, f, run->type_name);
      return call_callee(L, f);
    case IMPLEMENTATION_EXPRESSION:
    case IMPLEMENTATION_SCRIPT:
      code_call(L, f, &run->value, (lua_KContext)f, take_result);
      return take_result(L, LUA_OK, (lua_KContext)f);
    case IMPLEMENTATION_DELEGATE:
      if (run->value.kind == EXPR_LITERAL) break;
      code_call(L, f, &run->value, (lua_KContext)f, call_value);
      return call_value(L, LUA_OK, (lua_KContext)f);
    case IMPLEMENTATION_CLASS:
      if (run->value.kind == EXPR_LITERAL) break;
      code_call(L, f, &run->value, (lua_KContext)f, call_value);
      return call_value(L, LUA_OK, (lua_KContext)f);
    case IMPLEMENTATION_NONE:
    case IMPLEMENTATION_EXTERNAL: return luaL_error(L, "there is nothing to call");
  }
  names_resolve(L, f, run->value.text);
  return call_callee(L, f);
}
