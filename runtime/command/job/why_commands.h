/* Parts of the answer to why a job does not run. */
#ifndef ORR_COMMAND_WHY_COMMANDS_H
#define ORR_COMMAND_WHY_COMMANDS_H

#include "executor/acquire.h"

typedef struct finding {
  const char *reason; /* a word for programs */
  const char *text;   /* a sentence */
  const char *cure;
} finding;

/* A lock owner for people; NULL: out of memory. */
const char *why_owner(context *c, const char *owner);

/* What the executors at the store, of all processes, would do with one job. Without any, what the
 * engine's own acquisition would do. */
typedef struct survey {
  context *c;
  const rec_job *job;
  uint32_t executors, refusing, full;
  const char *taker;           /* who acquires it next; NULL: nobody has room, or nobody takes it */
  bool over_hierarchies;       /* of whoever takes it */
  finding refusal;             /* the first one's */
} survey;

#endif
