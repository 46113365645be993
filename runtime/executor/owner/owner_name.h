/* The names of owners of locks, and whether the process of an owner is still there. */
#ifndef ORR_OWNER_NAME_H
#define ORR_OWNER_NAME_H

#include "job/job.h"

#define OWNER_BYTES_MAX 200

/* A name for an owner: "host:boot:namespace:pid:start:engine". `start` tells a process from a later one with the same
 * pid. ORR_E_LIMIT: longer than `size`. */
int owner_name(const orr_engine *engine, char *out, size_t size);
/* The process that such a name belongs to; false: it is no such name. */
#define OWNER_MACHINE_BYTES 64
bool owner_process(const char *name, size_t size, long *pid, char machine[OWNER_MACHINE_BYTES]);
/* Puts down in `out` which process this is; the texts are of the unit. */
void owner_sign(context *c, rec_owner *out);

/* False only when the process of the name is certainly gone: it ran before this machine was started, our own namespace has
 * no such process any more, or its executor's file is unlocked (running_gone), which tells it of containers and of names
 * that hosts give, too. Of others nobody can know: their leases have to expire. */
bool owner_alive(orr_engine *engine, const char *name, size_t size);
/* Has the process of an owner, which may be alive, this store open? False only when it certainly
 * has not: the store is then a copy of the one that it works on. */
bool owner_is_here(orr_engine *engine, const rec_owner *owner);
/* The same of a process that is known by a name alone. */
bool owner_name_is_here(orr_engine *engine, const char *name, size_t size);
/* Is this process the owner's? */
bool owner_is_own(const orr_engine *engine, const rec_owner *owner);
/* The same as owner_alive of an owner. What its record says of its process is for people: a name
 * that a host gives may outlive one. */
bool owner_lives(orr_engine *engine, const rec_owner *owner);
/* Does somebody have the job who may still be running it? False with c->error, too. */
bool lock_holds(context *c, const rec_job *job);

#endif
