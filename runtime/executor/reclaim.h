/* Locks that are no longer held: expired ones, and those of a process of this machine that is gone. */
#ifndef ORR_RECLAIM_H
#define ORR_RECLAIM_H

#include "job/job.h"

/* Gives back every expired lock, except of jobs that run right here. A job whose holder vanished ORR_CRASHES_MAX times is not
 * tried again: it becomes an incident. */
int reclaim_expired(orr_engine *engine, bool (*still_mine)(void *ud, orr_id job), void *ud, uint32_t *count, orr_error *err);
/* Gives back the locks of owners whose process is gone, without waiting for their expiry. */
int reclaim_dead(orr_engine *engine, uint32_t *count, orr_error *err);

/* A name for a lock owner: "host:boot:namespace:pid:start:engine". `start` tells a process from a later one with the same
 * pid. */
int owner_name(const orr_engine *engine, char *out, size_t size);
/* The process that such a name belongs to; false: it is no such name. */
#define OWNER_MACHINE_BYTES 64
/* Its process and machine; false: it is no such name. */
bool owner_process(const char *name, size_t size, long *pid, char machine[OWNER_MACHINE_BYTES]);
/* False only when the process of the name is certainly gone: it ran before this machine was started, our own namespace has
 * no such process any more, or its executor's file is unlocked (running_gone), which tells it of containers and of names
 * that hosts give, too. Of others nobody can know: their locks have to expire. */
bool owner_alive(orr_engine *engine, const char *name, size_t size);
/* Does somebody have the job who may still be running it? */
bool lock_holds(const context *c, const rec_job *job);

#endif
