/* Cron expressions with seconds: "second minute hour day-of-month month day-of-week [year]". */
#ifndef ORR_CRON_H
#define ORR_CRON_H

#include "base/error.h"
#include "time/zone.h"

/* Years a schedule may name, and the end of the search for the next firing: "0 0 0 30 2 ?" never fires. */
#define CRON_YEAR_MIN 1970
#define CRON_YEAR_MAX 2199

/* Where the dialects differ. */
typedef struct cron_rules {
  bool sunday_is_zero;   /* days of the week count from 0 (7 is Sunday too); else Sunday is 1 and Saturday 7 */
  bool macros;           /* @yearly @annually @monthly @weekly @daily @midnight @hourly */
  /* a day of month and a day of week may both restrict, and then both must hold; else one must be '?' or '*' */
  bool both_days;
} cron_rules;

extern const cron_rules CRON_QUARTZ, CRON_SPRING;

enum { CRON_YEAR_WORDS = (CRON_YEAR_MAX - CRON_YEAR_MIN) / 64 + 1 };

/* Sets of allowed numbers, a bit each. Days of week count from 0 = Sunday, whatever the text did. */
typedef struct orr_cron {
  uint64_t seconds, minutes;
  uint32_t hours;
  uint32_t days;           /* bits 1..31 */
  uint32_t days_before_end; /* bit n: n days before the month's last ("L-n", "L" is n = 0) */
  uint32_t workdays;       /* bits 1..31: "nW", the working day nearest to the nth */
  bool last_workday;       /* "LW" */
  uint32_t months;         /* bits 1..12 */
  uint8_t weekdays;        /* bits 0..6 */
  uint8_t last_weekdays;   /* bits 0..6: "FRIL" */
  uint8_t nth_weekdays[6]; /* [n] has bits 0..6: "FRI#n", n = 1..5 */
  bool any_day, any_weekday; /* the field does not restrict */
  bool fires_twice; /* hour, minute or second is a wildcard or a step: it fires in the repeated hour, too */
  uint64_t years[CRON_YEAR_WORDS];
} orr_cron;

/* ORR_E_ARGUMENT with text, position and what is wrong. */
int cron_parse(const char *text, size_t size, const cron_rules *rules, orr_cron *out, orr_error *err);

/* The first firing after `after` (not at it) by the clocks of `zone`: a local time they jump over fires at the first instant
 * after the jump, one they show twice fires the first time only, unless the schedule goes on. False when there is none up to
 * CRON_YEAR_MAX. */
bool cron_next(const orr_cron *cron, const orr_zone *zone, orr_time after, orr_time *out);

#endif
