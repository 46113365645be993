/* What the executor's threads are at, on demand: what a thread dump is for.
 *
 * A thread is asked and answers for itself, so nothing is stopped and no script state is looked at from outside. It
 * answers at its next safe point: between two jobs, when it is woken out of its loop, or where the script host says so
 * (inspect_safe_point), which is asked for that. A thread that does not answer in time is in C; of it is known which job it
 * began, when, and which line called last what may block (inspect_note). */
#ifndef ORR_INSPECT_H
#define ORR_INSPECT_H

#include "exec/node/call_place.h"

struct worker;

#define INSPECTED_LINE_BYTES 80

typedef struct inspected {
  orr_id job;
  orr_time since;
  uint32_t thread;
  const char *state;   /* a literal */
  char *traceback;     /* malloc'd; NULL: none */
  place_mark at;       /* the call that runs, or waits */
  orr_time in_c;       /* since when the thread has been in C, which it does not answer from; 0: it answered */
  char line[INSPECTED_LINE_BYTES]; /* of its script; "": none is known */
} inspected;

/* A question to all threads; lives with who asks. */
typedef struct inspection {
  orr_engine *engine;
  inspected *items;    /* room for INSPECTED_MAX */
  uint32_t count;
  bool brief;          /* no tracebacks */
  uint32_t taken, answered; /* threads that have read the question, and those that are done with it */
} inspection;

/* Jobs told at once: a thread may carry thousands that await. */
#define INSPECTED_MAX 1000

/* Puts the question to all threads of the executor and waits at most so many seconds (60) for their answers. Any thread. */
void inspect_ask(orr_executor *x, inspection *q, double wait_s);

/* From here until inspect_open no thread is asked; the executor stops its workers in between. */
void inspect_close(orr_executor *x);
/* The threads are there: questions are answered again. */
void inspect_open(orr_executor *x);

/* On the worker's thread: answers a question, if there is one. */
void inspect_answer(struct worker *w);

/* For the host to call between two steps of a script that runs for `c` (NULL is fine): answers whoever asks what this
 * thread is at. Costs a look at a flag when nobody does; calls the host's `traceback`. True: the call that runs has taken
 * too long, and the script is to raise. */
bool inspect_safe_point(context *c);

/* For the host, before a call that may block: where a script that runs for `c` makes it. `source` is
 * copied. */
void inspect_note(context *c, const char *source, int line);
/* Is that of use? Only where a worker runs it. */
bool inspect_wants_notes(const context *c);

/* What an executor does with a job that it has. */
typedef enum executor_stage {
  STAGE_NONE,    /* it does not have it */
  STAGE_THREAD,  /* it is on a thread */
  STAGE_BEHIND,  /* an exclusive job of its instance goes first */
  STAGE_RESTING, /* it lost a race and comes again */
  STAGE_CROWDED, /* it waits while every thread is at another job */
  STAGE_AWAITS,  /* it was begun, and awaits something */
  STAGE_HELD     /* it waits in the queue, or is being committed */
} executor_stage;
typedef struct executor_place {
  executor_stage stage;
  uint32_t conflicts; /* of its present run */
  orr_id behind;      /* the job that it waits behind; 0: none that could be told */
  uint32_t thread;    /* that has that job, from 1; 0: none has */
} executor_place;
/* Where a job that is locked by this executor is. Any thread. */
executor_place executor_place_of(orr_executor *x, orr_engine *engine, orr_id job);
/* The owner's name in locks on this engine's jobs; NULL: the engine is not one of the executor's.
 * */
const char *executor_owner(orr_executor *x, const orr_engine *engine);

#endif
