/* The cache of definition graphs. */
#ifndef ORR_DEFINITION_CACHE_H
#define ORR_DEFINITION_CACHE_H

#include "engine/engine.h"

/* Any thread. NULL when memory is out. */
definitions *definitions_new(const orr_allocator *allocator);
/* Graphs that somebody still holds live on until they are released. */
void definitions_free(definitions *all);

/* The graph, from the cache or parsed anew from the stored resource; the caller releases it (definition_release). NULL
 * with err. */
definition *definitions_get(orr_engine *engine, context *c, orr_id id, orr_error *err);
/* After the commit that deployed it: retains the graph. 0 or ORR_E_MEMORY. */
int definitions_put(orr_engine *engine, definition *d);
/* Forgets the graph of a definition that is deleted; who retains it keeps it. Any thread. */
void definitions_drop(orr_engine *engine, orr_id id);
/* The same of the files of a deployment. */
void definitions_drop_deployment(orr_engine *engine, orr_id deployment);

/* What expressions that are evaluated at deployment see: variableContainer, with facts about the definition. */
int definition_variables(context *c, const definition *d, orr_value *out);

#endif
