/* libcurl's multi interface on a libuv loop: sockets are watched by uv_poll, libcurl's time-outs kept by one uv_timer. */
#include "net/process.h"
#include "net/client_internal.h"

#include <pthread.h>
#include <string.h>

#include "base/env.h"
#include "base/error.h"

/* ---- The loop -------------------------------------------------------------------------------- */

/* Handles outlive the client by one turn of the loop, so each brings what frees it. */
typedef struct loop_timer {
  uv_timer_t timer; /* first */
  orr_allocator allocator;
} loop_timer;

typedef struct watch {
  uv_poll_t poll; /* first */
  orr_allocator allocator;
  net_client *client;
  curl_socket_t socket;
  int events; /* what libcurl waits for, of uv_poll_event */
} watch;

static void timer_closed(uv_handle_t *handle) {
  loop_timer *t = (loop_timer *)handle;
  const orr_allocator allocator = t->allocator;
  env_free(&allocator, t, sizeof *t);
}

static uv_timer_t *timer_new(net_client *client, void *data) {
  loop_timer *t = env_zalloc(&client->allocator, sizeof *t);
  if (!t) return NULL;
  t->allocator = client->allocator;
  uv_timer_init(client->loop, &t->timer); /* it cannot fail */
  t->timer.data = data;
  return &t->timer;
}

static void timer_close(uv_timer_t **timer) {
  if (*timer) uv_close((uv_handle_t *)*timer, timer_closed);
  *timer = NULL;
}

static void watch_closed(uv_handle_t *handle) {
  watch *w = (watch *)handle;
  const orr_allocator allocator = w->allocator;
  env_free(&allocator, w, sizeof *w);
}

/* Tells the owners of the transfers that are over. An owner may start, drop or repeat any transfer meanwhile, so libcurl
 * is asked anew. */
static void collect_finished(net_client *client) {
  int left;
  const CURLMsg *message;
  while ((message = curl.multi_info_read(client->multi, &left))) {
    if (message->msg != CURLMSG_DONE) continue;
    CURLcode code = message->data.result;
    transfer *t = NULL;
    curl.easy_getinfo(message->easy_handle, CURLINFO_PRIVATE, &t);
    curl.multi_remove_handle(client->multi, t->easy);
    t->running = false;
    t->finished(t, code);
  }
}

static void act(net_client *client, curl_socket_t socket, int events) {
  int running;
  curl.multi_socket_action(client->multi, socket, events, &running);
  collect_finished(client);
}

/* Of a connection that was reset libuv says only that something is wrong, and watches it no more. But the server may have
 * answered before, as one does that refuses a request: libcurl is told to read, and finds the answer or what is wrong. */
static void poll_event(uv_poll_t *poll, int status, int events) {
  watch *w = (watch *)poll;
  if (status < 0) events = w->events | UV_READABLE;
  int flags = (events & UV_READABLE ? CURL_CSELECT_IN : 0) | (events & UV_WRITABLE ? CURL_CSELECT_OUT : 0);
  act(w->client, w->socket, flags);
  bool still_open = status < 0 && !uv_is_closing((uv_handle_t *)poll);
  if (still_open && uv_poll_start(poll, w->events, poll_event) != 0) act(w->client, w->socket, CURL_CSELECT_ERR);
}

static void timer_event(uv_timer_t *timer) { act(timer->data, CURL_SOCKET_TIMEOUT, 0); }

static int on_timer(CURLM *multi, long ms, void *ud) {
  net_client *client = ud;
  (void)multi;
  if (!client->timer) return 0;
  if (ms < 0) uv_timer_stop(client->timer);
  else uv_timer_start(client->timer, timer_event, (uint64_t)ms, 0);
  return 0;
}

static int on_socket(CURL *easy, curl_socket_t socket, int what, void *ud, void *known) {
  net_client *client = ud;
  watch *w = known;
  (void)easy;
  if (what == CURL_POLL_REMOVE) {
    if (w) uv_close((uv_handle_t *)&w->poll, watch_closed);
    curl.multi_assign(client->multi, socket, NULL);
    return 0;
  }
  if (!w) {
    w = env_zalloc(&client->allocator, sizeof *w);
    if (!w) return -1;
    *w = (watch){.allocator = client->allocator, .client = client, .socket = socket};
    if (uv_poll_init_socket(client->loop, &w->poll, socket) != 0) {
      env_free(&client->allocator, w, sizeof *w);
      return -1;
    }
    curl.multi_assign(client->multi, socket, w);
  }
  w->events = (what & CURL_POLL_IN ? UV_READABLE : 0) | (what & CURL_POLL_OUT ? UV_WRITABLE : 0);
  return uv_poll_start(&w->poll, w->events, poll_event) == 0 ? 0 : -1;
}

/* ---- Transfers ------------------------------------------------------------------------------- */

static void net_alarm_rang(uv_timer_t *timer) {
  transfer *t = timer->data;
  t->rang(t);
}

void transfer_alarm(transfer *t, int64_t ms) {
  uv_timer_start(t->alarm, net_alarm_rang, ms > 0 ? (uint64_t)ms : 0, 0);
}

static void transfer_cancel(net_call *call) { transfer_drop((transfer *)call); }

int transfer_init(transfer *t, net_client *client, orr_error *err) {
  t->base.cancel = transfer_cancel;
  t->client = client;
  t->before = &client->transfers;
  t->next = client->transfers;
  if (t->next) t->next->before = &t->next;
  client->transfers = t;
  t->easy = curl.easy_init();
  t->alarm = timer_new(client, t);
  return t->easy && t->alarm ? 0 : error_memory(err);
}

int transfer_start(transfer *t, orr_error *err) {
  t->problem[0] = '\0';
  if (curl.multi_add_handle(t->client->multi, t->easy) != CURLM_OK) return error_memory(err);
  t->running = true;
  return 0;
}

void transfer_drop(transfer *t) {
  if (t->running) curl.multi_remove_handle(t->client->multi, t->easy);
  if (t->easy) curl.easy_cleanup(t->easy);
  timer_close(&t->alarm);
  *t->before = t->next;
  if (t->next) t->next->before = t->before;
  t->destroy(t);
}

CURLcode transfer_set_common(transfer *t, int64_t connect_ms, int64_t total_ms) {
  const net_client *c = t->client;
  CURLcode rc = curl.easy_setopt(t->easy, CURLOPT_PRIVATE, t);
  if (!rc) rc = curl.easy_setopt(t->easy, CURLOPT_NOSIGNAL, 1L);
  if (!rc) rc = curl.easy_setopt(t->easy, CURLOPT_ERRORBUFFER, t->problem);
  if (!rc) rc = curl.easy_setopt(t->easy, CURLOPT_CONNECTTIMEOUT_MS, (long)connect_ms);
  if (!rc) rc = curl.easy_setopt(t->easy, CURLOPT_TIMEOUT_MS, (long)total_ms);
  if (!rc && c->ca_file) rc = curl.easy_setopt(t->easy, CURLOPT_CAINFO, c->ca_file);
  if (!rc && c->ca_path) rc = curl.easy_setopt(t->easy, CURLOPT_CAPATH, c->ca_path);
  if (!rc && c->client_cert) rc = curl.easy_setopt(t->easy, CURLOPT_SSLCERT, c->client_cert);
  if (!rc && c->client_key) rc = curl.easy_setopt(t->easy, CURLOPT_SSLKEY, c->client_key);
  if (!rc && c->insecure) rc = curl.easy_setopt(t->easy, CURLOPT_SSL_VERIFYPEER, 0L);
  if (!rc && c->insecure) rc = curl.easy_setopt(t->easy, CURLOPT_SSL_VERIFYHOST, 0L);
  return rc;
}

net_error net_error_of(CURLcode code) {
  switch ((int)code) {
    case CURLE_OK: return NET_OK;
    case CURLE_OUT_OF_MEMORY: return NET_MEMORY;
    case CURLE_COULDNT_RESOLVE_HOST: case CURLE_COULDNT_RESOLVE_PROXY: return NET_RESOLVE;
    case CURLE_COULDNT_CONNECT: return NET_CONNECT;
    case CURLE_OPERATION_TIMEDOUT: return NET_TIMEOUT;
    case CURLE_SSL_CONNECT_ERROR: case CURLE_PEER_FAILED_VERIFICATION: case CURLE_SSL_CERTPROBLEM: case CURLE_SSL_CIPHER:
    case CURLE_SSL_CACERT_BADFILE: case CURLE_SSL_ISSUER_ERROR: case CURLE_SSL_CRL_BADFILE: case CURLE_USE_SSL_FAILED:
    case CURLE_SSL_ENGINE_NOTFOUND: case CURLE_SSL_INVALIDCERTSTATUS: return NET_TLS;
    case CURLE_LOGIN_DENIED: return NET_LOGIN;
    case CURLE_FILESIZE_EXCEEDED: return NET_LIMIT;
    default: return NET_PROTOCOL;
  }
}

const char *net_error_name(net_error error) {
  static const char *const NAMES[] = {
      [NET_OK] = "ok",         [NET_RESOLVE] = "resolve",   [NET_CONNECT] = "connect",
      [NET_TLS] = "tls",       [NET_TIMEOUT] = "timeout",   [NET_LIMIT] = "limit",
      [NET_DENIED] = "denied", [NET_PROTOCOL] = "protocol", [NET_REJECTED] = "rejected",
      [NET_LATER] = "later",   [NET_LOGIN] = "login",       [NET_SPAWN] = "spawn",
      [NET_MEMORY] = "memory",
  };
  return NAMES[error];
}

void net_cancel(net_call *call) { call->cancel(call); }

/* ---- Clients --------------------------------------------------------------------------------- */

static bool copy_option(net_client *client, char **out, const char *text) {
  if (text) *out = env_strdup(&client->allocator, text);
  return !text || *out;
}

static int open_multi(net_client *client, const net_options *options, orr_error *err) {
  client->multi = curl.multi_init();
  client->timer = timer_new(client, client);
  if (!client->multi || !client->timer) return error_memory(err);
  curl.multi_setopt(client->multi, CURLMOPT_SOCKETFUNCTION, on_socket);
  curl.multi_setopt(client->multi, CURLMOPT_SOCKETDATA, client);
  curl.multi_setopt(client->multi, CURLMOPT_TIMERFUNCTION, on_timer);
  curl.multi_setopt(client->multi, CURLMOPT_TIMERDATA, client);
  curl.multi_setopt(client->multi, CURLMOPT_MAX_HOST_CONNECTIONS, (long)options->connections_per_host);
  return 0;
}

net_client *net_client_open(uv_loop_t *loop, const orr_allocator *allocator, const net_options *options, orr_error *err) {
  if (curl_load(err)) return NULL;
  net_client *client = env_zalloc(allocator, sizeof *client);
  if (!client) {
    error_memory(err);
    return NULL;
  }
  if (allocator) client->allocator = *allocator;
  client->loop = loop;
  client->insecure = options->insecure;
  address_guard_policy policy = options->listed_only   ? GUARD_NONE
                        : options->public_only ? GUARD_PUBLIC
                                               : GUARD_ANY;
  client->guard = address_guard_new(allocator, policy, options->hosts, options->host_count, err);
  int rc = client->guard ? 0 : ORR_E_ARGUMENT;
  bool copied =
      copy_option(client, &client->proxy, options->proxy) && copy_option(client, &client->no_proxy, options->no_proxy) &&
      copy_option(client, &client->ca_file, options->ca_file) && copy_option(client, &client->ca_path, options->ca_path) &&
      copy_option(client, &client->client_cert, options->client_cert) &&
      copy_option(client, &client->client_key, options->client_key);
  if (!rc && !copied) rc = error_memory(err);
  if (!rc) rc = open_multi(client, options, err);
  if (!rc) return client;
  net_client_close(client);
  return NULL;
}

void net_client_close(net_client *client) {
  if (!client) return;
  while (client->transfers) transfer_drop(client->transfers);
  processes_close(client);
  timer_close(&client->timer);
  curl.multi_cleanup(client->multi);
  char *texts[] = {client->proxy, client->no_proxy, client->ca_file, client->ca_path, client->client_cert, client->client_key};
  for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
    if (texts[i]) env_free(&client->allocator, texts[i], strlen(texts[i]) + 1);
  address_guard_free(client->guard);
  const orr_allocator allocator = client->allocator;
  env_free(&allocator, client, sizeof *client);
}
