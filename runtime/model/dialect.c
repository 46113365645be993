/* The dialects, and whose extensions a namespace holds. */
#include "model/dialect.h"

#include <string.h>

#include "model/parse/grammar.h"

const dialect dialect_camunda = {
  .name = "camunda",
#define DIALECT(field, camunda, flowable, orrery) .field = camunda,
#define DIALECT_CHOICE(type, field, camunda, flowable, orrery) .field = camunda,
#define DIALECT_NUMBER(field, camunda, flowable, orrery) .field = camunda,
#include "model/dialect.def"
#undef DIALECT_NUMBER
#undef DIALECT_CHOICE
#undef DIALECT
};

const dialect dialect_flowable = {
  .name = "flowable",
#define DIALECT(field, camunda, flowable, orrery) .field = flowable,
#define DIALECT_CHOICE(type, field, camunda, flowable, orrery) .field = flowable,
#define DIALECT_NUMBER(field, camunda, flowable, orrery) .field = flowable,
#include "model/dialect.def"
#undef DIALECT_NUMBER
#undef DIALECT_CHOICE
#undef DIALECT
};

const dialect dialect_orrery = {
  .name = "orrery",
#define DIALECT(field, camunda, flowable, orrery) .field = orrery,
#define DIALECT_CHOICE(type, field, camunda, flowable, orrery) .field = orrery,
#define DIALECT_NUMBER(field, camunda, flowable, orrery) .field = orrery,
#include "model/dialect.def"
#undef DIALECT_NUMBER
#undef DIALECT_CHOICE
#undef DIALECT
};

cycle_rules dialect_cycle_rules(const dialect *d) {
  return (cycle_rules){
    .cron = {.sunday_is_zero = !d->cron_quartz, .macros = d->cron_macros, .both_days = !d->cron_quartz},
    .catch_up = d->cycle_catch_up,
    .start_is_extra = d->cycle_start_counts_extra,
    .back_from_end = d->cycle_end_counts_back,
    .zero_fires_once = d->retry_r0_once,
  };
}

static const struct { const char *ns, *prefix; vendor vendor; } NAMESPACES[] = {
  {"http://camunda.org/schema/1.0/bpmn", "camunda", VENDOR_CAMUNDA},
  {"http://www.camunda.com/fox", "fox", VENDOR_CAMUNDA},
  {"http://operaton.org/schema/1.0/bpmn", "operaton", VENDOR_CAMUNDA},
  {"http://fluxnova.finos.org/schema/1.0/bpmn", "fluxnova", VENDOR_CAMUNDA},
  {"http://flowable.org/bpmn", "flowable", VENDOR_FLOWABLE},
  {"http://activiti.org/bpmn", "activiti", VENDOR_FLOWABLE},
  {"urn:orrery:bpmn", "orrery", VENDOR_ORRERY},
};
enum { NAMESPACE_COUNT = sizeof NAMESPACES / sizeof *NAMESPACES };

vendor vendor_of(const char *ns) {
  if (!ns) return VENDOR_NONE;
  for (size_t i = 0; i < NAMESPACE_COUNT; i++)
    if (strcmp(ns, NAMESPACES[i].ns) == 0) return NAMESPACES[i].vendor;
  return VENDOR_NONE;
}

const char *vendor_namespace(const char *prefix) {
  for (size_t i = 0; i < NAMESPACE_COUNT; i++)
    if (strcmp(prefix, NAMESPACES[i].prefix) == 0) return NAMESPACES[i].ns;
  return NULL;
}

void vendor_offer_namespaces(nearest *best) {
  for (size_t i = 0; i < NAMESPACE_COUNT; i++) nearest_offer(best, NAMESPACES[i].ns, strlen(NAMESPACES[i].ns));
}
