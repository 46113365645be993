/* A deployment as a result: its record, and what it contains. */
#ifndef ORR_DEPLOYED_H
#define ORR_DEPLOYED_H

#include "command/frame.h"

/* The record with `definitions` (maps), `resources` (names) and `warnings`. */
int deployment_records(context *c, rec_deployment *deployment, const orr_value *warnings, orr_records **out);
/* One of its resources; NULL: it has none of this name, or a failure (c->error). */
rec_resource *deployment_resource(context *c, orr_id deployment, rec_text name);

#endif
