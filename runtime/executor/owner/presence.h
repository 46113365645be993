/* What an executor says of itself, kept where other processes see it and where it outlives its own: a file beside the
 * store, mapped into memory. What its threads are at, one slot a thread; what jobs it takes, and for how many more it has
 * room.
 *
 * Setting a slot is one store into memory, so it costs nothing; the pages belong to the kernel, so kill -9 cannot take
 * them back. Whoever reclaims a dead owner's locks finds there which jobs were running when it died (features F21: a job
 * that takes its process down again and again must not go on for ever). Jobs that merely waited, in the queue or for a
 * timer, had no part in the crash. Whoever asks why a job does not run hears what the executors of all processes take. */
#ifndef ORR_RUNNING_H
#define ORR_RUNNING_H

#include "executor/acquire.h"

typedef struct running running;

/* NULL when there is no directory for it (a store in memory) or it cannot be made: then nothing is known of crashes. */
running *running_open(orr_engine *engine, const acquire_rules *rules);
/* Has the store a folder, where executors have their files? */
bool running_keeps_files(orr_engine *engine);
/* Removes the file: this owner ended in good order. NULL is fine. */
void running_close(running *r);
/* From here on the owner ends in good order. Who stops it by force meanwhile, because a job takes too long, blames none of
 * its jobs. */
void running_stopping(running *r);
/* Job 0: nothing. */
void running_set(running *r, uint32_t thread, orr_id job);
/* A job that a thread had begun waits for what its delegate awaits, or (false) does so no more. */
void running_waits(running *r, bool begins);
/* Room for so many more jobs, and the deployments that are registered now. */
void running_tell(running *r, orr_engine *engine, uint32_t room);

/* An executor that runs on this store, in whatever process, as it said last. */
typedef struct running_view {
  acquire_rules rules;
  uint32_t room;
  uint32_t waiting; /* jobs that are begun and wait, beside those that its threads are at; UINT32_MAX: not known */
  bool registered; /* the deployment that was asked for */
  bool stopping;
  const void *file;        /* NULL: it is the record that tells */
  const rec_owner *record; /* its owner's; NULL: not looked up (cluster.h) */
  rec_ids told;            /* the jobs that its threads are at, where there is no file */
} running_view;

/* The job that a thread is at, 0: none; threads count to RUNNING_THREADS_MAX. */
orr_id running_view_job(const running_view *view, uint32_t thread);

/* Shows every executor that says so; those of stores in memory do not. The view's texts last as long as the visit. */
void running_each(orr_engine *engine, orr_id deployment, void (*visit)(void *ud, const running_view *view), void *ud);

/* The jobs that one owner's threads are at; remembers the last owner asked for. Zero it before the first use. */
#define RUNNING_THREADS_MAX 256
#define RUNNING_OWNER_BYTES 256
typedef struct running_list {
  bool dead; /* only what they were at when their process ended, unless it was stopping */
  bool told; /* there is a file of that owner's */
  char owner[RUNNING_OWNER_BYTES];
  orr_id jobs[RUNNING_THREADS_MAX];
  uint32_t threads[RUNNING_THREADS_MAX]; /* the number of the thread that is at each, from 1 */
  uint32_t count;
  uint32_t waiting; /* jobs that are begun and wait, beside these */
} running_list;

/* Does the process of that owner say that it has the job? Reads the list of an owner once, when
 * it is first asked for. */
bool running_list_has(running_list *list, orr_engine *engine, rec_text owner, orr_id job);
/* Has an executor of this name left its file, which it had locked, without the lock? Then its process has ended, in whatever
 * container of this machine it ran. False when nothing is known. */
bool running_gone(orr_engine *engine, const char *owner, size_t size);
/* Removes the files of owners that are gone, with those that they had only begun to make; their
 * locks must have been given back. */
void running_forget_dead(orr_engine *engine);

#endif
