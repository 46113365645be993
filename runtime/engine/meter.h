/* Counters that outlive their process: what metrics.h counts, put down in the store by intervals.
 *
 * A row (rec_meter) holds what one reporter, a machine with an engine's name, counted of one name in one interval. Counting
 * itself knows nothing of it: whoever writes takes what the counters have gained since they were written last, so that a
 * job's way pays nothing. They are written when an interval is over, by the acquisition's thread or by the next command,
 * and when the engine closes; a process that is killed loses what it counted since.
 *
 * Beside the counters it remembers who was given a task, by a hash of the name alone: such a row has the hash as its
 * reporter, and METER_WORKERS as its name. */
#ifndef ORR_METER_H
#define ORR_METER_H

#include "engine/engine.h"
#include "engine/metrics.h"

/* Camunda's: a day is some hundred rows of a name. */
#define METER_INTERVAL_MS (15 * 60 * INT64_C(1000))
#define METER_WORKERS "unique-task-workers"
#define METER_REPORTER_BYTES 320
#define METER_HASH_BYTES 17

/* NULL: memory is out. The engine has its metrics. */
meter *meter_new(orr_engine *engine);
/* NULL is fine. */
void meter_free(meter *m, const orr_engine *engine);
/* Before a command: what was counted so far belongs to the interval that is over, if one is. Writes nothing, since the
 * command may fail. */
void meter_turn(orr_engine *engine);
/* The same, and writes it. What fails is logged and counts with the next interval. For a thread without a context; it may
 * commit. */
void meter_keep(orr_engine *engine);
/* Writes all there is, when nothing is counted any more. */
void meter_last(orr_engine *engine);
/* Once the unit is committed, `user` counts as one who was given a task; an empty name is none. */
void meter_task_given(orr_engine *engine, unit *u, rec_text user);

/* What this process counted and has not written yet, of the interval that begins at `from`. */
typedef struct meter_unwritten {
  orr_time from;
  uint64_t counts[METRICS];
  const uint64_t *workers;
  size_t n_workers;
} meter_unwritten;
/* Nothing is written before meter_looked, so that rows read meanwhile hold nothing of this. The caller has no view; what is
 * found lies in `arena`. 0, or ORR_E_MEMORY, and then there is nothing to be ended. */
int meter_look(orr_engine *engine, orr_arena *arena, meter_unwritten *ended, meter_unwritten *current);
/* Ends a look. */
void meter_looked(orr_engine *engine);
/* What the rows of somebody have as their reporter. */
void meter_hash_text(uint64_t hash, char out[METER_HASH_BYTES]);
/* "host$engine". */
void meter_reporter(const orr_engine *engine, char out[METER_REPORTER_BYTES]);

#endif
