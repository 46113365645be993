/* The parts of the answer to why a job does not run. */
#ifndef ORR_WHY_H
#define ORR_WHY_H

#include "executor/acquire.h"

typedef struct finding {
  const char *reason; /* a word for programs */
  const char *text;   /* a sentence */
  const char *cure;
} finding;

/* A lock owner for people; NULL: out of memory. */
const char *why_owner(context *c, const char *owner);

/* What the executors that run on the store, in whatever process, make of one job. Without any, the engine's own acquisition speaks. */
typedef struct survey {
  context *c;
  const rec_job *job;
  uint32_t executors, refusing, full;
  const char *taker;           /* who acquires it next; NULL: nobody has room, or nobody takes it */
  bool over_hierarchies;       /* of whoever takes it */
  finding refusal;             /* the first one's */
} survey;

int survey_executors(context *c, const rec_job *job, survey *out);
/* Nobody may take it: by its priority, its deployment, or since its instance is busy. out->reason stays NULL when somebody may. */
int survey_refusal(survey *s, finding *out);
/* Nothing is in its way but who runs it, and whether they have room. */
void survey_ready(const survey *s, finding *out);

#endif
