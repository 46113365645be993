/* Pieces of JSON text, for all that write JSON into a buffer of their own. */
#ifndef ORR_BASE_JSON_TEXT_H
#define ORR_BASE_JSON_TEXT_H

#include <stdbool.h>
#include <stddef.h>

/* Where text goes. It notes itself when it has no room. */
typedef struct json_sink {
  void (*put)(void *to, const char *text, size_t size);
  void *to;
} json_sink;

/* What becomes of bytes that are no UTF-8. */
typedef enum json_bytes {
  JSON_BYTES_REPLACED, /* each is U+FFFD */
  JSON_BYTES_KEPT,     /* they stay, and the text is no JSON */
  JSON_BYTES_LATIN,    /* a text that has some is taken for Latin-1 */
} json_bytes;

/* A text as a string of JSON, in its quotes. Control characters are escaped, DEL and C1 included: they would order a terminal
 * about. */
void json_put_string(const json_sink *sink, const char *text, size_t size, json_bytes others);

#define JSON_NUMBER_SIZE 40
/* The shortest text that reads back as the same number, with a point or an exponent; "null" for what is no number. */
void json_number_text(double n, char text[JSON_NUMBER_SIZE]);

/* Bytes of the character of UTF-8 at `at`, of which `left` > 0 are there; 0: it is none. */
size_t json_utf8_size(const unsigned char *at, size_t left);

#endif
