/* The terminal: single keys for what draws a screen, and line editing with history and completion through libedit, whose
 * interface is one of globals, so one Lua state at a time reads lines; the command has but one. */
#include "bindings/program/terminal.h"

#include <editline/readline.h>
#include <lauxlib.h>
#include <poll.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <termios.h>
#include <unistd.h>

static lua_State *reader; /* who reads a line right now: the function that completes is at its stack index 2 */

/* The nth candidate, which libedit frees; NULL when there are no more. */
static char *candidate(const char *text, int n) {
  lua_State *L = reader;
  (void)text;
  lua_rawgeti(L, -1, n + 1);
  char *copy = lua_isstring(L, -1) ? strdup(lua_tostring(L, -1)) : NULL;
  lua_pop(L, 1);
  return copy;
}

static volatile sig_atomic_t completing; /* Lua runs within the line editor */

/* complete_word(word, line, end) -> array of whole words to put in the word's place. What it raises completes nothing. */
static char **complete_word(const char *word, int start, int end) {
  lua_State *L = reader;
  char **matches = NULL;
  (void)start;
  rl_attempted_completion_over = 1; /* never file names */
  rl_completion_append_character = '\0';
  if (!L || !lua_checkstack(L, 8)) return NULL;
  int top = lua_gettop(L);
  lua_pushvalue(L, 2);
  lua_pushstring(L, word);
  lua_pushstring(L, rl_line_buffer);
  lua_pushinteger(L, end);
  completing = 1;
  if (lua_pcall(L, 3, 1, 0) == LUA_OK && lua_istable(L, -1)) matches = rl_completion_matches(word, candidate);
  completing = 0;
  lua_settop(L, top);
  return matches;
}

/* A signal leaves the line that is being edited. The line editor itself would go on reading after it, so the way out is a
 * jump, as in other programs that edit lines; while Lua completes a word, it waits. */
static sigjmp_buf way_out;
static pthread_t reading; /* the thread that reads a line */
static volatile sig_atomic_t signaled; /* while Lua ran */

static void leave_line(int number) {
  if (!pthread_equal(pthread_self(), reading)) pthread_kill(reading, number);
  else if (completing) signaled = number;
  else siglongjmp(way_out, number);
}

static void catch_in_line(struct sigaction before[2]) {
  struct sigaction action = {.sa_handler = leave_line};
  sigemptyset(&action.sa_mask);
  reading = pthread_self();
  sigaction(SIGINT, &action, &before[0]);
  sigaction(SIGTERM, &action, &before[1]);
}

static void release_line(const struct sigaction before[2]) {
  sigaction(SIGINT, &before[0], NULL);
  sigaction(SIGTERM, &before[1], NULL);
}

/* NULL at the end of the input, and when a signal came, whose number is then `*left`. */
static char *edit_line(const char *prompt, int *left) {
  struct sigaction before[2];
  char *volatile line = NULL;
  signaled = 0;
  catch_in_line(before);
  int number = sigsetjmp(way_out, 1);
  if (number == 0) line = readline(prompt);
  else rl_deprep_terminal();
  release_line(before);
  *left = number != 0 ? number : signaled;
  return line;
}

/* read_line(prompt, complete_word) -> line, or nil at the end of the input; false when it was interrupted */
static int terminal_read_line(lua_State *L) {
  int left;
  const char *prompt = luaL_checkstring(L, 1);
  luaL_checktype(L, 2, LUA_TFUNCTION);
  rl_readline_name = "orrery";
  rl_attempted_completion_function = complete_word;
  rl_basic_word_break_characters = " \t\n\"\\'`@$><=;|&{(,+-*/%^#~)}]";
  rl_catch_signals = 0;
  reader = L;
  char *line = edit_line(prompt, &left);
  reader = NULL;
  if (left == SIGINT) lua_pushboolean(L, false);
  else lua_pushstring(L, left ? NULL : line);
  free(line);
  return 1;
}

static int terminal_add_history(lua_State *L) {
  using_history();
  add_history(luaL_checkstring(L, 1));
  return 0;
}

/* read_history(path): false when there is none */
static int terminal_read_history(lua_State *L) {
  using_history();
  lua_pushboolean(L, read_history(luaL_checkstring(L, 1)) == 0);
  return 1;
}

/* write_history(path, lines): the newest lines, for this user's eyes only */
static int terminal_write_history(lua_State *L) {
  stifle_history((int)luaL_checkinteger(L, 2));
  mode_t mask = umask(077);
  int rc = write_history(luaL_checkstring(L, 1));
  umask(mask);
  lua_pushboolean(L, !rc);
  return 1;
}

static FILE *stream_of(lua_State *L) { return ((luaL_Stream *)luaL_checkudata(L, 1, LUA_FILEHANDLE))->f; }

/* is_terminal(file) */
static int terminal_is_terminal(lua_State *L) {
  lua_pushboolean(L, isatty(fileno(stream_of(L))));
  return 1;
}

/* ---- Keys ------------------------------------------------------------------------------------ */

static int restore_keys(lua_State *L) {
  tcsetattr(STDIN_FILENO, TCSANOW, lua_touserdata(L, lua_upvalueindex(1)));
  return 0;
}

/* keys() -> restore: until that is called, keys come one by one as they are pressed, and are not shown */
static int terminal_keys(lua_State *L) {
  struct termios *before = lua_newuserdatauv(L, sizeof *before, 0);
  if (tcgetattr(STDIN_FILENO, before) != 0) return luaL_error(L, "the standard input is no terminal");
  struct termios single = *before;
  single.c_lflag &= ~(tcflag_t)(ICANON | ECHO);
  single.c_cc[VMIN] = 1;
  single.c_cc[VTIME] = 0;
  tcsetattr(STDIN_FILENO, TCSANOW, &single);
  lua_pushcclosure(L, restore_keys, 1);
  return 1;
}

/* key(seconds) -> the next key's first byte, or nil when none comes in time; "\4" at the end of the input */
static int terminal_key(lua_State *L) {
  struct pollfd input = {.fd = STDIN_FILENO, .events = POLLIN};
  if (poll(&input, 1, (int)(luaL_checknumber(L, 1) * 1000)) <= 0) return 0; /* a signal, too, brings none */
  char byte = 4;
  if (read(STDIN_FILENO, &byte, 1) < 0) return 0;
  lua_pushlstring(L, &byte, 1);
  return 1;
}

/* width(file) -> columns, or nil where that means nothing */
static int terminal_width(lua_State *L) {
  struct winsize size;
  if (ioctl(fileno(stream_of(L)), TIOCGWINSZ, &size) != 0 || size.ws_col == 0) return 0;
  lua_pushinteger(L, size.ws_col);
  return 1;
}

/* height(file) -> rows, or nil */
static int terminal_height(lua_State *L) {
  struct winsize size;
  if (ioctl(fileno(stream_of(L)), TIOCGWINSZ, &size) != 0 || size.ws_row == 0) return 0;
  lua_pushinteger(L, size.ws_row);
  return 1;
}

int luaopen_orrery_terminal(lua_State *L) {
  static const luaL_Reg functions[] = {
      {"read_line", terminal_read_line},         {"add_history", terminal_add_history}, {"read_history", terminal_read_history},
      {"write_history", terminal_write_history}, {"is_terminal", terminal_is_terminal}, {"width", terminal_width},
      {"height", terminal_height},               {"keys", terminal_keys},               {"key", terminal_key},
      {NULL, NULL}};
  luaL_newlib(L, functions);
  return 1;
}
