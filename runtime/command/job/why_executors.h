/* Why nobody takes a job: what the executors of a store, this engine's and those of other processes, say of themselves. */
#ifndef ORR_COMMAND_WHY_EXECUTORS_H
#define ORR_COMMAND_WHY_EXECUTORS_H

#include "command/job/why_commands.h"

/* Asks the executors of the store whether and when they would take the job, or, where there is
 * none, what this engine's own acquisition would do. 0 or the context's error. */
int survey_executors(context *c, const rec_job *job, survey *out);
/* Nobody may take it: by its priority, its deployment, or since its instance is busy. out->reason stays NULL when somebody
 * may. */
int survey_refusal(survey *s, finding *out);
/* Nothing is in its way but who runs it, and whether they have room. */
void survey_ready(const survey *s, finding *out);

#endif
