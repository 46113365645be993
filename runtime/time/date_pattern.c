/* Reading and writing dates by a pattern: one walk over its items, for each purpose. */
#include "time/date_pattern.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "time/iso8601.h"
#include "time/scan.h"

#define PATTERN_LETTERS "yMdHhamsSXZ"
#define MINUTE_MS INT64_C(60000)
#define HOUR_MS (60 * MINUTE_MS)
#define DAY_MS (24 * HOUR_MS)

static const char *const MONTHS[] = {"January",   "February", "March",    "April",
                                     "May",       "June",     "July",     "August",
                                     "September", "October",  "November", "December"};

/* One step of a pattern: a run of one letter, or a character that stands for itself. */
typedef struct pattern_item {
  char letter; /* 0: it stands for itself */
  char literal;
  int count;
} pattern_item;

typedef struct pattern_reader {
  const char *at;
  bool quoted;
} pattern_reader;

static bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }

/* False at the end. */
static bool next_item(pattern_reader *r, pattern_item *out) {
  while (*r->at == '\'' && r->at[1] != '\'') {
    r->quoted = !r->quoted;
    r->at++;
  }
  char c = *r->at;
  *out = (pattern_item){.literal = c, .count = 1};
  if (!c) return false;
  if (c == '\'') {
    r->at += 2;
  } else if (!r->quoted && is_letter(c)) {
    *out = (pattern_item){.letter = c};
    for (; *r->at == c; r->at++) out->count++;
  } else {
    r->at++;
  }
  return true;
}

static bool is_numeric(const pattern_item *i) {
  return i->letter && strchr("yMdHhmsS", i->letter) && !(i->letter == 'M' && i->count > 2);
}

/* ---- Checking -------------------------------------------------------------------------------- */

int date_pattern_check(const char *pattern, orr_error *err) {
  pattern_reader r = {pattern, false};
  pattern_item i;
  bool any = false;
  if (strlen(pattern) > DATE_PATTERN_MAX)
    return error_set(err, ORR_E_ARGUMENT, "a date pattern has at most %d bytes", DATE_PATTERN_MAX);
  while (next_item(&r, &i)) {
    if (!i.letter) continue;
    any = true;
    if (!strchr(PATTERN_LETTERS, i.letter))
      return error_set(err, ORR_E_ARGUMENT,
                       "the letter '%c' of the date pattern \"%s\" is not known; the letters "
                       "are " PATTERN_LETTERS ", and other text stands in quotes ('T')",
                       i.letter, pattern);
    if (i.count > 4)
      return error_set(err, ORR_E_ARGUMENT,
                       "the date pattern \"%s\" has %d times '%c'; at most 4 make sense", pattern,
                       i.count, i.letter);
  }
  if (r.quoted)
    return error_set(err, ORR_E_ARGUMENT, "a quote is open at the end of the date pattern \"%s\"",
                     pattern);
  return any ? 0
             : error_set(err, ORR_E_ARGUMENT,
                         "the date pattern \"%s\" has no letter that stands for a part of a date",
                         pattern);
}

/* ---- Reading --------------------------------------------------------------------------------- */

typedef struct date_parts {
  int64_t year, month, day, hour, hour12, minute, second, ms, offset_ms;
  bool afternoon, has_hour12, has_offset;
} date_parts;

typedef struct date_reader {
  const char *at, *end;
  date_parts parts;
} date_reader;

/* `most` digits at most, `least` at least. */
static bool date_digits(date_reader *r, int least, int most, int64_t *out) {
  int n = 0;
  *out = 0;
  for (; n < most && r->at < r->end && is_digit(*r->at); n++) *out = *out * 10 + (*r->at++ - '0');
  return n >= least;
}

static bool read_word(date_reader *r, const char *word, size_t size) {
  if ((size_t)(r->end - r->at) < size || strncasecmp(r->at, word, size) != 0) return false;
  r->at += size;
  return true;
}

static bool read_month_name(date_reader *r) {
  for (int m = 0; m < 12; m++) {
    if (!read_word(r, MONTHS[m], strlen(MONTHS[m])) && !read_word(r, MONTHS[m], 3)) continue;
    r->parts.month = m + 1;
    return true;
  }
  return false;
}

static bool read_half(date_reader *r) {
  r->parts.afternoon = read_word(r, "PM", 2);
  return r->parts.afternoon || read_word(r, "AM", 2);
}

/* "Z", "+02", "+0200", "+02:00" */
static bool read_offset(date_reader *r) {
  int64_t hours, minutes = 0;
  r->parts.has_offset = true;
  if (read_word(r, "Z", 1)) return true;
  bool minus = r->at < r->end && *r->at == '-';
  if (r->at == r->end || (*r->at != '+' && !minus)) return false;
  r->at++;
  if (!date_digits(r, 2, 2, &hours)) return false;
  bool more = read_word(r, ":", 1) || (r->at < r->end && is_digit(*r->at));
  if (more && !date_digits(r, 2, 2, &minutes)) return false;
  r->parts.offset_ms = (minus ? -1 : 1) * (hours * HOUR_MS + minutes * MINUTE_MS);
  return hours <= 18 && minutes < 60;
}

/* A year of two digits is one of 1969 to 2068. Only "yy" has two: a single y writes all four. */
static bool read_year(date_reader *r, const pattern_item *i, int most) {
  bool two = i->count == 2;
  if (!date_digits(r, two ? 2 : 4, two ? 2 : most < 4 ? 4 : most, &r->parts.year)) return false;
  if (two) r->parts.year += r->parts.year < 69 ? 2000 : 1900;
  return r->parts.year <= 9999;
}

/* `exact`: another number follows at once, so the count of letters says where this one ends. */
static bool read_part(date_reader *r, const pattern_item *i, bool exact) {
  date_parts *p = &r->parts;
  int most = exact ? i->count : i->letter == 'S' ? 3 : i->letter == 'y' ? 4 : 2;
  int least = exact ? i->count : 1;
  switch (i->letter) {
    case 'y': return read_year(r, i, most);
    case 'M': return date_digits(r, least, most, &p->month);
    case 'd': return date_digits(r, least, most, &p->day);
    case 'H': return date_digits(r, least, most, &p->hour);
    case 'h': p->has_hour12 = true; return date_digits(r, least, most, &p->hour12);
    case 'm': return date_digits(r, least, most, &p->minute);
    case 's': return date_digits(r, least, most, &p->second);
    default: return date_digits(r, least, most, &p->ms);
  }
}

static bool read_item(date_reader *r, const pattern_item *i, bool exact) {
  if (!i->letter) return read_word(r, &i->literal, 1);
  if (is_numeric(i)) return read_part(r, i, exact);
  if (i->letter == 'M') return read_month_name(r);
  return i->letter == 'a' ? read_half(r) : read_offset(r);
}

static bool parts_fit(const date_parts *p) {
  if (p->month < 1 || p->month > 12 || p->day < 1 ||
      p->day > iso_days_in_month(p->year, (int)p->month))
    return false;
  if (p->has_hour12 && (p->hour12 < 1 || p->hour12 > 12)) return false;
  return p->hour < 24 && p->minute < 60 && p->second < 60;
}

static orr_time parts_time(const date_parts *p, const orr_zone *zone) {
  int64_t hour = p->has_hour12 ? p->hour12 % 12 + (p->afternoon ? 12 : 0) : p->hour;
  int64_t local = iso_days_from_civil(p->year, (int)p->month, (int)p->day) * DAY_MS +
                  hour * HOUR_MS + p->minute * MINUTE_MS + p->second * 1000 + p->ms;
  orr_time at = local - p->offset_ms;
  if (!p->has_offset) zone_instant(zone, local, &at);
  return at;
}

int date_pattern_parse(const char *pattern, const char *text, size_t size, const orr_zone *zone,
                       orr_time *out, orr_error *err) {
  pattern_reader r = {pattern, false};
  date_reader d = {text, text + size, {.year = 1970, .month = 1, .day = 1}};
  pattern_item i, next;
  bool more = next_item(&r, &i), fits = true;
  while (more && fits) {
    more = next_item(&r, &next);
    fits = read_item(&d, &i, more && is_numeric(&next));
    i = next;
  }
  if (!fits || d.at != d.end || !parts_fit(&d.parts))
    return error_set(err, ORR_E_ARGUMENT, "\"%.*s\" is no date of the pattern %s",
                     size < 60 ? (int)size : 60, text, pattern);
  *out = parts_time(&d.parts, zone);
  return 0;
}

/* ---- Writing --------------------------------------------------------------------------------- */

static int write_offset(char *out, size_t room, int64_t offset_ms, const pattern_item *i) {
  int64_t minutes = (offset_ms < 0 ? -offset_ms : offset_ms) / MINUTE_MS;
  if (i->letter == 'X' && offset_ms == 0) return snprintf(out, room, "Z");
  const char *colon = i->letter == 'X' && i->count >= 3 ? ":" : "";
  return snprintf(out, room, "%c%02" PRId64 "%s%02" PRId64, offset_ms < 0 ? '-' : '+', minutes / 60,
                  colon, minutes % 60);
}

static int64_t part_number(const iso_civil *at, const pattern_item *i) {
  int64_t hour = at->ms / HOUR_MS;
  switch (i->letter) {
    case 'y': return i->count == 2 ? at->year % 100 : at->year;
    case 'M': return at->month;
    case 'd': return at->day;
    case 'H': return hour;
    case 'h': return hour % 12 ? hour % 12 : 12;
    case 'm': return at->ms / MINUTE_MS % 60;
    case 's': return at->ms / 1000 % 60;
    default: return at->ms % 1000;
  }
}

static int write_item(char *out, size_t room, const iso_civil *at, int64_t offset_ms,
                      const pattern_item *i) {
  if (!i->letter) return snprintf(out, room, "%c", i->literal);
  if (is_numeric(i)) return snprintf(out, room, "%0*" PRId64, i->count, part_number(at, i));
  if (i->letter == 'M')
    return snprintf(out, room, "%.*s", i->count == 3 ? 3 : 9, MONTHS[at->month - 1]);
  if (i->letter == 'a') return snprintf(out, room, "%s", at->ms < DAY_MS / 2 ? "AM" : "PM");
  return write_offset(out, room, offset_ms, i);
}

void date_pattern_format(const char *pattern, orr_time time, const orr_zone *zone,
                         char out[DATE_PATTERN_TEXT]) {
  pattern_reader r = {pattern, false};
  pattern_item i;
  int64_t offset = zone_offset_ms(zone, time);
  iso_civil at = iso_civil_from_ms(time + offset);
  size_t size = 0;
  out[0] = '\0';
  while (next_item(&r, &i) && size < DATE_PATTERN_TEXT - 1) {
    int n = write_item(out + size, DATE_PATTERN_TEXT - size, &at, offset, &i);
    if (n > 0) size += (size_t)n;
  }
}
