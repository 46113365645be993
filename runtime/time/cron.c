/* Cron: fields to sets of values, and the search for the next moment that is in all of them. */
#include "time/cron.h"

#include <string.h>

#include "time/iso8601.h"
#include "time/scan.h"

#define DAY_S 86400

const cron_rules CRON_QUARTZ = {.sunday_is_zero = false, .macros = false, .both_days = false};
const cron_rules CRON_SPRING = {.sunday_is_zero = true, .macros = true, .both_days = true};

/* ---- Parsing --------------------------------------------------------------------------------- */

typedef enum cron_field_kind {
  FIELD_SECOND, FIELD_MINUTE, FIELD_HOUR, FIELD_DAY, FIELD_MONTH, FIELD_WEEKDAY, FIELD_YEAR,
  FIELDS,
} cron_field_kind;

static const char *const month_names[] = {"JAN", "FEB", "MAR", "APR", "MAY", "JUN", "JUL",
                                          "AUG", "SEP", "OCT", "NOV", "DEC", NULL};
static const char *const weekday_names[] = {"SUN", "MON", "TUE", "WED", "THU", "FRI", "SAT", NULL};

/* What a field may hold. Values are counted from `min`; a cycle of `size` values, so that 22-2 wraps around. */
typedef struct cron_field {
  cron_field_kind kind;
  const char *name;
  int min, max, size;
  const char *const *names; /* of min, min + 1, ... */
} cron_field;

static const cron_field fields[FIELDS] = {
    {FIELD_SECOND, "second", 0, 59, 60, NULL},
    {FIELD_MINUTE, "minute", 0, 59, 60, NULL},
    {FIELD_HOUR, "hour", 0, 23, 24, NULL},
    {FIELD_DAY, "day of month", 1, 31, 31, NULL},
    {FIELD_MONTH, "month", 1, 12, 12, month_names},
    {FIELD_WEEKDAY, "day of week", 1, 7, 7, weekday_names},
    {FIELD_YEAR, "year", CRON_YEAR_MIN, CRON_YEAR_MAX, CRON_YEAR_MAX - CRON_YEAR_MIN + 1, NULL},
};

/* Bit i of word w: the value min + 64 w + i. */
typedef struct value_set {
  uint64_t words[CRON_YEAR_WORDS];
} value_set;

static void set_add(value_set *set, int i) { set->words[i / 64] |= UINT64_C(1) << (i % 64); }

static bool set_is_full(const value_set *set, int size) {
  for (int i = 0; i < size; i++)
    if (!(set->words[i / 64] >> (i % 64) & 1)) return false;
  return true;
}

static char upper(char c) { return c >= 'a' && c <= 'z' ? (char)(c - 32) : c; }

static bool take_letter(scan *s, char letter) {
  if (upper(scan_peek(s)) != letter) return false;
  s->at++;
  return true;
}

static bool at_item_end(const scan *s) { return s->at >= s->end || scan_peek(s) == ',' || scan_peek(s) == '|'; }

/* A number or a name, as counted from 0 within the field; a Sunday written 7 where Sunday is 0 comes out as 7. */
static int scan_value(scan *s, const cron_field *f, int *out) {
  for (int i = 0; f->names && f->names[i]; i++) {
    const char *name = f->names[i];
    const char *text = s->text + s->at;
    if (s->end - s->at >= 3 && upper(text[0]) == name[0] && upper(text[1]) == name[1] && upper(text[2]) == name[2]) {
      s->at += 3;
      *out = i;
      return 0;
    }
  }
  size_t start = s->at;
  int64_t n;
  if (scan_digits(s) == 0) return scan_expected(s, f->names ? "a number or name" : "a number");
  if (!scan_number(s, INT32_MAX, &n) || n < f->min || n > f->max)
    return scan_fail(s, start, "%s is not in %d..%d", f->name, f->min, f->max);
  *out = (int)n - f->min;
  return 0;
}

/* "L", "L-3", "LW" in the day of month. */
static int scan_last_day(scan *s, orr_cron *out) {
  s->at++;
  if (take_letter(s, 'W')) {
    out->last_workday = true;
    return 0;
  }
  int64_t before = 0;
  if (scan_take(s, '-')) {
    size_t start = s->at;
    if (scan_digits(s) == 0) return scan_expected(s, "a number");
    if (!scan_number(s, 30, &before)) return scan_fail(s, start, "days before the last are not in 0..30");
  }
  out->days_before_end |= 1u << before;
  return 0;
}

/* What may follow a single value: "15W", "FRIL", "FRI#2". */
static int scan_suffix(scan *s, const cron_field *f, int value, orr_cron *out, bool *found) {
  *found = true;
  if (f->kind == FIELD_DAY && take_letter(s, 'W')) {
    out->workdays |= 1u << (value + 1);
    return 0;
  }
  if (f->kind == FIELD_WEEKDAY && take_letter(s, 'L')) {
    out->last_weekdays |= (uint8_t)(1u << value % 7);
    return 0;
  }
  if (f->kind == FIELD_WEEKDAY && scan_take(s, '#')) {
    size_t start = s->at;
    int64_t nth;
    if (scan_digits(s) == 0) return scan_expected(s, "a number");
    if (!scan_number(s, 5, &nth) || nth < 1) return scan_fail(s, start, "the number behind '#' is not in 1..5");
    out->nth_weekdays[nth] |= (uint8_t)(1u << value % 7);
    return 0;
  }
  *found = false;
  return 0;
}

/* The part behind a first value: "-7", "/2", "-7/2". */
static int scan_range(scan *s, const cron_field *f, int first, bool open, value_set *set, bool *steps) {
  int last = first, rc;
  size_t start = s->at;
  int64_t step = 1;
  bool ranged = scan_take(s, '-');
  if (ranged && (rc = scan_value(s, f, &last)) != 0) return rc;
  if (scan_take(s, '/')) {
    start = s->at;
    if (scan_digits(s) == 0) return scan_expected(s, "a number");
    if (!scan_number(s, f->max, &step) || step == 0) return scan_fail(s, start, "the step is not in 1..%d", f->max);
    open = open || !ranged;
    *steps = true;
  }
  if (open && !ranged && last < f->size) last = f->max - f->min; /* 7 is a Sunday where 0 is one */
  if (last < first && f->kind == FIELD_YEAR) return scan_fail(s, start, "years do not wrap around");
  int span = last >= first ? last - first : last - first + f->size;
  for (int i = 0; i <= span; i += (int)step) set_add(set, (first + i) % f->size);
  return 0;
}

static int scan_item(scan *s, const cron_field *f, orr_cron *out, value_set *set, bool *steps) {
  if (f->kind == FIELD_DAY && upper(scan_peek(s)) == 'L') return scan_last_day(s, out);
  if (f->kind == FIELD_WEEKDAY && take_letter(s, 'L')) {
    set_add(set, f->min == 0 ? 0 : 6); /* the week's last day: Sunday, or Saturday where 1 is Sunday */
    return 0;
  }
  if (scan_take(s, '*') || scan_peek(s) == '/') return scan_range(s, f, 0, true, set, steps);
  int value = 0;
  bool suffix;
  int rc = scan_value(s, f, &value);
  if (rc) return rc;
  rc = scan_suffix(s, f, value, out, &suffix);
  if (rc || suffix) return rc;
  return scan_range(s, f, value, false, set, steps);
}

static void store_set(const cron_field *f, const value_set *set, orr_cron *out) {
  uint64_t bits = set->words[0];
  switch (f->kind) {
    case FIELD_SECOND: out->seconds = bits; break;
    case FIELD_MINUTE: out->minutes = bits; break;
    case FIELD_HOUR: out->hours = (uint32_t)bits; break;
    case FIELD_DAY:
      out->days = (uint32_t)(bits << 1);
      out->any_day = set_is_full(set, f->size);
      break;
    case FIELD_MONTH: out->months = (uint32_t)(bits << 1); break;
    case FIELD_WEEKDAY:
      out->weekdays = (uint8_t)bits;
      out->any_weekday = set_is_full(set, f->size);
      break;
    case FIELD_YEAR: memcpy(out->years, set->words, sizeof out->years); break;
    case FIELDS: break;
  }
}

static void fill_field(const cron_field *f, orr_cron *out) {
  value_set set = {{0}};
  for (int i = 0; i < f->size; i++) set_add(&set, i);
  store_set(f, &set, out);
}

/* One field: the part of the text that `s` is set to. */
static int scan_field(scan *s, const cron_field *f, orr_cron *out, bool *unspecified) {
  value_set set = {{0}};
  bool day = f->kind == FIELD_DAY || f->kind == FIELD_WEEKDAY, steps = false;
  *unspecified = day && s->end - s->at == 1 && scan_take(s, '?');
  if (*unspecified) {
    fill_field(f, out);
    return 0;
  }
  for (;;) {
    int rc = scan_item(s, f, out, &set, &steps);
    if (rc) return rc;
    if (!at_item_end(s)) return scan_fail(s, s->at, "unexpected '%c' in the %s", scan_peek(s), f->name);
    if (s->at >= s->end) break;
    s->at++;
  }
  store_set(f, &set, out);
  if (f->kind <= FIELD_HOUR && (steps || set_is_full(&set, f->size))) out->fires_twice = true;
  return 0;
}

/* Cuts the next field out of the text: `at` and `end` of the result. */
static bool next_word(scan *s, scan *word) {
  while (scan_peek(s) == ' ' || scan_peek(s) == '\t') s->at++;
  *word = *s;
  while (s->at < s->end && scan_peek(s) != ' ' && scan_peek(s) != '\t') s->at++;
  word->end = s->at;
  return word->at < word->end;
}

static const struct {
  const char *name, *meaning;
} macros[] = {
    {"@yearly", "0 0 0 1 1 ?"}, {"@annually", "0 0 0 1 1 ?"}, {"@monthly", "0 0 0 1 * ?"}, {"@weekly", "0 0 0 ? * SUN"},
    {"@daily", "0 0 0 * * ?"},  {"@midnight", "0 0 0 * * ?"}, {"@hourly", "0 0 * * * ?"},
};

static int parse_macro(scan *s, const cron_rules *rules, orr_cron *out) {
  size_t size = s->end - s->at;
  if (!rules->macros) return scan_fail(s, s->at, "macros are not part of this dialect,");
  for (size_t i = 0; i < sizeof macros / sizeof macros[0]; i++)
    if (strlen(macros[i].name) == size && memcmp(macros[i].name, s->text + s->at, size) == 0)
      return cron_parse(macros[i].meaning, strlen(macros[i].meaning), rules, out, s->err);
  return scan_fail(s, s->at, "unknown macro");
}

/* The two day fields depend on each other. */
static int check_days(const scan *s, const cron_rules *rules, const orr_cron *cron, size_t weekday_at, bool both_unspecified) {
  if (both_unspecified) return scan_fail(s, weekday_at, "only one of the day fields may be '?',");
  if (!rules->both_days && !cron->any_day && !cron->any_weekday)
    return scan_fail(s, weekday_at, "day of month and day of week both restrict, one must be '?',");
  return 0;
}

int cron_parse(const char *text, size_t size, const cron_rules *rules, orr_cron *out, orr_error *err) {
  scan s = scan_of(text, size, "cron expression", err), word;
  size_t weekday_at = 0;
  bool unspecified[FIELDS] = {false};
  *out = (orr_cron){0};
  scan_trim(&s);
  if (scan_peek(&s) == '@') return parse_macro(&s, rules, out);
  fill_field(&fields[FIELD_YEAR], out);
  for (int i = 0; i < FIELDS; i++) {
    cron_field field = fields[i];
    if (!next_word(&s, &word)) {
      if (i == FIELD_YEAR) break;
      return scan_fail(&s, s.at, "%s expected (the fields are second, minute, hour, day of month, month, day of week, [year])",
                       field.name);
    }
    if (i == FIELD_WEEKDAY) weekday_at = word.at;
    if (i == FIELD_WEEKDAY && rules->sunday_is_zero) field.min = 0;
    int rc = scan_field(&word, &field, out, &unspecified[i]);
    if (rc) return rc;
  }
  if (next_word(&s, &word)) return scan_fail(&s, word.at, "more than seven fields");
  return check_days(&s, rules, out, weekday_at, unspecified[FIELD_DAY] && unspecified[FIELD_WEEKDAY]);
}

/* ---- Firing ---------------------------------------------------------------------------------- */

/* The working day nearest to `day` within its month, 0 when the month has no such day. */
static int nearest_workday(int day, int last, int weekday_of_first) {
  if (day > last) return 0;
  int weekday = (weekday_of_first + day - 1) % 7;
  if (weekday == 6) return day == 1 ? 3 : day - 1;
  if (weekday == 0) return day == last ? day - 2 : day + 1;
  return day;
}

static bool day_of_month_fits(const orr_cron *c, int day, int last, int weekday_of_first) {
  if (c->any_day || (c->days >> day & 1) || (c->days_before_end >> (last - day) & 1)) return true;
  if (c->last_workday && day == nearest_workday(last, last, weekday_of_first)) return true;
  for (int n = 1; c->workdays && n <= 31; n++)
    if ((c->workdays >> n & 1) && day == nearest_workday(n, last, weekday_of_first)) return true;
  return false;
}

static bool day_of_week_fits(const orr_cron *c, int day, int last, int weekday_of_first) {
  int weekday = (weekday_of_first + day - 1) % 7, nth = (day - 1) / 7 + 1;
  return c->any_weekday || (c->weekdays >> weekday & 1) || (c->nth_weekdays[nth] >> weekday & 1) ||
         (day + 7 > last && (c->last_weekdays >> weekday & 1));
}

/* The least member >= from, or -1. */
static int next_member(uint64_t set, int from) {
  if (from > 63) return -1;
  set &= ~UINT64_C(0) << from;
  return set ? __builtin_ctzll(set) : -1;
}

/* The first second of a day that fits, from `from` on, or -1. */
static int next_second(const orr_cron *c, int from) {
  int hour0 = from / 3600, minute0 = from / 60 % 60, second0 = from % 60;
  for (int h = next_member(c->hours, hour0); h >= 0; h = next_member(c->hours, h + 1)) {
    bool same_hour = h == hour0;
    for (int m = next_member(c->minutes, same_hour ? minute0 : 0); m >= 0; m = next_member(c->minutes, m + 1)) {
      int s = next_member(c->seconds, same_hour && m == minute0 ? second0 : 0);
      if (s >= 0) return h * 3600 + m * 60 + s;
    }
  }
  return -1;
}

/* The first day of a month that fits, from `from` on, or 0. */
static int next_day(const orr_cron *c, int64_t year, int month, int from) {
  int last = iso_days_in_month(year, month), first = iso_weekday(iso_days_from_civil(year, month, 1));
  for (int day = from; day <= last; day++)
    if (day_of_month_fits(c, day, last, first) && day_of_week_fits(c, day, last, first)) return day;
  return 0;
}

static bool year_fits(const orr_cron *c, int64_t year) {
  int64_t i = year - CRON_YEAR_MIN;
  return c->years[i / 64] >> (i % 64) & 1;
}

/* The first local second that fits, from `from` on. */
static bool next_local(const orr_cron *c, int64_t from, int64_t *out) {
  int64_t earliest = iso_days_from_civil(CRON_YEAR_MIN, 1, 1) * DAY_S;
  if (from < earliest) from = earliest;
  iso_civil at = iso_civil_from_ms(from * 1000);
  int second = (int)(at.ms / 1000);
  for (int64_t year = at.year; year <= CRON_YEAR_MAX; year++, at.month = 1, at.day = 1, second = 0) {
    if (!year_fits(c, year)) continue;
    for (int month = at.month; month <= 12; month++, at.day = 1, second = 0) {
      if (!(c->months >> month & 1)) continue;
      for (int day = next_day(c, year, month, at.day); day; day = next_day(c, year, month, day + 1)) {
        int s = next_second(c, day == at.day ? second : 0);
        if (s < 0) continue;
        *out = iso_days_from_civil(year, month, day) * DAY_S + s;
        return true;
      }
    }
  }
  return false;
}

/* The first local second behind an instant. */
static int64_t local_behind(orr_time instant, int64_t offset) {
  int64_t ms = instant + offset;
  return ms / 1000 - (ms % 1000 < 0) + 1;
}

/* Goes from one change of the clocks to the next. Between two of them each local time comes once; what the clocks jump over
 * falls to the change, and what they show again is looked for anew. */
static bool next_of_all(const orr_cron *cron, const orr_zone *zone, orr_time after, orr_time *out) {
  int64_t offset = zone_offset_ms(zone, after), local = local_behind(after, offset);
  orr_time change = after;
  while (next_local(cron, local, &local)) {
    *out = local * 1000 - offset;
    if (!zone_next_change(zone, change, &change) || *out < change) return true;
    int64_t changed = zone_offset_ms(zone, change);
    int64_t shown = local_behind(change - 1, changed); /* at the change */
    if (local <= shown) {
      *out = change;
      return true;
    }
    if (changed < offset) local = shown;
    offset = changed;
  }
  return false;
}

bool cron_next(const orr_cron *cron, const orr_zone *zone, orr_time after, orr_time *out) {
  if (cron->fires_twice) return next_of_all(cron, zone, after, out);
  int64_t local = local_behind(after, zone_offset_ms(zone, after));
  /* A local time may be one that clocks showed before and show again: then it fired already, and the search goes on behind it.
   * That happens for at most the length of the overlap. */
  while (next_local(cron, local, &local)) {
    orr_time instant;
    zone_instant(zone, local * 1000, &instant);
    if (instant > after) {
      *out = instant;
      return true;
    }
    local++;
  }
  return false;
}
