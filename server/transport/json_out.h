/* A growing text, and JSON written into it as it comes: no tree is built, so a list costs what its
 * text costs. Running out of memory is remembered and asked for once, at the end (`failed`). */
#ifndef SERVER_JSON_OUT_H
#define SERVER_JSON_OUT_H

#include <stdarg.h>

#include "orrery.h"

typedef struct json_out {
  char *data;
  size_t size, capacity;
  bool failed;
  bool comma;  /* the next value of the open object or array needs one before it */
  bool sealed; /* it is whole: what is written after that is dropped */
} json_out;

/* What it holds goes; it is empty then. */
void out_free(json_out *out);
/* Forgets what was written and keeps the memory. */
void out_reset(json_out *out);
/* It is whole, until it is reset. */
void out_seal(json_out *out);
/* Text as it stands. */
void out_raw(json_out *out, const char *text, size_t size);
/* The same, formatted. */
void out_rawf(json_out *out, const char *format, ...) __attribute__((format(printf, 2, 3)));

void out_open(json_out *out, char bracket);                        /* { or [ */
void out_close(json_out *out, char bracket);                       /* } or ] */
void out_key(json_out *out, const char *name);                     /* of the next value, which must follow */
void out_key_bytes(json_out *out, const char *name, size_t size);  /* the same for a name with a size */
void out_null(json_out *out);                                      /* null */
void out_bool(json_out *out, bool value);                          /* true or false */
void out_int(json_out *out, int64_t value);                        /* its digits */
/* An id as Camunda's: a text; 0 writes null. */
void out_id(json_out *out, orr_id id);
/* NULL writes null. Bytes that are no UTF-8 become U+FFFD. */
void out_text(json_out *out, const char *text);
/* The same for a text with a size, which may hold NULs. */
void out_bytes(json_out *out, const char *bytes, size_t size);
/* Bytes as a string in base64. */
void out_base64(json_out *out, const char *bytes, size_t size);
/* As Camunda writes times: 2026-01-01T00:00:00.000+0000. */
void out_time(json_out *out, orr_time time);
/* A value as plain JSON: arrays and maps as they are. */
void out_value(json_out *out, const orr_value *value);
/* Key and value in one: */
void out_put_text(json_out *out, const char *key, const char *text);
void out_put_int(json_out *out, const char *key, int64_t value);
void out_put_bool(json_out *out, const char *key, bool value);
void out_put_null(json_out *out, const char *key);

#endif
