/* Counts by the minute. */
#include "server/transport/series.h"

#include <string.h>

enum { MINUTE_S = 60 };

/* Counters of the engine by Camunda's names, and how the page calls them. */
static const char *const series_names[SERIES_COUNTERS][2] = {
    {"jobs_done", "job-successful"},
    {"jobs_failed", "job-failed"},
    {"started", "root-process-instance-start"},
    {"ended", "process-instance-end"},
    {"jobs_begun", "job-started"},
    {"waited_ms", "job-waited-ms"},
};
enum { SERIES_BEGUN = 4, SERIES_WAITED = 5 };

void series_init(series *s) {
  memset(s, 0, sizeof *s);
  pthread_mutex_init(&s->mutex, NULL);
}

static bool counters_of(orr_engine *engine, int64_t out[SERIES_COUNTERS]) {
  orr_value counters;
  orr_builder *b = orr_builder_new();
  bool ok = b && !orr_engine_metrics(engine, b, NULL) && !orr_builder_value(b, &counters, NULL);
  for (size_t i = 0; ok && i < SERIES_COUNTERS; i++) {
    orr_value n = orr_map_get(&counters, series_names[i][1]);
    out[i] = n.type == ORR_INT ? n.as.integer : 0;
  }
  orr_builder_free(b);
  return ok;
}

void series_sample(series *s, orr_engine *engine, int64_t now_ns) {
  int64_t minute = now_ns / 1000000000 / MINUTE_S + 1, now[SERIES_COUNTERS];
  if (minute == s->minute || !counters_of(engine, now)) return;
  pthread_mutex_lock(&s->mutex);
  for (size_t i = 0; s->minute != 0 && i < SERIES_COUNTERS; i++)
    s->counts[i][s->minute % SERIES_MINUTES] = now[i] - s->base[i];
  /* Minutes in which the loop did not turn have no counts of their own: they are in the one before. */
  for (int64_t gone = s->minute + 1; s->minute != 0 && gone < minute && gone <= s->minute + SERIES_MINUTES; gone++)
    for (size_t i = 0; i < SERIES_COUNTERS; i++) s->counts[i][gone % SERIES_MINUTES] = 0;
  if (s->minute != 0) s->known += (size_t)(minute - s->minute);
  if (s->known > SERIES_MINUTES - 1) s->known = SERIES_MINUTES - 1; /* one is being counted */
  memcpy(s->base, now, sizeof now);
  s->minute = minute;
  pthread_mutex_unlock(&s->mutex);
}

static void series_write_mean(const series *s, json_out *out) {
  out_key(out, "wait_ms");
  out_open(out, '[');
  for (size_t m = s->known; m > 0; m--) {
    size_t at = (size_t)((s->minute - (int64_t)m) % SERIES_MINUTES);
    int64_t begun = s->counts[SERIES_BEGUN][at];
    if (begun > 0) out_int(out, s->counts[SERIES_WAITED][at] / begun);
    else out_null(out);
  }
  out_close(out, ']');
}

void series_write(series *s, json_out *out) {
  pthread_mutex_lock(&s->mutex);
  out_open(out, '{');
  for (size_t i = 0; i < SERIES_COUNTERS; i++) {
    out_key(out, series_names[i][0]);
    out_open(out, '[');
    for (size_t m = s->known; m > 0; m--) out_int(out, s->counts[i][(s->minute - (int64_t)m) % SERIES_MINUTES]);
    out_close(out, ']');
  }
  series_write_mean(s, out);
  out_close(out, '}');
  pthread_mutex_unlock(&s->mutex);
}
