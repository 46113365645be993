/* ISO 8601 dates, times and durations, strictly: whatever is not wholly understood is ORR_E_ARGUMENT, and the message
 * quotes the text, names the position (from 1) and says what belongs there. The calendar is the proleptic Gregorian one. */
#ifndef ORR_ISO8601_H
#define ORR_ISO8601_H

#include "base/error.h"
#include "time/zone.h"

/* 0000-01-01T00:00:00.000Z and 9999-12-31T23:59:59.999Z: four digits of year. */
#define ISO_TIME_MIN INT64_C(-62167219200000)
#define ISO_TIME_MAX INT64_C(253402300799999)

typedef struct iso_civil {
  int64_t year;
  int month; /* 1..12 */
  int day;   /* 1..31 */
  int64_t ms; /* of the day */
} iso_civil;

/* Days since 1970-01-01; any year whose days fit. */
int64_t iso_days_from_civil(int64_t year, int month, int day);
/* The date of such a day. */
void iso_civil_from_days(int64_t days, int64_t *year, int *month, int *day);
/* `month` from 1. */
int iso_days_in_month(int64_t year, int month);
/* 0 = Sunday. */
int iso_weekday(int64_t days);
/* The date and the time of its day, in UTC. */
iso_civil iso_civil_from_ms(int64_t ms);

/* Months and days have no fixed length, so they stay apart from the milliseconds. All three have the same sign, or are 0. */
typedef struct orr_period {
  int64_t months;
  int64_t days;
  int64_t ms;
} orr_period;

/* "2026", "2026-03", "2026-03-15", "2026-03-15T10:20[:30[.123]]", "20260315T102030", each time of day with "Z", "+02",
 * "+02:00" or "+0200" or nothing; without, and for dates, `zone` says what is meant (NULL: UTC; see zone_instant for gaps
 * and overlaps). 24:00 is midnight at the end of the day; a 60th second counts as the next minute. */
int iso_parse_time(const char *text, size_t size, const orr_zone *zone, orr_time *out, orr_error *err);
/* "[-+]PnYnMnDTnHnMn.nS" or "[-+]PnW"; the last number may have a fraction unless it counts years or months. */
int iso_parse_duration(const char *text, size_t size, orr_period *out, orr_error *err);

struct scan;
/* The same for a part of a text, from s->at to s->end: */
int iso_scan_time(struct scan *s, const orr_zone *zone, orr_time *out);
int iso_scan_duration(struct scan *s, orr_period *out);

/* Does the text begin like a duration rather than a date? */
bool iso_is_duration(const char *text, size_t size);

/* `time` + n periods, counted at once, so that the 31st does not wear down to the 28th: months by the calendar and the
 * clocks of `zone` (a day that a month lacks becomes its last), then days by them, so that 8:00 stays 8:00 when the clocks
 * change; then milliseconds, which are exact. See zone_instant for local times that the clocks skip or show twice.
 * `zone` NULL: UTC. Outside ISO_TIME_MIN..MAX: ORR_E_LIMIT. */
int iso_add(orr_time time, const orr_zone *zone, const orr_period *period, int64_t n, orr_time *out,
            orr_error *err);
/* How long something may take, in milliseconds: a text of a duration (a month is one of 31 days),
 * or of a number of seconds. 0: it is neither, or not above 0. */
int64_t iso_read_limit(const char *text);
/* -1, 0, 1; the three parts agree. */
int iso_period_sign(const orr_period *period);

#define ISO_TIME_TEXT 40
/* "2026-03-15T10:20:30Z", with ".123" when there are milliseconds. Times beyond four digits of year are clamped. */
void iso_format_time(orr_time time, char out[ISO_TIME_TEXT]);
/* The same by clocks that are so far ahead of UTC, in whole minutes: "2026-03-15T11:20:30+01:00". */
void iso_format_local(orr_time time, int64_t offset_ms, char out[ISO_TIME_TEXT]);

#endif
