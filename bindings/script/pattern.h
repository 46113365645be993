/* Lua's patterns, matched in counted steps. Lua's own matcher backtracks inside one C call, which
 * no hook interrupts: twenty-eight `a?` take minutes. This one means the same by every pattern, and
 * reports to its caller what each part of the work costs, so that the caller can end it. */
#ifndef ORRERY_PATTERN_H
#define ORRERY_PATTERN_H

#include <lua.h>
#include <stddef.h>
#include <stdint.h>

enum {
  PATTERN_CAPTURES_MAX = 32, /* as in Lua */
  PATTERN_DEPTH_MAX = 200,   /* quantifiers and captures in each other, each a frame of the C stack */
};

typedef struct pattern_capture {
  const char *start;
  ptrdiff_t size; /* bytes, or one of these */
} pattern_capture;

enum { PATTERN_OPEN = -1, PATTERN_POSITION = -2 };

typedef struct pattern {
  lua_State *L; /* bad patterns raise here */
  const char *subject, *subject_end;
  const char *text, *text_end;
  /* Called now and then with the steps since its last call; raises to end the match. NULL: nothing
   * counts them. */
  void (*spend)(lua_State *L, void *ud, int64_t steps);
  void *ud;
  int64_t steps; /* not yet told */
  int depth;
  int captures;
  pattern_capture capture[PATTERN_CAPTURES_MAX];
} pattern;

/* Subject and text stay the caller's. A `^` at the front is the caller's, too: it begins the text
 * behind it and tries one place. */
void pattern_begin(pattern *p, lua_State *L, const char *subject, size_t subject_size,
                   const char *text, size_t size);
/* The end of the match that begins at `at`, or NULL. Raises on a malformed pattern. */
const char *pattern_match(pattern *p, const char *at);
/* Tells `spend` what is left to tell. */
void pattern_settle(pattern *p);
/* Pushes a capture, or the whole match, at..end, for capture 0 of a pattern without any. Raises on
 * a capture that is not there. */
void pattern_push(pattern *p, int capture, const char *at, const char *end);
/* Pushes all captures, or the whole match when there are none; `at` NULL: then nothing. How
 * many. */
int pattern_push_all(pattern *p, const char *at, const char *end);

#endif
