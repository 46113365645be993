/* Timer cycles and retry cycles: reading their texts, and when each fires next. */
#include "time/cycle.h"

#include <string.h>

#include "time/scan.h"

#define DAY_MS INT64_C(86400000)

/* ---- Parsing --------------------------------------------------------------------------------- */

/* Takes " DSTZONE:name" off the end of the text. */
static int scan_zone_suffix(scan *s, char zone[CYCLE_ZONE_BYTES]) {
  static const char mark[] = " DSTZONE:";
  zone[0] = '\0';
  const char *found = memmem(s->text + s->at, s->end - s->at, mark, sizeof mark - 1);
  if (!found) return 0;
  size_t at = (size_t)(found - s->text), name = at + sizeof mark - 1, size = s->end - name;
  if (size == 0 || size >= CYCLE_ZONE_BYTES) return scan_fail(s, name, "the name of a zone expected");
  memcpy(zone, s->text + name, size);
  zone[size] = '\0';
  s->end = at;
  return 0;
}

/* Cuts the part up to the next '/' out of the text; false when there is none left. */
static bool next_part(scan *s, scan *part) {
  if (s->at > s->end) return false;
  *part = *s;
  const char *slash = memchr(s->text + s->at, '/', s->end - s->at);
  part->end = slash ? (size_t)(slash - s->text) : s->end;
  s->at = part->end + 1; /* behind the end: nothing follows */
  return true;
}

/* "R", "R5". */
static int scan_repeat(scan *part, int64_t *count) {
  part->at++;
  *count = CYCLE_ENDLESS;
  if (part->at == part->end) return 0;
  size_t start = part->at;
  if (scan_digits(part) == 0) return scan_expected(part, "a number of repetitions or '/'");
  if (!scan_number(part, CYCLE_COUNT_MAX, count)) return scan_fail(part, start, "the number of repetitions is too large");
  return part->at == part->end ? 0 : scan_expected(part, "'/'");
}

static bool looks_like_duration(const scan *part) { return iso_is_duration(part->text + part->at, part->end - part->at); }

static int scan_period(scan *part, bool repeated, orr_period *out) {
  size_t start = part->at;
  int rc = iso_scan_duration(part, out);
  if (rc) return rc;
  if (iso_period_sign(out) < 0) return scan_fail(part, start, "the period must not be negative,");
  if (repeated && out->months == 0 && out->days * DAY_MS + out->ms < CYCLE_PERIOD_MIN_MS)
    return scan_fail(part, start, "the period must be a second at least,");
  return 0;
}

enum { SECONDS_DIGITS_MIN = 9 }; /* of a time since 1973; a date without hyphens has fewer */

/* A time as an expression gives it: a number of seconds since the epoch, as "1767225600" or "1767225600.25". */
static bool scan_seconds(scan *part, orr_time *out) {
  scan s = *part;
  int64_t seconds, ms = 0, unit = 100;
  if (scan_digits(&s) < SECONDS_DIGITS_MIN || !scan_number(&s, ISO_TIME_MAX / 1000, &seconds)) return false;
  if (s.at < s.end && s.text[s.at] == '.') {
    for (s.at++; is_digit(scan_peek(&s)); s.at++, unit /= 10) ms += (s.text[s.at] - '0') * unit;
  }
  if (s.at != s.end) return false;
  *out = seconds * 1000 + ms;
  part->at = s.at;
  return true;
}

static int scan_time(scan *part, const orr_zone *zone, orr_time *out) {
  return scan_seconds(part, out) ? 0 : iso_scan_time(part, zone, out);
}

/* From 8:00 to 8:00 are days, however long they are; what else lies between two times is exact. */
static orr_period period_between(const orr_zone *zone, orr_time start, orr_time end) {
  int64_t local = end + zone_offset_ms(zone, end) - start - zone_offset_ms(zone, start);
  return local % DAY_MS == 0 ? (orr_period){.days = local / DAY_MS} : (orr_period){.ms = end - start};
}

/* "start/end": what lies between is the period. */
static int scan_interval_end(scan *part, const orr_zone *zone, bool repeated, orr_cycle *out) {
  orr_time end;
  size_t start = part->at;
  int rc = scan_time(part, zone, &end);
  if (rc) return rc;
  out->period = period_between(zone, out->start, end);
  if (end < out->start + (repeated ? CYCLE_PERIOD_MIN_MS : 0))
    return scan_fail(part, start, "the end must lie behind the start,");
  return 0;
}

/* "[start/]period[/end]" or "start/end". */
static int scan_interval(scan *s, const orr_zone *zone, orr_cycle *out) {
  scan part;
  bool repeated = out->count == CYCLE_ENDLESS || out->count > 1;
  int rc;
  if (!next_part(s, &part)) return scan_fail(s, s->end, "a period expected");
  if (!looks_like_duration(&part)) {
    out->has_start = true;
    if ((rc = scan_time(&part, zone, &out->start)) != 0) return rc;
    if (!next_part(s, &part)) return scan_fail(s, s->end, "'/' and a period expected");
    if (!looks_like_duration(&part)) {
      if ((rc = scan_interval_end(&part, zone, repeated, out)) != 0) return rc;
      return next_part(s, &part) ? scan_fail(s, part.at, "unexpected part") : 0;
    }
  }
  if ((rc = scan_period(&part, repeated, &out->period)) != 0) return rc;
  if (!next_part(s, &part)) return 0;
  out->has_end = true;
  if ((rc = scan_time(&part, zone, &out->end)) != 0) return rc;
  return next_part(s, &part) ? scan_fail(s, part.at, "unexpected part") : 0;
}

/* Only a cron expression has blanks or is a macro; but one that begins with R or P was meant as an interval. */
static bool is_cron(const scan *s) {
  char first = scan_peek(s);
  if (first == 'R' || first == 'P') return false;
  return first == '@' || memchr(s->text + s->at, ' ', s->end - s->at);
}

int cycle_zone_name(const char *text, size_t size, char zone[CYCLE_ZONE_BYTES], orr_error *err) {
  scan s = scan_of(text, size, "time cycle", err);
  scan_trim(&s);
  return scan_zone_suffix(&s, zone);
}

/* Does the text begin as one of the three forms does? What does not is told of all three. */
static bool has_a_form(const scan *s) {
  scan at = *s;
  size_t words = 1;
  for (size_t i = s->at + 1; i < s->end; i++) words += s->text[i] != ' ' && s->text[i - 1] == ' ';
  if (words > 4 || scan_peek(&at) == '@') return is_digit(scan_peek(&at)) || memchr("*/?@", scan_peek(&at), 4);
  if (scan_take(&at, 'P')) return is_digit(scan_peek(&at)) || scan_peek(&at) == 'T';
  if (scan_take(&at, 'R')) return at.at == at.end || memchr("/-", scan_peek(&at), 2) || is_digit(scan_peek(&at));
  return scan_digits(&at) >= 4;
}

/* Behind any zone: the text itself. */
static int parse_forms(scan *s, const cycle_rules *rules, const orr_zone *zone, orr_cycle *out) {
  out->is_cron = is_cron(s);
  if (out->is_cron) {
    out->count = CYCLE_ENDLESS;
    return cron_parse(s->text + s->at, s->end - s->at, &rules->cron, &out->cron, s->err);
  }
  out->repeats = scan_peek(s) == 'R';
  if (out->repeats) {
    scan part;
    next_part(s, &part);
    int rc = scan_repeat(&part, &out->count);
    if (rc) return rc;
  }
  return scan_interval(s, zone, out);
}

int cycle_parse(const char *text, size_t size, const cycle_rules *rules, const orr_zone *zone, orr_cycle *out, orr_error *err) {
  scan s = scan_of(text, size, "time cycle", err);
  *out = (orr_cycle){.count = 1, .limit = ORR_TIME_NONE};
  scan_trim(&s);
  int rc = scan_zone_suffix(&s, out->zone);
  if (rc) return rc;
  scan_trim(&s);
  bool sensible = has_a_form(&s);
  rc = parse_forms(&s, rules, zone, out);
  if (!rc || sensible || !err) return rc;
  return error_wrap(err, "a time cycle is R3/PT10M (three times, ten minutes apart), R/2026-01-01T08:00/P1D (daily, from "
                         "a time on) or 0 0 8 ? * MON-FRI (cron: second, minute, hour, day of month, month, day of week)");
}

/* ---- Firing ---------------------------------------------------------------------------------- */

/* More than clocks ever go forward or back between two times. */
#define CLOCKS_MS (3 * DAY_MS)

/* The least k >= 0 with anchor + k periods > t; a firing beyond the calendar counts as later than any t. */
static int64_t index_after(orr_time anchor, const orr_zone *zone, const orr_period *p, orr_time t) {
  if (t < anchor) return 0;
  if (iso_period_sign(p) == 0) return 1; /* R1/PT0S */
  int64_t rest = p->days * DAY_MS + p->ms, leave = p->months || p->days ? CLOCKS_MS : 0;
  int64_t sure = t - anchor > leave ? t - anchor - leave : 0;
  int64_t low = sure / (p->months * 31 * DAY_MS + rest); /* anchor + low periods <= t */
  /* > t, with a day's leave for clamped days of month */
  int64_t high = (t - anchor + leave) / (p->months * 28 * DAY_MS + rest) + 2;
  while (high - low > 1) {
    int64_t middle = low + (high - low) / 2;
    orr_time at;
    if (!iso_add(anchor, zone, p, middle, &at, NULL) && at <= t) {
      low = middle;
    } else {
      high = middle;
    }
  }
  return high;
}

void cycle_end_at(orr_cycle *cycle, orr_time limit) {
  cycle->limit = limit;
  if (limit != ORR_TIME_NONE && cycle->repeats) cycle->has_end = false;
}

bool cycle_within(const orr_cycle *cycle, orr_time due) {
  if (cycle->repeats && cycle->has_end && due > cycle->end) return false;
  return cycle->limit == ORR_TIME_NONE || due <= cycle->limit;
}

/* Sets the due time to the kth firing from the anchor; false when the calendar ends before it. */
static bool fire_at(const orr_cycle *cycle, const orr_zone *zone, int64_t k, cycle_state *state) {
  return !iso_add(state->anchor, zone, &cycle->period, k, &state->due, NULL);
}

static bool counts_back(const orr_cycle *cycle, const cycle_rules *rules) {
  return cycle->repeats && rules->back_from_end && cycle->has_end && !cycle->has_start;
}

/* Firings at end - k periods, k from `most` down to 0: the first after `t`. Here `left` and k are the same. */
static bool back_first(const orr_cycle *cycle, const orr_zone *zone, orr_time t, int64_t most,
                       cycle_state *state) {
  const orr_period *p = &cycle->period;
  const orr_period back = {-p->months, -p->days, -p->ms};
  if (t >= cycle->end || most < 0) return false;
  int64_t low = 0, high = most;
  while (low < high) { /* the greatest k whose firing lies after t */
    int64_t middle = low + (high - low + 1) / 2;
    orr_time at;
    if (!iso_add(cycle->end, zone, &back, middle, &at, NULL) && at > t) {
      low = middle;
    } else {
      high = middle - 1;
    }
  }
  *state = (cycle_state){.anchor = cycle->end, .left = low};
  return !iso_add(cycle->end, zone, &back, low, &state->due, NULL);
}

/* Without R: one firing, at start + period, or at the end where one is given. */
static bool single_first(const orr_cycle *cycle, const orr_zone *zone, orr_time now, cycle_state *out) {
  *out = (cycle_state){.anchor = cycle->has_start ? cycle->start : now};
  if (!cycle->has_end) return fire_at(cycle, zone, 1, out);
  out->due = cycle->end;
  return true;
}

/* A cycle whose firings have all passed already fires once, at once: what waits for it goes on. */
static bool over_already(orr_time now, cycle_state *out) {
  *out = (cycle_state){.anchor = now, .due = now};
  return true;
}

bool cycle_first(const orr_cycle *cycle, const cycle_rules *rules, const orr_zone *zone, orr_time now, cycle_state *out) {
  *out = (cycle_state){.anchor = now, .left = CYCLE_ENDLESS};
  if (cycle->is_cron) return cron_next(&cycle->cron, zone, now, &out->due);
  if (!cycle->repeats) return single_first(cycle, zone, now, out);
  int64_t count = cycle->count;
  if (count == 0) {
    if (!rules->zero_fires_once) return false;
    count = 1;
  }
  bool endless = count == CYCLE_ENDLESS;
  if (counts_back(cycle, rules))
    return back_first(cycle, zone, now, endless ? CYCLE_COUNT_MAX : count, out) || over_already(now, out);
  if (cycle->has_start) out->anchor = cycle->start;
  bool ahead = cycle->has_start && cycle->start > now;
  int64_t k = ahead ? 0 : index_after(out->anchor, zone, &cycle->period, now);
  if (!endless) {
    /* What lies before the timer's own beginning is missed only where missed firings count. */
    out->left = count - (ahead && rules->start_is_extra ? 0 : 1);
    if (!ahead && rules->catch_up == CYCLE_SKIP) out->left = count - k;
    if (out->left < 0) return over_already(now, out);
  }
  return fire_at(cycle, zone, k, out);
}

/* The firing after state->due; false when that was the last. */
static bool step(const orr_cycle *cycle, const cycle_rules *rules, const orr_zone *zone, orr_time now, cycle_state *state) {
  bool all = rules->catch_up == CYCLE_ALL && !cycle->is_cron && state->left != CYCLE_ENDLESS;
  orr_time passed = all || now < state->due ? state->due : now; /* what fired, or is not to be fired any more */
  if (cycle->is_cron) return cron_next(&cycle->cron, zone, passed, &state->due);
  if (!cycle->repeats || state->left == 0) return false;
  if (counts_back(cycle, rules)) return back_first(cycle, zone, passed, state->left - 1, state);
  int64_t fired = index_after(state->anchor, zone, &cycle->period, state->due) - 1;
  int64_t k = index_after(state->anchor, zone, &cycle->period, passed);
  if (state->left != CYCLE_ENDLESS) {
    state->left -= rules->catch_up == CYCLE_SKIP ? k - fired : 1;
    if (state->left < 0) return false;
  }
  return fire_at(cycle, zone, k, state);
}

bool cycle_next(const orr_cycle *cycle, const cycle_rules *rules, const orr_zone *zone, orr_time now,
                cycle_state *state) {
  cycle_state next = *state;
  if (!step(cycle, rules, zone, now, &next) || !cycle_within(cycle, next.due > now ? next.due : now)) return false;
  *state = next;
  return true;
}

/* ---- Retries --------------------------------------------------------------------------------- */

static int scan_wait(scan *part, orr_period *out) {
  size_t start = part->at;
  scan_trim(part);
  int rc = iso_scan_duration(part, out);
  if (rc) return rc;
  return iso_period_sign(out) < 0 ? scan_fail(part, start, "a wait must not be negative,") : 0;
}

/* "R5/PT5M". */
static int retry_repeat(scan *s, orr_period *wait, retry_cycle *out) {
  scan part;
  next_part(s, &part);
  int rc = scan_repeat(&part, &out->tries);
  if (rc) return rc;
  if (out->tries == CYCLE_ENDLESS) return scan_fail(s, part.at, "a number of tries expected");
  if (!next_part(s, &part)) return scan_fail(s, s->end, "'/' and a duration expected");
  out->n_waits = 1;
  if ((rc = scan_wait(&part, wait)) != 0) return rc;
  return next_part(s, &part) ? scan_fail(s, part.at, "unexpected part") : 0;
}

/* "PT10M, PT17M". */
static int retry_list(scan *s, orr_period *waits, size_t n, retry_cycle *out) {
  for (size_t i = 0; i < n; i++) {
    scan part = *s;
    const char *comma = memchr(s->text + s->at, ',', s->end - s->at);
    part.end = comma ? (size_t)(comma - s->text) : s->end;
    s->at = part.end + !!comma;
    int rc = scan_wait(&part, &waits[i]);
    if (rc) return rc;
  }
  out->n_waits = n;
  out->tries = (int64_t)n + 1;
  return 0;
}

int retry_parse(orr_arena *arena, const char *text, size_t size, retry_cycle *out, orr_error *err) {
  scan s = scan_of(text, size, "retry cycle", err);
  scan_trim(&s);
  *out = (retry_cycle){0};
  size_t n = 1;
  for (size_t i = s.at; i < s.end; i++) n += s.text[i] == ',';
  if (n > RETRY_WAITS_MAX) return scan_fail(&s, s.at, "more than %d waits", RETRY_WAITS_MAX);
  orr_period *waits = ARENA_ARRAY(arena, orr_period, n);
  if (!waits) return error_memory(err);
  out->waits = waits;
  return scan_peek(&s) == 'R' ? retry_repeat(&s, waits, out) : retry_list(&s, waits, n, out);
}

int retry_due(const retry_cycle *cycle, int64_t left, const orr_zone *zone, orr_time now, orr_time *out,
              orr_error *err) {
  int64_t n = (int64_t)cycle->n_waits;
  int64_t i = left < 1 ? n - 1 : left > n ? 0 : n - left;
  return iso_add(now, zone, &cycle->waits[i], 1, out, err);
}
