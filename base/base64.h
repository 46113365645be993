/* Bytes as texts in base64 (RFC 4648, section 4). */
#ifndef ORR_BASE_BASE64_H
#define ORR_BASE_BASE64_H

#include <stdbool.h>
#include <stddef.h>

/* What a text may hold besides digits and the '=' at its end. */
typedef enum base64_manner {
  BASE64_STRICT, /* nothing */
  BASE64_MIME,   /* white space; and behind the first '=' whatever there is */
} base64_manner;

/* Characters of the text for `size` bytes. */
static inline size_t base64_text_size(size_t size) { return (size + 2) / 3 * 4; }

/* Writes the text of `size` bytes, all base64_text_size characters of it, without a NUL. */
void base64_write(const char *bytes, size_t size, char *text);

/* Reads the bytes of a text of `size` characters. `out` has room for *count, which then says how many there are. False: the
 * text is none, or there is no room. */
bool base64_read(const char *text, size_t size, base64_manner manner, char *out, size_t *count);

#endif
