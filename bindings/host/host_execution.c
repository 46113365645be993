/* The execution that delegates, listeners and scripts see. It lives as long as their call: afterwards every use raises. */
#include "bindings/host/host_execution.h"

#include <string.h>

#include "bindings/api.h"
#include "bindings/arguments.h"
#include "bindings/host/host_code.h"
#include "bindings/host/host_connector.h"
#include "bindings/host/host_names.h"
#include "bindings/host/host_view.h"
#include "state/variable.h"
#include "bindings/value.h"
#include "bindings/typed.h"

typedef struct execution_object {
  fiber *f;
  uint64_t serial;   /* of the fiber's call; another one: this object is dead */
  orr_execution *view;
  bool script;       /* a script or an expression has it */
} execution_object;

#define CLASS "orrery.CallExecution" /* the core's own handle is orrery.Execution, which Lua never gets */

static void push_object(lua_State *L, fiber *f, orr_execution *view, bool script) {
  execution_object *x = lua_newuserdatauv(L, sizeof *x, 0);
  *x = (execution_object){f, f->serial, view, script};
  luaL_setmetatable(L, CLASS);
}

static void push_kept(lua_State *L, fiber *f, int ref, bool *has, bool script) {
  if (!*has) {
    push_object(L, f, f->view, script);
    lua_rawseti(L, LUA_REGISTRYINDEX, ref);
    *has = true;
  }
  lua_rawgeti(L, LUA_REGISTRYINDEX, ref);
}

void execution_push(lua_State *L, fiber *f) { push_kept(L, f, f->object_ref, &f->has_object, false); }

void execution_push_script(lua_State *L, fiber *f) {
  push_kept(L, f, f->script_object_ref, &f->has_script_object, true);
}

static bool push_side(lua_State *L, bool script) {
  const execution_object *x = luaL_testudata(L, -1, CLASS);
  if (!x) return false;
  if (x->script == script) return true;
  bool own = x->serial == x->f->serial && x->view == x->f->view;
  if (own && script) execution_push_script(L, x->f);
  else if (own) execution_push(L, x->f);
  else push_object(L, x->f, x->view, script);
  if (x->serial != x->f->serial) ((execution_object *)lua_touserdata(L, -1))->serial = x->serial;
  lua_replace(L, -2);
  return true;
}

bool execution_script_side(lua_State *L) { return push_side(L, true); }
bool execution_host_side(lua_State *L) { return push_side(L, false); }

/* The opener's engine is held weakly, or it could never be collected and so closed; a worker's state has nobody else to
 * hold it. */
static void push_engine_holder(lua_State *L, lua_thread *t) {
  if (t->engine_ref == LUA_NOREF) {
    lua_createtable(L, 1, 0);
    lua_createtable(L, 0, 1);
    lua_pushstring(L, t->owns_state ? "" : "v");
    lua_setfield(L, -2, "__mode");
    lua_setmetatable(L, -2);
    t->engine_ref = luaL_ref(L, LUA_REGISTRYINDEX);
  }
  lua_rawgeti(L, LUA_REGISTRYINDEX, t->engine_ref);
}

void host_push_engine(lua_State *L, lua_thread *t) {
  push_engine_holder(L, t);
  if (lua_rawgeti(L, -1, 1) == LUA_TNIL) {
    lua_pop(L, 1);
    orrl_push_hook(L, t->state, "engine");
    orrl_box_new(L, &orrl_engine_class, t->host->base.engine, true);
    lua_call(L, 1, 1);
    lua_pushvalue(L, -1);
    lua_rawseti(L, -3, 1);
  }
  lua_remove(L, -2);
}

void task_push(lua_State *L, fiber *f) {
  const orr_execution *view = f->view;
  orrl_push_hook(L, f->state, "listener_task");
  host_push_engine(L, f->thread);
  orrl_push_id(L, view->task);
  execution_push(L, f);
  lua_pushstring(L, view->event_name);
  lua_pushstring(L, view->delete_reason);
  lua_call(L, 5, 1);
}

/* ---- Methods --------------------------------------------------------------------------------- */

static execution_object *receiver(orrl_call *c) {
  execution_object *x = luaL_testudata(c->L, 1, CLASS);
  if (!x) orrl_argument(c, 1, "execution expected, got %s; methods are called with ':'", luaL_typename(c->L, 1));
  else if (x->serial != x->f->serial || !x->view) orrl_argument(c, 1, "this execution's call has ended");
  return x;
}

/* Commands leave their failure in the context; here it becomes Lua's. */
static int raise_context(orrl_call *c, context *from) {
  orr_error err = {0};
  error_move(&err, &from->error);
  if (err.code == 0) err.code = ORR_E_STATE;
  return orrl_raise(c, &err);
}

/* What gives a delegate more than a script may have. */
static void refuse_script(orrl_call *c, const execution_object *x) {
  orr_error err = {0};
  if (!x->script) return;
  error_set(&err, ORR_E_UNSUPPORTED, "%s is not for scripts and expressions of models; a delegate may call it", c->name);
  orrl_raise(c, &err);
}

typedef enum reading { READ_VALUE, READ_TYPED, READ_PRESENCE } reading;

static int read_variable(lua_State *L, const char *method, bool local, reading what) {
  orrl_call c;
  orr_error err = {0};
  orr_value value = {0};
  orrl_begin(&c, L, method, 1);
  const execution_object *x = receiver(&c);
  if (orr_execution_get(x->view, orrl_text(&c, 2, false), local ? ORR_LOCAL : ORR_VISIBLE, &value, &err))
    return orrl_raise(&c, &err);
  if (what == READ_PRESENCE) lua_pushboolean(L, value.type != ORR_NIL);
  else if (what == READ_TYPED && value.type != ORR_NIL) typed_push(L, &value);
  else orrl_push_value(L, c.state, &value);
  orrl_end(&c);
  return 1;
}

static int execution_get_any(lua_State *L) { return read_variable(L, "execution:get", false, READ_VALUE); }
static int execution_get_local(lua_State *L) { return read_variable(L, "execution:get_local", true, READ_VALUE); }
static int execution_get_typed(lua_State *L) { return read_variable(L, "execution:get_typed", false, READ_TYPED); }
static int execution_get_local_typed(lua_State *L) { return read_variable(L, "execution:get_local_typed", true, READ_TYPED); }
static int execution_has(lua_State *L) { return read_variable(L, "execution:has", false, READ_PRESENCE); }
static int execution_has_local(lua_State *L) { return read_variable(L, "execution:has_local", true, READ_PRESENCE); }

static int set(lua_State *L, const char *method, bool local, bool transient) {
  orrl_call c;
  orr_error err = {0};
  orrl_begin(&c, L, method, 2);
  const execution_object *x = receiver(&c);
  const char *name = orrl_text(&c, 2, false);
  orr_value null = orr_null();
  const orr_value *value = orrl_value(&c, 3, true, name);
  int (*keep)(orr_execution *, const char *, const orr_value *, orr_reach, orr_error *) =
      transient ? orr_execution_set_transient : orr_execution_set;
  if (keep(x->view, name, value ? value : &null, local ? ORR_LOCAL : ORR_VISIBLE, &err)) return orrl_raise(&c, &err);
  orrl_end(&c);
  return 0;
}

static int execution_set_any(lua_State *L) { return set(L, "execution:set", false, false); }
static int execution_set_local(lua_State *L) { return set(L, "execution:set_local", true, false); }
static int execution_set_transient(lua_State *L) { return set(L, "execution:set_transient", false, true); }
static int execution_set_transient_local(lua_State *L) { return set(L, "execution:set_transient_local", true, true); }

static int remove_variable(lua_State *L, const char *method, bool local) {
  orrl_call c;
  orr_error err = {0};
  orrl_begin(&c, L, method, 1);
  const execution_object *x = receiver(&c);
  if (orr_execution_remove(x->view, orrl_text(&c, 2, false), local ? ORR_LOCAL : ORR_VISIBLE, &err))
    return orrl_raise(&c, &err);
  orrl_end(&c);
  return 0;
}

static int execution_remove_any(lua_State *L) { return remove_variable(L, "execution:remove", false); }
static int execution_remove_local(lua_State *L) { return remove_variable(L, "execution:remove_local", true); }

static int snapshot(lua_State *L, const char *method, bool local) {
  orrl_call c;
  orr_value map = {0};
  orrl_begin(&c, L, method, 0);
  const execution_object *x = receiver(&c);
  orr_id id = x->view->id;
  if (local && variable_home(x->view->context, id, &id)) return raise_context(&c, x->view->context);
  if (variable_map(x->view->context, id, local, &map)) return raise_context(&c, x->view->context);
  orrl_push_value(L, c.state, &map);
  orrl_end(&c);
  return 1;
}

static int proxy_variables(lua_State *L) { return snapshot(L, "execution:variables", false); }
static int execution_local_variables(lua_State *L) { return snapshot(L, "execution:local_variables", true); }

/* The enclosing scope that is an activity, or the instance for the process's own id; 0: none. */
static orr_id enclosing(context *c, orr_id from, const char *activity) {
  orr_id id = from;
  for (rec_execution *e; (e = execution_get(c, id)); id = e->parent) {
    const node *at = execution_node(c, e);
    if (at && at->id && strcmp(at->id, activity) == 0) return id;
  }
  const definition *d = c->error.code == 0 ? context_definition_of(c, from, &c->error) : NULL;
  return d && strcmp(d->key, activity) == 0 ? id : 0;
}

static int execution_set_in(lua_State *L) {
  orrl_call c;
  orrl_begin(&c, L, "execution:set_in", 3);
  const execution_object *x = receiver(&c);
  const char *activity = orrl_text(&c, 2, false), *name = orrl_text(&c, 3, false);
  orr_value null = orr_null();
  const orr_value *value = orrl_value(&c, 4, true, name);
  orr_id where = enclosing(x->view->context, x->view->id, activity);
  if (where == 0 && x->view->context->error.code != 0) return raise_context(&c, x->view->context);
  if (where == 0) orrl_argument(&c, 2, "no activity \"%s\" encloses this execution", activity);
  if (variable_set_local(x->view->context, where, name, value ? value : &null)) return raise_context(&c, x->view->context);
  orrl_end(&c);
  return 0;
}

/* An injected field: its expression is evaluated now, and may give any Lua value. */
static int execution_field(lua_State *L) {
  orrl_call c;
  orrl_begin(&c, L, "execution:field", 1);
  const execution_object *x = receiver(&c);
  const char *name = orrl_text(&c, 2, false);
  const implementation *run = x->view->run ? x->view->run : x->f->kept.run;
  fiber *f = x->f;
  orrl_end(&c);
  for (uint32_t i = 0; run && i < run->n_fields; i++) {
    if (strcmp(run->fields[i].name, name) != 0) continue;
    code_call(L, f, &run->fields[i].value, 0, NULL);
    if (x->script) view_show(L, f);
    else view_reveal(L, f);
    return 1;
  }
  return 0;
}

/* resolve(name): what class="name" of the model means. */
static int execution_resolve(lua_State *L) {
  orrl_call c;
  orrl_begin(&c, L, "execution:resolve", 1);
  const execution_object *x = receiver(&c);
  const char *name = orrl_text(&c, 2, false);
  refuse_script(&c, x);
  orrl_end(&c);
  names_resolve(L, x->f, name);
  return 1;
}

/* A script finds these names beside variables. */
static void add_names(lua_State *L, const fiber *f, int names) {
  lua_rawgeti(L, LUA_REGISTRYINDEX, f->env_ref);
  for (lua_pushnil(L); lua_next(L, names);) {
    lua_pushvalue(L, -2);
    lua_insert(L, -2);
    lua_rawset(L, -4);
  }
  lua_pop(L, 1);
}

/* handler(name, names): the delegate that a field names as a class or gives by an expression; a script runs and gives its
 * value. And whether there is such a field. */
static int execution_handler(lua_State *L) {
  orrl_call c;
  orrl_begin(&c, L, "execution:handler", 2);
  const execution_object *x = receiver(&c);
  const char *name = orrl_text(&c, 2, false);
  const implementation *run = x->view->run ? x->view->run : x->f->kept.run;
  const expr *value = NULL;
  fiber *f = x->f;
  refuse_script(&c, x);
  orrl_end(&c);
  for (uint32_t i = 0; run && i < run->n_fields; i++)
    if (strcmp(run->fields[i].name, name) == 0) value = &run->fields[i].value;
  if (!value) return 0;
  bool script = value->kind == EXPR_SCRIPT || value->kind == EXPR_SCRIPT_TEXT || value->kind == EXPR_SCRIPT_RESOURCE;
  if (script && lua_istable(L, 3)) add_names(L, f, 3);
  if (value->kind == EXPR_LITERAL) names_resolve(L, f, value->text);
  else code_call(L, f, value, 0, NULL);
  view_reveal(L, f);
  f->env_used = f->env_used || script;
  if (script) code_clear(L, f);
  lua_pushboolean(L, 1);
  return 2;
}

static const implementation *implementation_of(const execution_object *x) {
  return x->view->run ? x->view->run : x->f->kept.run;
}

static int execution_connector_inputs(lua_State *L) {
  orrl_call c;
  orrl_begin(&c, L, "execution:connector_inputs", 0);
  const execution_object *x = receiver(&c);
  refuse_script(&c, x);
  orrl_end(&c);
  connector_push_inputs(L, x->f, implementation_of(x));
  return 1;
}

static int execution_connector_outputs(lua_State *L) {
  orrl_call c;
  orrl_begin(&c, L, "execution:connector_outputs", 1);
  const execution_object *x = receiver(&c);
  refuse_script(&c, x);
  orrl_end(&c);
  connector_push_outputs(L, x->f, implementation_of(x), 2);
  return 1;
}

static int execution_leave(lua_State *L) {
  orrl_call c;
  orrl_begin(&c, L, "execution:leave", 1);
  const execution_object *x = receiver(&c);
  const char *flow_id = orrl_text(&c, 2, false);
  const node *at = x->view->node;
  bool known = false;
  for (uint32_t i = 0; at && i < at->n_outgoing; i++) known = known || strcmp(at->outgoing[i]->id, flow_id) == 0;
  if (!known) orrl_argument(&c, 2, "no flow \"%s\" leaves this activity", flow_id);
  x->view->leave_flow = arena_strdup(x->view->context->arena, flow_id);
  orrl_end(&c);
  return x->view->leave_flow ? 0 : luaL_error(L, "out of memory");
}

static const luaL_Reg methods[] = {
    {"get", execution_get_any}, {"get_local", execution_get_local},
    {"get_typed", execution_get_typed}, {"get_local_typed", execution_get_local_typed},
    {"has", execution_has}, {"has_local", execution_has_local},
    {"set", execution_set_any}, {"set_local", execution_set_local}, {"set_transient", execution_set_transient},
    {"set_transient_local", execution_set_transient_local}, {"remove", execution_remove_any},
        {"remove_local", execution_remove_local},
    {"variables", proxy_variables}, {"local_variables", execution_local_variables}, {"set_in", execution_set_in},
    {"connector_inputs", execution_connector_inputs}, {"connector_outputs", execution_connector_outputs},
    {"field", execution_field}, {"handler", execution_handler}, {"resolve", execution_resolve}, {"leave", execution_leave},
    {NULL, NULL}};

/* ---- Methods that read like fields ----------------------------------------------------------- */

/* `execution.variables.x` is easily written for `execution:variables().x`. Of a plain function Lua would only say that it
 * has no fields; these say what would be right. Their uservalues: the function, its name. */
#define READS_LIKE_FIELD "orrery.Method"

static int method_call(lua_State *L) {
  lua_getiuservalue(L, 1, 1);
  lua_replace(L, 1);
  lua_call(L, lua_gettop(L) - 1, LUA_MULTRET);
  return lua_gettop(L);
}

static int method_refuse(lua_State *L) {
  lua_getiuservalue(L, 1, 2);
  const char *name = lua_tostring(L, -1), *key = luaL_tolstring(L, 2, NULL);
  return luaL_error(L, "execution.%s is a method: execution.vars.%s is the variable, execution:%s() gives all", name, key,
                    name);
}

static const luaL_Reg method_meta[] = {
    {"__call", method_call}, {"__index", method_refuse}, {"__newindex", method_refuse}, {NULL, NULL}};

/* Puts one in the place of a function in the table of methods, which is on top. */
static void make_callable(lua_State *L, const char *name) {
  lua_newuserdatauv(L, 0, 2);
  lua_getfield(L, -2, name);
  lua_setiuservalue(L, -2, 1);
  lua_pushstring(L, name);
  lua_setiuservalue(L, -2, 2);
  if (luaL_newmetatable(L, READS_LIKE_FIELD)) luaL_setfuncs(L, method_meta, 0);
  lua_setmetatable(L, -2);
  lua_setfield(L, -2, name);
}

/* ---- Fields ---------------------------------------------------------------------------------- */

static void push_parent(lua_State *L, const execution_object *x) {
  context *c = x->view->context;
  rec_execution *e = execution_get(c, x->view->id);
  orr_execution *view = NULL;
  if (e) {
    rec_execution *outer = execution_get(c, e->parent);
    view = execution_view(c, e->parent, outer ? execution_node(c, outer) : NULL, NULL);
  }
  if (view) push_object(L, x->f, view, x->script);
  else lua_pushnil(L);
}

static void push_job(lua_State *L, const execution_object *x) {
  const rec_job *job = x->view->context->job;
  if (!job) {
    lua_pushnil(L);
    return;
  }
  orrl_push_hook(L, x->f->state, "running_job");
  host_push_engine(L, x->f->thread);
  orrl_push_id(L, job->id);
  lua_call(L, 2, 1);
}

/* Facts that are no texts or numbers of the core's. False: not one of them. */
static bool push_special(lua_State *L, const execution_object *x, const char *name) {
  if (strcmp(name, "engine") == 0) {
    host_push_engine(L, x->f->thread);
    if (x->script) view_show(L, x->f);
  } else if (strcmp(name, "vars") == 0) {
    orrl_push_hook(L, x->f->state, "vars");
    lua_pushvalue(L, 1);
    lua_call(L, 1, 1);
  } else if (strcmp(name, "parent") == 0) {
    push_parent(L, x);
  } else if (strcmp(name, "job") == 0) {
    push_job(L, x);
    if (x->script) view_show(L, x->f);
  } else if (strcmp(name, "canceled") == 0) {
    lua_pushboolean(L, x->view->canceled);
  } else if (strcmp(name, "delete_reason") == 0) {
    lua_pushstring(L, x->view->delete_reason);
  } else if (strcmp(name, "multi_instance_root") == 0) {
    const rec_execution *e = execution_get(x->view->context, x->view->id);
    lua_pushboolean(L, e && e->kind == EXECUTION_MULTI_BODY);
  } else {
    return false;
  }
  return true;
}

/* execution.name: a method, a fact, or what lua/orrery/el/bean.lua makes of a JavaBean spelling. Upvalues: the methods, the
 * state. */
static int execution_index(lua_State *L) {
  lua_pushvalue(L, 2);
  if (lua_rawget(L, lua_upvalueindex(1)) != LUA_TNIL) return 1;
  execution_object *x = luaL_checkudata(L, 1, CLASS);
  if (lua_type(L, 2) != LUA_TSTRING) return 0;
  if (x->serial != x->f->serial || !x->view) return luaL_error(L, "this execution's call has ended");
  const char *name = lua_tostring(L, 2);
  if (push_special(L, x, name)) return 1;
  orr_value fact = orr_execution_info(x->view, name);
  if (fact.type != ORR_NIL) {
    orrl_push_field(L, x->f->state, name, &fact);
    return 1;
  }
  orrl_push_hook(L, x->f->state, "execution_bean");
  lua_pushvalue(L, 1);
  lua_pushvalue(L, 2);
  lua_call(L, 2, 1);
  return 1;
}

static int execution_newindex(lua_State *L) {
  return luaL_error(L, "execution.%s cannot be assigned; use execution:set or execution.vars", luaL_tolstring(L, 2, NULL));
}

static int execution_text(lua_State *L) {
  const execution_object *x = luaL_checkudata(L, 1, CLASS);
  bool ended = x->serial != x->f->serial || !x->view;
  if (ended) lua_pushliteral(L, "orrery.Execution(its call has ended)");
  else lua_pushfstring(L, "orrery.Execution(%I)", (LUAI_UACINT)x->view->id);
  return 1;
}

int execution_texts_compute(lua_State *L) {
  orr_error ignored = {0};
  const execution_object *x = luaL_checkudata(L, 1, CLASS);
  bool alive = x->serial == x->f->serial && x->view;
  const definition *d = alive ? context_definition_of(x->view->context, x->view->id, &ignored) : NULL;
  orr_error_clear(&ignored);
  lua_pushboolean(L, d && d->dialect->text_variables_compute);
  return 1;
}

void execution_open(lua_State *L, orrl_state *state) {
  luaL_newmetatable(L, CLASS);
  lua_createtable(L, 0, 16);
  lua_pushlightuserdata(L, state);
  luaL_setfuncs(L, methods, 1);
  make_callable(L, "variables");
  make_callable(L, "local_variables");
  lua_pushcclosure(L, execution_index, 1);
  lua_setfield(L, -2, "__index");
  lua_pushcfunction(L, execution_newindex);
  lua_setfield(L, -2, "__newindex");
  lua_pushcfunction(L, execution_text);
  lua_setfield(L, -2, "__tostring");
  lua_pushboolean(L, 0);
  lua_setfield(L, -2, "__metatable");
  lua_pop(L, 1);
}
