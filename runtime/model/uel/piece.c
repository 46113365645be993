/* Pieces of Lua: how they grow, and what Lua has to hold and to nest for them. */
#include "model/uel/piece.h"

#include <string.h>

#include "base/limits.h"

/* Leaves room for the chunk's own. */
#define REGISTERS_MAX 200

int piece_append(const uel_lexer *l, piece *p, const char *text, size_t size) {
  fragment *f = ARENA_NEW(l->arena, fragment);
  if (!f) return error_memory(l->err);
  f->text = text;
  f->size = size;
  if (p->last) {
    p->last->next = f;
  } else {
    p->first = f;
  }
  p->last = f;
  if (p->registers == 0) p->registers = 1;
  return 0;
}

int piece_literal(const uel_lexer *l, piece *p, const char *text) {
  return piece_append(l, p, text, strlen(text));
}

void piece_join(piece *p, const piece *tail, int held) {
  if (!tail->first) return;
  if (p->last) {
    p->last->next = tail->first;
  } else {
    p->first = tail->first;
  }
  p->last = tail->last;
  if (tail->levels > p->levels) p->levels = tail->levels;
  if (tail->registers + held > p->registers) p->registers = tail->registers + held;
}

int piece_too_deep(const uel_lexer *l) {
  return error_set(l->err, ORR_E_LIMIT, "the expression is nested more than %d deep at position %zu",
                   ORR_EXPRESSION_DEPTH_MAX, l->token.at + 1);
}

int piece_deepen(const uel_lexer *l, piece *p, int levels) {
  p->levels += levels;
  if (p->levels > ORR_EXPRESSION_DEPTH_MAX) return piece_too_deep(l);
  if (p->registers <= REGISTERS_MAX) return 0;
  return error_set(l->err, ORR_E_LIMIT,
                   "the expression holds more than %d values at once at position %zu", REGISTERS_MAX,
                   l->token.at + 1);
}

int piece_string(const uel_lexer *l, piece *p, const char *text, size_t size) {
  char *out = arena_alloc(l->arena, size * 4 + 3), *at = out;
  if (!out) return error_memory(l->err);
  *at++ = '"';
  for (size_t i = 0; i < size; i++) {
    unsigned char b = (unsigned char)text[i];
    if (b == '"' || b == '\\' || b < 0x20) { /* three digits, so that a digit may follow */
      *at++ = '\\';
      *at++ = (char)('0' + b / 100);
      *at++ = (char)('0' + b / 10 % 10);
      *at++ = (char)('0' + b % 10);
    } else {
      *at++ = (char)b;
    }
  }
  *at++ = '"';
  return piece_append(l, p, out, (size_t)(at - out));
}

int piece_call1(const uel_lexer *l, piece *p, const char *function) {
  piece out = {0};
  int rc;
  if ((rc = piece_literal(l, &out, function)) || (rc = piece_literal(l, &out, "("))) return rc;
  piece_join(&out, p, 1);
  if ((rc = piece_literal(l, &out, ")"))) return rc;
  *p = out;
  return piece_deepen(l, p, 1);
}

int piece_call2(const uel_lexer *l, piece *p, const char *function, const piece *q) {
  int rc = piece_literal(l, p, ", ");
  if (rc) return rc;
  piece_join(p, q, 1);
  return piece_call1(l, p, function);
}

int piece_truth(const uel_lexer *l, piece *p) {
  return p->is_boolean ? 0 : piece_call1(l, p, "el.truth");
}

char *piece_text(const uel_lexer *l, const piece *p, const char *head, size_t *size) {
  *size = strlen(head);
  for (const fragment *f = p->first; f; f = f->next) *size += f->size;
  char *text = arena_alloc(l->arena, *size + 1), *at = text;
  if (!text) return NULL;
  memcpy(at, head, strlen(head));
  at += strlen(head);
  for (const fragment *f = p->first; f; f = f->next) {
    memcpy(at, f->text, f->size);
    at += f->size;
  }
  *at = '\0';
  return text;
}
