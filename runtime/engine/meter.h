/* Counters that outlive their process: what metrics.h counts, written to the store by intervals.
 *
 * A row (rec_meter) holds what one reporter, a machine with an engine's name, counted of one name
 * in one interval. Counting does not know of rows, so a job pays nothing for them: whoever writes
 * takes what the counters have gained since the last write. The acquisition thread or the next
 * command writes when an interval is over, and the engine when it closes. A process that is killed
 * loses what it counted since.
 *
 * The meter also remembers who was given a task, by a hash of the name alone. Such a row has the
 * hash as its reporter, and METER_WORKERS as its name. */
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
/* Before a command: if the interval is over, what was counted so far belongs to it. Writes nothing,
 * because the command may fail. */
void meter_close_interval(orr_engine *engine);
/* The same, and writes what was counted. What fails is logged and counts with the next interval. It
 * commits by itself, so the calling thread has no context. */
void meter_write(orr_engine *engine);
/* Writes the rest, once nothing is counted any more. */
void meter_write_rest(orr_engine *engine);
/* Once the unit is committed, `user` counts as one who was given a task; an empty name is none. */
void meter_task_given(orr_engine *engine, unit *u, rec_text user);

/* What this process counted and has not written yet, of the interval that begins at `from`. */
typedef struct meter_unwritten {
  orr_time from;
  uint64_t counts[METRICS];
  const uint64_t *workers;
  size_t n_workers;
} meter_unwritten;
/* Copies what is not written yet into `arena`. Nothing is written before meter_read_end, so rows that
 * the caller reads in between hold nothing of it. The caller has no view open. 0, or ORR_E_MEMORY,
 * and then there is nothing to end. */
int meter_read_begin(orr_engine *engine, orr_arena *arena, meter_unwritten *ended, meter_unwritten *current);
/* Ends meter_read_begin. */
void meter_read_end(orr_engine *engine);
/* The reporter of a worker's rows, from the hash of the name. */
void meter_hash_text(uint64_t hash, char out[METER_HASH_BYTES]);
/* "host$engine". */
void meter_reporter(const orr_engine *engine, char out[METER_REPORTER_BYTES]);

#endif
