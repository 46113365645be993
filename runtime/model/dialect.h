/* Where vendors differ: one struct of behaviors, one instance a dialect, filled from dialect.def. Code asks for a
 * behavior by its name and never for the vendor. docs/bpmn.md has the list in prose. */
#ifndef ORR_DIALECT_H
#define ORR_DIALECT_H

#include <stdbool.h>
#include <stdint.h>

#include "base/nearest.h"
#include "time/cycle.h"

/* ${…} in a message start event's name. */
typedef enum start_name_rule {
  START_NAME_EVALUATED, /* at deployment */
  START_NAME_REFUSED,
  START_NAME_LITERAL
} start_name_rule;

/* A task or listener with several implementations. */
typedef enum implementations_rule {
  IMPLEMENTATIONS_REFUSED,
  /* a task runs the first of connector, type, class, delegate expression, expression */
  IMPLEMENTATIONS_CONNECTOR_FIRST,
  /* ... the first of type, class, expression, delegate expression */
  IMPLEMENTATIONS_TYPE_FIRST
} implementations_rule;

/* An inclusive gateway joins when nothing more can arrive */
typedef enum inclusive_join_rule {
  INCLUSIVE_JOIN_FREE_FLOWS,    /* by a flow where no token waits */
  INCLUSIVE_JOIN_ALL_OR_ENOUGH, /* by any flow, or when as many tokens wait as there are flows */
  INCLUSIVE_JOIN_ALL            /* by any flow; also a gateway with one incoming flow */
} inclusive_join_rule;

/* A file of which no process is executable. */
typedef enum none_executable_rule {
  NONE_EXECUTABLE_IGNORED, /* it is deployed, without a word */
  NONE_EXECUTABLE_REFUSED,
  NONE_EXECUTABLE_WARNS
} none_executable_rule;

/* Whose lengths are bounded. */
typedef enum lengths_rule {
  LENGTHS_UNCHECKED,
  LENGTHS_OF_TEXTS, /* ids, names, namespaces and documentation */
  LENGTHS_OF_NAMES  /* ids and names */
} lengths_rule;

/* A transient variable in a scope that has a stored one of that name */
typedef enum beside_stored_rule {
  BESIDE_STORED_NEVER,       /* is refused, also once the transaction has removed the stored one */
  BESIDE_STORED_ALWAYS,      /* hides it */
  BESIDE_STORED_WHEN_REMOVED /* is refused while that is there */
} beside_stored_rule;

/* The boundary events of a scope, but for errors, when an event sub-process interrupts it. */
typedef enum boundary_rule {
  BOUNDARY_STAYS,
  BOUNDARY_GOES,
  BOUNDARY_GOES_BY_EVENT /* when a message, a signal or a timer started it */
} boundary_rule;

typedef struct dialect {
  const char *name;
#define DIALECT(field, camunda, flowable, orrery) bool field;
#define DIALECT_CHOICE(type, field, camunda, flowable, orrery) type field;
#define DIALECT_NUMBER(field, camunda, flowable, orrery) int field;
#include "model/dialect.def"
#undef DIALECT_NUMBER
#undef DIALECT_CHOICE
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
