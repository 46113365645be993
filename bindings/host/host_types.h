/* The script host over lua_State: engine/host.h for Lua. One lua_host an engine, one lua_thread for each OS thread that
 * works for it.
 *
 * The thread that opened the engine works in the host program's own lua_State, every other in one that thread_open makes.
 * Names are shared through the host; values are not: another thread gets a module's name or a function's bytes and makes
 * its own value. */
#ifndef ORRERY_HOST_HOST_TYPES_H
#define ORRERY_HOST_HOST_TYPES_H

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
  lua_State *owned;                   /* of a host in C, closed with this; NULL: a Lua program's */
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
  atomic_bool jumps;                  /* who waits and could only wait for the manual clock moves it; the opener's */
  bool warned;                        /* of what only the opener's thread can run; the opener's */
  int64_t instructions, memory_bytes, script_ns; /* limits of one script's budget; 0: none */
  int64_t await_ns;                   /* that scripts of one transaction may await; 0: no limit */
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
  int views_ref;         /* the views that scripts have of them */
  int modules_ref;       /* deployment id -> name -> value */
  int engine_ref;        /* { the Lua engine that delegates see }; LUA_NOREF until asked for */
  int sandbox_ref;       /* what scripts find besides variables */
  struct code_cache *code;
  uv_async_t *clock;     /* the manual clock was moved */
};

#endif
