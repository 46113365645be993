/* Where vendors differ: one struct of behaviors, one instance a dialect, filled from dialect.def. Code asks for a
 * behavior by its name and never for the vendor. docs/bpmn.md has the list in prose. */
#ifndef ORR_DIALECT_H
#define ORR_DIALECT_H

#include <stdbool.h>
#include <stdint.h>

#include "base/nearest.h"
#include "time/cycle.h"

typedef struct dialect {
  const char *name;
#define DIALECT(field, camunda, flowable, orrery) int field;
#include "model/dialect.def"
#undef DIALECT
} dialect;

extern const dialect dialect_camunda, dialect_flowable, dialect_orrery;

/* The rules of repeating timers, for time/cycle.h. */
cycle_rules dialect_cycle_rules(const dialect *d);

typedef enum vendor { VENDOR_NONE, VENDOR_CAMUNDA, VENDOR_FLOWABLE, VENDOR_ORRERY } vendor;

/* Whose extensions a namespace holds; NULL gives VENDOR_NONE. */
vendor vendor_of(const char *ns);
/* The namespace for which models write this prefix; NULL: it is no vendor's. */
const char *vendor_namespace(const char *prefix);
/* Offers every vendor's namespace as what a wrong one was meant to be. */
void vendor_offer_namespaces(nearest *best);

#endif
