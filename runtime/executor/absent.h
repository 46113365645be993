/* Jobs that this process cannot run now, because a delegate that they call is not here. They lose no retry: each gives its lock
 * back, stays ready in the store for processes that have the delegate, and is passed over here until it can run.
 *
 *   missing    nothing is registered under the name, and there is no module of it: passed over until there is
 *   elsewhere  the name is a closure or table of another thread (the home thread): passed over by all others
 *
 * Which delegates a job calls is known only when it comes to them, so one is tried before it is noted here. What is noted
 * is forgotten after a while and tried again, since jobs are changed and deleted, and their models migrated. */
#ifndef ORR_ABSENT_H
#define ORR_ABSENT_H

#include "engine/engine.h"

/* Who looks for jobs. */
typedef enum absent_taker {
  ABSENT_AWAY,      /* a thread that has nothing but what travels: a worker */
  ABSENT_HOME,      /* the thread whose closures and tables are registered */
  ABSENT_HOME_ONLY, /* the same, looking for nothing but jobs that only it can run */
} absent_taker;

typedef enum absent_kind { ABSENT_NOT, ABSENT_MISSING, ABSENT_ELSEWHERE } absent_kind;

/* What an engine knows of jobs that cannot run here. NULL when memory is out. */
absences *absences_new(const orr_env *env);
/* Frees it; NULL is fine. */
void absences_free(absences *a);

/* Notes that a job cannot run here. ORR_E_MEMORY: it will be tried again at once. */
int absent_note(orr_engine *engine, orr_id job, const char *name, bool elsewhere);
/* It is being run: what was noted may be out of date. */
void absent_drop(orr_engine *engine, orr_id job);
/* May it be taken by such a thread? */
bool absent_allows(orr_engine *engine, absent_taker taker, orr_id job);
/* Is it one that cannot run here, and why? */
absent_kind absent_of(orr_engine *engine, orr_id job);
/* Is a delegate of this name here, on whatever thread? */
bool absent_is_here(orr_engine *engine, const char *name);
/* Do jobs wait for what is missing; how many for the home thread? */
bool absent_waits(orr_engine *engine);
/* How many wait for the thread that registered their delegate. */
uint32_t absent_elsewhere(orr_engine *engine);
/* The home thread has looked, and could take no more: what has stood here for a moment is others' by now. */
void absent_forget_elsewhere(orr_engine *engine);
/* Names were registered: what is missing is looked for again, now. */
void absent_look_again(orr_engine *engine);
/* Lets go of jobs whose delegates are here by now; each round of acquisition begins so. */
void absent_refresh(orr_engine *engine);
/* What the calling thread is when it looks for jobs. */
absent_taker absent_taker_of(const engine_thread *thread);

#endif
