/* Looking up what a command names: the record, or an error that says what was not found. */
#ifndef ORR_LOOKUP_H
#define ORR_LOOKUP_H

#include <string.h>

#include "command/frame.h"

/* The record, which belongs to the context's unit. NULL with c->error: ORR_E_NOT_FOUND, or a
 * failure of the store. Instances and executions are running ones, not those of history. */
rec_definition *lookup_definition(context *c, orr_id id);
/* By its key, as definition_find (state/definition_versions.h) understands tenant and version. */
rec_definition *lookup_latest(context *c, const char *key, const char *tenant, int64_t version);
/* The record of that id, or NULL with ORR_E_NOT_FOUND (or the store's failure) in the context: */
rec_deployment *lookup_deployment(context *c, orr_id id);
rec_instance *lookup_instance(context *c, orr_id id);
rec_execution *lookup_execution(context *c, orr_id id);
rec_task *lookup_task(context *c, orr_id id);
rec_job *lookup_job(context *c, orr_id id);
rec_job_definition *lookup_job_definition(context *c, orr_id id);
rec_external_task *lookup_external_task(context *c, orr_id id);
rec_incident *lookup_incident(context *c, orr_id id);

/* ORR_E_SUSPENDED if the instance that this id belongs to is suspended, unless it is being
 * deleted. */
int refuse_suspended(context *c, orr_id any_id_of_instance);
/* The same, where the dialect refuses changes of variables, and of what describes tasks, while the
 * instance is suspended. What the instance itself runs may change them. */
int refuse_writing(context *c, orr_id any_id_of_instance);

static inline bool map_given(const orr_value *map) { return map && map->type == ORR_MAP && orr_count(map) > 0; }

#endif
