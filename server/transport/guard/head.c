/* What RFC 9112 wants refused and the library reads leniently. */
#include "server/transport/guard/head.h"

#include <string.h>
#include <strings.h>

#include "server/server_internal.h"

/* A head as it is walked. */
typedef struct head {
  size_t bytes;
  unsigned headers, lengths, codings, hosts;
  bool line_feeds, whole_ends; /* lines that end by LF alone, by CR LF */
  const char *end;             /* of the value before, or of the request line */
  const char *coding, *host;
  const char *problem; /* the first one; NULL: none */
} head;

static void head_problem(head *h, const char *problem) {
  if (!h->problem) h->problem = problem;
}

static bool is_token(const char *text) {
  size_t named =
      strspn(text, "!#$%&'*+-.^_`|~0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ");
  return named > 0 && !text[named];
}

/* The library ends texts at a NUL, and does not return lengths. But texts lie in its buffer as
 * they came, line ends overwritten by NULs: behind a whole value come one or two of them and the
 * next header. Else there was a NUL in between, or a line that goes on in the next. A NUL right
 * before a line's end cannot be told, and hides nothing. */
static void head_next_line(head *h, const char *name) {
  bool line_feed = h->end + 1 == name,
       whole = !line_feed && h->end[1] == '\0' && h->end + 2 == name;
  h->line_feeds |= line_feed;
  h->whole_ends |= whole;
  if (!line_feed && !whole) head_problem(h, "a header has a NUL, or goes on in a second line");
}

/* A CR alone is part of a value to the library, and a line's end to others. */
static bool has_control(const char *value) {
  for (const unsigned char *at = (const unsigned char *)value; *at; at++)
    if ((*at < 0x20 && *at != '\t') || *at == 0x7F) return true;
  return false;
}

static enum MHD_Result head_add(void *ud, enum MHD_ValueKind kind, const char *name,
                                size_t name_size, const char *value, size_t value_size) {
  head *h = ud;
  (void)kind;
  if (!value) value = name + name_size;
  head_next_line(h, name);
  h->end = value + value_size;
  h->bytes += name_size + value_size + 4;
  h->headers++;
  if (!is_token(name))
    head_problem(h, "a header's name has a blank or another byte that names must not have");
  if (has_control(value)) head_problem(h, "a header's value has a control character");
  if (strcasecmp(name, MHD_HTTP_HEADER_CONTENT_LENGTH) == 0) h->lengths++;
  else if (strcasecmp(name, MHD_HTTP_HEADER_TRANSFER_ENCODING) == 0)
    h->coding = value, h->codings++;
  else if (strcasecmp(name, MHD_HTTP_HEADER_HOST) == 0) h->host = value, h->hosts++;
  return MHD_YES;
}

/* The library skips blanks, and ends the target at a NUL. */
static void head_check_line(head *h, const char *uri, const request_line *line) {
  bool bounded = line->method + strlen(line->method) + 1 == line->target &&
                 line->target + strlen(uri) + 1 == line->version;
  bool visible = true;
  for (const unsigned char *at = (const unsigned char *)uri; *at; at++)
    visible = visible && *at > 0x20 && *at < 0x7F;
  if (!bounded || !is_token(line->method))
    head_problem(h, "the request line is not METHOD TARGET VERSION, with a blank between");
  else if (!visible || strchr(uri, '#'))
    head_problem(h, "the target has a byte that must be sent as %XX");
}

static void head_check_body(head *h, const char *version) {
  if (h->lengths > 1) head_problem(h, "Content-Length is there twice");
  else if (h->codings > 0 && h->lengths > 0)
    head_problem(h, "Content-Length and Transfer-Encoding contradict each other");
  else if (h->codings > 1) head_problem(h, "Transfer-Encoding is there twice");
  else if (h->coding && strcasecmp(h->coding, "chunked") != 0)
    head_problem(h, "no Transfer-Encoding but \"chunked\" is known");
  else if (h->coding && strcmp(version, MHD_HTTP_VERSION_1_0) == 0)
    head_problem(h, "HTTP/1.0 has no Transfer-Encoding");
}

/* Of what the library took for it: a line that begins with a colon ends it for the library as an
 * empty one does. */
static size_t head_size(struct MHD_Connection *mhd) {
  const union MHD_ConnectionInfo *info =
      MHD_get_connection_info(mhd, MHD_CONNECTION_INFO_REQUEST_HEADER_SIZE);
  return info ? info->header_size : 0;
}

bool head_sound(request *q, struct MHD_Connection *mhd, const request_line *line) {
  head h = {.bytes = strlen(q->uri), .end = line->version + strlen(line->version)};
  head_check_line(&h, q->uri, line);
  MHD_get_connection_values_n(mhd, MHD_HEADER_KIND, head_add, &h);
  if (line->method + head_size(mhd) != h.end + (h.whole_ends ? 4 : 2))
    head_problem(&h, "a line begins with a colon or a NUL, or the last one is not empty");
  if (h.line_feeds && h.whole_ends) head_problem(&h, "some lines end by CR LF, and others by LF");
  if (h.hosts != 1) head_problem(&h, "there must be one header Host");
  else if (strcspn(h.host, " \t,/\\@?#") != strlen(h.host))
    head_problem(&h, "Host is no name with a port");
  head_check_body(&h, line->version);
  if (h.problem)
    request_fail(q, 400, "RestException", "The request's head is not well formed: %s", h.problem);
  else if (h.bytes > HEAD_BYTES_MAX || h.headers > HEADERS_MAX)
    request_fail(q, 431, "RestException",
                 "The request's headers are too large: at most %d bytes and %d headers",
                 HEAD_BYTES_MAX, HEADERS_MAX);
  if (q->status) q->close = true;
  return !q->status;
}
