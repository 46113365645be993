/* Migration of one instance, for callers that migrate many. orr_engine_instances_migrate is the command. */
#ifndef ORR_COMMAND_MIGRATION_COMMANDS_H
#define ORR_COMMAND_MIGRATION_COMMANDS_H

#include "command/frame.h"

/* What the two models say against a plan: ORR_E_ARGUMENT with every problem, or 0. */
int migration_check_plan(context *c, const orr_value *plan);
/* Checks a running instance against the plan and moves it. What follows from that is planned. */
int migration_of_one(context *c, const orr_value *plan, orr_id instance);
/* A batch's job: migrates one instance. */
int migrate_job(context *c, rec_job *job);

#endif
