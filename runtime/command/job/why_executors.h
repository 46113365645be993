/* Why nobody takes a job, by what the executors at the store say of themselves: those of this
 * engine and of other processes. */
#ifndef ORR_COMMAND_WHY_EXECUTORS_H
#define ORR_COMMAND_WHY_EXECUTORS_H

#include "command/job/why_commands.h"

/* Asks the executors at the store whether and when they would take the job; if there are none,
 * finds what this engine's own acquisition would do. 0 or the context's error. */
int survey_executors(context *c, const rec_job *job, survey *out);
/* Why nobody may take it: its priority, its deployment, or a busy instance. out->reason stays NULL
 * when somebody may. */
int survey_refusal(survey *s, finding *out);
/* Only executors are missing, or their room. */
void survey_ready(const survey *s, finding *out);

#endif
