/* Tokens of the expression language. */
#ifndef ORR_UEL_LEX_H
#define ORR_UEL_LEX_H

#include "base/arena.h"
#include "base/error.h"

typedef enum uel_token_kind {
  T_END, /* the text's end */
  T_NAME,
  T_NUMBER,
  T_STRING,
  T_TRUE, T_FALSE, T_NULL, T_INSTANCEOF,
  /* operators; word forms and Lua's spellings give the same token */
  T_AND, T_OR, T_NOT, T_EMPTY,
  T_EQ, T_NE, T_LT, T_LE, T_GT, T_GE,
  T_ADD, T_SUB, T_MUL, T_DIV, T_MOD, T_CONCAT, T_LENGTH,
  T_QUESTION, T_COLON, T_COMMA, T_DOT,
  T_OPEN, T_CLOSE, T_OPEN_INDEX, T_CLOSE_INDEX, T_CLOSE_BRACE,
} uel_token_kind;

typedef struct uel_token {
  uel_token_kind kind;
  size_t at, end;   /* in the text */
  const char *text; /* NAME, NUMBER: as written; STRING: without quotes and escapes; in the arena */
  size_t size;
} uel_token;

typedef struct uel_lexer {
  orr_arena *arena;
  const char *text;
  size_t size;
  size_t at;       /* behind `token` */
  uel_token token; /* the one to look at */
  orr_error *err;
} uel_lexer;

/* Reads the next token into lexer->token. `names_only`: words are names even where they are operators elsewhere ("var:eq",
 * "x.empty"). */
int uel_next(uel_lexer *lexer, bool names_only);
/* `"<text>" is no expression: <reason> at position <at + 1>`. */
int uel_fail(const uel_lexer *lexer, size_t at, const char *format, ...) __attribute__((format(printf, 3, 4)));
/* The same for the present token: "… expected instead of …". Always ORR_E_EXPRESSION. */
int uel_expected(const uel_lexer *lexer, const char *expected);

#endif
