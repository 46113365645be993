/* The handlers, which do no more than note a number and, in the command, set a hook, as the lua program does. */
#include "bindings/signals.h"

#include <pthread.h>
#include <poll.h>
#include <signal.h>
#include <stdatomic.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "bindings/host/fiber.h"
#include "time/iso8601.h"

static const struct {
  int number;
  const char *name;
} known[] = {{SIGTERM, "SIGTERM"}, {SIGINT, "SIGINT"}};

enum { KNOWN = sizeof known / sizeof *known };

static atomic_int caught;
static struct timespec caught_at;       /* by the monotonic clock */
static double grace = -1; /* seconds for which what runs may wait after that; < 0: for ever */
static pthread_t catcher;               /* the thread that asked: it is told, whichever thread the kernel chose */
static orrl_state *_Atomic interrupted; /* the command's own state, unless that serves */
static struct sigaction before[KNOWN];
static volatile pid_t child;            /* that does the work: it is told, too; 0: none */
static atomic_bool asked;               /* SIGQUIT came, on whichever thread */
static int depth;                       /* how often the signals were asked for */

enum { LAST_BYTES = 200, TIME_BYTES = 20, SECONDS_DIGITS = 10 };

/* The last line of a process that the second signal ends: `head`, the time, `tail`. */
static struct {
  int file;     /* 0: none is written */
  bool seconds; /* the time is a number, since 1970 */
  char head[LAST_BYTES], tail[LAST_BYTES];
} last;

static char *put_digits(char *at, int64_t number, int digits) {
  for (int i = digits - 1; i >= 0; i--, number /= 10) at[i] = (char)('0' + number % 10);
  return at + digits;
}

/* "2026-01-31T23:59:59Z", with nothing that a handler may not call. */
static char *put_time(char *out, int64_t now) {
  static const char form[] = "0000-00-00T00:00:00Z";
  enum { DAY = 86400 };
  int64_t year, second = now % DAY;
  int month, day;
  iso_civil_from_days(now / DAY, &year, &month, &day);
  memcpy(out, form, TIME_BYTES);
  put_digits(out, year, 4);
  put_digits(out + 5, month, 2);
  put_digits(out + 8, day, 2);
  put_digits(out + 11, second / 3600, 2);
  put_digits(out + 14, second / 60 % 60, 2);
  put_digits(out + 17, second % 60, 2);
  return out + TIME_BYTES;
}

static void say_last(void) {
  char line[2 * LAST_BYTES + TIME_BYTES];
  size_t head = strlen(last.head), tail = strlen(last.tail);
  struct timespec now;
  struct pollfd room = {.fd = last.file, .events = POLLOUT};
  if (!last.file || poll(&room, 1, 0) != 1 || !(room.revents & POLLOUT)) return; /* it would wait */
  clock_gettime(CLOCK_REALTIME, &now);
  memcpy(line, last.head, head);
  char *at = line + head;
  at = last.seconds ? put_digits(at, now.tv_sec, SECONDS_DIGITS) : put_time(at, now.tv_sec);
  memcpy(at, last.tail, tail);
  ssize_t written = write(last.file, line, (size_t)(at - line) + tail);
  (void)written; /* the process ends */
}

static const char *name_of(int number) {
  for (int i = 0; i < KNOWN; i++)
    if (known[i].number == number) return known[i].name;
  return NULL;
}

/* For the delegate or script that runs, the coroutines in which it does so, and what called it. */
static void set_hooks(const orrl_state *state, lua_Hook hook, int mask, int count) {
  const fiber *f = state->running;
  const coroutine_run *run = state->innermost;
  lua_sethook(state->L, hook, mask, count);
  for (; run; run = f && run == &f->run ? NULL : run->outer) lua_sethook(run->co, hook, mask, count);
}

/* Once: what closes on the way out must not be interrupted in its turn. What a delegate raises so
 * ends its job's run, and after that the call that runs jobs; see signals_stop. That ends too what
 * was raised where it stays, in a function that a call of ours calls. */
static void raise_in_script(lua_State *L, lua_Debug *ar) {
  (void)ar;
  lua_sethook(L, NULL, 0, 0);
  if (interrupted) set_hooks(interrupted, NULL, 0, 0);
  if (interrupted && !interrupted->running && interrupted->calls == 0) interrupted = NULL;
  luaL_error(L, "interrupted by %s", name_of(caught));
}

static void interrupt(const orrl_state *state) {
  enum { ANY = LUA_MASKCALL | LUA_MASKRET | LUA_MASKLINE | LUA_MASKCOUNT };
  set_hooks(state, raise_in_script, ANY, 1);
}

static void on_signal(int number) {
  pid_t worker = child;
  if (worker > 0) kill(worker, number);
  if (!pthread_equal(pthread_self(), catcher)) {
    pthread_kill(catcher, number);
  } else if (caught) {
    say_last();
    signal(number, SIG_DFL);
    raise(number); /* comes once this handler returns */
  } else {
    clock_gettime(CLOCK_MONOTONIC, &caught_at);
    caught = number;
    if (interrupted) interrupt(interrupted);
  }
}

/* What is ignored stays so: nohup, a shell's background job. */
static void catch_signals(void) {
  if (depth++ > 0) return;
  caught = 0;
  catcher = pthread_self();
  struct sigaction action = {.sa_handler = on_signal}; /* without SA_RESTART: who waits for input comes back */
  sigemptyset(&action.sa_mask);
  for (int i = 0; i < KNOWN; i++) {
    sigaction(known[i].number, NULL, &before[i]);
    if (before[i].sa_handler != SIG_IGN) sigaction(known[i].number, &action, NULL);
  }
}

static void release_signals(void) {
  if (depth == 0 || --depth > 0) return;
  for (int i = 0; i < KNOWN; i++) sigaction(known[i].number, &before[i], NULL);
}

void signals_pass_on(pid_t to) {
  child = to;
  if (to > 0 && depth > 0 && caught) kill(to, caught);
}

void signals_end(void) {
  for (int i = 0; i < KNOWN && depth > 0; i++) sigaction(known[i].number, &before[i], NULL);
  if (depth > 0 && caught) raise(caught);
}

static bool interrupting(const orrl_state *state) { return caught && interrupted == state; }

/* The time is over that was given to what runs when the signal came. */
static bool overdue(void) {
  struct timespec now;
  if (!pthread_equal(pthread_self(), catcher)) return false;
  if (!caught || depth == 0 || interrupted || grace < 0) return false;
  clock_gettime(CLOCK_MONOTONIC, &now);
  double waited = (double)(now.tv_sec - caught_at.tv_sec);
  waited += (double)(now.tv_nsec - caught_at.tv_nsec) / 1e9;
  return waited >= grace;
}

bool signals_interrupt_script(orrl_state *state) {
  lua_Hook hook = lua_gethook(state->L);
  bool set = hook && hook != state->hook; /* by the host program, as lua does it */
  if (set && !interrupting(state)) state->hooked = true;
  return state->hooked || interrupting(state);
}

bool signals_stop(orrl_state *state) { return signals_interrupt_script(state) || overdue(); }

bool signals_stopped(const orrl_state *state) {
  return state->hooked || interrupting(state) || overdue();
}

int signals_error(orr_error *err) {
  return error_set(err, ORR_E_STATE, "interrupted by %s", caught ? name_of(caught) : "a signal");
}

void signals_told(orrl_state *state) {
  if (!state->hooked && !interrupting(state)) return;
  lua_sethook(state->L, NULL, 0, 0);
  state->hooked = false;
  if (interrupted == state) interrupted = NULL;
}

/* The hook may have raised where its error stays, such as in a timer's function: who waits raises it again. */
void signals_raise(lua_State *L) {
  orrl_state *state = interrupted;
  if (!caught || !state) return;
  signals_told(state);
  luaL_error(L, "interrupted by %s", name_of(caught));
}

static int l_check(lua_State *L) {
  signals_raise(L);
  return 0;
}

/* Who serves ends by itself, instead of by an error. */
static int l_release(lua_State *L) {
  orrl_state *outer = lua_touserdata(L, lua_upvalueindex(2));
  if (lua_toboolean(L, lua_upvalueindex(1))) release_signals();
  interrupted = outer;
  lua_pushboolean(L, false);
  lua_replace(L, lua_upvalueindex(1));
  return 0;
}

static int l_catch(lua_State *L) {
  grace = luaL_optnumber(L, 1, -1);
  catch_signals();
  lua_pushboolean(L, true);
  lua_pushlightuserdata(L, interrupted);
  interrupted = NULL;
  lua_pushcclosure(L, l_release, 2);
  return 1;
}

/* signals_last(file, head, tail, seconds) */
static int l_last(lua_State *L) {
  size_t head, tail;
  const char *head_text = luaL_checklstring(L, 2, &head);
  const char *tail_text = luaL_checklstring(L, 3, &tail);
  luaL_argcheck(L, head < LAST_BYTES, 2, "too long");
  luaL_argcheck(L, tail < LAST_BYTES, 3, "too long");
  memcpy(last.head, head_text, head + 1);
  memcpy(last.tail, tail_text, tail + 1);
  last.seconds = lua_toboolean(L, 4);
  last.file = (int)luaL_checkinteger(L, 1);
  return 0;
}

static int l_caught(lua_State *L) {
  if (!caught) return 0;
  lua_pushstring(L, name_of(caught));
  lua_pushinteger(L, caught);
  return 2;
}

static int l_interrupt(lua_State *L) {
  interrupted = lua_touserdata(L, lua_upvalueindex(1));
  catch_signals();
  return 0;
}

/* signals_forget(): what was interrupted has ended, and the program goes on: the next signal interrupts again. */
static int l_forget(lua_State *L) {
  orrl_state *state = lua_touserdata(L, lua_upvalueindex(1));
  caught = 0;
  lua_sethook(L, NULL, 0, 0);
  lua_sethook(state->L, NULL, 0, 0);
  interrupted = state;
  return 0;
}

static void on_question(int number) {
  (void)number;
  atomic_store(&asked, true);
}

/* Also where it is ignored, as a shell does for what runs in its background: it is to end nothing. */
static int l_listen(lua_State *L) {
  struct sigaction action = {.sa_handler = on_question, .sa_flags = SA_RESTART};
  sigemptyset(&action.sa_mask);
  sigaction(SIGQUIT, &action, NULL);
  (void)L;
  return 0;
}

static int l_asked(lua_State *L) {
  lua_pushboolean(L, atomic_exchange(&asked, false));
  return 1;
}

const luaL_Reg signals_functions[] = {{"signals_listen", l_listen}, {"signals_asked", l_asked},
                                      {"signals_catch", l_catch}, {"signals_caught", l_caught},
                                      {"signals_last", l_last},
                                      {"signals_interrupt", l_interrupt}, {"signals_check", l_check},
                                      {"signals_forget", l_forget}, {NULL, NULL}};
