/* The proleptic Gregorian calendar, and ISO 8601 texts of times and durations. */
#include "time/iso8601.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "time/scan.h"

#define SECOND_MS INT64_C(1000)
#define MINUTE_MS (60 * SECOND_MS)
#define HOUR_MS (60 * MINUTE_MS)
#define DAY_MS (24 * HOUR_MS)

/* ---- Calendar -------------------------------------------------------------------------------- */

static int64_t floor_div(int64_t a, int64_t b) { return a / b - (a % b < 0); }

static bool is_leap(int64_t year) { return year % 4 == 0 && (year % 100 != 0 || year % 400 == 0); }

int iso_days_in_month(int64_t year, int month) {
  static const int days[12] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
  return month == 2 && is_leap(year) ? 29 : days[month - 1];
}

/* Both directions count years from March, so that the leap day is a year's last; 400 years ("era") have 146097 days. */
int64_t iso_days_from_civil(int64_t year, int month, int day) {
  int64_t y = month <= 2 ? year - 1 : year;
  int64_t era = floor_div(y, 400);
  int64_t year_of_era = y - era * 400;
  int64_t day_of_year = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1;
  int64_t day_of_era = year_of_era * 365 + year_of_era / 4 - year_of_era / 100 + day_of_year;
  return era * 146097 + day_of_era - 719468;
}

void iso_civil_from_days(int64_t days, int64_t *year, int *month, int *day) {
  int64_t z = days + 719468;
  int64_t era = floor_div(z, 146097);
  int64_t day_of_era = z - era * 146097;
  int64_t year_of_era = (day_of_era - day_of_era / 1460 + day_of_era / 36524 - day_of_era / 146096) / 365;
  int64_t day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
  int month_from_march = (int)((5 * day_of_year + 2) / 153);
  *day = (int)(day_of_year - (153 * month_from_march + 2) / 5 + 1);
  *month = month_from_march < 10 ? month_from_march + 3 : month_from_march - 9;
  *year = year_of_era + era * 400 + (*month <= 2);
}

int iso_weekday(int64_t days) {
  int64_t n = (days + 4) % 7; /* 1970-01-01 was a Thursday */
  return (int)(n < 0 ? n + 7 : n);
}

iso_civil iso_civil_from_ms(int64_t ms) {
  iso_civil civil;
  int64_t days = floor_div(ms, DAY_MS);
  civil.ms = ms - days * DAY_MS;
  iso_civil_from_days(days, &civil.year, &civil.month, &civil.day);
  return civil;
}

static int64_t iso_civil_to_ms(const iso_civil *civil) {
  return iso_days_from_civil(civil->year, civil->month, civil->day) * DAY_MS + civil->ms;
}

/* ---- Times ----------------------------------------------------------------------------------- */

/* Exactly two digits between min and max. */
static int scan_two(scan *s, const char *name, int min, int max, int *out) {
  if (scan_digits(s) < 2) {
    s->at += scan_digits(s);
    return scan_fail(s, s->at, "%s needs two digits", name);
  }
  int n = (s->text[s->at] - '0') * 10 + (s->text[s->at + 1] - '0');
  if (n < min || n > max) return scan_fail(s, s->at, "%s %02d is not in %02d..%02d", name, n, min, max);
  s->at += 2;
  *out = n;
  return 0;
}

/* ".123" or nothing: thousandths of `unit_ms` and less are cut off. */
static int scan_fraction(scan *s, int64_t unit_ms, bool *found, int64_t *ms) {
  *found = scan_take(s, '.') || scan_take(s, ',');
  *ms = 0;
  if (!*found) return 0;
  if (scan_digits(s) == 0) return scan_expected(s, "a digit");
  int64_t numerator = 0, denominator = 1;
  for (; is_digit(scan_peek(s)); s->at++) {
    if (denominator == 1000000000) continue; /* finer than any unit's millisecond */
    numerator = numerator * 10 + (scan_peek(s) - '0');
    denominator *= 10;
  }
  *ms = unit_ms * numerator / denominator;
  return 0;
}

static void set_days(iso_civil *civil, int64_t days) { iso_civil_from_days(days, &civil->year, &civil->month, &civil->day); }

/* "060" behind the year: the day of the year. */
static int scan_ordinal(scan *s, iso_civil *civil) {
  size_t at = s->at;
  int n = 0, last = is_leap(civil->year) ? 366 : 365;
  for (int i = 0; i < 3; i++) n = n * 10 + (s->text[s->at++] - '0');
  if (n < 1 || n > last) return scan_fail(s, at, "year %04d has the days 001..%d, not %03d,", (int)civil->year, last, n);
  set_days(civil, iso_days_from_civil(civil->year, 1, 1) + n - 1);
  return 0;
}

/* "10-1", "101", "10" behind the year and its W: the week, and the day in it from Monday on. */
static int scan_week(scan *s, iso_civil *civil, bool extended, bool *whole) {
  int week, day = 1;
  size_t at = s->at;
  int rc = scan_two(s, "week", 1, 53, &week);
  if (rc) return rc;
  *whole = extended ? scan_take(s, '-') : is_digit(scan_peek(s));
  if (*whole) {
    day = is_digit(scan_peek(s)) ? s->text[s->at] - '0' : 0;
    if (day < 1 || day > 7) return scan_expected(s, "a day of the week, 1 to 7");
    s->at++;
  }
  int64_t fourth = iso_days_from_civil(civil->year, 1, 4); /* always in the first week */
  int64_t monday = fourth - (iso_weekday(fourth) + 6) % 7 + (week - 1) * 7;
  iso_civil thursday;
  set_days(&thursday, monday + 3);
  if (thursday.year != civil->year) return scan_fail(s, at, "year %04d has 52 weeks, not %d,", (int)civil->year, week);
  set_days(civil, monday + day - 1);
  return 0;
}

/* "03-15", "0315" behind the year. */
static int scan_month(scan *s, iso_civil *civil, bool extended, bool *whole) {
  int rc = scan_two(s, "month", 1, 12, &civil->month);
  if (rc) return rc;
  if (extended && !scan_take(s, '-')) return 0;
  *whole = true;
  size_t at = s->at;
  rc = scan_two(s, "day", 1, 31, &civil->day);
  if (rc) return rc;
  int last = iso_days_in_month(civil->year, civil->month);
  if (civil->day > last)
    return scan_fail(s, at, "month %04d-%02d has %d days, not %d,", (int)civil->year, civil->month, last, civil->day);
  return 0;
}

/* "2026", "2026-03", "2026-03-15", "20260315", a week's "2026-W10", "2026-W10-1", "2026W101", a day's "2026-060",
 * "2026060"; *whole says whether the day was given, *extended whether with hyphens. */
static int scan_date(scan *s, iso_civil *civil, bool *whole, bool *extended) {
  size_t digits = scan_digits(s);
  if (digits != 4 && digits != 7 && digits != 8) return scan_fail(s, s->at, "a year of four digits expected");
  *whole = false;
  civil->year = 0;
  for (int i = 0; i < 4; i++) civil->year = civil->year * 10 + (s->text[s->at++] - '0');
  civil->month = civil->day = 1;
  bool hyphen = digits == 4 && scan_take(s, '-');
  *extended = digits == 4 && scan_peek(s) != 'W';
  if (hyphen) *extended = true;
  if (scan_take(s, 'W')) return scan_week(s, civil, *extended, whole);
  if (digits == 4 && !hyphen) return 0;
  if (digits == 7 || (hyphen && scan_digits(s) == 3)) {
    *whole = true;
    return scan_ordinal(s, civil);
  }
  return scan_month(s, civil, *extended, whole);
}

/* "08", and before a colon also "8", which ISO 8601 does not know but models have. */
static int scan_hour(scan *s, bool extended, int *hour) {
  if (!extended || scan_digits(s) != 1) return scan_two(s, "hour", 0, 24, hour);
  int digit = scan_peek(s) - '0';
  s->at++;
  if (scan_peek(s) != ':') return scan_fail(s, s->at, "hour needs two digits");
  *hour = digit;
  return 0;
}

/* "10", "10:20", "10:20:30.5", "102030"; the colons must be there when the date had hyphens. */
static int scan_clock(scan *s, bool extended, int64_t *ms) {
  int hour, minute = 0, second = 0, rc;
  int64_t fraction = 0;
  bool has_fraction = false;
  size_t at = s->at;
  if ((rc = scan_hour(s, extended, &hour)) != 0) return rc;
  bool minutes = extended ? scan_take(s, ':') : is_digit(scan_peek(s));
  if (minutes && (rc = scan_two(s, "minute", 0, 59, &minute)) != 0) return rc;
  if (minutes && (extended ? scan_take(s, ':') : is_digit(scan_peek(s)))) {
    if ((rc = scan_two(s, "second", 0, 60, &second)) != 0) return rc;
    if ((rc = scan_fraction(s, SECOND_MS, &has_fraction, &fraction)) != 0) return rc;
  }
  *ms = hour * HOUR_MS + minute * MINUTE_MS + second * SECOND_MS + fraction;
  if (hour == 24 && *ms != DAY_MS) return scan_fail(s, at, "hour 24 allows 24:00:00 only,");
  return 0;
}

/* "Z", "+02", "+02:00", "+0200" or nothing. */
static int scan_offset(scan *s, bool *found, int64_t *ms) {
  *found = true;
  *ms = 0;
  if (scan_take(s, 'Z') || scan_take(s, 'z')) return 0;
  int64_t sign = scan_take(s, '-') ? -1 : scan_take(s, '+') ? 1 : 0;
  *found = sign != 0;
  if (!sign) return 0;
  int hour, minute = 0;
  int rc = scan_two(s, "offset hour", 0, 23, &hour);
  if (rc) return rc;
  if (scan_take(s, ':') || is_digit(scan_peek(s))) rc = scan_two(s, "offset minute", 0, 59, &minute);
  *ms = sign * (hour * HOUR_MS + minute * MINUTE_MS);
  return rc;
}

int iso_scan_time(scan *s, const orr_zone *zone, orr_time *out) {
  iso_civil civil = {0};
  bool whole = false, extended = false, has_offset = false;
  int64_t offset = 0;
  size_t start = s->at;
  int rc = scan_date(s, &civil, &whole, &extended);
  if (rc) return rc;
  if (whole && (scan_take(s, 'T') || scan_take(s, 't'))) {
    if ((rc = scan_clock(s, extended, &civil.ms)) != 0) return rc;
    if ((rc = scan_offset(s, &has_offset, &offset)) != 0) return rc;
  }
  if (s->at < s->end) return scan_fail(s, s->at, "unexpected '%c'", s->text[s->at]);
  int64_t local = iso_civil_to_ms(&civil);
  if (has_offset) {
    *out = local - offset;
  } else {
    zone_instant(zone, local, out);
  }
  if (*out < ISO_TIME_MIN || *out > ISO_TIME_MAX) return scan_fail(s, start, "UTC outside the years 0000..9999");
  return 0;
}

int iso_parse_time(const char *text, size_t size, const orr_zone *zone, orr_time *out, orr_error *err) {
  scan s = scan_of(text, size, "date or time", err);
  scan_trim(&s);
  return iso_scan_time(&s, zone, out);
}

/* ---- Durations ------------------------------------------------------------------------------- */

/* The designators in the order they must come. */
typedef struct duration_unit {
  char letter;
  bool in_time;    /* behind the T */
  int64_t months, days, ms; /* what one of it is; a fraction is possible of days and milliseconds only */
} duration_unit;

static const duration_unit units[] = {
    {'Y', false, 12, 0, 0}, {'M', false, 1, 0, 0},       {'W', false, 0, 7, 0},        {'D', false, 0, 1, 0},
    {'H', true, 0, 0, HOUR_MS}, {'M', true, 0, 0, MINUTE_MS}, {'S', true, 0, 0, SECOND_MS},
};
enum { UNITS = sizeof units / sizeof units[0] };

/* As long as the calendar from 0000 to 9999, in any unit; sums and products of a few of these stay far from overflow. */
#define DURATION_MS_MAX (ISO_TIME_MAX - ISO_TIME_MIN)
#define DURATION_DAYS_MAX (DURATION_MS_MAX / DAY_MS)
#define DURATION_MONTHS_MAX INT64_C(120000)

static bool add_scaled(int64_t *sum, int64_t n, int64_t scale, int64_t max) {
  int64_t product;
  if (__builtin_mul_overflow(n, scale, &product) || __builtin_add_overflow(*sum, product, sum)) return false;
  return *sum <= max;
}

/* Finds the unit of the letter at s->at, not before `first`. */
static int scan_unit(scan *s, bool in_time, size_t first, size_t *found) {
  for (size_t i = 0; i < UNITS; i++) {
    if (units[i].in_time != in_time || units[i].letter != scan_peek(s)) continue;
    if (i < first) return scan_fail(s, s->at, "'%c' is out of order", scan_peek(s));
    s->at++;
    *found = i;
    return 0;
  }
  return scan_expected(s, in_time ? "one of H, M, S" : "one of Y, M, W, D");
}

/* One "12.5H". */
static int scan_component(scan *s, bool in_time, size_t *next, bool *fraction, orr_period *out) {
  size_t start = s->at, unit = 0;
  int64_t n, fraction_ms;
  if (*fraction) return scan_fail(s, start, "only the last number may have a fraction,");
  if (scan_digits(s) == 0) return scan_expected(s, "a number");
  if (!scan_number(s, DURATION_MS_MAX, &n)) return scan_fail(s, start, "the number is too large");
  scan probe = *s; /* the fraction's worth depends on the unit behind it */
  int rc = scan_fraction(&probe, 0, fraction, &fraction_ms);
  if (rc) return rc;
  if ((rc = scan_unit(&probe, in_time, *next, &unit)) != 0) return rc;
  const duration_unit *u = &units[unit];
  if (*fraction && u->months) return scan_fail(s, s->at, "a fraction of '%c' has no fixed length", u->letter);
  scan_fraction(s, u->days ? u->days * DAY_MS : u->ms, fraction, &fraction_ms);
  s->at = probe.at;
  *next = unit + 1;
  if (!add_scaled(&out->months, n, u->months, DURATION_MONTHS_MAX) || !add_scaled(&out->days, n, u->days, DURATION_DAYS_MAX) ||
      !add_scaled(&out->ms, n, u->ms, DURATION_MS_MAX) || !add_scaled(&out->ms, fraction_ms, 1, DURATION_MS_MAX))
    return scan_fail(s, start, "the number is too large");
  return 0;
}

static void period_negate(orr_period *p) { *p = (orr_period){-p->months, -p->days, -p->ms}; }

int iso_scan_duration(scan *s, orr_period *out) {
  bool negative = scan_take(s, '-'), fraction = false, in_time = false;
  size_t next = 0, start = s->at;
  *out = (orr_period){0};
  if (!negative) scan_take(s, '+');
  if (!scan_take(s, 'P')) return scan_expected(s, "'P'");
  if (s->at >= s->end) return scan_expected(s, "a number");
  while (s->at < s->end) {
    if (!in_time && scan_take(s, 'T')) in_time = true;
    size_t before = next;
    int rc = scan_component(s, in_time, &next, &fraction, out);
    if (rc) return rc;
    bool week = units[next - 1].letter == 'W';
    if (week && (before > 0 || s->at < s->end)) return scan_fail(s, start, "weeks stand alone,");
  }
  if (negative) period_negate(out);
  return 0;
}

int iso_parse_duration(const char *text, size_t size, orr_period *out, orr_error *err) {
  scan s = scan_of(text, size, "duration", err);
  scan_trim(&s);
  return iso_scan_duration(&s, out);
}

bool iso_is_duration(const char *text, size_t size) {
  scan s = scan_of(text, size, "", NULL);
  scan_trim(&s);
  if (!scan_take(&s, '-')) scan_take(&s, '+');
  return scan_peek(&s) == 'P';
}

int iso_period_sign(const orr_period *p) {
  if (p->months > 0 || p->days > 0 || p->ms > 0) return 1;
  return p->months < 0 || p->days < 0 || p->ms < 0 ? -1 : 0;
}

/* Moves by months, and falls back to the month's last day when it has no such day. */
static bool add_months(orr_time *time, int64_t months) {
  iso_civil civil = iso_civil_from_ms(*time);
  int64_t index;
  if (__builtin_add_overflow(civil.year * 12 + civil.month - 1, months, &index)) return false;
  civil.year = floor_div(index, 12);
  if (civil.year < 0 || civil.year > 9999) return false;
  civil.month = (int)(index - civil.year * 12) + 1;
  int last = iso_days_in_month(civil.year, civil.month);
  if (civil.day > last) civil.day = last;
  *time = iso_civil_to_ms(&civil);
  return true;
}

/* Moves by what has no fixed length: a date goes on, the time of day by the zone's clocks stays. */
static bool add_dates(orr_time *time, const orr_zone *zone, int64_t months, int64_t days) {
  if (months == 0 && days == 0) return true;
  int64_t local = *time + zone_offset_ms(zone, *time), days_ms;
  if (months != 0 && !add_months(&local, months)) return false;
  if (__builtin_mul_overflow(days, DAY_MS, &days_ms) || __builtin_add_overflow(local, days_ms, &local)) return false;
  if (local < ISO_TIME_MIN - DAY_MS || local > ISO_TIME_MAX + DAY_MS) return false;
  zone_instant(zone, local, time);
  return true;
}

int iso_add(orr_time time, const orr_zone *zone, const orr_period *period, int64_t n, orr_time *out,
            orr_error *err) {
  int64_t months, days, ms, sum = time;
  bool fits = time >= ISO_TIME_MIN && time <= ISO_TIME_MAX && !__builtin_mul_overflow(period->months, n, &months) &&
              !__builtin_mul_overflow(period->days, n, &days) && !__builtin_mul_overflow(period->ms, n, &ms) &&
              add_dates(&sum, zone, months, days) && !__builtin_add_overflow(sum, ms, &sum);
  if (!fits || sum < ISO_TIME_MIN || sum > ISO_TIME_MAX)
    return error_set(err, ORR_E_LIMIT, "the time lies outside the years 0000..9999");
  *out = sum;
  return 0;
}

/* ---- Formatting ------------------------------------------------------------------------------ */

/* Without a zone; returns the length. */
static int format_clock(orr_time time, char out[ISO_TIME_TEXT]) {
  if (time < ISO_TIME_MIN) time = ISO_TIME_MIN;
  if (time > ISO_TIME_MAX) time = ISO_TIME_MAX;
  iso_civil civil = iso_civil_from_ms(time);
  unsigned ms = (unsigned)civil.ms;
  int n = snprintf(out, ISO_TIME_TEXT, "%04u-%02u-%02uT%02u:%02u:%02u", (unsigned)civil.year % 10000,
                   (unsigned)civil.month % 100, (unsigned)civil.day % 100, ms / 3600000 % 100, ms / 60000 % 60, ms / 1000 % 60);
  if (ms % 1000) n += snprintf(out + n, ISO_TIME_TEXT - (size_t)n, ".%03u", ms % 1000);
  return n;
}

void iso_format_time(orr_time time, char out[ISO_TIME_TEXT]) {
  int n = format_clock(time, out);
  snprintf(out + n, ISO_TIME_TEXT - (size_t)n, "Z");
}

/* Before zones had whole minutes, clocks differed by seconds, too; ISO 8601 cannot say that. */
void iso_format_local(orr_time time, int64_t offset_ms, char out[ISO_TIME_TEXT]) {
  int64_t minutes = offset_ms / 60000;
  int n = format_clock(time + minutes * 60000, out);
  unsigned size = (unsigned)(minutes < 0 ? -minutes : minutes) % 1440;
  snprintf(out + n, ISO_TIME_TEXT - (size_t)n, "%c%02u:%02u", minutes < 0 ? '-' : '+', size / 60, size % 60);
}

/* A period starts at the epoch. */
int64_t iso_read_limit(const char *text) {
  char *end;
  orr_period period;
  orr_time after;
  double seconds = strtod(text, &end);
  if (*text && !*end) return seconds > 0 && seconds < 1e10 ? (int64_t)(seconds * 1000 + 0.999) : 0;
  if (iso_parse_duration(text, strlen(text), &period, NULL)) return 0;
  return !iso_add(0, NULL, &period, 1, &after, NULL) && after > 0 ? after : 0;
}
