/* Folding of case. */
#include "base/fold.h"

#include <locale.h>
#include <pthread.h>
#include <string.h>
#include <wchar.h>
#include <wctype.h>

static locale_t letters; /* of Unicode; kept as long as the process runs */
static pthread_once_t letters_once = PTHREAD_ONCE_INIT;

static void letters_load(void) { letters = newlocale(LC_CTYPE_MASK, "C.UTF-8", (locale_t)0); }

static wint_t small_letter(wint_t code) {
  if (code < 0x80) return code >= 'A' && code <= 'Z' ? code + ('a' - 'A') : code;
  return letters ? towlower_l(code, letters) : code;
}

/* The character at `text` and how many bytes it has; a byte that begins no whole character is one of its own, *valid
 * false. */
static wint_t read_folding(const unsigned char *text, size_t size, size_t *bytes, int *valid) {
  unsigned char first = text[0];
  size_t n = first < 0x80 ? 1 : first < 0xC2 ? 0 : first < 0xE0 ? 2 : first < 0xF0 ? 3 : first < 0xF5 ? 4 : 0;
  *valid = n > 0 && n <= size;
  wint_t code = n > 1 ? first & (0x7Fu >> n) : first;
  for (size_t i = 1; *valid && i < n; i++) {
    *valid = (text[i] & 0xC0) == 0x80;
    code = code << 6 | (text[i] & 0x3F);
  }
  *bytes = *valid ? n : 1;
  return code;
}

static size_t write_folded(wint_t code, char *out) {
  if (code < 0x80) return out[0] = (char)code, 1;
  size_t n = code < 0x800 ? 2 : code < 0x10000 ? 3 : 4;
  for (size_t i = n - 1; i > 0; i--, code >>= 6) out[i] = (char)(0x80 | (code & 0x3F));
  out[0] = (char)((0xF00u >> n & 0xFF) | code);
  return n;
}

size_t fold_text(const char *text, size_t size, char *out) {
  pthread_once(&letters_once, letters_load);
  size_t written = 0, bytes;
  for (size_t i = 0; i < size; i += bytes) {
    int valid;
    wint_t code = read_folding((const unsigned char *)text + i, size - i, &bytes, &valid);
    wint_t small = valid ? small_letter(code) : code;
    if (small == code) {
      memcpy(out + written, text + i, bytes);
      written += bytes;
    } else {
      written += write_folded(small, out + written);
    }
  }
  return written;
}
