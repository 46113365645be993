/* Forms with files (RFC 2046, RFC 7578), read where the body lies: once it is whole, its parts are
 * pointers into it, and a NUL takes the place of what follows each. */
#include "server/transport/multipart.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

/* What is left of a body. */
typedef struct form {
  request *q;
  char *at, *end;
  part **last;
  size_t n_parts;
} form;

/* ---- Parameters of a field ------------------------------------------------------------------- */

/* Ends a quoted text at its quote, without its backslashes. Returns what follows; NULL: it has no
 * end. */
static char *unquote(char *text) {
  char *to = text;
  for (; *text && *text != '"'; text++) {
    if (*text == '\\' && (text[1] == '"' || text[1] == '\\')) text++;
    *to++ = *text;
  }
  if (!*text) return NULL;
  *to = '\0';
  return text + 1;
}

/* The next `name=value`, cut out of the text that `at` walks. False: there is none, or none that
 * can be read. */
static bool parameter_next(char **at, char **name, char **value) {
  *name = *at + strspn(*at, "; \t");
  char *name_end = *name + strcspn(*name, "=; \t");
  char *equals = name_end + strspn(name_end, " \t");
  if (*equals != '=') return false;
  *name_end = '\0';
  *value = equals + 1 + strspn(equals + 1, " \t");
  if (**value == '"') {
    *at = unquote(++*value);
    return *at;
  }
  *at = *value + strcspn(*value, "; \t");
  if (**at) *(*at)++ = '\0';
  return true;
}

/* ---- Heads of parts -------------------------------------------------------------------------- */

/* Content-Disposition: form-data; name="..."; filename="..." */
static void disposition_read(part *p, char *text) {
  char *at = text + strcspn(text, ";"), *name, *value;
  while (parameter_next(&at, &name, &value)) {
    if (strcasecmp(name, "name") == 0) p->name = value;
    else if (strcasecmp(name, "filename") == 0) p->filename = value;
  }
}

static void field_read(part *p, char *line) {
  char *colon = strchr(line, ':');
  if (!colon) return;
  *colon = '\0';
  char *text = colon + 1 + strspn(colon + 1, " \t");
  if (strcasecmp(line, "Content-Disposition") == 0) disposition_read(p, text);
  else if (strcasecmp(line, "Content-Type") == 0) p->type = text;
}

/* The lines before a part's data, up to an empty one. */
static bool head_read(form *f, part *p) {
  for (;;) {
    char *line = f->at, *line_end = memmem(line, (size_t)(f->end - line), "\r\n", 2);
    if (!line_end || memchr(line, '\0', (size_t)(line_end - line))) return false;
    f->at = line_end + 2;
    if (line_end == line) return p->name;
    *line_end = '\0';
    field_read(p, line);
  }
}

/* ---- Parts ----------------------------------------------------------------------------------- */

typedef enum delimiter_kind { DELIMITER_NONE, DELIMITER_NEXT, DELIMITER_LAST } delimiter_kind;

/* What a boundary is by what follows it: two dashes behind the last part, the end of the line
 * before a next one. With anything else it is data that looks alike. A NUL ends the body. */
static delimiter_kind delimiter_end(form *f, char *behind) {
  if (behind[0] == '-' && behind[1] == '-') return DELIMITER_LAST;
  char *line_end = behind + strspn(behind, " \t");
  if (line_end[0] != '\r' || line_end[1] != '\n') return DELIMITER_NONE;
  f->at = line_end + 2;
  return DELIMITER_NEXT;
}

/* Looks for the next delimiter, CRLF, two dashes and the boundary. Data before it ends at
 * `data_end`. */
static delimiter_kind delimiter_find(form *f, const char *delimiter, char **data_end) {
  size_t size = strlen(delimiter);
  delimiter_kind kind = DELIMITER_NONE;
  char *from = f->at;
  while (!kind && (from = memmem(from, (size_t)(f->end - from), delimiter, size))) {
    *data_end = from;
    from += size;
    kind = delimiter_end(f, from);
  }
  return kind;
}

static part *part_add(form *f) {
  part *p = f->n_parts < PARTS_MAX ? calloc(1, sizeof *p) : NULL;
  if (p) {
    *f->last = p;
    f->last = &p->next;
    f->n_parts++;
  } else if (f->n_parts < PARTS_MAX) {
    request_fail_memory(f->q);
  } else {
    request_refuse(f->q, "The body has more than %d parts", PARTS_MAX);
  }
  return p;
}

static bool malformed(form *f, const char *why) {
  request_refuse(f->q, "The body is no multipart/form-data: %s", why);
  return false;
}

/* Reads one part, and what ends it. Of one without data the empty line may be the delimiter's. */
static delimiter_kind part_read(form *f, const char *delimiter) {
  char *data_end;
  part *p = part_add(f);
  if (!p) return DELIMITER_NONE;
  if (!head_read(f, p)) {
    malformed(f, "a part has no Content-Disposition with a name, or no empty line after its head");
    return DELIMITER_NONE;
  }
  p->data = f->at;
  f->at -= 2;
  delimiter_kind kind = delimiter_find(f, delimiter, &data_end);
  if (kind == DELIMITER_NONE) {
    malformed(f, "the last part does not end with the boundary and two dashes");
    return kind;
  }
  if (data_end < p->data) p->data = data_end;
  p->size = (size_t)(data_end - p->data);
  *data_end = '\0';
  return kind;
}

/* The first delimiter may begin the body, where it has no CRLF before it. */
static delimiter_kind preamble_skip(form *f, const char *delimiter) {
  char *preamble_end;
  size_t size = strlen(delimiter) - 2, left = (size_t)(f->end - f->at);
  bool first = left >= size && memcmp(f->at, delimiter + 2, size) == 0;
  delimiter_kind kind = first ? delimiter_end(f, f->at + size) : DELIMITER_NONE;
  return kind ? kind : delimiter_find(f, delimiter, &preamble_end);
}

bool multipart_begin(request *q, const char *type) {
  char *text = request_copy(q, type), *name, *value, *boundary = NULL;
  if (!text) return false;
  char *at = text + strcspn(text, ";");
  while (parameter_next(&at, &name, &value))
    if (strcasecmp(name, "boundary") == 0 && *value) boundary = value;
  q->boundary = boundary ? strdup(boundary) : NULL;
  if (!boundary) request_refuse(q, "The Content-Type names no boundary");
  else if (!q->boundary) request_fail_memory(q);
  return q->boundary;
}

bool multipart_read(request *q) {
  form f = {.q = q, .at = q->body, .end = q->body + q->body_size, .last = &q->parts};
  char *delimiter = q->boundary ? request_printf(q, "\r\n--%s", q->boundary) : NULL;
  if (q->status) return false;
  delimiter_kind kind = q->body && delimiter ? preamble_skip(&f, delimiter) : DELIMITER_NONE;
  if (kind != DELIMITER_NEXT) return malformed(&f, "it has no parts");
  while (kind == DELIMITER_NEXT) kind = part_read(&f, delimiter);
  return kind == DELIMITER_LAST;
}

const part *multipart_part(const request *q, const char *name) {
  const part *p = q->parts;
  while (p && strcmp(p->name, name) != 0) p = p->next;
  return p;
}
