/* FEEL, the expression language of DMN, compiled to Lua source. The core never runs it: the caller
 * who assembles a chunk writes
 *
 *     local f, scope = ...                 -- f: lua/orrery/feel.lua, the support library
 *     local K = <feel_unit_constants()>
 *     <the caller's Lua around the compiled pieces>
 *
 * and the script host loads it. A compiled piece is one Lua expression that may refer to f, K,
 * scope (only for names without `lua` of their own) and its own locals, which are called v1, v2, …
 * with numbers unique in the unit. The caller's Lua must not use these names.
 *
 * Values in Lua: null is nil; booleans and strings (UTF-8) are Lua's; a number is a Lua integer
 * whenever it is whole and fits, else a decimal of f (34 digits), never a float; a list is `{n = 3,
 * 1, nil, 3}` with f's metatable List; a context is `{"a", "b c", a = 1, ["b c"] = 2}` with the
 * metatable Context: the array part holds the keys in order, whatever their values. Ranges,
 * temporal values and functions are tables with metatables of f. All are immutable.
 * lua/orrery/feel.lua has the rest. */
#ifndef ORR_FEEL_UNIT_H
#define ORR_FEEL_UNIT_H

#include "decision/feel/type.h"

/* ---- Names in scope -------------------------------------------------------------------------- */

/* A name may hold spaces and operators; how its blanks are written does not matter. The longest one
 * that fits is taken. */
typedef struct feel_name {
  const char *name;
  const feel_type *type; /* NULL: any */
  const char *lua;       /* a Lua expression that gives its value, such as a local's name; NULL:
                            `scope["name"]` */
} feel_name;

typedef struct feel_scope feel_scope;
struct feel_scope {
  const feel_scope *outer; /* looked at next; NULL at the outermost */
  const feel_name *names;
  size_t n_names;
  const feel_member *types; /* named types, for `instance of` and parameters */
  size_t n_types;
  bool open; /* names without a declaration are asked for while running: `f.name(scope, "name")`;
                otherwise they are null, with a diagnostic, and are listed in feel_code.unknown. The
                outermost scope's counts */
};

/* ---- Compiling ------------------------------------------------------------------------------- */

/* What the pieces of one chunk share: the constants and the numbers of locals. */
typedef struct feel_unit feel_unit;

/* NULL when memory is out. It lives in the arena. */
feel_unit *feel_unit_new(orr_arena *arena);
/* "v<n>" for the caller's own use, unique in the unit; NULL when memory is out. */
const char *feel_unit_local(feel_unit *unit);
/* The Lua table constructor that K is, once all pieces are compiled; NULL when memory is out. */
const char *feel_unit_constants(feel_unit *unit);
/* The places in K taken so far. A caller that caches pieces needs it; others do not. */
size_t feel_unit_constant_count(const feel_unit *unit);
/* A place in K for a Lua expression of the caller's that is evaluated once, when the chunk is
 * loaded: "K[<n>]". NULL: no memory. */
const char *feel_unit_constant(feel_unit *unit, const char *lua);

enum feel_form {
  FEEL_EXPRESSION,  /* an expression; a textual expression, a boxed literal expression */
  FEEL_UNARY_TESTS, /* `-`, `not(…)`, `< 10, [1..5], ? > x`: gives true, false or nil (which counts
                       as false) for the input */
  FEEL_TYPE, /* a type as after `instance of`: only feel_code.type is set, and `lua` is the run-time
                type */
};

typedef struct feel_request {
  enum feel_form form;
  const char *text; /* UTF-8 */
  size_t size;
  const feel_scope *scope; /* NULL: no names but the built-in functions' */
  const char *input;       /* FEEL_UNARY_TESTS: the Lua expression that gives `?`: a local's name.
                              FEEL_EXPRESSION: NULL, or `?` */
  bool camunda;            /* in Camunda's dialect, whose functions are known */
  const feel_type
      *input_type; /* NULL: any. When it says number, string or boolean the value must be that or
                      nil: the tests rely on it and compare with Lua's own operators */
} feel_request;

/* Where the text is wrong, or strange: lines and columns (characters) from 1, of the text given. */
typedef struct feel_place {
  int line, column;
} feel_place;

/* A call of what is no function: it gives null. */
typedef struct feel_unknown_call {
  const char *name;
  feel_place place;
  bool camunda; /* it is one of Camunda's FEEL */
} feel_unknown_call;

typedef struct feel_code {
  const char *lua; /* NUL-terminated, in the unit's arena; no line break in it */
  size_t size;
  const feel_type *type; /* what is known of the result; never NULL */
  bool literal; /* the text is a literal that needs no support code: a number, string, boolean or
                   null */
  const char *const *names; /* names of the scopes given, or asked for in an open one, that the
                               piece reads; each once */
  size_t n_names;
  const char *const *unknown; /* names without a declaration (not in an open scope) */
  size_t n_unknown;
  const feel_unknown_call *calls; /* in an open scope, of names without a declaration, and those of
                                     Camunda's functions unless the request is in its dialect */
  size_t n_calls;
} feel_code;

/* A text that is no FEEL is ORR_E_EXPRESSION; `err` quotes what was found and names what was
 * expected, `where` (may be NULL) the place. Nesting beyond ORR_EXPRESSION_DEPTH_MAX is
 * ORR_E_LIMIT, and so are the other bounds of limits.h that begin with ORR_FEEL. */
int feel_compile(feel_unit *unit, const feel_request *request, feel_code *out, feel_place *where,
                 orr_error *err);

#endif
