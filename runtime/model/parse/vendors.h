/* Whose extensions a model uses, and which dialect follows from that. */
#ifndef ORR_VENDORS_H
#define ORR_VENDORS_H

#include "model/dialect.h"
#include "model/xml/xml.h"

typedef struct dialect_choice {
  const dialect *dialect;
  const char *reason; /* a clause that begins with "it" or "the"; lives in the arena */
} dialect_choice;

/* The dialect of a model. `wanted`: an orr_dialect; ORR_DIALECT_AUTO: as the model's own marks tell. The vendor whose
 * attributes and elements it uses decides; in a model that uses none, the one vendor whose namespace it declares.
 * `reason` is NULL when memory is out. */
dialect_choice dialect_choose(int wanted, const xml_element *root, orr_arena *arena);

#endif
