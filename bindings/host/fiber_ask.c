/* The signal, as Go's runtime uses it: SIGURG, which a process ignores unless it has a handler. */
#include "bindings/host/fiber_ask.h"

#include <signal.h>
#include <stdatomic.h>

#include "bindings/host/fiber.h"
#include "executor/worker/inspect.h"

static atomic_bool forbidden;

void fiber_over(lua_State *L) {
  lua_pushliteral(L, CALL_OVER);
  lua_error(L);
}

static void answer_question(lua_State *L, lua_Debug *where) {
  (void)where;
  lua_sethook(L, NULL, 0, 0);
  const fiber *f = orrl_state_of(L)->running;
  if (f && inspect_safe_point(f->context)) fiber_over(L);
}

/* On the thread itself, so that no other looks at its script state. A script with a budget has a
 * hook, which answers, too. */
static void on_ask(int number) {
  (void)number;
  const fiber *f = fiber_here();
  const coroutine_run *run = f ? f->state->innermost : NULL;
  for (; run; run = run == &f->run ? NULL : run->outer)
    if (!lua_gethook(run->co)) lua_sethook(run->co, answer_question, LUA_MASKCOUNT, 1);
}

/* Installs the handler where it is not, unless the program has one. Its system calls go on after the
 * signal, as far as the system does that by itself. */
static bool take_signal(void) {
  struct sigaction now, action = {.sa_handler = on_ask, .sa_flags = SA_RESTART};
  if (sigaction(SIGURG, NULL, &now) || now.sa_flags & SA_SIGINFO) return false;
  if (now.sa_handler == on_ask) return true;
  if (now.sa_handler != SIG_DFL && now.sa_handler != SIG_IGN) return false;
  sigemptyset(&action.sa_mask);
  return !sigaction(SIGURG, &action, NULL);
}

void fiber_ask(pthread_t thread) {
  if (!atomic_load(&forbidden) && take_signal()) pthread_kill(thread, SIGURG);
}

static int trace_by_signal(lua_State *L) {
  luaL_checktype(L, 1, LUA_TBOOLEAN);
  bool allowed = lua_toboolean(L, 1);
  atomic_store(&forbidden, !allowed);
  lua_pushboolean(L, allowed && take_signal());
  return 1;
}

const luaL_Reg fiber_ask_functions[] = {{"trace_by_signal", trace_by_signal}, {NULL, NULL}};
