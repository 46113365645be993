/* The signal, as Go's runtime uses it: SIGURG, which is ignored where nobody asks for it. */
#include "bindings/host/fiber_ask.h"

#include <signal.h>

#include "bindings/host/fiber.h"
#include "executor/worker/inspect.h"

static pthread_once_t asked_once = PTHREAD_ONCE_INIT;
static bool usable;

static void answer_question(lua_State *L, lua_Debug *where) {
  (void)where;
  lua_sethook(L, NULL, 0, 0);
  const fiber *f = orrl_state_of(L)->running;
  if (f) inspect_safe_point(f->context);
}

/* On the thread itself, so that no other looks at its script state. A script with a budget has a
 * hook, which answers, too. */
static void on_ask(int number) {
  (void)number;
  const fiber *f = fiber_here();
  if (f && !lua_gethook(f->co)) lua_sethook(f->co, answer_question, LUA_MASKCOUNT, 1);
}

static void take_signal(void) {
  struct sigaction now, action = {.sa_handler = on_ask, .sa_flags = SA_RESTART};
  if (sigaction(SIGURG, NULL, &now) != 0) return;
  bool handled = now.sa_handler != SIG_DFL && now.sa_handler != SIG_IGN;
  if ((now.sa_flags & SA_SIGINFO) || handled) return;
  sigemptyset(&action.sa_mask);
  usable = sigaction(SIGURG, &action, NULL) == 0;
}

void fiber_ask(pthread_t thread) {
  pthread_once(&asked_once, take_signal);
  if (usable) pthread_kill(thread, SIGURG);
}
