/* Timers and retry cycles: literals are held against the time room's parsers here, expressions when they are evaluated. */
#include <string.h>

#include "model/parse/parse_internal.h"
#include "time/cycle.h"
#include "time/iso8601.h"

static void report_time(parser *p, const xml_element *e, bool warning, orr_error *err) {
  const char *message = parse_printf(p, "%s", err->message ? err->message : orr_strerror(err->code));
  orr_error_clear(err);
  parse_report(p, warning, e, e->text_line, e->column, "%s", message);
}

static void check_date(parser *p, const xml_element *e, const expr *date) {
  orr_error err = {0};
  orr_time at = 0;
  orr_period period;
  int rc = iso_is_duration(date->text, date->size) ? iso_parse_duration(date->text, date->size, &period, &err)
                                                   : iso_parse_time(date->text, date->size, NULL, &at, &err);
  if (rc) report_time(p, e, false, &err);
}

/* Held against the clock of the deployment alone: a definition that is stored stays what it is. */
static void check_firing(parser *p, const xml_element *e, const expr *text, const orr_cycle *cycle,
                         const cycle_rules *rules) {
  orr_error err = {0};
  orr_zone *zone = NULL;
  cycle_state state;
  if (!p->options->now) return;
  int rc = cycle->zone[0] ? zone_load(p->options->allocator, cycle->zone, &zone, &err) : 0;
  if (rc == ORR_E_ARGUMENT) report_time(p, e, false, &err);
  else if (!rc && cycle->is_cron && !cycle_first(cycle, rules, zone, p->options->now, &state))
    parse_report(p, false, e, e->text_line, e->column, "the timer never fires: no time to come fits \"%.100s\"", text->text);
  orr_error_clear(&err);
  zone_free(zone);
}

static void check_duration(parser *p, const xml_element *e, const expr *duration) {
  orr_error err = {0};
  orr_time at = 0;
  orr_period period;
  orr_cycle cycle;
  cycle_rules rules = dialect_cycle_rules(p->dialect);
  int rc;
  bool interval = duration->text[0] == 'R' || strchr(duration->text, '/');
  if (interval) rc = cycle_parse(duration->text, duration->size, &rules, zone_utc(), &cycle, &err);
  else if (iso_is_duration(duration->text, duration->size))
    rc = iso_parse_duration(duration->text, duration->size, &period, &err);
  else rc = iso_parse_time(duration->text, duration->size, NULL, &at, &err);
  if (!rc && interval) check_firing(p, e, duration, &cycle, &rules);
  if (!rc) return;
  orr_error_clear(&err);
  parse_report(p, false, e, e->text_line, e->column, "\"%.100s\" is not a duration such as PT5M or P1DT12H", duration->text);
}

static void check_cycle(parser *p, const xml_element *e, const expr *text) {
  orr_error err = {0};
  orr_cycle cycle;
  cycle_rules rules = dialect_cycle_rules(p->dialect);
  if (cycle_parse(text->text, text->size, &rules, zone_utc(), &cycle, &err)) report_time(p, e, false, &err);
  else check_firing(p, e, text, &cycle, &rules);
}

/* Composites such as R3/${date} can only be checked when they are whole. */
static bool is_literal(const expr *e) { return e->kind == EXPR_LITERAL && !strstr(e->text, "${") && !strstr(e->text, "#{"); }

void parse_calendar(parser *p, const xml_element *e, expr *out) {
  vendor_expr(p, e, "businessCalendarName", out);
  if (!is_literal(out) || calendar_is_built_in(out->text)) return;
  if (p->options->known_calendar && !p->options->known_calendar(p->options->ud, out->text))
    parse_warning(p, e, vendor_attribute(e, "businessCalendarName"),
                  "there is no business calendar \"%.100s\" yet; register a table with a method resolve, called as "
                  "calendar:resolve(definition, now), by that name before it is reached",
                  out->text);
}

void parse_timer(parser *p, const xml_element *e, timer *out) {
  const xml_element *date = bpmn_child(e, "timeDate"), *duration = bpmn_child(e, "timeDuration"),
                    *cycle = bpmn_child(e, "timeCycle");
  parse_expr_text(p, date, &out->date);
  parse_expr_text(p, duration, &out->duration);
  parse_expr_text(p, cycle, &out->cycle);
  parse_calendar(p, e, &out->calendar);
  if (cycle) vendor_expr(p, cycle, "endDate", &out->end_date);
  int given = expr_given(&out->date) + expr_given(&out->duration) + expr_given(&out->cycle);
  if (given == 0) parse_error(p, e, NULL, "Timer needs configuration (either timeDate, timeCycle or timeDuration is needed)");
  if (given > 1) parse_error(p, e, NULL, "a timer has exactly one of timeDate, timeDuration and timeCycle, not %d", given);
  if (expr_given(&out->calendar)) return; /* its texts are the calendar's to understand */
  if (is_literal(&out->date)) check_date(p, date, &out->date);
  if (is_literal(&out->duration)) check_duration(p, duration, &out->duration);
  if (is_literal(&out->cycle)) check_cycle(p, cycle, &out->cycle);
  if (is_literal(&out->end_date)) check_date(p, cycle, &out->end_date);
}

void parse_retry_cycle(parser *p, const xml_element *host, expr *out) {
  const xml_element *e = extension_next(host, NULL, "failedJobRetryTimeCycle");
  parse_expr_text(p, e, out);
  if (!e || !is_literal(out)) return;
  orr_error err = {0};
  retry_cycle cycle;
  int rc = retry_parse(p->scratch, out->text, out->size, &cycle, &err);
  if (rc == ORR_E_MEMORY) parse_memory(p);
  if (!rc) return;
  *out = (expr){0}; /* the default tries hold */
  report_time(p, e, !p->dialect->bad_priority_fails, &err);
}
