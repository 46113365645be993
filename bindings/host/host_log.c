/* The engine's log for Lua: a function of the opener's state. Other threads cannot call the function; what they say
 * waits here until the opener's thread comes by. */
#include "bindings/host/host_log.h"

#include <stdlib.h>
#include <string.h>

#include "bindings/host/host_types.h"
#include "bindings/value.h"
#include "base/value.h"

enum { LOG_LINES_MAX = 1000 }; /* when the opener's thread does not come by, the oldest lines are lost */

struct log_line {
  struct log_line *next;
  orr_log_level level;
  char *message;
  size_t size;
  uint8_t fields[]; /* encoded */
};

static const char *const level_names[] = {"", "error", "warning", "info", "debug"};

static void line_free(struct log_line *line) {
  free(line->message);
  free(line);
}

static void keep_line(lua_host *h, orr_log_level level, const char *message, const orr_value *fields) {
  size_t size = value_encoded_size(fields);
  struct log_line *line = malloc(sizeof *line + size);
  if (!line) return;
  *line = (struct log_line){.level = level, .message = strdup(message), .size = size};
  value_encode(line->fields, fields);
  pthread_mutex_lock(&h->mutex);
  struct log_line **end = &h->log_lines, *lost = NULL;
  if (h->log_count >= LOG_LINES_MAX) {
    lost = h->log_lines;
    h->log_lines = lost->next;
    h->log_count--;
  }
  while (*end) end = &(*end)->next;
  *end = line;
  h->log_count++;
  pthread_mutex_unlock(&h->mutex);
  if (lost) line_free(lost);
}

typedef struct spoken {
  lua_host *h;
  orr_log_level level;
  const char *message;
  const orr_value *fields;
} spoken;

static int call_log(lua_State *L) {
  const spoken *s = lua_touserdata(L, 1);
  lua_rawgeti(L, LUA_REGISTRYINDEX, s->h->log_ref);
  lua_pushstring(L, level_names[s->level]);
  lua_pushstring(L, s->message);
  orrl_push_value(L, s->h->opener_state, s->fields);
  lua_call(L, 3, 0);
  return 0;
}

static void speak(lua_host *h, orr_log_level level, const char *message, const orr_value *fields) {
  orrl_state *state = h->opener_state;
  lua_State *L = state->running ? state->running->co : state->L;
  spoken s = {h, level, message, fields};
  if (!lua_checkstack(L, 4)) return;
  lua_pushcfunction(L, call_log);
  lua_pushlightuserdata(L, &s);
  if (lua_pcall(L, 1, 0, 0) != LUA_OK) lua_pop(L, 1); /* a log function that fails must not stop what it reports */
}

void log_drain(lua_host *h) {
  if (!pthread_equal(pthread_self(), h->opener) || h->log_ref == LUA_NOREF) return;
  pthread_mutex_lock(&h->mutex);
  struct log_line *line = h->log_lines;
  h->log_lines = NULL;
  h->log_count = 0;
  pthread_mutex_unlock(&h->mutex);
  for (struct log_line *next; line; line = next) {
    next = line->next;
    const uint8_t *at = line->fields;
    orr_value fields = {0};
    value_decode(&at, line->fields + line->size, &fields);
    if (line->message) speak(h, line->level, line->message, &fields);
    line_free(line);
  }
}

static void host_log(void *ud, orr_log_level level, const char *message, const orr_value *fields) {
  lua_host *h = ud;
  if (level > h->log_level || level < ORR_LOG_ERROR) return;
  if (!pthread_equal(pthread_self(), h->opener)) {
    keep_line(h, level, message, fields);
    return;
  }
  log_drain(h); /* what others said before comes first */
  speak(h, level, message, fields);
}

/* Without a function the engine itself writes to the standard error. */
void log_configure(lua_host *h, orr_config *config) {
  bool silent = h->log_level == 0;
  config->log = h->log_ref != LUA_NOREF || silent ? host_log : NULL;
  config->log_ud = h;
  config->log_level = silent ? ORR_LOG_ERROR : h->log_level; /* as little as can be */
}

void log_close(lua_host *h) {
  log_drain(h);
  for (struct log_line *line = h->log_lines, *next; line; line = next) {
    next = line->next;
    line_free(line);
  }
  h->log_lines = NULL;
  luaL_unref(h->opener_state->L, LUA_REGISTRYINDEX, h->log_ref);
}
