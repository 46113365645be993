/* One step of cleaning history: a transaction's worth of what has ended. */
#ifndef ORR_CLEANING_H
#define ORR_CLEANING_H

#include "command/frame.h"

/* How much one transaction takes away, and what a schedule may ask for. */
enum { CLEAN_STEP = 100, CLEAN_STEP_MAX = 10000 };

typedef struct cleaning {
  orr_time ended_before;
  int64_t step; /* at most so much in a step */
  /* by this step: instances, called ones too, tasks without a process, decisions, batches, and rows
   * of operations, job logs and incidents that belong to none of these */
  int64_t cleaned;
} cleaning;

/* What ended before a time. */
int clean_ended(context *c, cleaning *k);
/* What has been kept for as long as it is to be. What belongs to no definition, such as tasks without
 * a process, operations and the log of clean-up itself, is kept as long as the definition whose
 * history is kept longest; without any such definition it stays. */
int clean_expired(context *c, cleaning *k);

#endif
