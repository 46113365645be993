/* Answers that are a file. The user who saved it chose its type and its name, so both are held to what
 * a header may have. */
#include "server/mapping/download.h"

#include <string.h>
#include <strings.h>

enum { TYPE_BYTES_MAX = 200, NAME_BYTES_MAX = 400 };

static const char unknown_type[] = "application/octet-stream";

/* ---- Types ---------------------------------------------------------------------------------- */

/* A character of a token of RFC 9110. */
static bool is_token_character(unsigned char c) {
  return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
         (c && strchr("!#$%&'*+-.^_`|~", c));
}

static size_t token_size(const char *text, size_t size) {
  size_t n = 0;
  while (n < size && is_token_character((unsigned char)text[n])) n++;
  return n;
}

static bool is_charset(const orr_value *text) {
  return text->type == ORR_STRING && text->size > 0 && text->size <= TYPE_BYTES_MAX &&
         token_size(text->as.bytes, text->size) == text->size;
}

/* type/subtype, and parameters of printable ASCII behind it. */
static bool is_media_type(const orr_value *text) {
  if (text->type != ORR_STRING || text->size > TYPE_BYTES_MAX) return false;
  const char *at = text->as.bytes;
  size_t left = text->size, major = token_size(at, left);
  if (major == 0 || major == left || at[major] != '/') return false;
  at += major + 1, left -= major + 1;
  size_t minor = token_size(at, left);
  if (minor == 0) return false;
  for (size_t i = minor; i < left; i++)
    if (at[i] < 0x20 || at[i] > 0x7E) return false;
  size_t blanks = minor;
  while (blanks < left && at[blanks] == ' ') blanks++;
  return blanks == left || at[blanks] == ';';
}

/* What Camunda makes of a resource's name. */
static const char *type_by_name(const orr_value *name) {
  static const char *const types[][2] = {
      {"bpmn", "application/xml"}, {"cmmn", "application/xml"}, {"dmn", "application/xml"},
      {"xml", "application/xml"},  {"json", "application/json"}, {"form", "application/json"},
      {"gif", "image/gif"},        {"jpeg", "image/jpeg"},       {"jpe", "image/jpeg"},
      {"jpg", "image/jpeg"},       {"png", "image/png"},         {"svg", "image/svg+xml"},
      {"tiff", "image/tiff"},      {"tif", "image/tiff"},        {"groovy", "text/plain"},
      {"java", "text/plain"},      {"js", "text/plain"},         {"lua", "text/plain"},
      {"php", "text/plain"},       {"py", "text/plain"},         {"rb", "text/plain"},
      {"html", "text/html"},       {"txt", "text/plain"},
  };
  if (name->type != ORR_STRING) return unknown_type;
  const char *dot = memrchr(name->as.bytes, '.', name->size);
  size_t size = dot ? (size_t)(name->as.bytes + name->size - (dot + 1)) : 0;
  for (size_t i = 0; dot && i < sizeof types / sizeof types[0]; i++)
    if (strlen(types[i][0]) == size && strncasecmp(dot + 1, types[i][0], size) == 0)
      return types[i][1];
  return unknown_type;
}

static const char *download_type(request *q, const download *is, bool by_name) {
  if (!is_media_type(&is->type)) return by_name ? type_by_name(&is->name) : unknown_type;
  const char *type = request_printf(q, "%.*s", (int)is->type.size, is->type.as.bytes);
  if (!type || !is_charset(&is->encoding) || strcasestr(type, "charset=")) return type;
  return request_printf(q, "%s; charset=%.*s", type, (int)is->encoding.size, is->encoding.as.bytes);
}

/* ---- Names ---------------------------------------------------------------------------------- */

/* A file's own name, without its folders, as much of it as a header takes. */
static orr_value base_name(const orr_value *name) {
  if (name->type != ORR_STRING) return orr_string("");
  const char *slash = memrchr(name->as.bytes, '/', name->size), *end = name->as.bytes + name->size;
  const char *at = slash ? slash + 1 : name->as.bytes;
  size_t size = (size_t)(end - at);
  if (size > NAME_BYTES_MAX)
    for (size = NAME_BYTES_MAX; size > 0 && ((unsigned char)at[size] & 0xC0) == 0x80;) size--;
  return orr_bytes(at, size);
}

/* For programs that know no filename*: what is not ASCII, or could end the quotes, is replaced. */
static void put_plain_name(json_out *out, const orr_value *name) {
  for (size_t i = 0; i < name->size; i++) {
    unsigned char c = (unsigned char)name->as.bytes[i];
    if ((c & 0xC0) == 0x80) continue; /* of a character that has been replaced */
    out_raw(out, c < 0x20 || c > 0x7E || strchr("\"\\;/%", c) ? "_" : (const char *)&c, 1);
  }
}

/* RFC 8187: what is no character of an attribute is %XX. */
static void put_whole_name(json_out *out, const orr_value *name) {
  for (size_t i = 0; i < name->size; i++) {
    unsigned char c = (unsigned char)name->as.bytes[i];
    if (is_token_character(c) && !strchr("*'%", c)) out_raw(out, (const char *)&c, 1);
    else out_rawf(out, "%%%02X", c);
  }
}

static bool is_plain_name(const orr_value *name) {
  for (size_t i = 0; i < name->size; i++) {
    unsigned char c = (unsigned char)name->as.bytes[i];
    if (c < 0x20 || c > 0x7E || strchr("\"\\;/%", c)) return false;
  }
  return true;
}

/* The caller's to free; NULL: out of memory. */
static char *disposition_of(const orr_value *saved) {
  json_out text = {0};
  orr_value name = base_name(saved);
  out_rawf(&text, "attachment");
  if (name.size > 0) {
    out_rawf(&text, "; filename=\"");
    put_plain_name(&text, &name);
    out_raw(&text, "\"", 1);
  }
  if (!is_plain_name(&name)) {
    out_rawf(&text, "; filename*=UTF-8''");
    put_whole_name(&text, &name);
  }
  out_raw(&text, "", 1);
  if (!text.failed) return text.data;
  out_free(&text);
  return NULL;
}

int download_answer(request *q, const download *is, bool by_name, const orr_value *bytes) {
  q->type = download_type(q, is, by_name);
  q->disposition = disposition_of(&is->name);
  if (!q->type || !q->disposition) return request_fail_memory(q);
  out_raw(&q->out, bytes->as.bytes, bytes->size);
  return request_done(q);
}
