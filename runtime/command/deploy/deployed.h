/* A deployment as a result: its record with what belongs to it. */
#ifndef ORR_DEPLOYED_H
#define ORR_DEPLOYED_H

#include "command/frame.h"

/* The record with `definitions` (maps), `resources` (names) and `warnings`. */
int deployment_records(context *c, rec_deployment *deployment, const orr_value *warnings, orr_records **out);

#endif
