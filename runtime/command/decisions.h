/* Decisions in the store: their records, and which one a name means. */
#ifndef ORR_DECISIONS_H
#define ORR_DECISIONS_H

#include "command/deploy/models.h"

/* Records of what a DMN resource of a new deployment declares, each the next version of its key. */
int decisions_create(context *c, const rec_deployment *deployment, const parsed_decisions *d);
/* Deletes the records of a deployment's decisions. What was decided by them stays in history. */
int decisions_delete(context *c, orr_id deployment);

#endif
