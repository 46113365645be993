/* The first gate: bytes become UTF-8 text; and places in a text. */
#ifndef ORR_XML_TEXT_H
#define ORR_XML_TEXT_H

#include "model/xml/xml.h"

typedef struct xml_text {
  const char *bytes; /* UTF-8, NUL-terminated, without a byte order mark */
  size_t size;
} xml_text;

/* Recodes a document to UTF-8, in the arena. ORR_E_DEPLOYMENT with `fault`: empty, too large, or in no
 * encoding that is known. */
int xml_text_decode(orr_arena *arena, const void *bytes, size_t size, xml_text *out, xml_fault *fault);

/* Line and column, from 1, of a byte; columns count characters. Walks forward only. */
typedef struct xml_cursor {
  const char *text;
  size_t at;
  int line, column;
} xml_cursor;

static inline xml_cursor xml_cursor_at_start(const char *text) { return (xml_cursor){text, 0, 1, 1}; }
/* Goes on to an offset, which must not lie behind; a column is a character. */
void xml_cursor_move(xml_cursor *cursor, size_t offset);

/* Fills `fault` with the place of `offset`; ORR_E_DEPLOYMENT, or ORR_E_MEMORY. */
int xml_fault_at(orr_arena *arena, const char *text, size_t offset, xml_fault *fault, const char *format, ...)
    __attribute__((format(printf, 5, 6)));

#endif
