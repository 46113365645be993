/* The expression language of BPMN models (UEL: `${…}`, `#{…}`), compiled to Lua source. The core never runs it: the script
 * host loads the chunk (`local el, scope = ...  return …`) and calls it with the run-time support of lua/orrery/el.lua and the
 * scope that names are looked up in. */
#ifndef ORR_UEL_H
#define ORR_UEL_H

#include "base/arena.h"
#include "base/error.h"

enum uel_mode {
  UEL_TEXT, /* an attribute or element: literal text, one `${…}`, or text with several in it */
  UEL_BARE, /* what stands between the braces */
};

enum uel_kind {
  UEL_LITERAL,  /* `text` is the value: a string */
  UEL_VARIABLE, /* `text` is the one name the expression consists of; no Lua needed when it is a variable */
  UEL_CODE,     /* anything else; `text` is the same as `code` */
};

typedef struct uel_code {
  enum uel_kind kind;
  const char *text; /* NUL-terminated, in the arena */
  size_t size;
  const char *code; /* VARIABLE and CODE: the Lua chunk; a name that is no variable (a bean, `execution`) is resolved by it */
  size_t code_size;
  const char *const *roots; /* the names looked up in the scope, each once, in order of appearance */
  size_t n_roots;
  const char *const *beans; /* of those, what a method is asked of: modules unless known */
  size_t n_beans;
} uel_code;

/* A wrong expression is ORR_E_EXPRESSION; the message quotes the text and names the position (from 1) and what was expected.
 * Nesting beyond ORR_EXPRESSION_DEPTH_MAX is ORR_E_LIMIT. */
int uel_compile(orr_arena *arena, const char *text, size_t size, enum uel_mode mode, uel_code *out, orr_error *err);

#endif
