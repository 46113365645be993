/* What each thread of an engine's executor is at, as a table for people: its job, element, delegate, since when, and the
 * line of its script. Other processes get the same (executor/owner/thread_reporter.h). */
#ifndef ORR_THREAD_TABLE_H
#define ORR_THREAD_TABLE_H

#include "engine/engine.h"

/* Adds a map to the builder: `name` (in the locks) and `threads`, an array of maps with thread
 * (its number), state ("running", "awaiting", "committing", "elsewhere": at a job of another
 * engine, or "idle") and, of the job that it is at, job, definition_key, activity_id, instance_id,
 * delegate, listener, since, line, in_c_since and limit_at. A thread with jobs that await
 * something has a map for each, behind its own. Of threads that are in C it tells what it can
 * after `wait` seconds. An engine without an executor that runs has no name and no threads. Any
 * thread. */
int thread_table_tell(orr_engine *engine, double wait, orr_builder *out, orr_error *err);

#endif
