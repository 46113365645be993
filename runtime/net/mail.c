/* Mail: a message as MIME, sent by SMTP.
 *
 *   mixed( related( alternative(text, html), inline images ), attachments ), each level only where it has more than one
 *     part.
 *
 * libcurl writes the parts; here they get lines that end in CRLF before they are encoded, and names that mail programs
 * read. One text alone is no multipart message, which libcurl cannot write: that one is written here. */
#include "net/mail.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "base/env.h"
#include "base/error.h"
#include "net/buffer.h"
#include "net/client_internal.h"

typedef struct mail_call {
  transfer base; /* first */
  net_mail_done done;
  void *ud;
  struct curl_slist *headers, *recipients;
  curl_mime *mime;    /* NULL: one text alone, which is `payload` */
  buffer payload;
  size_t sent;
  /* An address is beyond ASCII before its @, which only a server may be told that says SMTPUTF8 (RFC 6531): it does in
   * its answer to our greeting, the last of `greetings`. */
  bool beyond_ascii, says_utf8, unfit;
  int greetings, answered;
} mail_call;

static void mail_destroy(transfer *t) {
  mail_call *m = (mail_call *)t;
  const orr_allocator allocator = t->client->allocator;
  curl.slist_free_all(m->headers);
  curl.slist_free_all(m->recipients);
  curl.mime_free(m->mime);
  buffer_free(&allocator, &m->payload);
  env_free(&allocator, m, sizeof *m);
}

static void mail_rang(transfer *t) { (void)t; }

/* What the server's last answer means: 4xx passes, 5xx does not. */
static net_error mail_error_of(const transfer *t, CURLcode code) {
  long status = 0;
  curl.easy_getinfo(t->easy, CURLINFO_RESPONSE_CODE, &status);
  bool refused = code == CURLE_SEND_ERROR || code == CURLE_WEIRD_SERVER_REPLY || code == CURLE_RECV_ERROR ||
                 code == CURLE_QUOTE_ERROR || code == CURLE_LOGIN_DENIED;
  if (refused && status >= 400 && status < 500) return NET_LATER;
  if (code == CURLE_LOGIN_DENIED) return NET_LOGIN;
  return refused && status >= 500 && status < 600 ? NET_REJECTED : net_error_of(code);
}

static void mail_finished(transfer *t, CURLcode code) {
  mail_call *m = (mail_call *)t;
  const char *message = t->problem[0] ? t->problem : curl.easy_strerror(code);
  if (m->unfit) m->done(m->ud, NET_REJECTED, "the server takes no addresses beyond ASCII before their @ (SMTPUTF8)");
  else if (code == CURLE_OK) m->done(m->ud, NET_OK, NULL);
  else m->done(m->ud, mail_error_of(t, code), message);
  transfer_drop(t);
}

/* ---- Parts ----------------------------------------------------------------------------------- */

/* A text's lines end in CRLF; quoted-printable would keep a lone LF as a byte of the text. */
static bool add_lines(buffer *out, const orr_allocator *allocator, net_text text) {
  bool fits = buffer_add(allocator, out, "", 0);
  for (size_t at = 0; fits && at < text.size;) {
    const char *end = memchr(text.bytes + at, '\n', text.size - at);
    size_t size = end ? (size_t)(end - text.bytes) - at : text.size - at;
    size_t kept = end && size > 0 && text.bytes[at + size - 1] == '\r' ? size - 1 : size;
    fits = buffer_add(allocator, out, text.bytes + at, kept) && (!end || buffer_add(allocator, out, "\r\n", 2));
    at += size + (end ? 1 : 0);
  }
  return fits;
}

static void write_type(char *out, size_t size, const char *subtype, const char *charset) {
  snprintf(out, size, "text/%s; charset=%s", subtype, charset);
}

static bool set_part_text(mail_call *m, curl_mimepart *part, net_text text, const char *subtype, const char *charset) {
  const orr_allocator *allocator = &m->base.client->allocator;
  char type[160];
  buffer lines = {0};
  bool fits = add_lines(&lines, allocator, text);
  write_type(type, sizeof type, subtype, charset);
  fits = fits && !curl.mime_data(part, lines.bytes, lines.size) && !curl.mime_type(part, type) &&
         !curl.mime_encoder(part, "quoted-printable");
  buffer_free(allocator, &lines);
  return fits;
}

/* `name`: a parameter with the charset of RFC 2231, so that any name comes through: filename*=UTF-8''caf%C3%A9.pdf */
static bool add_parameter(buffer *line, const orr_allocator *allocator, const char *parameter, const char *name) {
  static const char PLAIN[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~";
  char octet[4];
  bool plain = name[strspn(name, PLAIN)] == '\0';
  bool fits = buffer_add(allocator, line, "; ", 2) && buffer_add(allocator, line, parameter, strlen(parameter)) &&
              (plain ? buffer_add(allocator, line, "=", 1) : buffer_add(allocator, line, "*=UTF-8''", 9));
  for (const char *at = name; fits && *at; at++) {
    if (strchr(PLAIN, *at)) fits = buffer_add(allocator, line, at, 1);
    else fits = snprintf(octet, sizeof octet, "%%%02X", (unsigned char)*at) == 3 && buffer_add(allocator, line, octet, 3);
  }
  return fits;
}

static bool set_attachment(mail_call *m, curl_mimepart *part, const net_attachment *a) {
  const orr_allocator *allocator = &m->base.client->allocator;
  const char *disposition = a->cid ? "Content-Disposition: inline" : "Content-Disposition: attachment";
  char cid[300];
  buffer line = {0};
  bool fits =
      buffer_add(allocator, &line, disposition, strlen(disposition)) && add_parameter(&line, allocator, "filename", a->name);
  struct curl_slist *headers = fits ? curl.slist_append(NULL, line.bytes) : NULL;
  buffer_free(allocator, &line);
  if (headers && a->cid) {
    snprintf(cid, sizeof cid, "Content-ID: <%.250s>", a->cid);
    fits = curl.slist_append(headers, cid);
  }
  fits = fits && headers && !curl.mime_data(part, a->data.bytes, a->data.size) &&
         !curl.mime_type(part, a->type ? a->type : "application/octet-stream") && !curl.mime_encoder(part, "base64");
  if (fits && !curl.mime_headers(part, headers, 1)) return true;
  curl.slist_free_all(headers);
  return false;
}

/* A part of `outer` that holds parts itself; NULL when memory is out. */
static curl_mime *add_inner(mail_call *m, curl_mime *outer, const char *type) {
  curl_mimepart *part = curl.mime_addpart(outer);
  curl_mime *inner = part ? curl.mime_init(m->base.easy) : NULL;
  if (!inner) return NULL;
  if (!curl.mime_subparts(part, inner)) return curl.mime_type(part, type) ? NULL : inner;
  curl.mime_free(inner);
  return NULL;
}

/* `inside`: the level around holds more than the texts. */
static bool add_texts(mail_call *m, curl_mime *outer, const net_mail_message *from, bool inside) {
  bool both = from->text.bytes && from->html.bytes && inside;
  curl_mime *into = both ? add_inner(m, outer, "multipart/alternative") : outer;
  curl_mimepart *part = NULL;
  if (!into) return false;
  if (from->text.bytes && (!(part = curl.mime_addpart(into)) || !set_part_text(m, part, from->text, "plain", from->charset)))
    return false;
  if (!from->html.bytes) return true;
  return (part = curl.mime_addpart(into)) && set_part_text(m, part, from->html, "html", from->charset);
}

static bool add_attachments(mail_call *m, curl_mime *into, const net_mail_message *from, bool inlined) {
  for (size_t i = 0; i < from->attachment_count; i++) {
    const net_attachment *a = &from->attachments[i];
    if (!a->cid == inlined) continue;
    curl_mimepart *part = curl.mime_addpart(into);
    if (!part || !set_attachment(m, part, a)) return false;
  }
  return true;
}

static size_t count_inlined(const net_mail_message *from) {
  size_t count = 0;
  for (size_t i = 0; i < from->attachment_count; i++) count += from->attachments[i].cid ? 1 : 0;
  return count;
}

/* The outermost level is the message's own, whose type is a header. */
static bool add_outer(mail_call *m, const char *type) {
  struct curl_slist *longer = curl.slist_append(m->headers, type);
  if (longer) m->headers = longer;
  m->mime = longer ? curl.mime_init(m->base.easy) : NULL;
  return m->mime;
}

static int set_mail_parts(mail_call *m, const net_mail_message *from, orr_error *err) {
  size_t inlined = count_inlined(from);
  bool mixed = from->attachment_count > inlined;
  bool fits = add_outer(m, mixed     ? "Content-Type: multipart/mixed"
                           : inlined ? "Content-Type: multipart/related"
                                     : "Content-Type: multipart/alternative");
  curl_mime *body = fits && mixed && inlined ? add_inner(m, m->mime, "multipart/related") : m->mime;
  fits = fits && body && add_texts(m, body, from, mixed || inlined) && add_attachments(m, body, from, true) &&
         add_attachments(m, m->mime, from, false);
  return fits ? 0 : error_memory(err);
}

/* ---- One text alone -------------------------------------------------------------------------- */

enum { QUOTED_LINE_MAX = 76 };

static bool is_plain_octet(const char *at, const char *end) {
  if (*at == ' ' || *at == '\t') return at + 1 < end && at[1] != '\r'; /* blanks at the end of a line would be lost */
  return *at > 32 && *at < 127 && *at != '=';
}

/* Quoted-printable (RFC 2045); line ends stay. */
static bool add_quoted(buffer *out, const orr_allocator *allocator, const char *at, const char *end) {
  size_t length = 0;
  bool fits = true;
  for (; fits && at < end; at++) {
    char octet[4];
    bool line_end = *at == '\r' && at + 1 < end && at[1] == '\n';
    bool plain = is_plain_octet(at, end);
    size_t size = plain ? 1 : 3;
    if (!line_end && length + size > QUOTED_LINE_MAX - 1) {
      fits = buffer_add(allocator, out, "=\r\n", 3);
      length = 0;
    }
    if (line_end) {
      fits = fits && buffer_add(allocator, out, "\r\n", 2);
      length = 0;
      at++;
      continue;
    }
    snprintf(octet, sizeof octet, plain ? "%c" : "=%02X", (unsigned char)*at);
    fits = fits && buffer_add(allocator, out, octet, size);
    length += size;
  }
  return fits;
}

static int set_single_part(mail_call *m, const net_mail_message *from, orr_error *err) {
  const orr_allocator *allocator = &m->base.client->allocator;
  char type[160], head[400];
  buffer lines = {0};
  bool fits = add_lines(&lines, allocator, from->text.bytes ? from->text : from->html);
  write_type(type, sizeof type, from->text.bytes ? "plain" : "html", from->charset);
  snprintf(head, sizeof head, "MIME-Version: 1.0\r\nContent-Type: %s\r\nContent-Transfer-Encoding: quoted-printable\r\n\r\n",
           type);
  for (size_t i = 0; fits && i < from->header_count; i++)
    fits = buffer_add(allocator, &m->payload, from->headers[i], strlen(from->headers[i])) &&
           buffer_add(allocator, &m->payload, "\r\n", 2);
  fits = fits && buffer_add(allocator, &m->payload, head, strlen(head)) &&
         add_quoted(&m->payload, allocator, lines.bytes, lines.bytes + lines.size) &&
         buffer_add(allocator, &m->payload, "\r\n", 2);
  buffer_free(allocator, &lines);
  return fits ? 0 : error_memory(err);
}

static size_t on_mail_read(char *out, size_t one, size_t room, void *ud) {
  mail_call *m = ud;
  size_t left = m->payload.size - m->sent, size = left < room * one ? left : room * one;
  if (size > 0) memcpy(out, m->payload.bytes + m->sent, size);
  m->sent += size;
  return size;
}

static CURLcode set_payload(mail_call *m) {
  CURL *easy = m->base.easy;
  if (m->mime) {
    CURLcode rc = curl.easy_setopt(easy, CURLOPT_HTTPHEADER, m->headers);
    return rc ? rc : curl.easy_setopt(easy, CURLOPT_MIMEPOST, m->mime);
  }
  CURLcode rc = curl.easy_setopt(easy, CURLOPT_UPLOAD, 1L);
  if (!rc) rc = curl.easy_setopt(easy, CURLOPT_INFILESIZE_LARGE, (curl_off_t)m->payload.size);
  if (!rc) rc = curl.easy_setopt(easy, CURLOPT_READFUNCTION, on_mail_read);
  return rc ? rc : curl.easy_setopt(easy, CURLOPT_READDATA, m);
}

/* ---- Sending --------------------------------------------------------------------------------- */

static bool append_line(struct curl_slist **list, const char *line) {
  struct curl_slist *longer = curl.slist_append(*list, line);
  if (longer) *list = longer;
  return longer;
}

static int set_lists(mail_call *m, const net_mail_message *from, orr_error *err) {
  bool fits = true;
  for (size_t i = 0; fits && i < from->header_count; i++) fits = append_line(&m->headers, from->headers[i]);
  for (size_t i = 0; fits && i < from->recipient_count; i++) fits = append_line(&m->recipients, from->recipients[i]);
  return fits ? 0 : error_memory(err);
}

static bool in_ascii(const char *text) {
  while (*text && !(*text & 0x80)) text++;
  return !*text;
}

static bool all_ascii(const net_mail_message *from) {
  bool all = in_ascii(from->from);
  for (size_t i = 0; all && i < from->recipient_count; i++) all = in_ascii(from->recipients[i]);
  return all;
}

/* Each line that the server answers with. The transfer ends where the greeting is answered without SMTPUTF8. */
static size_t on_mail_answer(char *line, size_t one, size_t n, void *ud) {
  mail_call *m = ud;
  size_t size = one * n;
  if (m->answered == m->greetings || size < 4 || strncmp(line, "250", 3)) return size;
  if (size >= 12 && !strncasecmp(line + 4, "SMTPUTF8", 8)) m->says_utf8 = true;
  if (line[3] == '-') return size;
  m->unfit = ++m->answered == m->greetings && !m->says_utf8;
  if (m->answered < m->greetings) m->says_utf8 = false;
  return m->unfit ? 0 : size;
}

/* A connection that is kept has been greeted long since. */
static CURLcode watch_answers(mail_call *m) {
  CURL *easy = m->base.easy;
  CURLcode rc = curl.easy_setopt(easy, CURLOPT_FRESH_CONNECT, 1L);
  if (!rc) rc = curl.easy_setopt(easy, CURLOPT_HEADERFUNCTION, on_mail_answer);
  return rc ? rc : curl.easy_setopt(easy, CURLOPT_HEADERDATA, m);
}

static CURLcode set_login(CURL *easy, const net_mail_message *from) {
  CURLcode rc = CURLE_OK;
  if (from->user) rc = curl.easy_setopt(easy, CURLOPT_USERNAME, from->user);
  if (!rc && from->bearer) rc = curl.easy_setopt(easy, CURLOPT_XOAUTH2_BEARER, from->bearer);
  else if (!rc && from->password) rc = curl.easy_setopt(easy, CURLOPT_PASSWORD, from->password);
  return rc;
}

static CURLcode set_message(mail_call *m, const net_mail_message *from) {
  CURL *easy = m->base.easy;
  char url[400];
  const char *scheme = from->tls == NET_MAIL_IMPLICIT ? "smtps" : "smtp";
  const char *format = strchr(from->host, ':') ? "%s://[%.255s]:%d" : "%s://%.255s:%d";
  snprintf(url, sizeof url, format, scheme, from->host, from->port);
  CURLcode rc = transfer_set_common(&m->base, from->connect_ms, from->total_ms);
  if (!rc) rc = curl.easy_setopt(easy, CURLOPT_URL, url);
  if (!rc) rc = curl.easy_setopt(easy, CURLOPT_PROTOCOLS_STR, "smtp,smtps");
  if (!rc) rc = curl.easy_setopt(easy, CURLOPT_PROXY, "");
  /* Required: a server that does not offer it gets nothing, no password and no message. */
  if (!rc) rc = curl.easy_setopt(easy, CURLOPT_USE_SSL, (long)(from->tls == NET_MAIL_PLAIN ? CURLUSESSL_NONE : CURLUSESSL_ALL));
  if (!rc) rc = set_login(easy, from);
  if (!rc) rc = curl.easy_setopt(easy, CURLOPT_MAIL_FROM, from->from);
  if (!rc) rc = curl.easy_setopt(easy, CURLOPT_MAIL_RCPT, m->recipients);
  if (!rc && m->beyond_ascii) rc = watch_answers(m);
  return rc ? rc : set_payload(m);
}

net_call *net_mail(net_client *client, const net_mail_message *message, net_mail_done done, void *ud, orr_error *err) {
  mail_call *m = env_zalloc(&client->allocator, sizeof *m);
  if (!m) {
    error_memory(err);
    return NULL;
  }
  *m = (mail_call){.base = {.rang = mail_rang, .finished = mail_finished, .destroy = mail_destroy}, .done = done, .ud = ud};
  m->beyond_ascii = !all_ascii(message);
  m->greetings = message->tls == NET_MAIL_STARTTLS ? 2 : 1;
  int rc = transfer_init(&m->base, client, err);
  if (!rc) rc = set_lists(m, message, err);
  bool single = !message->attachment_count && !(message->text.bytes && message->html.bytes);
  if (!rc) rc = single ? set_single_part(m, message, err) : set_mail_parts(m, message, err);
  if (!rc && set_message(m, message)) rc = error_memory(err);
  if (!rc) rc = transfer_start(&m->base, err);
  if (!rc) return &m->base.base;
  transfer_drop(&m->base);
  return NULL;
}
