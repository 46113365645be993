/* The public functions about times: texts in, milliseconds out, and back. */
#include <string.h>

#include "base/null.h"
#include "time/cron.h"
#include "time/iso8601.h"

int orr_time_parse(const char *text, orr_time *out, orr_error *err) {
  REQUIRE(text);
  OUT_PLAIN(orr_time, out);
  return iso_parse_time(text, strlen(text), NULL, out, err);
}

int orr_duration_parse(const char *text, orr_time base, orr_duration *out, orr_error *err) {
  REQUIRE(text);
  OUT_PLAIN(orr_duration, out);
  orr_period period;
  orr_time end = 0;
  int rc = iso_parse_duration(text, strlen(text), &period, err);
  if (!rc) rc = iso_add(base, NULL, &period, 1, &end, err);
  if (!rc) *out = end - base;
  return rc;
}

static int answer_text(const char *text, orr_builder *out, orr_error *err) {
  orr_value value = orr_string(text);
  orr_builder_add(out, &value);
  return out ? orr_builder_value(out, &value, err) : 0;
}

int orr_time_format(orr_time time, orr_builder *out, orr_error *err) {
  char text[ISO_TIME_TEXT];
  iso_format_time(time, text);
  return answer_text(text, out, err);
}

int orr_time_format_local(orr_time time, const char *zone, orr_builder *out, orr_error *err) {
  REQUIRE(zone);
  const orr_allocator plain = {0}; /* malloc */
  char text[ISO_TIME_TEXT];
  orr_zone *clocks;
  int rc = zone_load(&plain, zone, &clocks, err);
  if (rc) return rc;
  iso_format_local(time, zone_offset_ms(clocks, time), text);
  zone_free(clocks);
  return answer_text(text, out, err);
}

int orr_cron_next(const char *expression, orr_time after, const char *zone, orr_cron_rules by, orr_time *out, orr_error *err) {
  REQUIRE(expression);
  OUT_PLAIN(orr_time, out);
  const orr_allocator plain = {0}; /* malloc */
  cron_rules rules = by == ORR_CRON_CAMUNDA ? CRON_SPRING : CRON_QUARTZ;
  orr_zone *clocks = NULL;
  orr_cron cron;
  rules.macros = true;
  int rc = cron_parse(expression, strlen(expression), &rules, &cron, err);
  if (!rc && zone) rc = zone_load(&plain, zone, &clocks, err);
  if (rc) return rc;
  if (!cron_next(&cron, clocks ? clocks : zone_utc(), after, out)) {
    rc = error_set(err, ORR_E_NOT_FOUND, "the cron expression \"%s\" never fires after that time", expression);
  }
  zone_free(clocks);
  return rc;
}
