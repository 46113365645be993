/* One request: its pieces, its body's members, its failure. */
#include "server/transport/request.h"

#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "server/auth/auth.h"
#include "server/server_internal.h"
#include "server/transport/loop.h"
#include "server/transport/scalars.h"

/* A text that goes with its request. */
typedef struct scrap {
  struct scrap *next;
  char text[];
} scrap;

/* A builder that goes with its request. */
typedef struct kept_builder {
  struct kept_builder *next;
  orr_builder *builder;
} kept_builder;

/* What a subject remembers of its request. */
typedef struct note {
  struct note *next;
  void (*drop)(void *bytes);
  max_align_t bytes[];
} note;

request *request_new(connection *from, const char *uri) {
  request *q = calloc(1, sizeof *q);
  if (!q) return NULL;
  q->uri = strdup(uri);
  q->decoded = strdup(uri);
  q->connection = from;
  q->server = from->loop->server;
  q->begun_ns = server_now_ns();
  if (q->uri && q->decoded) return q;
  request_free(q);
  return NULL;
}

static void request_free_parts(part *p) {
  while (p) {
    part *next = p->next;
    free(p);
    p = next;
  }
}

void request_settle(request *q) {
  for (kept_builder *k = q->kept, *next; k; k = next) {
    next = k->next;
    orr_builder_free(k->builder);
    free(k);
  }
  for (note *n = q->notes, *next; n; n = next) {
    next = n->next;
    n->drop(n->bytes);
    free(n);
  }
  for (scrap *s = q->scraps, *next; s; s = next) {
    next = s->next;
    free(s);
  }
  q->notes = NULL;
  q->kept = NULL;
  q->described = NULL;
  q->scraps = NULL;
}

void request_again(request *q) {
  request_settle(q);
  out_reset(&q->out);
  free(q->disposition);
  q->disposition = NULL;
  q->type = NULL;
  q->encoding = NULL;
  q->status = 0;
  q->conflict = false;
}

void request_free(request *q) {
  if (!q) return;
  span_free(q->span);
  orr_error_clear(&q->lost);
  free(q->uri);
  free(q->decoded);
  free(q->body);
  free(q->boundary);
  free(q->credentials);
  free(q->disposition);
  free(q->cookies);
  free(q->cookie);
  free(q->if_none_match);
  free(q->last_event);
  free(q->locked);
  json_decref(q->json);
  request_free_parts(q->parts);
  request_settle(q);
  out_free(&q->out);
  free(q);
}

/* ---- The URI ---------------------------------------------------------------------------------- */

static int uri_hex_digit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  c = (char)(c | 0x20);
  return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

/* Decodes %XX in place, and + where it is a space. A NUL, or a % without its digits, is refused. */
static bool percent_decode(char *text, bool plus) {
  char *to = text;
  for (const char *at = text; *at; at++) {
    char c = *at;
    if (c == '%') {
      int high = uri_hex_digit(at[1]), low = high < 0 ? -1 : uri_hex_digit(at[2]);
      if (low < 0 || (high | low) == 0) return false;
      c = (char)(high << 4 | low);
      at += 2;
    } else if (c == '+' && plus) {
      c = ' ';
    }
    *to++ = c;
  }
  *to = '\0';
  return true;
}

static bool request_split_arguments(request *q, char *text) {
  for (char *save = NULL, *at = strtok_r(text, "&", &save); at; at = strtok_r(NULL, "&", &save)) {
    if (q->n_arguments == REQUEST_ARGUMENTS_MAX) return false;
    char *value = strchr(at, '=');
    if (value) *value++ = '\0';
    else value = at + strlen(at);
    if (!percent_decode(at, true) || !percent_decode(value, true)) return false;
    q->arguments[q->n_arguments++] = (argument){at, value};
  }
  return true;
}

bool request_split(request *q, char **path) {
  char *query = strchr(q->decoded, '?');
  if (query) *query++ = '\0';
  *path = q->decoded;
  return q->decoded[0] == '/' && (!query || request_split_arguments(q, query));
}

int request_segments(char *path, char **segments, int max) {
  int n = 0;
  for (char *piece = path; piece; n++) {
    char *next = strchr(++piece, '/');
    if (!*piece) return n; /* one slash at the end is as none */
    if (next) *next = '\0';
    if (n == max || !percent_decode(piece, false)) return -1;
    segments[n] = piece;
    piece = next;
  }
  return n;
}

const char *request_argument(const request *q, const char *name) {
  for (size_t i = 0; i < q->n_arguments; i++)
    if (strcmp(q->arguments[i].name, name) == 0) return q->arguments[i].value;
  return NULL;
}

bool request_may(const request *q, unsigned roles) { return !q->user || (q->user->roles & roles); }

bool request_flag(const request *q, const char *name) {
  const char *given = request_argument(q, name);
  bool on;
  return given && scalar_bool_of_text(given, &on) && on;
}

static char *request_scrap(request *q, const char *text, size_t size) {
  scrap *s = malloc(sizeof *s + size + 1);
  if (!s) {
    request_fail_memory(q);
    return NULL;
  }
  memcpy(s->text, text, size);
  s->text[size] = '\0';
  s->next = q->scraps;
  q->scraps = s;
  return s->text;
}

orr_builder *request_builder(request *q) {
  kept_builder *k = malloc(sizeof *k);
  if (k) *k = (kept_builder){q->kept, orr_builder_new()};
  if (k && k->builder) {
    q->kept = k;
    return k->builder;
  }
  free(k);
  request_fail_memory(q);
  return NULL;
}

void *request_note(request *q, size_t size, void (*drop)(void *note)) {
  for (note *n = q->notes; n; n = n->next)
    if (n->drop == drop) return n->bytes;
  note *made = calloc(1, sizeof *made + size);
  if (!made) {
    request_fail_memory(q);
    return NULL;
  }
  made->next = q->notes;
  made->drop = drop;
  q->notes = made;
  return made->bytes;
}

char *request_copy(request *q, const char *text) { return request_scrap(q, text, strlen(text)); }

char *request_printf(request *q, const char *format, ...) {
  char *text = NULL;
  va_list list;
  va_start(list, format);
  if (vasprintf(&text, format, list) < 0) text = NULL;
  va_end(list);
  char *kept = request_scrap(q, text ? text : "", text ? strlen(text) : 0);
  free(text);
  return kept;
}

bool request_body_add(request *q, const char *data, size_t size) {
  if (q->body_capacity - q->body_size <= size) {
    size_t capacity = q->body_capacity ? q->body_capacity * 2 : 1024;
    while (capacity - q->body_size <= size) capacity *= 2;
    char *body = realloc(q->body, capacity);
    if (!body) return false;
    q->body = body;
    q->body_capacity = capacity;
  }
  memcpy(q->body + q->body_size, data, size);
  q->body_size += size;
  q->body[q->body_size] = '\0';
  return true;
}

/* ---- Failures --------------------------------------------------------------------------------- */

/* `err` (NULL: none): the engine's, whose marks become members. */
static void request_write_error(request *q, int status, const char *type, const char *message,
                                const orr_error *err) {
  out_reset(&q->out);
  out_open(&q->out, '{');
  out_put_text(&q->out, "type", type);
  out_put_text(&q->out, "message", message);
  out_put_int(&q->out, "code", 0);
  if (error_marked(err, "away")) out_put_bool(&q->out, "away", true);
  if (error_marked(err, "in_doubt")) out_put_bool(&q->out, "inDoubt", true);
  out_close(&q->out, '}');
  out_seal(&q->out); /* those who were writing rows write on */
  q->status = status;
  q->type = NULL;
  q->encoding = NULL;
  free(q->disposition); /* it is no file any more */
  q->disposition = NULL;
}

static int request_fail_list(request *q, int status, const char *type, const char *format, va_list list) {
  char *message = NULL;
  if (vasprintf(&message, format, list) < 0) message = NULL;
  request_write_error(q, status, type, message, NULL);
  free(message);
  return status;
}

int request_fail(request *q, int status, const char *type, const char *format, ...) {
  va_list list;
  va_start(list, format);
  request_fail_list(q, status, type, format, list);
  va_end(list);
  return status;
}

int request_refuse(request *q, const char *format, ...) {
  va_list list;
  va_start(list, format);
  request_fail_list(q, 400, "InvalidRequestException", format, list);
  va_end(list);
  return 400;
}

int request_fail_memory(request *q) { return request_fail(q, 503, "RestException", "out of memory"); }

/* What Camunda answers to the kinds of failure. */
static const struct failure_row {
  int code, status;
  const char *type;
} failure_rows[] = {
    {ORR_E_ARGUMENT, 400, "InvalidRequestException"},
    {ORR_E_NOT_FOUND, 404, "InvalidRequestException"},
    {ORR_E_DEPLOYMENT, 400, "ParseException"},
    {ORR_E_CONFLICT, 500, "OptimisticLockingException"},
    {ORR_E_CORRELATION, 400, "RestException"},
    {ORR_E_SUSPENDED, 500, "SuspendedEntityInteractionException"},
    {ORR_E_UNSUPPORTED, 501, "RestException"},
    {ORR_E_LIMIT, 400, "ProcessEngineException"},
    {ORR_E_MEMORY, 503, "RestException"},
};

bool request_raised_inside(const orr_error *err) {
  return err->details && orr_map_get(err->details, "activity_id").type != ORR_NIL;
}

bool request_lacks(const orr_error *err) {
  return err->code == ORR_E_NOT_FOUND && !request_raised_inside(err);
}

int request_fail_engine(request *q, orr_error *err) {
  int status = 500;
  const char *type = "ProcessEngineException";
  bool names = err->code == ORR_E_NOT_FOUND || err->code == ORR_E_CORRELATION;
  bool inner = names && request_raised_inside(err); /* what those name is not the request's */
  for (size_t i = 0; !inner && i < sizeof failure_rows / sizeof failure_rows[0]; i++)
    if (failure_rows[i].code == err->code) {
      status = failure_rows[i].status;
      type = failure_rows[i].type;
    }
  if (err->code == ORR_E_STORE && error_marked(err, "away")) status = 503; /* nothing was done: it may be sent again */
  request_write_error(q, status, type, err->message ? err->message : orr_strerror(err->code), err);
  q->conflict = err->code == ORR_E_CONFLICT;
  orr_error_clear(err);
  return status;
}

int request_fail_missing(request *q, orr_error *err, int status, const char *missing, const char *id) {
  if (!request_lacks(err) || !missing) return request_fail_engine(q, err);
  orr_error_clear(err);
  const char *at = strstr(missing, "%s");
  if (!at) return request_fail(q, status, "RestException", "%s", missing);
  const char *type = status == 404 ? "InvalidRequestException" : "RestException";
  return request_fail(q, status, type, "%.*s%s%s", (int)(at - missing), missing, id, at + 2);
}

int request_no_content(request *q) { return q->status = 204; }

int request_done(request *q) { return q->status = 200; }

/* ---- Members of the body ---------------------------------------------------------------------- */

const json_t *body_member(const request *q, const char *name) {
  const json_t *member = json_object_get(q->json, name);
  return json_is_null(member) ? NULL : member;
}

bool body_given(const request *q, const char *name) { return body_member(q, name); }

static const json_t *body_typed(request *q, const char *name, bool fits, const char *wanted) {
  const json_t *member = body_member(q, name);
  if (!member || fits) return member;
  request_refuse(q, "\"%s\" is no %s", name, wanted);
  return NULL;
}

const char *body_text(request *q, const char *name) {
  const json_t *member = body_member(q, name);
  bool whole = json_is_string(member) && strlen(json_string_value(member)) == json_string_length(member);
  return json_string_value(body_typed(q, name, whole, "text"));
}

bool body_bool(request *q, const char *name, bool otherwise) {
  const json_t *member = body_typed(q, name, json_is_boolean(body_member(q, name)), "boolean");
  return member ? json_is_true(member) : otherwise;
}

int64_t body_int(request *q, const char *name, int64_t otherwise) {
  const json_t *member = body_typed(q, name, json_is_integer(body_member(q, name)), "integer");
  return member ? json_integer_value(member) : otherwise;
}

orr_time body_time(request *q, const char *name) {
  const char *text = body_text(q, name);
  orr_time time = 0;
  orr_error err = {0};
  if (text && orr_time_parse(text, &time, &err)) {
    orr_error_clear(&err);
    request_refuse(q, "\"%s\": cannot convert value \"%s\" to a date", name, text);
  }
  return time;
}

orr_id id_of_text(const char *text) {
  uint64_t id = 0;
  if (!text || !*text) return 0;
  for (; *text; text++) {
    if (*text < '0' || *text > '9' || id > (INT64_MAX - 9) / 10) return 0;
    id = id * 10 + (uint64_t)(*text - '0');
  }
  return id;
}

orr_id request_id(const request *q) {
  orr_id id = q->path_id ? q->path_id : id_of_text(q->path[0]);
  return id ? id : INT64_MAX;
}
