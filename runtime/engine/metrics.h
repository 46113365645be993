/* Counters by Camunda's names, of this process. Counting is one relaxed atomic add. What a context does is counted once it
 * has committed. */
#ifndef ORR_METRICS_H
#define ORR_METRICS_H

#include <stdint.h>

#include "orrery.h"

/* field, Camunda's name, help text */
#define METRIC_MAP(X)                                                                                       \
  X(ACQUISITION_ATTEMPT, "job-acquisition-attempt", "times that jobs were looked for")                      \
  X(ACQUIRED_SUCCESS, "job-acquired-success", "jobs locked by acquisition")                                 \
  X(ACQUIRED_FAILURE, "job-acquired-failure", "jobs that another executor took first")                      \
  X(JOB_HANDED_OVER, "job-handed-over", "jobs that were created locked, without acquisition")               \
  X(JOB_REJECTED, "job-execution-rejected", "jobs for which the queue had no room")                         \
  X(JOB_LOCKED_EXCLUSIVE, "job-locked-exclusive", "exclusive jobs locked")                                  \
  X(JOB_STARTED, "job-started", "runs begun")                                                               \
  X(JOB_WAITED, "job-waited-ms", "milliseconds that jobs were due before their runs began")                 \
  X(JOB_SUCCESSFUL, "job-successful", "runs committed")                                                     \
  X(JOB_FAILED, "job-failed", "runs that failed")                                                           \
  X(JOB_CONFLICT, "job-conflict", "runs that lost a race and are repeated")                                 \
  X(LOCK_RECLAIMED, "job-lock-reclaimed", "locks given back for their holders")                             \
  X(LOCK_RENEWED, "job-lock-renewed", "leases on locks that were prolonged")                                \
  X(ACTIVITY_START, "activity-instance-start", "activities entered")                                        \
  X(ACTIVITY_END, "activity-instance-end", "activities left or canceled")                                    \
  X(INSTANCE_START, "root-process-instance-start", "instances started, called ones left out")                  \
  X(INSTANCE_END, "process-instance-end", "instances ended")                                                \
  X(DECISIONS, "executed-decision-instances", "decisions evaluated, those that others require included")     \
  X(DECISION_ELEMENTS, "executed-decision-elements", "cells of their tables, and one for each other decision") \
  X(CLEANED_INSTANCES, "history-cleanup-removed-process-instances", "instances whose history was cleaned")    \
  X(CLEANED_DECISIONS, "history-cleanup-removed-decision-instances", "decisions whose history was cleaned")   \
  X(CLEANED_BATCHES, "history-cleanup-removed-batch-operations", "batches that were cleaned")

typedef enum metric {
#define METRIC_X(field, name, help) METRIC_##field,
  METRIC_MAP(METRIC_X)
#undef METRIC_X
  METRICS
} metric;

typedef struct metrics metrics;

/* NULL when memory is out. */
metrics *metrics_new(const orr_allocator *allocator);
/* Frees it; NULL is fine. */
void metrics_free(metrics *m, const orr_allocator *allocator);
/* Any thread. */
void metrics_count(orr_engine *engine, metric which, uint64_t n);
/* Any thread. */
uint64_t metrics_get(orr_engine *engine, metric which);

#endif
