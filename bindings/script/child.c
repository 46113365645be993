/* in_child: fork, the call, waitpid. */
#include "bindings/script/child.h"

#include <errno.h>
#include <lua.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "bindings/output.h"
#include "bindings/shown.h"
#include "bindings/signals.h"

enum { EXIT_RAISED = 70 };

static void tell_raised(lua_State *L) {
  luaL_tolstring(L, -1, NULL);
  shown_replace(L);
  fprintf(stderr, "%s\n", lua_tostring(L, -1));
}

/* Leaves the parent's objects alone: nothing is closed or finalized here that belongs to it. It
 * ends when the parent does, however that comes: no caller would get its result. */
static void run_child(lua_State *L, pid_t parent) {
  int code = EXIT_RAISED;
  if (prctl(PR_SET_PDEATHSIG, SIGKILL) != 0 || getppid() != parent) _exit(EXIT_RAISED);
  signals_end();
  if (lua_pcall(L, 0, 1, 0) == LUA_OK) code = (int)lua_tointeger(L, -1);
  else tell_raised(L);
  code = output_end(code); /* the parent knows nothing of what was not written here */
  fflush(NULL);
  _exit(code);
}

static int wait_for_child(pid_t child) {
  int status = 0;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) continue;
  return status;
}

static int child_call(lua_State *L) {
  luaL_checktype(L, 1, LUA_TFUNCTION);
  lua_settop(L, 1);
  fflush(NULL); /* what is buffered would come twice */
  pid_t parent = getpid(), child = fork();
  if (child == 0) run_child(L, parent);
  if (child < 0) return luaL_error(L, "cannot start a process: %s", strerror(errno));
  signals_pass_on(child);
  int status = wait_for_child(child);
  signals_pass_on(0);
  if (WIFSIGNALED(status)) {
    lua_pushnil(L);
    lua_pushfstring(L, "SIG%s", sigabbrev_np(WTERMSIG(status)));
    return 2;
  }
  lua_pushinteger(L, WEXITSTATUS(status));
  return 1;
}

const luaL_Reg child_functions[] = {{"in_child", child_call}, {NULL, NULL}};
