/* The script host: how the core runs delegates, listeners, scripts and expressions without knowing their language.
 * bindings/host/host.c implements it over lua_State; an engine without one runs C delegates, literals and plain variables only.
 *
 * One `host` an engine; one `host_thread` for every OS thread that runs work (a lua_State each). A call may finish at
 * once, fail, or answer HOST_PENDING: then the unit of work is kept, and goes on with what does not depend on the call.
 * When the call may go on the host says so by await_wake (exec/awaiting.h), on the same OS thread; the core then has it go
 * on (resume), now or when it comes to it, or drops it (abandon). Nothing waits on the C stack. */
#ifndef ORR_HOST_H
#define ORR_HOST_H

#include <pthread.h>

#include "model/definition.h"

typedef struct context context; /* state/context.h */
typedef struct host host;
typedef struct host_thread host_thread;

/* What a callee sees; the public orr_execution. Lives in the unit's arena for the duration of one call. */
struct orr_execution {
  context *context;
  orr_id id;               /* the execution, or the instance for process listeners */
  orr_id task;             /* task listeners */
  const node *node;        /* where it stands, as activity_id reports it; may be NULL */
  const flow *flow;        /* take listeners, and the flow it came by */
  const char *event_name;  /* listeners: start, end, take, create, ...; NULL for delegates */
  const implementation *run; /* for fields */
  const char *leave_flow;  /* set by execution:leave(flow_id) */
  const char *delete_reason;
  bool canceled;           /* end listeners of something that was canceled */
};

typedef enum host_call_kind {
  HOST_DELEGATE = 1, /* execute a service task's implementation */
  HOST_LISTENER,     /* notify, with execution */
  HOST_TASK_LISTENER,/* notify, with task */
  HOST_TRIGGER,      /* the delegate's trigger method with `data` */
  HOST_SCRIPT,       /* run->value as a script */
  HOST_MAP_INPUT,    /* variable mapper: data is the map of variables for the called instance; returns the changed map */
  HOST_MAP_OUTPUT,
} host_call_kind;

typedef struct host_call {
  host_call_kind kind;
  const implementation *run;
  orr_execution *execution;
  orr_value data;
  bool store_assignments; /* a script's globals become variables */
  int64_t limit_ms;       /* how long it may take on a worker; 0: as the executor says */
} host_call;

/* A call that is pending: lies in the host's own record of it, until the call is done, has failed or is abandoned. */
typedef struct host_pending {
  struct awaited_call *awaiting; /* the core's */
} host_pending;

/* Details of errors that say that a delegate is not here: its name. A job that fails with one waits instead
 * (executor/absent.h). */
#define HOST_MISSING "missing_delegate"    /* nowhere */
#define HOST_ELSEWHERE "delegate_elsewhere" /* on the home thread */

typedef enum host_status { HOST_DONE = 0, HOST_PENDING, HOST_FAILED } host_status;

/* How a call ended. Values lie in the unit's arena. */
typedef struct host_result {
  orr_value value;      /* what it returned; ORR_NIL: nothing */
  bool wait;            /* it returned orrery.wait: the activity stays open until it is triggered */
  bool bpmn_error;      /* HOST_FAILED by orrery.bpmn_error: code, message, variables */
  const char *code, *message;
  orr_value variables;
  orr_value types;      /* HOST_FAILED: array, the raised table's `type` first, then `parents`; { "error" } for plain errors */
  orr_value root_types; /* of the innermost cause */
  host_pending *pending; /* HOST_PENDING */
  /* HOST_FAILED: kind SCRIPT (or another, when an engine call inside failed and was not caught) with traceback */
  orr_error error;
} host_result;

typedef struct host_methods {
  /* A thread's own state. `loop` (struct uv_loop_s *) is the thread's when it has one already (a worker that serves
   * several engines); NULL: the host makes its own. NULL on failure. */
  host_thread *(*thread_open)(host *self, void *loop, orr_error *err);
  void (*thread_close)(host_thread *thread);

  /* The call is the caller's: what is still needed of it while it is pending must be kept by the host. Its execution stays. */
  host_status (*call)(host_thread *thread, const host_call *call, host_result *result);
  /* A pending call goes on, after await_wake; it may be pending once more. */
  host_status (*resume)(host_thread *thread, host_pending *call, host_result *result);
  /* A pending call goes on before what it awaits is there, unless it is about to go on: its wait raises, if the call has
   * taken too long. */
  void (*interrupt)(host_thread *thread, host_pending *call);
  /* Nobody wants its answer any more. What it awaits is forgotten. */
  void (*abandon)(host_thread *thread, host_pending *call);
  /* Evaluates now; may not wait. `execution` may carry no id (deployment time): then only `variables` (a map or NIL) are seen.
   * With `missing_is_nil`, an unknown name gives null instead of an error. The value lies in the unit's arena (or `arena`). */
  int (*evaluate)(host_thread *thread, const expr *e, orr_execution *execution, const orr_value *variables, bool missing_is_nil,
                  orr_arena *arena, orr_value *out, orr_error *err);
  /* Named Lua hooks: calendars (resolve), retry strategies (retry), collection handlers (collect), functions of rules (limits).
   * `arguments` is an array. HOST-dependent `method` of the registered `name`. */
  int (*invoke)(host_thread *thread, const char *name, const char *method, const orr_value *arguments, orr_arena *arena,
                orr_value *out, orr_error *err);
  /* Evaluates a decision now, for orr_engine_decision_evaluate: `options` is a map of its options, `variables` a map or NIL. */
  int (*decide)(host_thread *thread, const orr_value *options, const orr_value *variables, orr_arena *arena, orr_value *out,
                orr_error *err);
  bool (*known_name)(host_thread *thread, const char *name);      /* registered under this name */
  bool (*known_task_type)(host *self, const char *name);
  /* Could a call of this name be made, on some thread: is it registered, or is there a module of it on the host's path?
   * Any thread. */
  bool (*available)(host *self, const char *name);
  int (*check_script)(host *self, const char *code, size_t size, int *line, orr_error *err);
  /* array of texts; NIL: no resolver */
  int (*groups_of)(host_thread *thread, const char *user, orr_arena *arena, orr_value *out, orr_error *err);

  /* Runs this thread's loop until `context` is no longer pending (NULL: until something happened), or until `deadline_ns`.
   * For API calls outside workers. With a context that may nap it also returns when nothing but a move of the manual clock
   * would let that go on, and says so (naps). */
  int (*wait)(host_thread *thread, context *pending, int64_t deadline_ns, orr_error *err);
  /* An error, when a signal ends what this thread runs: then no run has failed by itself, and none
   * is begun. NULL: none ever does. */
  int (*interrupted)(host_thread *thread, orr_error *err);
  /* The thread's libuv loop (struct uv_loop_s *), on which a worker also gets its wake-ups. */
  void *(*loop)(host_thread *thread);
  /* A definition is gone: compiled code may be dropped. */
  void (*forget)(host_thread *thread, orr_id definition);
  /* Between two pieces of work: lets go of what the call states hold. */
  void (*settle)(host_thread *thread);
  char *(*traceback)(host_thread *thread, context *running); /* what it is doing now; malloc'd; may be NULL */
  /* The line of a script that `running` is at: the name of its file, ":7", of the innermost that is the
   * program's own. False: none is. */
  bool (*line)(host_thread *thread, const context *running, char *out, size_t size);
  /* Has a script that runs on that thread call inspect_safe_point at its next instruction, if it can.
   * Any thread. */
  void (*ask)(pthread_t thread);
  void (*close)(host *self); /* the engine goes; every thread is closed by now */
} host_methods;

/* What orr_config.scripts points at. It is made in the library that opens the host, and its core must be the engine's own:
 * a program that is linked with both libraries has two. */
struct orr_scripts {
  const void *core; /* host_core */
  /* Gives the engine its host. `options` is orr_config.scripts_options. */
  int (*open)(orr_engine *engine, const void *options, orr_error *err);
};
extern const char host_core; /* its address tells one copy of the core from another */

/* The host's own structs begin with these. */
struct host {
  const host_methods *methods;
  orr_engine *engine;
};
struct host_thread {
  const host_methods *methods;
  host *host;
  bool home; /* values that cannot travel live here: those of the thread that opened the engine */
};

#endif
