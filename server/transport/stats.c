/* Counts and the log of accesses. */
#include "server/transport/stats.h"

#include <time.h>

#include "server/server_internal.h"

/* Upper ends of the buckets of durations, in microseconds. */
static const int64_t stats_bounds[STATS_BUCKETS] = {100, 250, 1000, 2500, 10000, 25000, 100000, 250000, 1000000, 10000000};

int64_t server_now_ns(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

static orr_time wall_clock_ms(void) {
  struct timespec now;
  clock_gettime(CLOCK_REALTIME, &now);
  return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

/* The route, not the path: ids would make each line its own kind. */
static void stats_log(request *q, int64_t us, bool delivered) {
  server *s = q->server;
  json_out line = {0};
  char trace[2 * TRACE_ID_BYTES + 1];
  out_open(&line, '{');
  out_key(&line, "time");
  out_time(&line, wall_clock_ms());
  out_put_text(&line, "method", q->method);
  out_put_text(&line, "route", q->operation ? q->operation->path : NULL);
  out_put_int(&line, "status", q->status);
  out_put_int(&line, "us", us);
  out_put_int(&line, "bytes", (int64_t)(q->out.size + q->fixed_size));
  out_put_text(&line, "user", q->user ? q->user->name : NULL);
  trace_hex(q->trace.trace, sizeof q->trace.trace, trace);
  out_put_text(&line, "trace_id", trace_given(&q->trace) ? trace : NULL);
  if (!delivered) out_put_bool(&line, "delivered", false);
  out_close(&line, '}');
  out_raw(&line, "\n", 1);
  pthread_mutex_lock(&s->log_mutex);
  if (!line.failed) fwrite(line.data, 1, line.size, s->log);
  pthread_mutex_unlock(&s->log_mutex);
  out_free(&line);
}

void stats_count(request *q, bool delivered) {
  stats *n = &q->server->stats;
  int64_t us = (server_now_ns() - q->begun_ns) / 1000;
  size_t bucket = 0;
  while (bucket < STATS_BUCKETS && us > stats_bounds[bucket]) bucket++;
  int class = q->status / 100;
  atomic_fetch_add(&n->answers[class < STATS_CLASSES ? class : 0], 1);
  atomic_fetch_add(&n->buckets[bucket], 1);
  atomic_fetch_add(&n->microseconds, us);
  if (!delivered) atomic_fetch_add(&n->undelivered, 1);
  if (q->server->log) stats_log(q, us, delivered);
}

void stats_flush(server *s) {
  if (!s->log) return;
  pthread_mutex_lock(&s->log_mutex);
  fflush(s->log);
  pthread_mutex_unlock(&s->log_mutex);
}

static void stats_gauge(json_out *out, const char *name, const char *kind, const char *help, int64_t value) {
  out_rawf(out, "# HELP orrery_http_%s %s\n# TYPE orrery_http_%s %s\norrery_http_%s %" PRId64 "\n", name, help, name, kind,
           name, value);
}

static void stats_write_durations(stats *n, json_out *out) {
  int64_t total = 0;
  out_rawf(out, "# HELP orrery_http_request_seconds Time from a request's first line to its answer.\n"
                "# TYPE orrery_http_request_seconds histogram\n");
  for (size_t i = 0; i < STATS_BUCKETS; i++) {
    total += atomic_load(&n->buckets[i]);
    out_rawf(out, "orrery_http_request_seconds_bucket{le=\"%g\"} %" PRId64 "\n", (double)stats_bounds[i] / 1e6, total);
  }
  total += atomic_load(&n->buckets[STATS_BUCKETS]);
  out_rawf(out, "orrery_http_request_seconds_bucket{le=\"+Inf\"} %" PRId64 "\norrery_http_request_seconds_sum %g\n", total,
            (double)atomic_load(&n->microseconds) / 1e6);
  out_rawf(out, "orrery_http_request_seconds_count %" PRId64 "\n", total);
}

void stats_write(server *s, json_out *out) {
  stats *n = &s->stats;
  out_rawf(out, "# HELP orrery_http_requests_total Answers by class of status.\n# TYPE orrery_http_requests_total counter\n");
  for (int class = 1; class < STATS_CLASSES; class++)
    out_rawf(out, "orrery_http_requests_total{status=\"%dxx\"} %" PRId64 "\n", class, (int64_t)atomic_load(&n->answers[class]));
  stats_write_durations(n, out);
  stats_gauge(out, "connections", "gauge", "Connections that are open.", atomic_load(&n->connections));
  stats_gauge(out, "active", "gauge", "Requests whose answer is not out, this one among them.", atomic_load(&n->active));
  stats_gauge(out, "parked", "gauge", "Polls for external tasks that wait.", atomic_load(&n->parked));
  stats_gauge(out, "streams", "gauge", "Streams of events that are followed.", atomic_load(&n->streams));
  stats_gauge(out, "looks_total", "counter", "Looks at topics, for polls that wait.", atomic_load(&n->looks));
  stats_gauge(out, "unread_bytes", "gauge", "Bytes of answers that clients have not read.",
              atomic_load(&n->unread));
  stats_gauge(out, "accept_pauses_total", "counter",
              "Times that no connection could be accepted for a while.",
              atomic_load(&n->accept_pauses));
  stats_gauge(out, "cut_off_total", "counter", "Connections that took too long, or were too many.",
              atomic_load(&n->cut_off));
  stats_gauge(out, "undelivered_total", "counter", "Answers whose client had gone.", atomic_load(&n->undelivered));
}
