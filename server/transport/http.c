/* From libmicrohttpd's calls to requests: what may come in at all, bodies as they arrive, answers. */
#include "server/transport/http.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "server/server_internal.h"
#include "server/transport/compress.h"
#include "server/transport/dispatch.h"
#include "server/transport/events.h"
#include "server/transport/guard/unread.h"
#include "server/transport/guard/head.h"
#include "server/transport/multipart.h"
#include "server/transport/request_trace.h"

/* User data is text to the page; styles are set by the diagram's library. */
static const char page_policy[] = "default-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; "
                                  "base-uri 'none'; form-action 'self'; frame-ancestors 'none'";

/* A file that somebody saved is no page of ours, whatever a browser makes of it. */
static const char file_policy[] = "sandbox; default-src 'none'";

#define SWALLOWED_MAX (64 * 1024 * 1024) /* of a body that is refused for its size, before the connection is cut */

static connection *http_connection(struct MHD_Connection *mhd) {
  const union MHD_ConnectionInfo *info = MHD_get_connection_info(mhd, MHD_CONNECTION_INFO_SOCKET_CONTEXT);
  return info ? info->socket_context : NULL;
}

static void http_phase(connection *c, connection_phase phase) {
  c->phase = phase;
  c->since_ns = server_now_ns();
}

/* A request line has come. The request is the connection's, which frees it also when its headers are refused. */
void *http_uri(void *ud, const char *uri, struct MHD_Connection *mhd) {
  (void)ud;
  connection *c = http_connection(mhd);
  if (!c) return NULL;
  request_free(c->current);
  c->current = request_new(c, uri);
  return c->current;
}

/* ---- What may come in ------------------------------------------------------------------------- */

static const char *http_header(struct MHD_Connection *mhd, const char *name) {
  return MHD_lookup_connection_value(mhd, MHD_HEADER_KIND, name);
}

/* A browser says which page made it ask. */
static bool origin_foreign(request *q, struct MHD_Connection *mhd) {
  const char *site = http_header(mhd, "Sec-Fetch-Site"), *origin = http_header(mhd, "Origin");
  if (!site || strcmp(site, "same-origin") == 0 || strcmp(site, "none") == 0) return false;
  return !origin || !dispatch_cors(q->server, origin);
}

/* Before a page's request to another site a browser asks whether it may be sent, without what the
 * request has to log in by. */
static bool is_preflight(request *q, struct MHD_Connection *mhd) {
  return strcmp(q->method, "OPTIONS") == 0 && http_header(mhd, "Origin") &&
         http_header(mhd, "Access-Control-Request-Method");
}

/* A page of another site may have a browser send requests here: under a name of its own that leads here, which Host
 * shows, or to our name, which Origin shows. */
static bool origin_allowed(request *q, struct MHD_Connection *mhd) {
  const char *host = http_header(mhd, MHD_HTTP_HEADER_HOST), *origin = http_header(mhd, "Origin");
  const char *site = http_header(mhd, "Sec-Fetch-Site");
  if (!q->connection->from.local && !dispatch_host_known(q->server, host)) {
    request_fail(q, 421, "RestException", "This server is not known as \"%s\"; option --host adds a name", host);
    q->close = true;
    return false;
  }
  bool safe = strcmp(q->method, "GET") == 0 || strcmp(q->method, "HEAD") == 0 || strcmp(q->method, "OPTIONS") == 0;
  bool known = dispatch_origin_known(q->server, origin, host);
  if (!known || (!safe && !origin && site && strcmp(site, "cross-site") == 0)) {
    if (safe) return true; /* without a CORS header its answer is not shown to the page */
    request_fail(q, 403, "RestException", "Requests of pages of other sites are refused; option --cors admits one");
    return false;
  }
  return true;
}

static bool media_type_is(const char *type, const char *wanted) {
  size_t size = strlen(wanted);
  return type && strncasecmp(type, wanted, size) == 0 && (type[size] == '\0' || type[size] == ';' || type[size] == ' ');
}

static bool body_expected(struct MHD_Connection *mhd) {
  const char *length = http_header(mhd, MHD_HTTP_HEADER_CONTENT_LENGTH);
  return http_header(mhd, MHD_HTTP_HEADER_TRANSFER_ENCODING) || (length && strtoull(length, NULL, 10) > 0);
}

static bool body_coded(struct MHD_Connection *mhd) {
  const char *coding = http_header(mhd, MHD_HTTP_HEADER_CONTENT_ENCODING);
  return coding && *coding && strcasecmp(coding, "identity") != 0;
}

/* Forms that any page can post without being asked are no type of ours. */
static bool body_acceptable(request *q, struct MHD_Connection *mhd) {
  const char *type = http_header(mhd, MHD_HTTP_HEADER_CONTENT_TYPE), *length = http_header(mhd, MHD_HTTP_HEADER_CONTENT_LENGTH);
  if (!body_expected(mhd)) return true;
  bool form = media_type_is(type, "multipart/form-data"), json = media_type_is(type, "application/json");
  if (q->operation->multipart ? !form : !json) {
    request_fail(q, 415, "RestException", "A body of type %s is expected",
                 q->operation->multipart ? "multipart/form-data" : "application/json");
    return false;
  }
  if (body_coded(mhd)) {
    request_fail(q, 415, "RestException", "A body is taken as it is, without a Content-Encoding");
    return false;
  }
  int64_t most = form ? q->server->config.multipart_max : q->server->config.json_max;
  if (length && strtoull(length, NULL, 10) > (unsigned long long)most) {
    request_fail(q, 413, "RestException", "The body is too large: at most %" PRId64 " bytes", most);
    q->close = true;
    return false;
  }
  return true;
}

/* ---- Answers ---------------------------------------------------------------------------------- */

static void answer_cors(request *q, struct MHD_Connection *mhd, struct MHD_Response *response) {
  const char *origin = http_header(mhd, "Origin");
  if (!origin || !dispatch_cors(q->server, origin)) return;
  MHD_add_response_header(response, MHD_HTTP_HEADER_ACCESS_CONTROL_ALLOW_ORIGIN, origin);
  MHD_add_response_header(response, MHD_HTTP_HEADER_VARY, "Origin");
  MHD_add_response_header(response, "Access-Control-Expose-Headers", "Content-Disposition");
  if (strcmp(q->method, "OPTIONS") != 0) return;
  MHD_add_response_header(response, "Access-Control-Allow-Methods", "GET, POST, PUT, DELETE");
  MHD_add_response_header(response, "Access-Control-Allow-Headers",
                          "Authorization, Content-Type, X-XSRF-TOKEN, traceparent, tracestate");
}

static void answer_headers(request *q, struct MHD_Connection *mhd, struct MHD_Response *response) {
  if (q->out.size > 0 || q->fixed || q->stream || q->disposition)
    MHD_add_response_header(response, MHD_HTTP_HEADER_CONTENT_TYPE, q->type ? q->type : "application/json");
  MHD_add_response_header(response, MHD_HTTP_HEADER_CACHE_CONTROL,
                          q->cache ? q->cache : "no-cache");
  if (q->encoding)
    MHD_add_response_header(response, MHD_HTTP_HEADER_CONTENT_ENCODING, q->encoding);
  if (q->varies || q->encoding)
    MHD_add_response_header(response, MHD_HTTP_HEADER_VARY, "Accept-Encoding");
  MHD_add_response_header(response, "X-Content-Type-Options", "nosniff");
  if (q->cookie) MHD_add_response_header(response, MHD_HTTP_HEADER_SET_COOKIE, q->cookie);
  if (q->tag) MHD_add_response_header(response, MHD_HTTP_HEADER_ETAG, q->tag);
  if (q->is_page) MHD_add_response_header(response, "Content-Security-Policy", page_policy);
  if (q->disposition) {
    MHD_add_response_header(response, MHD_HTTP_HEADER_CONTENT_DISPOSITION, q->disposition);
    MHD_add_response_header(response, "Content-Security-Policy", file_policy);
  }
  if (q->challenge)
    MHD_add_response_header(response, MHD_HTTP_HEADER_WWW_AUTHENTICATE, "Basic realm=\"orrery\", charset=\"UTF-8\"");
  /* Else a client that goes on and on would hold up the server's end. */
  bool last = q->close || atomic_load(&q->server->draining);
  if (last) MHD_add_response_header(response, MHD_HTTP_HEADER_CONNECTION, "close");
  answer_cors(q, mhd, response);
}

/* What was written is the response's from then on; out.size stays for the log. */
static struct MHD_Response *http_response(request *q) {
  if (q->fixed)
    return MHD_create_response_from_buffer(q->fixed_size, (void *)(uintptr_t)q->fixed,
                                           MHD_RESPMEM_PERSISTENT);
  struct MHD_Response *response =
      MHD_create_response_from_buffer(q->out.size, q->out.data, MHD_RESPMEM_MUST_FREE);
  if (response) q->out.data = NULL;
  return response;
}

static void answer_refuse(request *q) {
  size_t bytes = q->out.size;
  out_free(&q->out);
  request_fail(
      q, 503, "RestException",
      "The answer has %zu bytes, for which there is no room beside other answers that are not "
      "read: ask for less at once (maxResults), or raise unread_max, which is %" PRId64,
      bytes, q->server->config.unread_max);
  q->close = true;
}

static enum MHD_Result http_answer(request *q, struct MHD_Connection *mhd) {
  if (q->out.failed) {
    out_free(&q->out);
    request_fail_memory(q);
    q->close = true;
  }
  bool stream = q->stream && q->status == 200;
  q->varies = q->varies || compress_may(q);
  if (!compress_is_slow(q)) compress_answer(q);
  if (!answer_begin(q, stream ? 0 : q->out.size)) answer_refuse(q);
  struct MHD_Response *response = stream ? events_response(q) : http_response(q);
  if (!response) return MHD_NO;
  answer_headers(q, mhd, response);
  http_phase(q->connection, PHASE_ANSWER);
  enum MHD_Result result = MHD_queue_response(mhd, (unsigned)q->status, response);
  MHD_destroy_response(response);
  return result;
}

/* ---- A request's way -------------------------------------------------------------------------- */

static enum MHD_Result http_suspend(request *q, void (*work)(request *)) {
  http_phase(q->connection, PHASE_WORK);
  loop_suspend(q);
  loop_queue(q, work);
  return MHD_YES;
}

/* NULL: it is not there, or memory is out, which is the same to what these are for. */
static char *header_copy(struct MHD_Connection *mhd, const char *name) {
  const char *value = http_header(mhd, name);
  return value ? strdup(value) : NULL;
}

/* Does a page ask, which has a login of its own? Browsers say how they were asked to HTTPS and to this machine only; over
 * plain HTTP our page says it, and what it listens to is named by its type. */
static bool page_asks(struct MHD_Connection *mhd) {
  const char *accept = http_header(mhd, MHD_HTTP_HEADER_ACCEPT);
  return http_header(mhd, "Sec-Fetch-Mode") || http_header(mhd, "X-Requested-With") ||
         (accept && strcmp(accept, "text/event-stream") == 0);
}

/* The head is here: what is refused is refused before its body is read. */
static enum MHD_Result http_head(request *q, struct MHD_Connection *mhd, const request_line *line) {
  q->method = line->method;
  if (!head_sound(q, mhd, line) || !origin_allowed(q, mhd)) return http_answer(q, mhd);
  q->takes_gzip = compress_taken(http_header(mhd, MHD_HTTP_HEADER_ACCEPT_ENCODING));
  q->foreign = origin_foreign(q, mhd);
  if (is_preflight(q, mhd)) {
    request_no_content(q);
    return http_answer(q, mhd);
  }
  if (!dispatch_route(q)) return http_answer(q, mhd);
  request_trace_begin(q, mhd);
  q->stage = REQUEST_ROUTED;
  q->cookies = header_copy(mhd, MHD_HTTP_HEADER_COOKIE);
  q->if_none_match = header_copy(mhd, MHD_HTTP_HEADER_IF_NONE_MATCH);
  q->last_event = header_copy(mhd, "Last-Event-ID");
  auth_answer known = auth_begin(q, http_header(mhd, MHD_HTTP_HEADER_AUTHORIZATION), http_header(mhd, "X-XSRF-TOKEN"),
                                 page_asks(mhd));
  if (known == AUTH_KNOWN) return MHD_YES;
  http_phase(q->connection, PHASE_WORK);
  loop_suspend(q);
  auth_ask(q);
  return MHD_YES;
}

static enum MHD_Result http_admit(request *q, struct MHD_Connection *mhd) {
  if (!q->status) auth_permit(q);
  if (q->status || !body_acceptable(q, mhd)) {
    if (body_expected(mhd)) q->close = true;
    return http_answer(q, mhd);
  }
  if (q->operation->multipart && body_expected(mhd) &&
      !multipart_begin(q, http_header(mhd, MHD_HTTP_HEADER_CONTENT_TYPE))) {
    q->close = true;
    return http_answer(q, mhd);
  }
  /* Programs disagree about where lines of chunks end: what follows such a body is not taken for
   * another request. */
  if (http_header(mhd, MHD_HTTP_HEADER_TRANSFER_ENCODING)) q->close = true;
  q->stage = REQUEST_ADMITTED;
  http_phase(q->connection, PHASE_BODY);
  return MHD_YES;
}

static enum MHD_Result http_body(request *q, const char *data, size_t *size) {
  size_t n = *size;
  int64_t most = q->boundary ? q->server->config.multipart_max : q->server->config.json_max;
  *size = 0;
  q->received += n;
  if (q->received > (uint64_t)most) {
    q->too_large = true;
    return q->received > (uint64_t)most + SWALLOWED_MAX ? MHD_NO : MHD_YES;
  }
  return request_body_add(q, data, n) ? MHD_YES : MHD_NO;
}

static enum MHD_Result http_whole(request *q, struct MHD_Connection *mhd) {
  q->stage = REQUEST_READ;
  if (q->too_large) request_fail(q, 413, "RestException", "The body is too large");
  else if (dispatch_body(q)) {
    if (q->operation->command) return http_suspend(q, dispatch_command);
    if (q->operation->each) return http_suspend(q, dispatch_each);
    if (dispatch_is_slow(q)) return http_suspend(q, dispatch_slow);
    http_phase(q->connection, PHASE_WORK);
    if (dispatch_read(q) == REQUEST_PARKED) return MHD_YES;
    if (compress_is_slow(q)) return http_suspend(q, dispatch_compress);
  }
  return http_answer(q, mhd);
}

enum MHD_Result http_handle(void *ud, struct MHD_Connection *mhd, const char *url, const char *method, const char *version,
                            const char *data, size_t *size, void **state) {
  request *q = *state;
  (void)ud;
  if (!q) return MHD_NO; /* memory was out when it came */
  switch (q->stage) {
    case REQUEST_NEW: {
      if (!q->method) atomic_fetch_add(&q->server->stats.active, 1);
      enum MHD_Result result = http_head(q, mhd, &(request_line){method, url, version});
      bool on = result == MHD_YES && q->stage == REQUEST_ROUTED && q->connection->phase == PHASE_HEAD;
      return on ? http_admit(q, mhd) : result;
    }
    case REQUEST_ROUTED: return http_admit(q, mhd);
    case REQUEST_ADMITTED: return *size > 0 ? http_body(q, data, size) : http_whole(q, mhd);
    default: /* tasks are not given to a client that has gone meanwhile: http_completed gives them back */
      return q->n_locked > 0 && connection_gone(q->connection) ? MHD_NO : http_answer(q, mhd);
  }
}

void http_completed(void *ud, struct MHD_Connection *mhd, void **state, enum MHD_RequestTerminationCode code) {
  request *q = *state;
  (void)ud;
  (void)mhd;
  *state = NULL;
  if (!q) return;
  connection *c = q->connection;
  if (q->method) atomic_fetch_sub(&q->server->stats.active, 1); /* of one whose head never came whole it was not counted */
  bool delivered = code == MHD_REQUEST_TERMINATED_COMPLETED_OK;
  stats_count(q, delivered);
  request_trace_end(q, delivered);
  answer_end(c);
  if (c->current == q) c->current = NULL;
  c->reused = true;
  http_phase(c, PHASE_HEAD);
  bool unlocks = !delivered && q->n_locked > 0;
  if (unlocks && pool_submit(q->engine->pool, q, dispatch_unlock)) return; /* which frees it */
  request_free(q);
}
