/* Names that models use for code: one registry an engine, shared by its threads.
 *
 * A value stays in the state that registered it. Other states get what can travel: a module's name, or the bytes of a
 * function that needs nothing but _ENV (bytes made in memory by string.dump's way; nothing of it is stored, and no text is
 * ever loaded as bytes). */
#include "bindings/host/host_names.h"

#include <linux/limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "bindings/api.h"
#include "base/limits.h"
#include "bindings/arguments.h"
#include "bindings/host/host.h"
#include "bindings/host/host_execution.h"
#include "bindings/host/host_types.h"
#include "executor/absent.h"

typedef enum registered_kind { REGISTERED_MODULE, REGISTERED_FUNCTION, REGISTERED_LOCAL } registered_kind;

struct registered {
  char *name;
  registered_kind kind;
  char *bytes; /* module name or function bytes */
  size_t size;
  orrl_state *home; /* where the value itself is: the opener's, which outlives the engine; NULL: nowhere, it travels */
  int ref;          /* in home's registry */
};

static registered *find_name(lua_host *h, const char *name) {
  for (size_t i = 0; i < h->name_count; i++) {
    if (strcmp(h->names[i].name, name) == 0) return &h->names[i];
  }
  return NULL;
}

bool names_known(lua_host *h, const char *name) {
  pthread_mutex_lock(&h->mutex);
  bool known = find_name(h, name);
  pthread_mutex_unlock(&h->mutex);
  return known;
}

/* Is there a file for the module on a path of templates? */
static bool on_path(const char *path, const char *module) {
  char file[PATH_MAX];
  while (path && *path) {
    size_t size = strcspn(path, ";"), n = 0;
    for (size_t i = 0; i < size && n + 1 < sizeof file; i++) {
      if (path[i] != '?') file[n++] = path[i];
      else for (const char *m = module; *m && n + 1 < sizeof file; m++) file[n++] = *m == '.' ? '/' : *m;
    }
    file[n] = '\0';
    if (size > 0 && access(file, R_OK) == 0) return true;
    path += size + (path[size] == ';');
  }
  return false;
}

bool names_available(lua_host *h, const char *name) {
  char module[ORR_NAME_BYTES_MAX + 1] = "";
  pthread_mutex_lock(&h->mutex);
  const registered *r = find_name(h, name);
  bool known = r && r->kind != REGISTERED_MODULE;
  snprintf(module, sizeof module, "%s", r && !known ? r->bytes : name);
  pthread_mutex_unlock(&h->mutex);
  return known || on_path(h->module_path, module) || on_path(h->package_cpath, module);
}

/* The value's reference goes only in its own state; replaced from elsewhere, it stays until that state closes. */
static void clear(registered *r, lua_State *L) {
  if (L && r->home && r->home->L == L) luaL_unref(L, LUA_REGISTRYINDEX, r->ref);
  free(r->bytes);
  r->bytes = NULL;
  r->ref = LUA_NOREF;
}

void names_free(lua_host *h) {
  for (size_t i = 0; i < h->name_count; i++) {
    clear(&h->names[i], h->opener_state->L);
    free(h->names[i].name);
  }
  free(h->names);
}

static int append_bytes(lua_State *L, const void *bytes, size_t size, void *ud) {
  registered *r = ud;
  (void)L;
  char *grown = realloc(r->bytes, r->size + size);
  if (!grown) return 1;
  memcpy(grown + r->size, bytes, size);
  r->bytes = grown;
  r->size += size;
  return 0;
}

static bool travels(lua_State *L, int index) {
  if (!lua_isfunction(L, index) || lua_iscfunction(L, index)) return false;
  const char *first = lua_getupvalue(L, index, 1);
  if (!first) return true;
  lua_pop(L, 1);
  if (strcmp(first, "_ENV") != 0) return false;
  if (!lua_getupvalue(L, index, 2)) return true;
  lua_pop(L, 1);
  return false;
}

/* What of the value at `index` may cross threads. */
static bool describe_name(lua_State *L, int index, registered *r) {
  if (lua_type(L, index) == LUA_TSTRING) {
    r->kind = REGISTERED_MODULE;
    r->bytes = strdup(lua_tostring(L, index));
    return r->bytes;
  }
  r->kind = REGISTERED_LOCAL;
  if (!travels(L, index)) return true;
  r->kind = REGISTERED_FUNCTION;
  lua_pushvalue(L, index);
  int failed = lua_dump(L, append_bytes, r, 0);
  lua_pop(L, 1);
  return failed == 0;
}

/* Under the mutex. False when memory is out. */
static bool put_name(lua_host *h, const registered *fresh, const char *name, lua_State *L) {
  registered *r = find_name(h, name);
  if (r) {
    clear(r, L);
    char *kept = r->name;
    *r = *fresh;
    r->name = kept;
    return true;
  }
  if (h->name_count == h->name_capacity) {
    size_t capacity = h->name_capacity > 0 ? h->name_capacity * 2 : 16;
    registered *grown = realloc(h->names, capacity * sizeof *grown);
    if (!grown) return false;
    h->names = grown;
    h->name_capacity = capacity;
  }
  registered entry = *fresh;
  entry.name = strdup(name);
  if (!entry.name) return false;
  h->names[h->name_count++] = entry;
  return true;
}

static void take_out_name(lua_host *h, const char *name, lua_State *L) {
  registered *r = find_name(h, name);
  if (!r) return;
  clear(r, L);
  free(r->name);
  *r = h->names[--h->name_count];
}

/* engine:register(name, value): nil removes. */
static int names_register(lua_State *L) {
  orrl_call c;
  registered fresh = {.ref = LUA_NOREF};
  orr_error err = {0};
  orrl_begin(&c, L, "engine:register", 2);
  lua_host *h = host_of(orrl_object(&c, 1, &orrl_engine_class));
  const char *name = orrl_text(&c, 2, false);
  int type = lua_type(L, 3);
  if (*name == '\0') orrl_argument(&c, 2, "a name expected");
  if (type != LUA_TFUNCTION && type != LUA_TTABLE && type != LUA_TSTRING && type != LUA_TUSERDATA && type != LUA_TNIL) {
    orrl_argument(&c, 3, "function, table or module name expected, got %s", luaL_typename(L, 3));
  }
  bool fine = type == LUA_TNIL || describe_name(L, 3, &fresh), lasting = c.state == h->opener_state;
  if (fine && type != LUA_TNIL && fresh.kind == REGISTERED_LOCAL && !lasting) {
    error_set(&err, ORR_E_STATE,
              "\"%s\": a closure or table cannot be registered on an executor's thread, whose values end with it; "
              "register a module's name, or a function without upvalues",
              name);
    return orrl_raise(&c, &err);
  }
  if (fine && type != LUA_TNIL && fresh.kind != REGISTERED_MODULE && lasting) {
    lua_pushvalue(L, 3);
    fresh.home = c.state;
    fresh.ref = luaL_ref(L, LUA_REGISTRYINDEX);
  }
  pthread_mutex_lock(&h->mutex);
  if (fine && type == LUA_TNIL) take_out_name(h, name, L == c.state->L ? L : c.state->L);
  else if (fine) fine = put_name(h, &fresh, name, c.state->L);
  atomic_fetch_add(&h->version, 1);
  pthread_mutex_unlock(&h->mutex);
  absent_look_again(h->base.engine);
  if (!fine) free(fresh.bytes);
  orrl_end(&c);
  return fine ? 0 : luaL_error(L, "out of memory");
}

/* What is registered as a closure or table, as its caller named it: texts, a comma between; NULL: none. malloc'd. */
static char *closures(lua_host *h) {
  char *text = NULL;
  size_t size = 0;
  FILE *out = open_memstream(&text, &size);
  if (!out) return NULL;
  pthread_mutex_lock(&h->mutex);
  for (size_t i = 0; i < h->name_count; i++) {
    const char *name = h->names[i].name;
    if (h->names[i].kind != REGISTERED_LOCAL) continue;
    fprintf(out, "%s%s", ftell(out) > 0 ? ", " : "", strncmp(name, "type:", 5) == 0 ? name + 5 : name);
  }
  pthread_mutex_unlock(&h->mutex);
  fclose(out);
  if (size > 0) return text;
  free(text);
  return NULL;
}

/* executor_starts(engine): warns, once, of what the executor's threads cannot run; true when there is any. */
static int names_executor_starts(lua_State *L) {
  orrl_call c;
  orrl_begin(&c, L, "engine:executor_starts", 0);
  orr_engine *engine = orrl_object(&c, 1, &orrl_engine_class);
  lua_host *h = host_of(engine);
  char *names = closures(h);
  bool any = names;
  orrl_end(&c);
  if (any && !h->warned) {
    engine_log(engine, ORR_LOG_WARNING, NULL,
               "closures and tables run on this thread alone, while it gives time (run_jobs, poll, wait_idle): %s; "
               "a module's name, or a function without upvalues, runs on every thread", names);
  }
  h->warned = h->warned || any;
  lua_pushboolean(L, any);
  free(names);
  return 1;
}

const luaL_Reg names_methods[] = {{"register", names_register}, {"executor_starts", names_executor_starts}, {NULL, NULL}};

/* ---- Looking up ------------------------------------------------------------------------------ */

/* The deployment's table of the modules that were found in it. */
static void push_modules(lua_State *L, lua_thread *t, orr_id deployment) {
  lua_rawgeti(L, LUA_REGISTRYINDEX, t->modules_ref);
  if (lua_rawgeti(L, -1, (lua_Integer)deployment) == LUA_TNIL) {
    lua_pop(L, 1);
    lua_newtable(L);
    lua_pushvalue(L, -1);
    lua_rawseti(L, -3, (lua_Integer)deployment);
  }
  lua_remove(L, -2);
}

/* A module of the deployment that was found before: what is deployed does not change. */
static bool push_deployed(lua_State *L, lua_thread *t, const char *name, orr_id deployment) {
  push_modules(L, t, deployment);
  bool known = lua_getfield(L, -1, name) != LUA_TNIL;
  lua_remove(L, -2);
  if (!known) lua_pop(L, 1);
  return known;
}

/* By the hook "module" or "bean". */
static bool push_module_by(lua_State *L, lua_thread *t, const char *hook, const char *name,
                           orr_id deployment) {
  orrl_push_hook(L, t->state, hook);
  host_push_engine(L, t);
  lua_pushstring(L, name);
  lua_pushinteger(L, (lua_Integer)deployment);
  lua_pushstring(L, t->host->module_path);
  lua_call(L, 4, 2);
  bool deployed = lua_toboolean(L, -1);
  lua_pop(L, 1);
  if (lua_isnil(L, -1)) {
    lua_pop(L, 1);
    return false;
  }
  if (deployed) {
    push_modules(L, t, deployment);
    lua_pushvalue(L, -2);
    lua_setfield(L, -2, name);
    lua_pop(L, 1);
  }
  return true;
}

static bool push_module(lua_State *L, lua_thread *t, const char *name, orr_id deployment) {
  return push_module_by(L, t, "module", name, deployment);
}

/* A copy of the entry that outlives the mutex, its bytes as a Lua string on the stack. */
static bool look(lua_State *L, lua_host *h, const char *name, registered *out) {
  luaL_Buffer buffer;
  lua_pushnil(L);
  pthread_mutex_lock(&h->mutex);
  const registered *r = find_name(h, name);
  size_t size = r && r->bytes ? (r->kind == REGISTERED_MODULE ? strlen(r->bytes) : r->size) : 0;
  pthread_mutex_unlock(&h->mutex);
  if (!r) return false;
  /* Lua may raise while it makes room, so the bytes are copied into memory that it gave before. */
  char *room = luaL_buffinitsize(L, &buffer, size + 1);
  pthread_mutex_lock(&h->mutex);
  r = find_name(h, name);
  bool same = r && (!r->bytes || (r->kind == REGISTERED_MODULE ? strlen(r->bytes) : r->size) == size);
  if (same) {
    *out = *r;
    if (size > 0) memcpy(room, r->bytes, size);
  }
  pthread_mutex_unlock(&h->mutex);
  luaL_pushresultsize(&buffer, size);
  lua_remove(L, -2);
  return same;
}

static int raise_absent(lua_State *L, orrl_state *state, const char *detail, const char *name, orr_error *err) {
  orr_value text = orr_string(name);
  (void)error_detail(err, detail, &text); /* without memory it is an error like any other */
  orrl_push_error(L, state, err);
  return lua_error(L);
}

int names_missing(lua_State *L, orrl_state *state, const char *name, const char *format, ...) {
  char message[ORR_ERROR_MESSAGE_MAX + 1];
  orr_error err = {0};
  va_list args;
  va_start(args, format);
  vsnprintf(message, sizeof message, format, args);
  va_end(args);
  error_set(&err, ORR_E_NOT_FOUND, "%s", message);
  return raise_absent(L, state, HOST_MISSING, name, &err);
}

static void push_registered(lua_State *L, lua_thread *t, const char *name, const registered *r) {
  size_t size;
  const char *bytes = lua_tolstring(L, -1, &size);
  if (r->kind == REGISTERED_MODULE) {
    if (!push_module(L, t, bytes, 0))
      names_missing(L, t->state, name, "\"%s\" is registered as the module \"%s\", which cannot be found", name, bytes);
  } else if (r->home == t->state) {
    lua_rawgeti(L, LUA_REGISTRYINDEX, r->ref);
  } else if (r->kind == REGISTERED_FUNCTION) {
    if (luaL_loadbufferx(L, bytes, size, name, "b") != LUA_OK) lua_error(L);
  } else {
    orr_error err = {0};
    error_set(&err, ORR_E_STATE,
              "\"%s\" was registered as a closure or table, which runs only on the thread that registered it; register "
              "a module's name, or a function without upvalues",
              name);
    raise_absent(L, t->state, HOST_ELSEWHERE, name, &err);
  }
  lua_remove(L, -2);
}

/* False: the program has registered nothing. That takes no lock, which all workers would share. */
static bool names_are_fresh(lua_State *L, lua_thread *t) {
  unsigned version = atomic_load(&t->host->version);
  if (version == t->version) return version != 0;
  lua_newtable(L);
  lua_rawseti(L, LUA_REGISTRYINDEX, t->names_ref);
  lua_newtable(L);
  lua_rawseti(L, LUA_REGISTRYINDEX, t->views_ref);
  t->version = version;
  return true;
}

bool names_push_view(lua_State *L, lua_thread *t, const char *name) {
  if (!names_are_fresh(L, t)) return false;
  lua_rawgeti(L, LUA_REGISTRYINDEX, t->views_ref);
  bool known = lua_getfield(L, -1, name) != LUA_TNIL;
  lua_remove(L, -2);
  if (!known) lua_pop(L, 1);
  return known;
}

void names_keep_view(lua_State *L, lua_thread *t, const char *name) {
  lua_rawgeti(L, LUA_REGISTRYINDEX, t->views_ref);
  lua_pushvalue(L, -2);
  lua_setfield(L, -2, name);
  lua_pop(L, 1);
}

bool names_push(lua_State *L, lua_thread *t, const char *name) {
  if (!names_are_fresh(L, t)) return false;
  lua_rawgeti(L, LUA_REGISTRYINDEX, t->names_ref);
  if (lua_getfield(L, -1, name) != LUA_TNIL) {
    lua_remove(L, -2);
    return true;
  }
  lua_pop(L, 1);
  registered r;
  if (!look(L, t->host, name, &r)) {
    lua_pop(L, 2);
    return false;
  }
  push_registered(L, t, name, &r);
  lua_pushvalue(L, -1);
  lua_setfield(L, -3, name);
  lua_remove(L, -2);
  return true;
}

orr_id host_deployment(const fiber *f) {
  if (!f->view || f->view->id == 0) return 0;
  orr_error ignored = {0};
  const definition *d = context_definition_of(f->context, f->view->id, &ignored);
  orr_error_clear(&ignored);
  return d ? d->deployment_id : 0;
}

/* Lua's libraries and Orrery's own modules are no delegates, though `require` knows them. */
static bool is_library(const char *name) {
  static const char *const libraries[] = {"_G",      "coroutine", "debug", "io",   "math",  "os",
                                          "package", "string",    "table", "utf8", "orrery"};
  for (size_t i = 0; i < sizeof libraries / sizeof *libraries; i++) {
    if (strcmp(name, libraries[i]) == 0) return true;
  }
  return strncmp(name, "orrery.", 7) == 0;
}

/* `kinds`: what else was looked for under the name. */
static void raise_missing(lua_State *L, const fiber *f, const char *name, const char *kinds) {
  size_t size = strlen(name);
  const char *file = luaL_gsub(L, name, ".", "/");
  if (size > 4 && strcmp(name + size - 4, ".lua") == 0)
    names_missing(L, f->state, name, "nothing is registered as \"%s\"; a module is named without its file's ending: \"%s\"",
                  name, lua_pushlstring(L, name, size - 4));
  names_missing(L, f->state, name,
                "%s \"%s\", and there is no module of this name: %s.lua is neither among the "
                "deployment's resources nor on the package_path", kinds, name, file);
}

void names_resolve(lua_State *L, fiber *f, const char *name) {
  if (names_push(L, f->thread, name)) return;
  orr_id deployment = host_deployment(f);
  if (push_deployed(L, f->thread, name, deployment)) return;
  if (!is_library(name) && push_module(L, f->thread, name, deployment)) return;
  raise_missing(L, f, name, "nothing is registered as");
}

bool names_bean(lua_State *L, fiber *f, const char *name, bool needed) {
  orr_id deployment = host_deployment(f);
  if (push_deployed(L, f->thread, name, deployment)) return true;
  if (!is_library(name) && push_module_by(L, f->thread, "bean", name, deployment)) return true;
  if (needed) raise_missing(L, f, name, "no variable is called, and nothing is registered as,");
  return false;
}
