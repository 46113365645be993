/* The matcher. `match_rest` matches what is left of the pattern; where it has a choice it calls
 * itself for each, longest or shortest first, and else goes on in its loop. */
#include "bindings/script/pattern.h"

#include <ctype.h>
#include <lauxlib.h>
#include <stdbool.h>
#include <string.h>

enum { SPEND_EVERY = 4096 }; /* steps: some ten microseconds */

void pattern_settle(pattern *p) {
  int64_t steps = p->steps;
  p->steps = 0;
  if (p->spend) p->spend(p->L, p->ud, steps);
}

static void count(pattern *p, ptrdiff_t steps) {
  p->steps += steps;
  if (p->steps >= SPEND_EVERY) pattern_settle(p);
}

void pattern_begin(pattern *p, lua_State *L, const char *subject, size_t subject_size,
                   const char *text, size_t size) {
  p->L = L;
  p->subject = subject;
  p->subject_end = subject + subject_size;
  p->text = text;
  p->text_end = text + size;
  p->spend = NULL;
  p->ud = NULL;
  p->steps = 0;
  p->depth = 0;
  p->captures = 0;
}

/* ---- One character --------------------------------------------------------------------------- */

static bool class_has(int class, int c) {
  bool in;
  switch (tolower(class)) {
    case 'a': in = isalpha(c); break;
    case 'c': in = iscntrl(c); break;
    case 'd': in = isdigit(c); break;
    case 'g': in = isgraph(c); break;
    case 'l': in = islower(c); break;
    case 'p': in = ispunct(c); break;
    case 's': in = isspace(c); break;
    case 'u': in = isupper(c); break;
    case 'w': in = isalnum(c); break;
    case 'x': in = isxdigit(c); break;
    case 'z': in = c == '\0'; break; /* of older Lua, and still known */
    default: return class == c; /* an escaped character */
  }
  return isupper(class) ? !in : in;
}

/* Behind the set that begins at `[`. Its first character, after a `^`, is never the closing
 * bracket. */
static const char *set_end(pattern *p, const char *at) {
  at++;
  if (at < p->text_end && *at == '^') at++;
  for (bool first = true; first || at >= p->text_end || *at != ']'; first = false) {
    if (at >= p->text_end) luaL_error(p->L, "malformed pattern (missing ']')");
    if (*at++ == '%') at++; /* what is escaped is no bracket */
  }
  return at + 1;
}

/* Behind the single character, class or set at `at`. */
static const char *single_end(pattern *p, const char *at) {
  if (*at == '[') return set_end(p, at);
  if (*at != '%') return at + 1;
  if (at + 1 >= p->text_end) luaL_error(p->L, "malformed pattern (ends with '%%')");
  return at + 2;
}

/* `set`..`end`: from the bracket that opens it to behind the one that closes it. */
static bool set_has(const char *set, const char *end, int c) {
  const char *closing = end - 1;
  bool found = true;
  set++;
  if (*set == '^') {
    found = false;
    set++;
  }
  while (set < closing) {
    if (*set == '%') {
      if (class_has((unsigned char)set[1], c)) return found;
      set += 2;
    } else if (set[1] == '-' && set + 2 < closing) {
      if ((unsigned char)set[0] <= c && c <= (unsigned char)set[2]) return found;
      set += 3;
    } else {
      if ((unsigned char)*set == c) return found;
      set++;
    }
  }
  return !found;
}

/* Is the character at `s` what `at`..`end` of the pattern says? */
static bool single_matches(pattern *p, const char *s, const char *at, const char *end) {
  count(p, 1 + (end - at) / 8);
  if (s >= p->subject_end) return false;
  int c = (unsigned char)*s;
  switch (*at) {
    case '.': return true;
    case '%': return class_has((unsigned char)at[1], c);
    case '[': return set_has(at, end, c);
    default: return (unsigned char)*at == c;
  }
}

/* ---- Choices --------------------------------------------------------------------------------- */

static const char *match_rest(pattern *p, const char *s, const char *at);

static const char *longest(pattern *p, const char *s, const char *at, const char *end) {
  ptrdiff_t n = 0;
  while (single_matches(p, s + n, at, end)) n++;
  for (; n >= 0; n--) {
    const char *match = match_rest(p, s + n, end + 1);
    if (match) return match;
  }
  return NULL;
}

static const char *shortest(pattern *p, const char *s, const char *at, const char *end) {
  for (;; s++) {
    const char *match = match_rest(p, s, end + 1);
    if (match) return match;
    if (!single_matches(p, s, at, end)) return NULL;
  }
}

static const char *open_capture(pattern *p, const char *s, const char *at) {
  bool position = at + 1 < p->text_end && at[1] == ')';
  if (p->captures >= PATTERN_CAPTURES_MAX) luaL_error(p->L, "too many captures");
  p->capture[p->captures++] = (pattern_capture){s, position ? PATTERN_POSITION : PATTERN_OPEN};
  const char *match = match_rest(p, s, position ? at + 2 : at + 1);
  if (!match) p->captures--;
  return match;
}

static const char *close_capture(pattern *p, const char *s, const char *at) {
  int i = p->captures - 1;
  while (i >= 0 && p->capture[i].size != PATTERN_OPEN) i--;
  if (i < 0) luaL_error(p->L, "invalid pattern capture");
  p->capture[i].size = s - p->capture[i].start;
  const char *match = match_rest(p, s, at + 1);
  if (!match) p->capture[i].size = PATTERN_OPEN;
  return match;
}

/* ---- What has one way only: each answers where the subject goes on, or NULL ------------------ */

/* %bxy: from an x to the y that balances it. */
static const char *balanced(pattern *p, const char *s, const char *at) {
  if (at + 3 >= p->text_end) luaL_error(p->L, "malformed pattern (missing arguments to '%%b')");
  if (s >= p->subject_end || *s != at[2]) return NULL;
  int64_t open = 1;
  for (const char *c = s + 1; c < p->subject_end; c++) {
    count(p, 1);
    if (*c == at[3] && --open == 0) return c + 1;
    if (*c == at[2] && *c != at[3]) open++;
  }
  return NULL;
}

/* %f[set]: between a character that is not of the set and one that is. */
static const char *frontier(pattern *p, const char *s, const char *set, const char *end) {
  int before = s == p->subject ? '\0' : (unsigned char)s[-1];
  int here = s < p->subject_end ? (unsigned char)*s : '\0';
  count(p, 1 + (end - set) / 4);
  return !set_has(set, end, before) && set_has(set, end, here) ? s : NULL;
}

/* %1 to %9: what a capture took, once more. */
static const char *repeated(pattern *p, const char *s, int digit) {
  int i = digit - '1';
  if (i < 0 || i >= p->captures || p->capture[i].size == PATTERN_OPEN) {
    luaL_error(p->L, "invalid capture index %%%d", i + 1);
    return NULL;
  }
  ptrdiff_t size = p->capture[i].size;
  if (size == PATTERN_POSITION || p->subject_end - s < size) return NULL; /* a place is no text */
  count(p, 1 + size / 16);
  return memcmp(p->capture[i].start, s, (size_t)size) == 0 ? s + size : NULL;
}

/* ---- The loop -------------------------------------------------------------------------------- */

/* One of %b, %f, %1: then `*at` moves behind it and the subject's place is answered. False: it is
 * none of them. */
static bool match_escape(pattern *p, const char **s, const char **at) {
  const char *here = *at, *end;
  if (*here != '%' || here + 1 >= p->text_end) return false;
  if (here[1] == 'b') {
    *s = balanced(p, *s, here);
    *at = here + 4;
  } else if (here[1] == 'f') {
    bool set = here + 2 < p->text_end && here[2] == '[';
    if (!set) luaL_error(p->L, "missing '[' after '%%f' in pattern");
    end = set_end(p, here + 2);
    *s = frontier(p, *s, here + 2, end);
    *at = end;
  } else if (isdigit((unsigned char)here[1])) {
    *s = repeated(p, *s, here[1]);
    *at = here + 2;
  } else {
    return false;
  }
  return true;
}

static const char *match_loop(pattern *p, const char *s, const char *at) {
  while (s && at < p->text_end) {
    if (*at == '(') return open_capture(p, s, at);
    if (*at == ')') return close_capture(p, s, at);
    if (*at == '$' && at + 1 == p->text_end) return s == p->subject_end ? s : NULL;
    if (match_escape(p, &s, &at)) continue;
    const char *end = single_end(p, at), *more;
    char quantifier = '\0';
    if (end < p->text_end) quantifier = *end;
    switch (quantifier) {
      case '*': return longest(p, s, at, end);
      case '+': return single_matches(p, s, at, end) ? longest(p, s + 1, at, end) : NULL;
      case '-': return shortest(p, s, at, end);
      case '?':
        more = single_matches(p, s, at, end) ? match_rest(p, s + 1, end + 1) : NULL;
        if (more) return more;
        at = end + 1;
        break;
      default:
        s = single_matches(p, s, at, end) ? s + 1 : NULL;
        at = end;
    }
  }
  return s;
}

static const char *match_rest(pattern *p, const char *s, const char *at) {
  if (p->depth >= PATTERN_DEPTH_MAX) luaL_error(p->L, "pattern too complex");
  p->depth++;
  const char *match = match_loop(p, s, at);
  p->depth--;
  return match;
}

const char *pattern_match(pattern *p, const char *at) {
  p->captures = 0;
  p->depth = 0;
  return match_rest(p, at, p->text);
}

/* ---- Captures -------------------------------------------------------------------------------- */

void pattern_push(pattern *p, int capture, const char *at, const char *end) {
  if (capture >= p->captures) {
    if (capture != 0) luaL_error(p->L, "invalid capture index %%%d", capture + 1);
    lua_pushlstring(p->L, at, (size_t)(end - at));
    return;
  }
  const pattern_capture *c = &p->capture[capture];
  if (c->size == PATTERN_OPEN) luaL_error(p->L, "unfinished capture");
  if (c->size == PATTERN_POSITION) lua_pushinteger(p->L, c->start - p->subject + 1);
  else lua_pushlstring(p->L, c->start, (size_t)c->size);
}

int pattern_push_all(pattern *p, const char *at, const char *end) {
  int n = p->captures == 0 && at ? 1 : p->captures;
  luaL_checkstack(p->L, n, "too many captures");
  for (int i = 0; i < n; i++) pattern_push(p, i, at, end);
  return n;
}
