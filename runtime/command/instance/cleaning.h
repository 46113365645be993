/* One step of cleaning history, in one transaction. */
#ifndef ORR_CLEANING_H
#define ORR_CLEANING_H

#include "command/frame.h"

/* The size of a step: the default, and the most that a schedule may ask for. */
enum { CLEAN_STEP = 100, CLEAN_STEP_MAX = 10000 };

typedef struct cleaning {
  orr_time ended_before;
  int64_t step; /* the most that one step removes */
  /* removed by this step: instances, called ones too; tasks without a process; decisions; batches; and
   * rows of operations, job logs and incidents that belong to none of these */
  int64_t cleaned;
} cleaning;

/* Removes what ended before a time. */
int clean_ended(context *c, cleaning *k);
/* Removes what has been kept for its time to live. What belongs to no definition, such as tasks
 * without a process, operations and the log of clean-up itself, is kept as long as the longest time
 * to live of any definition; without any, for good. */
int clean_expired(context *c, cleaning *k);

#endif
