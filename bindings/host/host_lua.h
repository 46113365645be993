/* The script host over lua_State: engine/host.h for Lua. One lua_host an engine, one lua_thread for each OS thread that
 * works for it.
 *
 * The thread that opened the engine works in the host program's own lua_State, every other in one that thread_open makes.
 * Names are shared through the host; values are not: another thread gets a module's name or a function's bytes and makes
 * its own value. */
#ifndef ORRERY_HOST_LUA_H
#define ORRERY_HOST_LUA_H

#include <pthread.h>
#include <stdatomic.h>

#include "engine/engine.h"
#include "bindings/host/fiber.h"
#include "bindings/script/memory.h"

typedef struct lua_host lua_host;
typedef struct registered registered;
typedef struct token token;

struct lua_host {
  host base;
  pthread_t opener;
  orrl_state *opener_state;
  char *package_path, *package_cpath; /* the opener's, for the worker states */
  char *module_path;                  /* where delegates are looked up */
  char *libraries;                    /* of scripts; NULL: the harmless ones */
  orr_builder *outside;               /* options of HTTP, mail, programs: a map, for every thread to read; NULL: none */
  pthread_mutex_t mutex;              /* guards the fields below */
  registered *names;
  token *tokens;                      /* of OAuth */
  struct flow_counts *flows;          /* taken since they are counted; NULL: they are not */
  size_t name_count, name_capacity;
  lua_thread *threads;
  atomic_uint version;                /* of the names; grows with every change */
  bool warned;                        /* of what only the opener's thread can run; the opener's */
  int64_t instructions, memory_bytes, script_ns; /* limits of one script's budget; 0: none */
  struct log_line *log_lines;         /* of other threads, for the opener's Lua function */
  size_t log_count;
  int log_ref;                        /* in the opener's registry; LUA_NOREF: stderr */
  orr_log_level log_level;
};

struct lua_thread {
  host_thread base;
  lua_host *host;
  orrl_state *state;
  lua_thread *next;
  bool owns_state;
  lua_memory memory;     /* of a state of its own */
  unsigned version;      /* of `names_ref` */
  int names_ref;         /* what registered names are in this state */
  int modules_ref;       /* deployment id -> name -> value */
  int engine_ref;        /* { the Lua engine that delegates see }; LUA_NOREF until asked for */
  int sandbox_ref;       /* what scripts find besides variables */
  struct code_cache *code;
  uv_async_t *clock;     /* the manual clock was moved */
};

/* Made before the engine is, because its log may speak at once; the engine closes it. `L` is the opener's. */
lua_host *host_new(lua_State *L, orr_error *err);
/* The engine has closed. On the opener's thread; NULL is fine. */
void host_free(lua_host *h);
/* The engine's host, as host_new made it. */
lua_host *host_of(orr_engine *engine);

/* host_thread.c */
/* The thread's part in the engine; `loop`: its own, or NULL. NULL with `err`. */
host_thread *host_thread_open(host *self, void *loop, orr_error *err);
/* On that thread: what it has under way ends without an answer, and its Lua state, unless it is the program's, goes. */
void host_thread_close(host_thread *thread);

/* host_log.c */
/* Has the engine's log go to the Lua function or level that its opener chose. */
void log_configure(lua_host *h, orr_config *config);
void log_drain(lua_host *h); /* on the opener's thread: what other threads have said */
/* Hands over what is left, and logs no more. On the opener's thread. */
void log_close(lua_host *h);

/* host_names.c */
/* The host goes: frees the registered names. On the opener's thread. */
void names_free(lua_host *h);
extern const luaL_Reg names_methods[]; /* added to the engine's class */
/* Pushes the registered value, or returns false. Raises when it lives in another thread's state only. */
bool names_push(lua_State *L, lua_thread *t, const char *name);
/* Is it registered, whatever its thread? Any thread may ask. */
bool names_known(lua_host *h, const char *name);
/* The same, and modules of the path: could it be called? Any thread. */
bool names_available(lua_host *h, const char *name);
/* Raises that nothing of this name is here; a job that fails with it waits until there is (executor/absent.h). */
int names_missing(lua_State *L, orrl_state *state, const char *name, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
/* Pushes a registered value or a module's; raises kind not_found. */
void names_resolve(lua_State *L, fiber *f, const char *name);
/* The deployment that the fiber's execution belongs to; 0 without one. */
orr_id host_deployment(const fiber *f);

/* host_code.c */
void code_prepare(lua_State *L, fiber *f); /* its environment and scope */
/* The thread leaves the engine: drops the chunks that it has compiled. */
void code_forget(lua_thread *t);
/* Calls it and leaves one value; `k` continues after a yield (NULL: it must not). */
void code_call(lua_State *L, fiber *f, const expr *e, lua_KContext ud, lua_KFunction k);
/* Hands a script's assignments to the variables of its execution. */
void code_store_assignments(lua_State *L, fiber *f);
/* Empties the environment for the next script. */
void code_clear(lua_State *L, fiber *f);
/* Does it compile, in a Lua state of its own? Else ORR_E_EXPRESSION or ORR_E_LIMIT, with the line
 * within the script in `line` (0: none is known). Any thread. */
int host_check_script(host *self, const char *code, size_t size, int *line, orr_error *err);

/* host_error.c */
/* What the error object on top of the coroutine's stack is to the core; `status`: what Lua answered. Raises nothing. */
void host_failure(fiber *f, int status, int default_code, host_result *result);

/* host_execution.c */
/* Pushes the object that the fiber's callee gets: the execution, or the task of a task listener. */
void execution_push(lua_State *L, fiber *f);
/* Pushes the object of the task whose listener the fiber runs. */
void task_push(lua_State *L, fiber *f);
/* Makes the class of execution objects, once for each Lua state. */
void execution_open(lua_State *L, orrl_state *state);
/* Pushes the Lua engine of this thread. */
void host_push_engine(lua_State *L, lua_thread *t);

/* host_connector.c */
/* Pushes name -> value of a connector's inputs. */
void connector_push_inputs(lua_State *L, fiber *f, const implementation *run);
/* Pushes { { name, value }, … } of its outputs; their expressions see the names of the table at `names` first. */
void connector_push_outputs(lua_State *L, fiber *f, const implementation *run, int names);
/* Pushes what such a name means now, or returns false. */
bool connector_push_extra(lua_State *L, const fiber *f, const char *name);

/* A value into an arena; false with `refusal` filled. */
bool host_to_arena(lua_State *L, orrl_state *state, int index, orr_arena *arena, const char *name, orr_value *out,
                   char *refusal);

#endif
