/* A zone is a sorted list of instants at which its offset changes, and a rule for all time after the last of them.
 * Both come from a TZif file (RFC 8536): its 64-bit block, and its footer, which is a POSIX TZ string. */
#include "time/zone.h"

#include <stdio.h>
#include <string.h>

#include "time/iso8601.h"
#include "time/scan.h"

#define TZDATA_DIRECTORY "/usr/share/zoneinfo"

#define ZONE_NAME_BYTES_MAX 63
/* The largest file of tzdata has 4 kB, with all its redundant history ("fat") 10 kB. */
#define ZONE_FILE_BYTES_MAX (256 * 1024)

#define DAY_S INT64_C(86400)
/* No clock is further from UTC than this; TZif and POSIX allow up to 24:59:59. */
#define OFFSET_MAX_S (25 * 3600)

/* When, in each year, a POSIX rule changes the clocks. */
typedef struct rule_date {
  enum { RULE_WEEKDAY, RULE_JULIAN, RULE_DAY } kind; /* "Mm.w.d" | "Jn": 1..365, never February 29 | "n": 0..365 */
  int month, week, day;
  int64_t seconds; /* local time of day; may lie outside 0..24 h */
} rule_date;

typedef struct posix_rule {
  bool given, has_dst;
  int64_t standard, summer; /* seconds east of UTC */
  rule_date begin, end;     /* of summer time */
} posix_rule;

struct orr_zone {
  orr_allocator allocator;
  size_t size; /* of this block, with the arrays behind it */
  char name[ZONE_NAME_BYTES_MAX + 1];
  int32_t first_offset; /* seconds, before times[0] */
  size_t n_times;
  const int64_t *times;    /* seconds, ascending */
  const int32_t *offsets;  /* [i] is valid from times[i] on */
  posix_rule rule;
};

static const orr_zone utc_zone = {.name = "UTC"};

const orr_zone *zone_utc(void) { return &utc_zone; }
const char *zone_name(const orr_zone *zone) { return (zone ? zone : &utc_zone)->name; }

void zone_free(orr_zone *zone) {
  if (!zone || zone == &utc_zone) return;
  orr_allocator allocator = zone->allocator;
  env_free(&allocator, zone, zone->size);
}

/* ---- POSIX TZ strings ------------------------------------------------------------------------ */

static bool skip_abbreviation(scan *s) {
  if (scan_take(s, '<')) {
    while (scan_peek(s) && scan_peek(s) != '>') s->at++;
    return scan_take(s, '>');
  }
  size_t start = s->at;
  while ((scan_peek(s) | 0x20) >= 'a' && (scan_peek(s) | 0x20) <= 'z') s->at++;
  return s->at - start >= 3;
}

/* "[+-]hh[:mm[:ss]]" in seconds. */
static bool posix_time(scan *s, int64_t hours_max, int64_t *out) {
  int64_t sign = scan_take(s, '-') ? -1 : 1, part;
  if (sign > 0) scan_take(s, '+');
  if (!scan_number(s, hours_max, &part)) return false;
  *out = part * 3600;
  for (int64_t unit = 60; unit && scan_take(s, ':'); unit /= 60) {
    if (!scan_number(s, 59, &part)) return false;
    *out += part * unit;
  }
  *out *= sign;
  return true;
}

static bool posix_number(scan *s, int min, int max, int *out) {
  int64_t n;
  if (!scan_number(s, max, &n) || n < min) return false;
  *out = (int)n;
  return true;
}

static bool posix_date(scan *s, rule_date *out) {
  bool ok;
  if (scan_take(s, 'M')) {
    out->kind = RULE_WEEKDAY;
    ok = posix_number(s, 1, 12, &out->month) && scan_take(s, '.') && posix_number(s, 1, 5, &out->week) && scan_take(s, '.') &&
         posix_number(s, 0, 6, &out->day);
  } else {
    out->kind = scan_take(s, 'J') ? RULE_JULIAN : RULE_DAY;
    ok = posix_number(s, out->kind == RULE_JULIAN, 365, &out->day);
  }
  out->seconds = 2 * 3600;
  return ok && (!scan_take(s, '/') || posix_time(s, 167, &out->seconds));
}

/* "CET-1CEST,M3.5.0,M10.5.0/3": offsets count west of UTC. */
static bool posix_parse(const char *text, size_t size, posix_rule *out) {
  scan s = scan_of(text, size, "", NULL);
  *out = (posix_rule){.given = size > 0};
  if (size == 0) return true;
  if (!skip_abbreviation(&s) || !posix_time(&s, 24, &out->standard)) return false;
  out->standard = -out->standard;
  if (s.at == s.end) return true;
  out->has_dst = true;
  out->summer = out->standard + 3600;
  if (!skip_abbreviation(&s)) return false;
  if (scan_peek(&s) != ',') {
    if (!posix_time(&s, 24, &out->summer)) return false;
    out->summer = -out->summer;
  }
  return scan_take(&s, ',') && posix_date(&s, &out->begin) && scan_take(&s, ',') && posix_date(&s, &out->end) && s.at == s.end;
}

/* Local seconds since the epoch at which the rule applies in a year. */
static int64_t rule_local(const rule_date *r, int64_t year) {
  int64_t days = iso_days_from_civil(year, 1, 1);
  if (r->kind == RULE_DAY) days += r->day;
  if (r->kind == RULE_JULIAN) days += r->day - 1 + (r->day >= 60 && iso_days_in_month(year, 2) == 29);
  if (r->kind == RULE_WEEKDAY) {
    int64_t first = iso_days_from_civil(year, r->month, 1);
    int day = (r->day - iso_weekday(first) + 7) % 7 + (r->week - 1) * 7;
    while (day >= iso_days_in_month(year, r->month)) day -= 7; /* week 5 is the last one */
    days = first + day;
  }
  return days * DAY_S + r->seconds;
}

static int64_t rule_offset(const posix_rule *rule, int64_t utc) {
  if (!rule->has_dst) return rule->standard;
  int64_t year = iso_civil_from_ms((utc + rule->standard) * 1000).year;
  int64_t begin = rule_local(&rule->begin, year) - rule->standard;
  int64_t end = rule_local(&rule->end, year) - rule->summer;
  bool summer = begin < end ? utc >= begin && utc < end : utc >= begin || utc < end;
  return summer ? rule->summer : rule->standard;
}

/* ---- TZif ------------------------------------------------------------------------------------ */

typedef struct tzif_block {
  uint32_t isutcnt, isstdcnt, leapcnt, timecnt, typecnt, charcnt;
  size_t time_size;     /* 4 or 8 */
  const uint8_t *times; /* then the type of each, the types, and so on */
  const uint8_t *end;
} tzif_block;

enum { TZIF_HEADER = 44, TZIF_TYPE = 6 };

static uint32_t be32(const uint8_t *p) { return (uint32_t)p[0] << 24 | (uint32_t)p[1] << 16 | (uint32_t)p[2] << 8 | p[3]; }
static int64_t be_time(const uint8_t *p, size_t size) {
  if (size == 4) return (int32_t)be32(p);
  return (int64_t)((uint64_t)be32(p) << 32 | be32(p + 4));
}

static bool tzif_header(const uint8_t *at, const uint8_t *end, size_t time_size, tzif_block *out) {
  if ((size_t)(end - at) < TZIF_HEADER || memcmp(at, "TZif", 4) != 0) return false;
  uint32_t *counts[] = {&out->isutcnt, &out->isstdcnt, &out->leapcnt, &out->timecnt, &out->typecnt, &out->charcnt};
  for (size_t i = 0; i < 6; i++) {
    *counts[i] = be32(at + 20 + 4 * i);
    if (*counts[i] > ZONE_FILE_BYTES_MAX) return false;
  }
  out->time_size = time_size;
  out->times = at + TZIF_HEADER;
  size_t size = out->timecnt * (time_size + 1) + out->typecnt * TZIF_TYPE + out->charcnt + out->leapcnt * (time_size + 4) +
                out->isstdcnt + out->isutcnt;
  if ((size_t)(end - out->times) < size || out->typecnt == 0) return false;
  out->end = out->times + size;
  return true;
}

/* Finds the block to read (the 64-bit one where there is one) and the footer. */
static bool tzif_open(const uint8_t *bytes, size_t size, tzif_block *block, posix_rule *rule) {
  const uint8_t *end = bytes + size;
  if (!tzif_header(bytes, end, 4, block)) return false;
  if (bytes[4] < '2') return true;
  if (!tzif_header(block->end, end, 8, block)) return false;
  const uint8_t *footer = block->end;
  if (footer == end || *footer++ != '\n') return false;
  const uint8_t *stop = memchr(footer, '\n', (size_t)(end - footer));
  return stop && posix_parse((const char *)footer, (size_t)(stop - footer), rule);
}

static bool tzif_offset(const tzif_block *block, uint32_t type, int32_t *out) {
  const uint8_t *types = block->times + block->timecnt * (block->time_size + 1);
  if (type >= block->typecnt) return false;
  *out = (int32_t)be32(types + type * TZIF_TYPE);
  return *out >= -OFFSET_MAX_S && *out <= OFFSET_MAX_S;
}

static bool tzif_copy(const tzif_block *block, int64_t *times, int32_t *offsets) {
  for (uint32_t i = 0; i < block->timecnt; i++) {
    times[i] = be_time(block->times + i * block->time_size, block->time_size);
    if (i > 0 && times[i] <= times[i - 1]) return false;
    if (!tzif_offset(block, block->times[block->timecnt * block->time_size + i], &offsets[i])) return false;
  }
  return true;
}

static orr_zone *zone_new(const orr_allocator *allocator, const char *name, size_t n_times) {
  size_t size = sizeof(orr_zone) + n_times * (sizeof(int64_t) + sizeof(int32_t));
  orr_zone *zone = env_zalloc(allocator, size);
  if (!zone) return NULL;
  zone->allocator = *allocator;
  zone->size = size;
  snprintf(zone->name, sizeof zone->name, "%s", name);
  return zone;
}

int zone_from_bytes(const orr_allocator *allocator, const char *name, const uint8_t *bytes, size_t size, orr_zone **out,
                    orr_error *err) {
  tzif_block block;
  posix_rule rule = {0};
  *out = NULL;
  if (!tzif_open(bytes, size, &block, &rule))
    return error_set(err, ORR_E_STORE, "the data of time zone \"%s\" is damaged", name);
  orr_zone *zone = zone_new(allocator, name, block.timecnt);
  if (!zone) return error_memory(err);
  int64_t *times = (int64_t *)(zone + 1);
  int32_t *offsets = (int32_t *)(times + block.timecnt);
  if (!tzif_offset(&block, 0, &zone->first_offset) || !tzif_copy(&block, times, offsets)) {
    zone_free(zone);
    return error_set(err, ORR_E_STORE, "the data of time zone \"%s\" is damaged", name);
  }
  zone->n_times = block.timecnt;
  zone->times = times;
  zone->offsets = offsets;
  zone->rule = rule;
  *out = zone;
  return 0;
}

/* ---- Loading --------------------------------------------------------------------------------- */

/* "UTC", "GMT", "Z", "+02:00", "-0330", "UTC+2": seconds. */
static bool fixed_offset(const char *name, int64_t *out) {
  scan s = scan_of(name, strlen(name), "", NULL);
  int64_t hours, minutes = 0;
  *out = 0;
  if (strcmp(name, "Z") == 0) return true;
  if (strncmp(name, "UTC", 3) == 0 || strncmp(name, "GMT", 3) == 0) s.at = 3;
  if (s.at == s.end && s.at > 0) return true;
  int64_t sign = scan_take(&s, '-') ? -1 : scan_take(&s, '+') ? 1 : 0;
  size_t digits = scan_digits(&s);
  if (!sign || !scan_number(&s, 2359, &hours)) return false;
  if (digits == 4) {
    minutes = hours % 100;
    hours /= 100;
  } else if (digits > 2 || (scan_take(&s, ':') && (scan_digits(&s) != 2 || !scan_number(&s, 59, &minutes)))) {
    return false;
  }
  *out = sign * (hours * 3600 + minutes * 60);
  return s.at == s.end && hours <= 23 && minutes <= 59;
}

/* A name must not lead out of the directory. */
static bool name_is_sound(const char *name) {
  static const char allowed[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_+-/";
  size_t size = strlen(name);
  return size > 0 && size <= ZONE_NAME_BYTES_MAX && strspn(name, allowed) == size && name[0] != '/';
}

static bool tzdata_is_there(void) {
  FILE *file = fopen(TZDATA_DIRECTORY "/Etc/UTC", "rb");
  if (file) fclose(file);
  return file;
}

static int zone_unknown(const char *name, orr_error *err) {
  if (!tzdata_is_there())
    return error_set(err, ORR_E_NOT_FOUND, "time zone \"%s\" needs the system's tzdata, which is not in " TZDATA_DIRECTORY,
                     name);
  return error_set(err, ORR_E_ARGUMENT, "there is no time zone \"%s\"", name);
}

static int zone_read(const orr_allocator *allocator, const char *name, orr_zone **out, orr_error *err) {
  char path[sizeof TZDATA_DIRECTORY + 1 + ZONE_NAME_BYTES_MAX];
  snprintf(path, sizeof path, TZDATA_DIRECTORY "/%s", name);
  FILE *file = fopen(path, "rb");
  if (!file) return zone_unknown(name, err);
  int rc;
  uint8_t *bytes = env_alloc(allocator, ZONE_FILE_BYTES_MAX);
  if (!bytes) {
    rc = error_memory(err);
    goto out;
  }
  size_t size = fread(bytes, 1, ZONE_FILE_BYTES_MAX, file);
  if (size < 4 || memcmp(bytes, "TZif", 4) != 0) { /* a directory ("Europe"), or one of the tables beside the zones */
    rc = zone_unknown(name, err);
  } else {
    rc = zone_from_bytes(allocator, name, bytes, size, out, err);
  }
out:
  env_free(allocator, bytes, ZONE_FILE_BYTES_MAX);
  fclose(file);
  return rc;
}

int zone_load(const orr_allocator *allocator, const char *name, orr_zone **out, orr_error *err) {
  int64_t offset;
  *out = NULL;
  if (!fixed_offset(name, &offset)) {
    if (!name_is_sound(name)) return error_set(err, ORR_E_ARGUMENT, "\"%.100s\" is no name of a time zone", name);
    return zone_read(allocator, name, out, err);
  }
  orr_zone *zone = zone_new(allocator, name, 0);
  if (!zone) return error_memory(err);
  zone->first_offset = (int32_t)offset;
  *out = zone;
  return 0;
}

/* ---- Between UTC and local time -------------------------------------------------------------- */

static int64_t floor_seconds(int64_t ms) { return ms / 1000 - (ms % 1000 < 0); }

/* The number of changes up to t. */
static size_t changes_until(const orr_zone *zone, int64_t t) {
  size_t low = 0, high = zone->n_times;
  while (low < high) {
    size_t middle = low + (high - low) / 2;
    if (zone->times[middle] <= t) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return low;
}

/* What is added to a time here never leads out of 64 bits. FEEL counts years that have no ISO text, too. */
#define TIME_MAX (INT64_MAX / 2)

/* Times beyond have the offset of the last one that is counted with. */
static orr_time countable(orr_time t) {
  return t < -TIME_MAX ? -TIME_MAX : t > TIME_MAX ? TIME_MAX : t;
}

int64_t zone_offset_ms(const orr_zone *zone, orr_time utc) {
  if (!zone || zone == &utc_zone) return 0;
  int64_t t = floor_seconds(countable(utc));
  size_t n = changes_until(zone, t);
  if (n == zone->n_times && zone->rule.given) return rule_offset(&zone->rule, t) * 1000;
  return (n == 0 ? zone->first_offset : zone->offsets[n - 1]) * INT64_C(1000);
}

/* The rule's next change after t. A date near the new year may fall into the year before or after its own. */
static int64_t rule_next_change(const posix_rule *rule, int64_t t) {
  int64_t year = iso_civil_from_ms(t * 1000).year, next = INT64_MAX;
  for (int64_t y = year - 1; y <= year + 2; y++) {
    int64_t changes[] = {rule_local(&rule->begin, y) - rule->standard, rule_local(&rule->end, y) - rule->summer};
    for (size_t i = 0; i < 2; i++)
      if (changes[i] > t && changes[i] < next) next = changes[i];
  }
  return next;
}

bool zone_next_change(const orr_zone *zone, orr_time utc, orr_time *out) {
  if (!zone || zone == &utc_zone) return false;
  int64_t t = floor_seconds(countable(utc));
  size_t n = changes_until(zone, t);
  if (n == zone->n_times && !zone->rule.has_dst) return false;
  *out = 1000 * (n < zone->n_times ? zone->times[n] : rule_next_change(&zone->rule, t));
  return true;
}

/* The instant in (before, after] from which on the offset is no longer that at `before`. */
static orr_time change_between(const orr_zone *zone, orr_time before, orr_time after) {
  int64_t offset = zone_offset_ms(zone, before);
  while (after - before > 1) {
    orr_time middle = before + (after - before) / 2;
    if (zone_offset_ms(zone, middle) == offset) {
      before = middle;
    } else {
      after = middle;
    }
  }
  return after;
}

zone_fit zone_instant(const orr_zone *zone, int64_t local, orr_time *out) {
  int64_t window = OFFSET_MAX_S * INT64_C(1000);
  if (countable(local) != local) {
    *out = local; /* nothing accepts such a time */
    return ZONE_ONCE;
  }
  int64_t before = zone_offset_ms(zone, local - window), after = zone_offset_ms(zone, local + window);
  orr_time first = local - before, second = local - after;
  bool first_fits = zone_offset_ms(zone, first) == before, second_fits = zone_offset_ms(zone, second) == after;
  if (first_fits || second_fits) {
    *out = first_fits ? first : second;
    return first_fits && second_fits && first != second ? ZONE_TWICE : ZONE_ONCE;
  }
  *out = change_between(zone, second, first);
  return ZONE_GAP;
}
