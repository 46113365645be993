/* The second gate: bounds, and where each tag begins. */
#ifndef ORR_XML_SCAN_H
#define ORR_XML_SCAN_H

#include "model/xml/text.h"

typedef struct xml_tags {
  const uint32_t *offsets; /* of each start tag's '<', in document order */
  uint32_t count;
} xml_tags;

/* Finds the start tags of a text, and what is beyond its bounds before libxml2 sees it.
 * ORR_E_DEPLOYMENT with `fault`. */
int xml_scan(orr_arena *arena, const xml_text *text, xml_tags *out, xml_fault *fault);

#endif
