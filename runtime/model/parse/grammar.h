/* What may stand where in a model: bpmn.def and extension.def as tables, and the walk that holds a document against them. */
#ifndef ORR_GRAMMAR_H
#define ORR_GRAMMAR_H

#include "base/nearest.h"
#include "model/definition.h"
#include "model/xml/xml.h"

#define BPMN_NS "http://www.omg.org/spec/BPMN/20100524/MODEL"
#define XSI_NS "http://www.w3.org/2001/XMLSchema-instance"
#define ZEEBE_NS "http://camunda.org/schema/zeebe/" /* and a version */

typedef enum grammar_use {
  USE_PART,        /* read by the element it belongs to */
  USE_NODE,        /* a node of the graph; type: node_type */
  USE_EVENT,       /* an event definition; type: event_type */
  USE_IGNORED,     /* for viewers and tools; what is inside is not looked at */
  USE_UNSUPPORTED, /* known, not built: a deployment error */
} grammar_use;

typedef struct grammar_row {
  const char *name;
  grammar_use use;
  int type;
  const char *parents;    /* names and groups; see bpmn.def */
  const char *attributes; /* besides id */
} grammar_row;

/* NULL for what is no BPMN element. */
const grammar_row *grammar_find(const xml_element *e);
/* Is it an element that becomes a node? Then `type` is set. */
bool grammar_is_node(const xml_element *e, node_type *type);

typedef enum extension_use {
  EXTENSION_READ,
  EXTENSION_IGNORED,     /* known; `reason` (may be NULL: not worth a word) says why it has no effect */
  EXTENSION_UNSUPPORTED, /* known, not built: a deployment error */
} extension_use;

typedef struct extension_row {
  const char *name;
  extension_use use;
  const char *hosts;
  const char *reason;
} extension_row;

struct parser;

/* Among the words of a blank-separated list. */
nearest grammar_nearest(const char *list, const char *word);
/* "; did you mean 'x'?" or "". */
const char *grammar_suggestion(struct parser *p, nearest best);
/* Is the word in a list of words with blanks between? */
bool grammar_list_has(const char *list, const char *word);

/* Reports every element and attribute of the document that has no business where it stands. */
void grammar_check(struct parser *p, const xml_element *root);

#endif
