/* Decisions in the store: their records, and how they are deleted. */
#ifndef ORR_DECISIONS_H
#define ORR_DECISIONS_H

#include "command/deploy/models.h"

/* Makes the records of what a DMN resource of a new deployment declares, each the next version of
 * its key. */
int decisions_create(context *c, const rec_deployment *deployment, const parsed_decisions *d);
/* Deletes one version of a decision; with cascade also the rows of what it decided outside of instances. */
int decision_delete(context *c, rec_decision *decision, bool cascade);
/* The same for all of a deployment. */
int decisions_delete(context *c, orr_id deployment, bool cascade);

#endif
