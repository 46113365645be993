/* Repeating timers (a <timeCycle>) and retry cycles. Parsing gives a plan; when it fires is a pure function of the plan, the
 * rules of the dialect, what the timer remembers, and the time. */
#ifndef ORR_CYCLE_H
#define ORR_CYCLE_H

#include "base/arena.h"
#include "time/cron.h"
#include "time/iso8601.h"

/* Firings closer together would keep an engine busy with nothing else. */
#define CYCLE_PERIOD_MIN_MS 1000

/* Rn: n up to this. */
#define CYCLE_COUNT_MAX INT32_MAX

#define CYCLE_ENDLESS (-1)

/* What happens to firings whose time passed while nobody could fire them. */
typedef enum cycle_catch_up {
  CYCLE_SKIP, /* they are left out, but counted */
  CYCLE_ONCE, /* the one that is due stands for them all; only it is counted */
  CYCLE_ALL,  /* those of a counted cycle fire one after another; of any other, the one that is due stands for them all */
} cycle_catch_up;

/* Where the dialects differ. */
typedef struct cycle_rules {
  cron_rules cron;
  cycle_catch_up catch_up;
  bool start_is_extra;   /* Rn/start/period: the start fires and then n more; else n in all */
  bool back_from_end;    /* Rn/period/end: the firings are counted back from the end; else the end is a limit */
  bool zero_fires_once;  /* R0: fires once; else never */
} cycle_rules;

/* The longest name of a zone in "... DSTZONE:name". */
#define CYCLE_ZONE_BYTES 64

typedef struct orr_cycle {
  bool is_cron;
  orr_cron cron;
  bool repeats;          /* the text has an R */
  bool has_start, has_end;
  int64_t count;         /* the n of Rn, or CYCLE_ENDLESS; 1 for a text without R */
  orr_period period;
  orr_time start, end;
  orr_time limit;        /* cycle_end_at; ORR_TIME_NONE: none */
  char zone[CYCLE_ZONE_BYTES]; /* of a " DSTZONE:name" behind the text, else "" */
} orr_cycle;

/* The name of the zone that a text brings along (" DSTZONE:name" behind it), else "": the caller loads it, and gives it as
 * `zone` to what follows. */
int cycle_zone_name(const char *text, size_t size, char zone[CYCLE_ZONE_BYTES], orr_error *err);
/* "R[n]/[start/]period[/end]", "R[n]/start/end" (the period is what lies between: whole days by the clocks of `zone`, else
 * exact time), "[start/]period", or a cron expression. Times without an offset are meant in `zone`. ORR_E_ARGUMENT with
 * text and position. */
int cycle_parse(const char *text, size_t size, const cycle_rules *rules, const orr_zone *zone, orr_cycle *out, orr_error *err);

/* A date beside the text, which takes the place of an end in it; ORR_TIME_NONE: there is none. */
void cycle_end_at(orr_cycle *cycle, orr_time limit);

/* What a timer keeps between two firings. */
typedef struct cycle_state {
  orr_time anchor; /* firings are counted from here; it never moves */
  orr_time due;    /* the coming firing, as planned; one that was missed happens at once */
  int64_t left;    /* firings after that one, or CYCLE_ENDLESS */
} cycle_state;

/* The first firing of a timer made at `now`. It happens even behind an end: only what follows is held against that. False
 * when there is none: a cron expression that nothing fits any more, the end of the calendar. `zone` tells where its days
 * and months begin. */
bool cycle_first(const orr_cycle *cycle, const cycle_rules *rules, const orr_zone *zone, orr_time now, cycle_state *out);
/* Goes from the firing at `state->due`, handled at `now`, to the one after, which may lie before `now`. False when that
 * was the last, or the next one would happen behind the cycle's end; `state` is as before. */
bool cycle_next(const orr_cycle *cycle, const cycle_rules *rules, const orr_zone *zone, orr_time now,
                cycle_state *state);
/* Does a firing at `due` lie before the cycle's end, or at it? */
bool cycle_within(const orr_cycle *cycle, orr_time due);

/* How a failed job is tried again. "R5/PT5M": five tries in all, five minutes apart. "PT10M,PT17M": two
 * retries after these waits, so three tries. "PT5M": one retry. "R/PT5M" is an error: it would never end. */
typedef struct retry_cycle {
  int64_t tries;          /* in all; 0 for R0 */
  size_t n_waits;         /* 1 for the R form */
  const orr_period *waits;
} retry_cycle;

/* Intervals of one list. */
#define RETRY_WAITS_MAX 1000

/* Reads "R3/PT10S" or "PT1S,PT1M" into the arena. ORR_E_ARGUMENT says what is wrong, and where. */
int retry_parse(orr_arena *arena, const char *text, size_t size, retry_cycle *out, orr_error *err);
/* When to try again after a failure at `now` that leaves so many tries. A list's waits belong to its last tries: where
 * more are left, after somebody raised their number, its first wait holds until they come to the list; where none is left,
 * its last. Days and months are those of `zone`. */
int retry_due(const retry_cycle *cycle, int64_t left, const orr_zone *zone, orr_time now, orr_time *out,
              orr_error *err);

#endif
