/* HTTP: one request, its redirects and its repetitions, as one call.
 *
 *   attempt -> libcurl -> finished -> the answer
 *      ^                     |
 *      +---- another hop, or another try after a pause
 *
 * Redirects are followed here and not by libcurl, so that each hop passes the guard, also behind a proxy, and so that
 * nothing secret goes to another host. Only methods that may be repeated are: POST and PATCH go out once, whatever breaks. */
#include "net/http.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "net/buffer.h"
#include "net/retry_after.h"
#include "net/client_internal.h"
#include "base/env.h"
#include "base/error.h"
#include "base/limits.h"

typedef struct http_call {
  transfer base; /* first */
  net_http_done done;
  void *ud;
  char *method, *url, *user, *password;
  struct curl_slist *headers;
  struct curl_slist *own_headers;       /* the tail of `headers` that is for the first host alone; NULL: none left */
  buffer payload;
  size_t sent;                          /* of the payload, for what may go out once only */
  bool has_body, secret_url;
  curl_mime *mime;
  char host[ORR_NET_HOST_BYTES_MAX + 1]; /* of this hop */
  int port;
  bool encrypted;
  int64_t connect_ms, stall_ms, total_ms, body_max;
  uint64_t began_ms, active_ms;         /* by the loop's clock */
  curl_off_t moved;                     /* bytes, either way, when it was last active */
  int hops_left, hops_max, retries_left, retries;
  bool pausing;
  char protocol[16], reason[128];
  buffer head, body;
  net_error refused;                    /* by us; `why` says more */
  char why[400];
} http_call;

static const orr_allocator *allocator_of(const http_call *h) { return &h->base.client->allocator; }

/* ---- Ending ---------------------------------------------------------------------------------- */

static void http_free_text(const http_call *h, char *text) {
  if (text) env_free(allocator_of(h), text, strlen(text) + 1);
}

static void http_destroy(transfer *t) {
  http_call *h = (http_call *)t;
  const orr_allocator allocator = t->client->allocator;
  http_free_text(h, h->method);
  http_free_text(h, h->url);
  http_free_text(h, h->user);
  http_free_text(h, h->password);
  curl.slist_free_all(h->headers);
  curl.mime_free(h->mime);
  buffer_free(&allocator, &h->payload);
  buffer_free(&allocator, &h->head);
  buffer_free(&allocator, &h->body);
  env_free(&allocator, h, sizeof *h);
}

/* "GET http://host:80/path: what happened". No query and no password: those may be secret. */
static void fail(http_call *h, net_error error, const char *why) {
  char message[ORR_ERROR_MESSAGE_MAX];
  char *path = NULL;
  CURLU *url = curl.url();
  if (url && !h->secret_url && curl.url_set(url, CURLUPART_URL, h->url, 0) == CURLUE_OK)
    curl.url_get(url, CURLUPART_PATH, &path, 0);
  const char *scheme = h->encrypted ? "https" : "http";
  if (h->secret_url) snprintf(message, sizeof message, "%s ***: %s", h->method, why);
  else snprintf(message, sizeof message, "%s %s://%s:%d%.300s: %s", h->method, scheme, h->host, h->port, path ? path : "", why);
  curl.free(path);
  curl.url_cleanup(url);
  h->done(h->ud, NULL, error, message);
  transfer_drop(&h->base);
}

static void answer(http_call *h, long status) {
  net_http_response response = {
    .status = (int)status, .protocol = h->protocol, .reason = h->reason, .headers = buffer_text(&h->head),
    .body = buffer_text(&h->body), .url = h->url, .retry_after_ms = retry_after_ms(buffer_text(&h->head))};
  h->done(h->ud, &response, NET_OK, NULL);
  transfer_drop(&h->base);
}

/* ---- What libcurl calls ---------------------------------------------------------------------- */

static bool refuse(http_call *h, net_error error, const char *format, int64_t bound) {
  h->refused = error;
  snprintf(h->why, sizeof h->why, format, bound);
  return false;
}

static void keep_active(http_call *h) { h->active_ms = uv_now(h->base.client->loop); }

/* "HTTP/1.1 404 Not Found": what came before belongs to an answer such as 100 Continue. */
static void read_status_line(http_call *h, const char *line, size_t size) {
  size_t space = 0;
  while (space < size && line[space] != ' ') space++;
  snprintf(h->protocol, sizeof h->protocol, "%.*s", (int)space, line);
  while (space < size && (line[space] == ' ' || isdigit((unsigned char)line[space]))) space++;
  while (size > space && isspace((unsigned char)line[size - 1])) size--;
  snprintf(h->reason, sizeof h->reason, "%.*s", (int)(size - space), line + space);
  h->head.size = 0;
}

static size_t on_header(char *line, size_t one, size_t size, void *ud) {
  http_call *h = ud;
  (void)one;
  keep_active(h);
  if (size >= 5 && strncmp(line, "HTTP/", 5) == 0) {
    read_status_line(h, line, size);
    return size;
  }
  size_t length = size;
  while (length > 0 && (line[length - 1] == '\r' || line[length - 1] == '\n')) length--;
  if (length == 0) return size;
  if (h->head.size + length > ORR_NET_HEADERS_BYTES_MAX) {
    refuse(h, NET_LIMIT, "the answer's headers are larger than %" PRId64 " bytes", ORR_NET_HEADERS_BYTES_MAX);
    return 0;
  }
  bool fits = buffer_add(allocator_of(h), &h->head, line, length) && buffer_add(allocator_of(h), &h->head, "\n", 1);
  return fits || refuse(h, NET_MEMORY, "out of memory", 0) ? size : 0;
}

static size_t on_body(char *bytes, size_t one, size_t size, void *ud) {
  http_call *h = ud;
  (void)one;
  keep_active(h);
  if ((int64_t)(h->body.size + size) > h->body_max) {
    refuse(h, NET_LIMIT, "the answer's body is larger than %" PRId64 " bytes; the option http.body_max sets the bound",
           h->body_max);
    return 0;
  }
  return buffer_add(allocator_of(h), &h->body, bytes, size) || refuse(h, NET_MEMORY, "out of memory", 0) ? size : 0;
}

static size_t on_read(char *out, size_t one, size_t room, void *ud) {
  http_call *h = ud;
  size_t left = h->payload.size - h->sent, size = left < room * one ? left : room * one;
  if (size > 0) memcpy(out, h->payload.bytes + h->sent, size);
  h->sent += size;
  return size;
}

static int on_progress(void *ud, curl_off_t down_total, curl_off_t down, curl_off_t up_total, curl_off_t up) {
  http_call *h = ud;
  (void)down_total, (void)up_total;
  if (down + up != h->moved) keep_active(h);
  h->moved = down + up;
  return 0;
}

static bool denied(http_call *h, address_guard_verdict verdict) {
  if (verdict == GUARD_FINE) return false;
  h->refused = NET_DENIED;
  address_guard_explain(verdict, h->host, h->port, h->why, sizeof h->why);
  return true;
}

static curl_socket_t on_open_socket(void *ud, curlsocktype purpose, struct curl_sockaddr *a) {
  http_call *h = ud;
  (void)purpose;
  if (denied(h, address_guard_of_address(h->base.client->guard, &a->addr, h->host, h->port)))
    return CURL_SOCKET_BAD;
  return socket(a->family, a->socktype | SOCK_CLOEXEC, a->protocol);
}

/* The proxy is the host program's own choice. */
static curl_socket_t on_open_proxy_socket(void *ud, curlsocktype purpose, struct curl_sockaddr *a) {
  (void)ud, (void)purpose;
  return socket(a->family, a->socktype | SOCK_CLOEXEC, a->protocol);
}

/* ---- An attempt ------------------------------------------------------------------------------ */

static bool repeatable(const http_call *h) { return strcmp(h->method, "POST") != 0 && strcmp(h->method, "PATCH") != 0; }

/* Takes the URL apart and normalizes it; false with `why` filled. */
static bool read_url(http_call *h, const char *text, char **normal) {
  char *scheme = NULL, *host = NULL, *port = NULL;
  CURLU *url = curl.url();
  *normal = NULL;
  bool fine = url && curl.url_set(url, CURLUPART_URL, text, CURLU_URLENCODE) == CURLUE_OK &&
              curl.url_get(url, CURLUPART_SCHEME, &scheme, 0) == CURLUE_OK &&
              curl.url_get(url, CURLUPART_HOST, &host, 0) == CURLUE_OK &&
              curl.url_get(url, CURLUPART_PORT, &port, CURLU_DEFAULT_PORT) == CURLUE_OK &&
              curl.url_get(url, CURLUPART_URL, normal, 0) == CURLUE_OK;
  fine = fine && (strcmp(scheme, "http") == 0 || strcmp(scheme, "https") == 0) && strlen(host) <= ORR_NET_HOST_BYTES_MAX;
  if (fine) {
    size_t size = strlen(host);
    bool brackets = host[0] == '[' && host[size - 1] == ']';
    snprintf(h->host, sizeof h->host, "%.*s", (int)(brackets ? size - 2 : size), brackets ? host + 1 : host);
    h->port = atoi(port);
    h->encrypted = strcmp(scheme, "https") == 0;
  }
  curl.free(scheme);
  curl.free(host);
  curl.free(port);
  curl.url_cleanup(url);
  return fine;
}

static bool set_url(http_call *h, const char *text, orr_error *err) {
  char *normal;
  bool fine = read_url(h, text, &normal);
  char *copy = fine ? env_strdup(allocator_of(h), normal) : NULL;
  curl.free(normal);
  if (copy) {
    http_free_text(h, h->url);
    h->url = copy;
    return true;
  }
  if (fine) error_memory(err);
  else error_set(err, ORR_E_ARGUMENT, "\"%.300s\" is no URL of http or https", h->secret_url ? "***" : text);
  return false;
}

static CURLcode set_way(http_call *h) {
  const net_client *c = h->base.client;
  CURL *easy = h->base.easy;
  bool proxied = c->proxy && !address_guard_list_has(c->no_proxy, h->host);
  if (proxied) (void)denied(h, address_guard_of_proxied(c->guard, h->host, h->port));
  CURLcode rc = curl.easy_setopt(easy, CURLOPT_PROXY, proxied ? c->proxy : "");
  if (!rc) rc = curl.easy_setopt(easy, CURLOPT_NOPROXY, "");
  if (!rc) rc = curl.easy_setopt(easy, CURLOPT_OPENSOCKETFUNCTION, proxied ? on_open_proxy_socket : on_open_socket);
  return rc ? rc : curl.easy_setopt(easy, CURLOPT_OPENSOCKETDATA, h);
}

/* libcurl repeats by itself what a connection that it kept did not answer; what may go out once gets a body that it cannot
 * rewind, or a connection of its own. */
static CURLcode set_body(http_call *h) {
  CURL *easy = h->base.easy;
  h->sent = 0;
  bool fresh = repeatable(h) ? h->retries_left == 0 || h->retries_left < h->retries : !h->has_body || h->mime;
  CURLcode rc = curl.easy_setopt(easy, CURLOPT_FRESH_CONNECT, fresh ? 1L : 0L);
  if (rc) return rc;
  if (h->mime) return curl.easy_setopt(easy, CURLOPT_MIMEPOST, h->mime);
  bool empty_post = !h->has_body && (!repeatable(h) || strcmp(h->method, "PUT") == 0);
  if (!h->has_body && !empty_post) return curl.easy_setopt(easy, CURLOPT_HTTPGET, 1L);
  rc = curl.easy_setopt(easy, CURLOPT_POSTFIELDSIZE_LARGE, (curl_off_t)h->payload.size);
  if (!rc) rc = curl.easy_setopt(easy, CURLOPT_POST, 1L);
  if (rc || repeatable(h) || !h->payload.size)
    return rc ? rc : curl.easy_setopt(easy, CURLOPT_POSTFIELDS, buffer_text(&h->payload).bytes);
  rc = curl.easy_setopt(easy, CURLOPT_POSTFIELDS, NULL);
  if (!rc) rc = curl.easy_setopt(easy, CURLOPT_READFUNCTION, on_read);
  return rc ? rc : curl.easy_setopt(easy, CURLOPT_READDATA, h);
}

static CURLcode set_request(http_call *h, int64_t left_ms) {
  CURL *easy = h->base.easy;
  CURLcode rc = transfer_set_common(&h->base, h->connect_ms, left_ms);
  if (!rc) rc = curl.easy_setopt(easy, CURLOPT_URL, h->url);
  if (!rc) rc = curl.easy_setopt(easy, CURLOPT_PROTOCOLS_STR, "http,https");
  if (!rc) rc = set_body(h);
  if (!rc) rc = curl.easy_setopt(easy, CURLOPT_NOBODY, strcmp(h->method, "HEAD") == 0 ? 1L : 0L);
  if (!rc) rc = curl.easy_setopt(easy, CURLOPT_CUSTOMREQUEST, h->method);
  if (!rc) rc = curl.easy_setopt(easy, CURLOPT_HTTPHEADER, h->headers);
  if (!rc) rc = curl.easy_setopt(easy, CURLOPT_ACCEPT_ENCODING, "");
  if (!rc) rc = curl.easy_setopt(easy, CURLOPT_USERAGENT, "Orrery/" ORR_VERSION);
  if (!rc) rc = curl.easy_setopt(easy, CURLOPT_USERNAME, h->user);
  if (!rc) rc = curl.easy_setopt(easy, CURLOPT_PASSWORD, h->password);
  if (!rc) rc = curl.easy_setopt(easy, CURLOPT_HEADERFUNCTION, on_header);
  if (!rc) rc = curl.easy_setopt(easy, CURLOPT_HEADERDATA, h);
  if (!rc) rc = curl.easy_setopt(easy, CURLOPT_WRITEFUNCTION, on_body);
  if (!rc) rc = curl.easy_setopt(easy, CURLOPT_WRITEDATA, h);
  if (!rc) rc = curl.easy_setopt(easy, CURLOPT_MAXFILESIZE_LARGE, (curl_off_t)h->body_max);
  if (!rc) rc = curl.easy_setopt(easy, CURLOPT_XFERINFOFUNCTION, on_progress);
  if (!rc) rc = curl.easy_setopt(easy, CURLOPT_XFERINFODATA, h);
  if (!rc) rc = curl.easy_setopt(easy, CURLOPT_NOPROGRESS, 0L);
  return rc ? rc : set_way(h);
}

static int http_attempt(http_call *h, orr_error *err) {
  int64_t left_ms = 0;
  h->head.size = h->body.size = 0;
  h->moved = 0;
  h->refused = NET_OK;
  h->pausing = false;
  if (h->total_ms > 0) {
    left_ms = h->total_ms - (int64_t)(uv_now(h->base.client->loop) - h->began_ms);
    if (left_ms <= 0) left_ms = 1; /* libcurl finds out at once */
  }
  if (set_request(h, left_ms)) return error_memory(err);
  keep_active(h);
  transfer_alarm(&h->base, h->refused != NET_OK ? 0 : h->stall_ms > 0 ? h->stall_ms : INT32_MAX);
  return h->refused != NET_OK ? 0 : transfer_start(&h->base, err);
}

static void try_again(http_call *h) {
  if (http_attempt(h, NULL)) fail(h, NET_MEMORY, "out of memory");
}

static void fail_refused(http_call *h) {
  char why[sizeof h->why];
  memcpy(why, h->why, sizeof why);
  fail(h, h->refused, why);
}

/* The alarm: a pause is over, the guard refused before anything was opened, or nothing has moved for too long. */
static void http_rang(transfer *t) {
  http_call *h = (http_call *)t;
  if (h->pausing) {
    try_again(h);
    return;
  }
  if (h->refused != NET_OK) {
    fail_refused(h);
    return;
  }
  curl_off_t connected = 0;
  curl.easy_getinfo(t->easy, CURLINFO_PRETRANSFER_TIME_T, &connected);
  int64_t idle = (int64_t)(uv_now(t->client->loop) - h->active_ms);
  if (connected == 0) idle = 0; /* it waits for a connection, which has bounds of its own */
  if (h->stall_ms == 0) {
    transfer_alarm(t, INT32_MAX);
  } else if (idle >= h->stall_ms) {
    refuse(h, NET_TIMEOUT, "the server was silent for %" PRId64 " ms", h->stall_ms);
    fail_refused(h);
  } else {
    transfer_alarm(t, h->stall_ms - idle);
  }
}

/* ---- After an attempt ------------------------------------------------------------------------ */

static bool header_is(const char *line, const char *name) {
  size_t size = strlen(name);
  return strncasecmp(line, name, size) == 0 && line[size] == ':';
}

/* Takes headers out of the list: those of the body, or those for the first host alone. */
static void drop_headers(http_call *h, bool of_body) {
  static const char *const BODY[] = {"content-type", "content-length", "content-encoding"};
  static const char *const HOST[] = {"authorization", "cookie", "proxy-authorization"};
  bool own = false;
  for (struct curl_slist **at = &h->headers; *at;) {
    struct curl_slist *entry = *at;
    own = own || entry == h->own_headers;
    bool gone = own && !of_body;
    const char *const *names = of_body ? BODY : HOST;
    for (size_t i = 0; i < 3; i++) gone = gone || header_is(entry->data, names[i]);
    if (!gone) {
      at = &entry->next;
      continue;
    }
    if (entry == h->own_headers && of_body) h->own_headers = entry->next;
    *at = entry->next;
    entry->next = NULL;
    curl.slist_free_all(entry);
  }
  if (!of_body) h->own_headers = NULL;
}

static void drop_body(http_call *h) {
  h->has_body = false;
  h->payload.size = 0;
  curl.mime_free(h->mime);
  h->mime = NULL;
  drop_headers(h, true);
}

static bool follow(http_call *h, long status, const char *where) {
  char host[sizeof h->host];
  int port = h->port;
  bool encrypted = h->encrypted, post = strcmp(h->method, "POST") == 0;
  memcpy(host, h->host, sizeof host);
  if (!set_url(h, where, NULL)) {
    fail(h, NET_PROTOCOL, "it redirects to what is no URL of http or https");
    return true;
  }
  if (strcasecmp(host, h->host) != 0 || port != h->port || encrypted != h->encrypted) {
    drop_headers(h, false);
    http_free_text(h, h->user);
    http_free_text(h, h->password);
    h->user = h->password = NULL;
  }
  if ((status == 303 && strcmp(h->method, "HEAD") != 0) || (post && (status == 301 || status == 302))) {
    drop_body(h);
    snprintf(h->method, 4, "GET"); /* POST, PUT, … have room for it */
  }
  try_again(h);
  return true;
}

static bool redirected(http_call *h, long status) {
  char *where = NULL;
  if (h->hops_max == 0 || status < 300 || status > 308 || status == 304) return false;
  curl.easy_getinfo(h->base.easy, CURLINFO_REDIRECT_URL, &where);
  if (!where) return false;
  if (h->hops_left-- == 0) {
    refuse(h, NET_LIMIT, "more than %" PRId64 " redirects", h->hops_max);
    fail_refused(h);
    return true;
  }
  return follow(h, status, where);
}

static bool pause_for(http_call *h, int64_t ms) {
  if (!repeatable(h) || h->retries_left == 0) return false;
  if (h->total_ms > 0 && (int64_t)(uv_now(h->base.client->loop) - h->began_ms) + ms >= h->total_ms) return false;
  h->retries_left--;
  h->pausing = true;
  transfer_alarm(&h->base, ms);
  return true;
}

/* The server said when: soon. */
static bool asked_to_wait(http_call *h, long status) {
  int64_t ms = status == 429 || status == 503 ? retry_after_ms(buffer_text(&h->head)) : -1;
  return ms >= 0 && ms <= ORR_NET_RETRY_AFTER_MS_MAX && pause_for(h, ms);
}

/* The connection broke before anything of an answer came. */
static bool broke_early(http_call *h, CURLcode code) {
  bool broke = code == CURLE_GOT_NOTHING || code == CURLE_RECV_ERROR || code == CURLE_SEND_ERROR;
  int tried = h->retries - h->retries_left;
  return broke && h->head.size == 0 && h->body.size == 0 && pause_for(h, ORR_NET_RETRY_PAUSE_MS << (tried < 6 ? tried : 6));
}

static void http_finished(transfer *t, CURLcode code) {
  http_call *h = (http_call *)t;
  long status = 0;
  if (code != CURLE_OK && h->refused != NET_OK) {
    fail_refused(h);
    return;
  }
  if (code != CURLE_OK) {
    char problem[CURL_ERROR_SIZE];
    if (broke_early(h, code)) return;
    snprintf(problem, sizeof problem, "%s", t->problem[0] && !h->secret_url ? t->problem : curl.easy_strerror(code));
    fail(h, net_error_of(code), problem);
    return;
  }
  curl.easy_getinfo(t->easy, CURLINFO_RESPONSE_CODE, &status);
  if (!redirected(h, status) && !asked_to_wait(h, status)) answer(h, status);
}

/* ---- Starting -------------------------------------------------------------------------------- */

static bool add_header(http_call *h, const char *line) {
  struct curl_slist *longer = curl.slist_append(h->headers, line);
  if (longer) h->headers = longer;
  return longer;
}

static const struct curl_slist *last_header(const http_call *h) {
  const struct curl_slist *at = h->headers;
  while (at && at->next) at = at->next;
  return at;
}

static bool has_header(const net_http_request *r, const char *name) {
  for (size_t i = 0; i < r->header_count; i++)
    if (header_is(r->headers[i], name)) return true;
  return false;
}

/* A line with a line's end inside would be another header, or another request. */
static int check_line(const char *line, bool secret, orr_error *err) {
  size_t name = strcspn(line, ":");
  if (line[name] != ':' || name == 0 || strcspn(line, " \t\r\n") < name) {
    return error_set(err, ORR_E_ARGUMENT, "a header is \"Name: value\", which \"%.*s\" is not",
                     secret ? 3 : (int)(name < 60 ? name : 60), secret ? "***" : line);
  }
  if (line[strcspn(line, "\r\n")] == '\0') return 0;
  return error_set(err, ORR_E_ARGUMENT, "the header \"%.*s\" has a line's end in its value", (int)name, line);
}

/* "Name:" alone would take the header out; an empty value is spelled "Name;" for libcurl. */
static int add_line(http_call *h, const char *line, orr_error *err) {
  size_t name = strcspn(line, ":");
  if (line[name + 1 + strspn(line + name + 1, " \t")] != '\0') return add_header(h, line) ? 0 : error_memory(err);
  char empty[256];
  if (name >= sizeof empty - 1)
    return error_set(err, ORR_E_ARGUMENT, "a header's name is longer than %zu bytes", sizeof empty - 2);
  snprintf(empty, sizeof empty, "%.*s;", (int)name, line);
  return add_header(h, empty) ? 0 : error_memory(err);
}

static int set_headers(http_call *h, const net_http_request *r, orr_error *err) {
  int rc = 0;
  for (size_t i = 0; !rc && i < r->header_count; i++) {
    rc = check_line(r->headers[i], i >= r->header_count - r->secret_count, err);
    if (!rc) rc = add_line(h, r->headers[i], err);
    if (!rc && i == r->header_count - r->secret_count) h->own_headers = (struct curl_slist *)(uintptr_t)last_header(h);
  }
  /* libcurl's own additions: a type for every body, and a question before long ones. */
  if (!rc && !has_header(r, "content-type") && !r->part_count && !add_header(h, "Content-Type:")) rc = error_memory(err);
  if (!rc && !has_header(r, "expect") && !add_header(h, "Expect:")) rc = error_memory(err);
  return rc;
}

static int set_form_parts(http_call *h, const net_http_request *r, orr_error *err) {
  h->mime = curl.mime_init(h->base.easy);
  for (size_t i = 0; i < r->part_count; i++) {
    const net_part *from = &r->parts[i];
    curl_mimepart *part = h->mime ? curl.mime_addpart(h->mime) : NULL;
    bool fits = part && !curl.mime_name(part, from->name) && !curl.mime_data(part, from->data.bytes, from->data.size) &&
                !curl.mime_filename(part, from->file_name) && !curl.mime_type(part, from->type);
    if (!fits) return error_memory(err);
  }
  return 0;
}

static int check_method(const char *method, orr_error *err) {
  static const char *const METHODS[] = {"GET", "POST", "PUT", "PATCH", "DELETE", "HEAD", "OPTIONS"};
  for (size_t i = 0; i < sizeof METHODS / sizeof *METHODS; i++)
    if (strcmp(METHODS[i], method) == 0) return 0;
  return error_set(err, ORR_E_ARGUMENT, "\"%.20s\" is no method; there are GET, POST, PUT, PATCH, DELETE, HEAD and OPTIONS",
                   method);
}

static bool copy(http_call *h, char **out, const char *text) {
  if (text) *out = env_strdup(allocator_of(h), text);
  return !text || *out;
}

static int prepare(http_call *h, const net_http_request *r, orr_error *err) {
  if (r->url[strcspn(r->url, "\r\n\t")] != '\0') return error_set(err, ORR_E_ARGUMENT, "the URL has a control character");
  if (!copy(h, &h->method, r->method) || !copy(h, &h->user, r->user) || !copy(h, &h->password, r->password))
    return error_memory(err);
  if (r->has_body && !buffer_add(allocator_of(h), &h->payload, r->body.bytes ? r->body.bytes : "", r->body.size))
    return error_memory(err);
  h->has_body = r->has_body || r->part_count > 0;
  h->secret_url = r->secret_url;
  h->connect_ms = r->connect_ms;
  h->stall_ms = r->stall_ms;
  h->total_ms = r->total_ms;
  h->body_max = r->body_max;
  h->hops_left = h->hops_max = r->redirects_max;
  h->retries_left = h->retries = r->retries;
  uv_update_time(h->base.client->loop); /* the caller may have computed for long since the loop last looked */
  h->began_ms = uv_now(h->base.client->loop);
  int rc = set_url(h, r->url, err) ? 0 : ORR_E_ARGUMENT;
  if (!rc) rc = set_headers(h, r, err);
  return !rc && r->part_count ? set_form_parts(h, r, err) : rc;
}

net_call *net_http(net_client *client, const net_http_request *request, net_http_done done, void *ud, orr_error *err) {
  if (check_method(request->method, err)) return NULL;
  http_call *h = env_zalloc(&client->allocator, sizeof *h);
  if (!h) {
    error_memory(err);
    return NULL;
  }
  *h = (http_call){.base = {.rang = http_rang, .finished = http_finished, .destroy = http_destroy}, .done = done, .ud = ud};
  int rc = transfer_init(&h->base, client, err);
  if (!rc) rc = prepare(h, request, err);
  if (!rc) rc = http_attempt(h, err);
  if (!rc) return &h->base.base;
  transfer_drop(&h->base);
  return NULL;
}
