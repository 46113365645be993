/* The exporter: a queue, and a thread that sends what is in it. */
#include "net/otlp.h"

#include <inttypes.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "net/http.h"
#include "net/otlp_json.h"

enum {
  OTLP_PAUSE_MS = 1000, /* before the first repetition; the double before each further one, */
  OTLP_PAUSE_MS_MAX = 30 * 1000,  /* up to this */
  OTLP_ASKED_MS_MAX = 300 * 1000, /* the longest Retry-After that is obeyed */
  OTLP_ANSWER_MAX = 64 * 1024,
  OTLP_CONNECT_MS = 5000,
};

struct otlp {
  tracer tracer;
  otlp_options options; /* its texts are below */
  char *url, *ca_file, *client_cert, *client_key;
  char **headers;
  size_t header_count;
  buffer preamble; /* what each request begins with */
  pthread_t thread;
  uv_loop_t loop;
  uv_async_t wake;
  uv_timer_t tick, pause, deadline;
  net_client *client;
  pthread_mutex_t mutex; /* guards the queue, and what follows of it */
  trace_span *first, **last;
  size_t waiting;
  bool ending;
  trace_counts counts;
  /* the thread's own */
  trace_span *batch; /* that is being sent, or comes again after a pause */
  size_t batch_size;
  buffer body;
  net_call *call;
  bool pausing, stopping, failing;
  unsigned tries;
  uint64_t batch_since; /* of the loop's clock */
};

static const orr_allocator *otlp_allocator(const otlp *o) { return &o->tracer.env.allocator; }

/* ---- The queue ------------------------------------------------------------------------------- */

/* Any thread. */
static void otlp_take(void *ud, trace_span *s) {
  otlp *o = ud;
  bool full, ready = false;
  s->next = NULL;
  pthread_mutex_lock(&o->mutex);
  full = o->ending || o->waiting >= o->options.queue_max;
  if (full) {
    o->counts.dropped++;
  } else {
    *o->last = s;
    o->last = &s->next;
    ready = ++o->waiting == o->options.batch_max;
  }
  pthread_mutex_unlock(&o->mutex);
  if (full) span_free(s);
  if (ready) uv_async_send(&o->wake);
}

static void otlp_count(void *ud, trace_counts *out) {
  otlp *o = ud;
  pthread_mutex_lock(&o->mutex);
  *out = o->counts;
  out->waiting = o->waiting;
  pthread_mutex_unlock(&o->mutex);
}

static trace_span *otlp_next_batch(otlp *o, size_t *n) {
  *n = 0;
  pthread_mutex_lock(&o->mutex);
  trace_span *batch = o->first, **at = &o->first;
  for (; *at && *n < o->options.batch_max; at = &(*at)->next) ++*n;
  o->first = *at;
  *at = NULL;
  if (!o->first) o->last = &o->first;
  o->waiting -= *n;
  pthread_mutex_unlock(&o->mutex);
  return *n ? batch : NULL;
}

static bool otlp_full_batch(otlp *o) {
  pthread_mutex_lock(&o->mutex);
  bool full = o->waiting >= o->options.batch_max;
  pthread_mutex_unlock(&o->mutex);
  return full;
}

static void otlp_free_spans(trace_span *s) {
  for (trace_span *next; s; s = next) {
    next = s->next;
    span_free(s);
  }
}

/* ---- Sending --------------------------------------------------------------------------------- */

static void otlp_pump(otlp *o);

static void tell_problem(otlp *o, const char *problem) {
  bool failing = problem;
  if (o->failing == failing) return;
  o->failing = failing;
  if (o->options.told) o->options.told(o->options.told_ud, problem);
}

/* The batch is over: so many of its spans have arrived. */
static void otlp_end_batch(otlp *o, uint64_t exported, uint64_t rejected) {
  pthread_mutex_lock(&o->mutex);
  o->counts.exported += exported;
  o->counts.rejected += rejected;
  o->counts.failed += o->batch_size - exported - rejected;
  pthread_mutex_unlock(&o->mutex);
  otlp_free_spans(o->batch);
  o->batch = NULL;
  o->batch_size = 0;
}

static void otlp_resumed(uv_timer_t *timer) {
  otlp *o = timer->data;
  o->pausing = false;
  otlp_pump(o);
}

static int64_t pause_of_try(otlp *o) {
  int64_t ms = (int64_t)OTLP_PAUSE_MS << (o->tries < 5 ? o->tries : 5);
  if (ms > OTLP_PAUSE_MS_MAX) ms = OTLP_PAUSE_MS_MAX;
  return ms / 2 + (int64_t)(o->tracer.env.random(o->tracer.env.ud) % (uint64_t)(ms / 2 + 1));
}

/* Not now: the collector is left alone for a while, and the batch comes again when that is not too
 * late for it. */
static void otlp_try_later(otlp *o, int64_t asked_ms) {
  int64_t ms = asked_ms >= 0 ? asked_ms : pause_of_try(o);
  if (ms > OTLP_ASKED_MS_MAX) ms = OTLP_ASKED_MS_MAX;
  o->tries++;
  int64_t gone = (int64_t)(uv_now(&o->loop) - o->batch_since);
  if (o->stopping || gone + ms > o->options.give_up_ms) otlp_end_batch(o, 0, 0);
  if (o->stopping) return;
  o->pausing = true;
  uv_timer_start(&o->pause, otlp_resumed, (uint64_t)ms, 0);
}

static bool otlp_asks_again(int status) {
  return status == 429 || status == 502 || status == 503 || status == 504;
}

static void otlp_answered_well(otlp *o, const net_http_response *response) {
  uint64_t rejected = otlp_json_rejected(response->body);
  if (rejected > o->batch_size) rejected = o->batch_size;
  otlp_end_batch(o, o->batch_size - rejected, rejected);
  o->tries = 0;
  tell_problem(o, NULL);
}

static void otlp_answered(void *ud, const net_http_response *response, net_error error,
                          const char *message) {
  otlp *o = ud;
  char problem[64];
  o->call = NULL;
  if (response && response->status >= 200 && response->status < 300) {
    otlp_answered_well(o, response);
  } else if (!response || otlp_asks_again(response->status)) {
    if (response) snprintf(problem, sizeof problem, "the collector answers %d", response->status);
    else
      snprintf(problem, sizeof problem, "%s",
               error == NET_MEMORY || !message ? "out of memory" : net_error_name(error));
    tell_problem(o, problem);
    otlp_try_later(o, response ? response->retry_after_ms : -1);
  } else {
    snprintf(problem, sizeof problem, "the collector refuses what it gets, with %d",
             response->status);
    tell_problem(o, problem);
    otlp_end_batch(o, 0, 0);
  }
  if (o->stopping || otlp_full_batch(o)) otlp_pump(o);
}

/* The body of the present batch; false: memory is out. */
static bool otlp_write(otlp *o) {
  o->body.size = 0;
  return buffer_add(otlp_allocator(o), &o->body, o->preamble.bytes, o->preamble.size) &&
         otlp_json_spans(otlp_allocator(o), &o->body, o->batch);
}

static void otlp_send(otlp *o) {
  net_http_request r = {.method = "POST",
                        .url = o->url,
                        .headers = (const char *const *)o->headers,
                        .header_count = o->header_count,
                        .secret_count = o->header_count,
                        .has_body = true,
                        .body = buffer_text(&o->body),
                        .connect_ms = OTLP_CONNECT_MS,
                        .total_ms = o->options.timeout_ms,
                        .body_max = OTLP_ANSWER_MAX,
                        .secret_url = true};
  orr_error err = {0};
  o->call = net_http(o->client, &r, otlp_answered, o, &err);
  if (o->call) return;
  tell_problem(o, err.message ? err.message : "out of memory");
  orr_error_clear(&err);
  otlp_end_batch(o, 0, 0);
  if (o->stopping) uv_stop(&o->loop);
}

/* Sends what there is, unless something is under way. When all is done that is to be done, the loop
 * ends. */
static void otlp_pump(otlp *o) {
  if (o->call || (o->pausing && !o->stopping)) return;
  if (!o->batch) {
    o->batch = otlp_next_batch(o, &o->batch_size);
    o->batch_since = uv_now(&o->loop);
    if (o->batch && !otlp_write(o)) otlp_end_batch(o, 0, 0);
  }
  if (o->batch) otlp_send(o);
  else if (o->stopping) uv_stop(&o->loop);
}

/* ---- The thread ------------------------------------------------------------------------------ */

static void otlp_ticked(uv_timer_t *timer) { otlp_pump(timer->data); }

/* The time for what is left is over. */
static void otlp_too_late(uv_timer_t *timer) {
  otlp *o = timer->data;
  if (o->call) net_cancel(o->call);
  o->call = NULL;
  uv_stop(&o->loop);
}

static void otlp_woken(uv_async_t *wake) {
  otlp *o = wake->data;
  pthread_mutex_lock(&o->mutex);
  bool ending = o->ending && !o->stopping;
  pthread_mutex_unlock(&o->mutex);
  if (ending) {
    o->stopping = true;
    uv_timer_start(&o->deadline, otlp_too_late, (uint64_t)o->options.timeout_ms, 0);
  }
  otlp_pump(o);
}

static void otlp_close_handle(uv_handle_t *handle, void *ud) {
  (void)ud;
  if (!uv_is_closing(handle)) uv_close(handle, NULL);
}

static void *otlp_main(void *ud) {
  otlp *o = ud;
  env_name_thread("orr-traces");
  uv_run(&o->loop, UV_RUN_DEFAULT);
  return NULL;
}

/* ---- Opening and closing --------------------------------------------------------------------- */

static bool otlp_keep(otlp *o, char **to, const char *text) {
  if (text) *to = env_strdup(otlp_allocator(o), text);
  return !text || *to;
}

static void otlp_drop(otlp *o, char *text) {
  if (text) env_free(otlp_allocator(o), text, strlen(text) + 1);
}

static bool keep_headers(otlp *o, const otlp_options *options) {
  static const char type[] = "Content-Type: application/json";
  size_t n = options->header_count + 1;
  o->headers = env_zalloc(otlp_allocator(o), n * sizeof *o->headers);
  if (!o->headers) return false;
  for (size_t i = 0; i < n; i++, o->header_count++)
    if (!otlp_keep(o, &o->headers[i], i ? options->headers[i - 1] : type)) return false;
  return true;
}

static bool keep_options(otlp *o, const otlp_options *options) {
  o->options = *options;
  return otlp_keep(o, &o->url, options->url) && otlp_keep(o, &o->ca_file, options->ca_file) &&
         otlp_keep(o, &o->client_cert, options->client_cert) &&
         otlp_keep(o, &o->client_key, options->client_key) && keep_headers(o, options) &&
         otlp_json_begin(otlp_allocator(o), &o->preamble, options->resource,
                         options->resource_count);
}

static void otlp_free(otlp *o) {
  const orr_allocator allocator = *otlp_allocator(o);
  otlp_drop(o, o->url);
  otlp_drop(o, o->ca_file);
  otlp_drop(o, o->client_cert);
  otlp_drop(o, o->client_key);
  for (size_t i = 0; i < o->header_count; i++) otlp_drop(o, o->headers[i]);
  if (o->headers)
    env_free(&allocator, o->headers, (o->options.header_count + 1) * sizeof *o->headers);
  buffer_free(&allocator, &o->preamble);
  buffer_free(&allocator, &o->body);
  otlp_free_spans(o->batch);
  otlp_free_spans(o->first);
  pthread_mutex_destroy(&o->mutex);
  env_free(&allocator, o, sizeof *o);
}

static void otlp_timer(otlp *o, uv_timer_t *timer) {
  uv_timer_init(&o->loop, timer);
  timer->data = o;
}

static void otlp_close_loop(otlp *o) {
  net_client_close(o->client);
  uv_walk(&o->loop, otlp_close_handle, NULL);
  uv_run(&o->loop, UV_RUN_DEFAULT);
  uv_loop_close(&o->loop);
}

static int otlp_start(otlp *o, orr_error *err) {
  net_options net = {
      .ca_file = o->ca_file, .client_cert = o->client_cert, .client_key = o->client_key};
  if (uv_loop_init(&o->loop)) return error_set(err, ORR_E_LIMIT, "no loop can be made for traces");
  int rc = uv_async_init(&o->loop, &o->wake, otlp_woken);
  if (rc) {
    uv_loop_close(&o->loop);
    return error_set(err, ORR_E_LIMIT, "no loop can be made for traces");
  }
  o->wake.data = o;
  otlp_timer(o, &o->tick);
  otlp_timer(o, &o->pause);
  otlp_timer(o, &o->deadline);
  uv_timer_start(&o->tick, otlp_ticked, (uint64_t)o->options.delay_ms,
                 (uint64_t)o->options.delay_ms);
  o->client = net_client_open(&o->loop, otlp_allocator(o), &net, err);
  rc = o->client ? 0 : -1;
  if (!rc && pthread_create(&o->thread, NULL, otlp_main, o))
    rc = error_set(err, ORR_E_LIMIT, "the thread for traces cannot be started");
  if (rc) otlp_close_loop(o);
  return rc;
}

otlp *otlp_open(const otlp_options *options, orr_error *err) {
  orr_env env;
  if (options->env) env = *options->env;
  else env_system(&env);
  otlp *o = env_zalloc(&env.allocator, sizeof *o);
  if (!o) {
    error_memory(err);
    return NULL;
  }
  o->tracer = (tracer){
      .env = env, .sampler = options->sampler, .ended = otlp_take, .count = otlp_count, .ud = o};
  o->last = &o->first;
  pthread_mutex_init(&o->mutex, NULL);
  int rc = keep_options(o, options) ? 0 : error_memory(err);
  if (!rc) rc = otlp_start(o, err);
  if (!rc) return o;
  otlp_free(o);
  return NULL;
}

tracer *otlp_tracer(otlp *o) { return &o->tracer; }

void otlp_close(otlp *o) {
  if (!o) return;
  pthread_mutex_lock(&o->mutex);
  o->ending = true;
  pthread_mutex_unlock(&o->mutex);
  uv_async_send(&o->wake);
  pthread_join(o->thread, NULL);
  otlp_close_loop(o);
  otlp_free(o);
}
