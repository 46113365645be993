/* Pieces of the Lua that an expression becomes.
 *
 * A piece is a list of fragments, so that wrapping it in a call costs nothing; the whole is copied
 * once, at the end. Each piece knows how deeply Lua's own parser will have to nest for it (Lua gives
 * up at 200), and how many registers its evaluation takes (Lua has 255): the first is what
 * ORR_EXPRESSION_DEPTH_MAX bounds, along with the compiler's own recursion.
 *
 * The lexer is here for its arena, for the place that errors name, and for the error itself. */
#ifndef ORR_UEL_PIECE_H
#define ORR_UEL_PIECE_H

#include <stdbool.h>

#include "model/uel/lex.h"

typedef struct fragment fragment;
struct fragment {
  fragment *next;
  const char *text;
  size_t size;
};

typedef struct piece {
  fragment *first, *last;
  int levels;       /* of Lua's parser */
  int registers;    /* of Lua's machine, its value among them */
  const char *name; /* when it is one identifier and no more */
  bool is_boolean;  /* needs no el.truth */
  bool is_truthy;   /* a literal that is neither null nor false */
} piece;

/* Appends text as it is, which must stay as long as the arena. */
int piece_append(const uel_lexer *l, piece *p, const char *text, size_t size);
/* The same of a NUL-terminated text. */
int piece_literal(const uel_lexer *l, piece *p, const char *text);
/* Appends a text as a quoted Lua string. */
int piece_string(const uel_lexer *l, piece *p, const char *text, size_t size);
/* Appends a piece whose value is computed while `held` registers are in use. Takes its fragments:
 * `tail` must not be used any more. */
void piece_join(piece *p, const piece *tail, int held);
/* Adds `levels` to what Lua has to nest; ORR_E_LIMIT when that, or the registers, is too much. */
int piece_deepen(const uel_lexer *l, piece *p, int levels);
/* ORR_E_LIMIT: nested too deep, at the present token. */
int piece_too_deep(const uel_lexer *l);
/* Turns `p` into `<function>(<p>)`. */
int piece_call1(const uel_lexer *l, piece *p, const char *function);
/* Turns `p` into `<function>(<p>, <q>)`, and takes q's fragments. */
int piece_call2(const uel_lexer *l, piece *p, const char *function, const piece *q);
/* Makes its value true or false, if it may be anything else. */
int piece_truth(const uel_lexer *l, piece *p);
/* `head` and the whole piece in one text, NUL-terminated, in the arena; NULL when memory is out. */
char *piece_text(const uel_lexer *l, const piece *p, const char *head, size_t *size);

#endif
