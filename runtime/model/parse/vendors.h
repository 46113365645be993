/* Whose extensions a model uses: which dialect follows from that, and what is said of vendors whose extensions nobody
 * here reads. */
#ifndef ORR_VENDORS_H
#define ORR_VENDORS_H

#include "model/dialect.h"
#include "model/xml/xml.h"

struct parser;

typedef struct dialect_choice {
  const dialect *dialect;
  const char *reason; /* a clause that begins with "it" or "the"; lives in the arena */
} dialect_choice;

/* The dialect of a model. `wanted`: an orr_dialect; ORR_DIALECT_AUTO: as the model's own marks tell. The vendor whose
 * attributes and elements it uses decides; in a model that uses none, the one vendor whose namespace it declares.
 * `reason` is NULL when memory is out. */
dialect_choice dialect_choose(int wanted, const xml_element *root, orr_arena *arena);

/* Warns, once a namespace, that extensions of this vendor are not read. Tools' own namespaces, which mean nothing to
 * an engine, are passed over. */
void note_vendor(struct parser *p, const xml_element *e, const xml_attribute *a, const char *ns);

#endif
