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

#endif
