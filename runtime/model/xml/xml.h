/* XML text to a light element tree in an arena, with the place of every element and attribute.
 *
 * DESIGN. Bytes from anybody go through three gates, each a file of its own:
 *   text.c  bytes -> UTF-8 text. Says what the bytes look like when they are no XML; accepts five encodings, and no
 *           others, so that the parser behind never converts anything.
 *   scan.c  one pass over the text that knows tags, quotes, comments and CDATA only. It enforces the limits of
 *           limits.h and refuses a DOCTYPE before libxml2 sees a byte: libxml2's own checks come too late (its
 *           duplicate-attribute check is quadratic) or can be missed (a stopped parser still calls its document
 *           well-formed). It also notes where each start tag begins, which libxml2 does not tell.
 *   xml.c   libxml2's SAX2 parser over the text, no entities, no network, no global error handler. */
#ifndef ORR_XML_H
#define ORR_XML_H

#include <stdint.h>

#include "base/arena.h"
#include "base/error.h"

typedef struct xml_attribute {
  const char *ns; /* NULL: none */
  const char *name, *value;
  int line, column;
} xml_attribute;

typedef struct xml_element xml_element;
struct xml_element {
  const char *ns, *name;
  const char *text; /* character data directly inside, joined; never NULL */
  size_t text_size, text_capacity;
  int line, column;
  int text_line; /* where the start tag ends, and so the text begins */
  const xml_attribute *attributes;
  uint32_t n_attributes;
  const xml_attribute *prefixes; /* declared here: prefix ("": none) to namespace, without places */
  uint32_t n_prefixes;
  xml_element *parent, *first, *last, *next;
};

/* What is wrong with a text as XML. */
typedef struct xml_fault {
  int line, column;
  const char *element; /* the innermost open element, or NULL */
  const char *message; /* in the arena */
} xml_fault;

/* ORR_E_DEPLOYMENT with `fault` filled, ORR_E_MEMORY, or 0. The tree lives in the arena. */
int xml_parse(orr_arena *arena, const void *bytes, size_t size, xml_element **root, xml_fault *fault);

/* The value of an attribute without namespace, or NULL. */
const xml_attribute *xml_attribute_of(const xml_element *e, const char *name);
/* The same as a text. */
const char *xml_value(const xml_element *e, const char *name);

/* ---- The gates ------------------------------------------------------------------------------- */

typedef struct xml_text {
  const char *bytes; /* UTF-8, NUL-terminated, without a byte order mark */
  size_t size;
} xml_text;

/* Recodes a document to UTF-8, in the arena. ORR_E_DEPLOYMENT with `fault`: empty, too large, or in no
 * encoding that is known. */
int xml_text_decode(orr_arena *arena, const void *bytes, size_t size, xml_text *out, xml_fault *fault);

typedef struct xml_tags {
  const uint32_t *offsets; /* of each start tag's '<', in document order */
  uint32_t count;
} xml_tags;

/* Finds the start tags of a text, and what is beyond its bounds before libxml2 sees it.
 * ORR_E_DEPLOYMENT with `fault`. */
int xml_scan(orr_arena *arena, const xml_text *text, xml_tags *out, xml_fault *fault);

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
