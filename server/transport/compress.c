/* Answers as gzip. */
#include "server/transport/compress.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <zlib.h>

enum { GZIP_WINDOW = 15 + 16, GZIP_MEMORY = 8 }; /* zlib's defaults, with gzip's head */

/* ---- What is asked for ---------------------------------------------------------------------- */

static size_t blanks(const char *text) { return strspn(text, " \t"); }

/* The weight of an element of the list, which ends at a comma: is it more than 0? */
static bool weighs(const char *at, const char *end) {
  const char *q = memchr(at, ';', (size_t)(end - at));
  if (!q) return true;
  q += 1 + blanks(q + 1);
  if (strncasecmp(q, "q=", 2) != 0) return true;
  for (q += 2; q < end; q++)
    if (*q >= '1' && *q <= '9') return true;
  return false;
}

bool compress_taken(const char *list) {
  bool any = false;
  for (const char *at = list; at && *at; at += *at == ',') {
    at += blanks(at);
    const char *end = at + strcspn(at, ",");
    size_t size = strcspn(at, " \t;,");
    bool gzip = (size == 4 && strncasecmp(at, "gzip", 4) == 0) ||
                (size == 6 && strncasecmp(at, "x-gzip", 6) == 0);
    if (gzip) return weighs(at, end);
    if (size == 1 && *at == '*') any = weighs(at, end);
    at = end;
  }
  return any;
}

/* Text of any kind; pictures and archives are compressed already. */
static bool type_shrinks(const char *type) {
  static const char *const types[] = {"application/json", "application/xml",
                                      "application/xhtml+xml", "image/svg+xml", "text/"};
  if (!type) return true; /* JSON */
  for (size_t i = 0; i < sizeof types / sizeof types[0]; i++)
    if (strncasecmp(type, types[i], strlen(types[i])) == 0) return true;
  return false;
}

bool compress_may(const request *q) {
  return !q->fixed && !q->stream && !q->cookie && !q->foreign && !q->out.failed &&
         q->out.size >= COMPRESS_LEAST_BYTES && type_shrinks(q->type);
}

static bool compress_wanted(const request *q) {
  return q->takes_gzip && !q->encoding && compress_may(q) && q->out.size <= UINT_MAX;
}

bool compress_is_slow(const request *q) {
  return compress_wanted(q) && q->out.size > COMPRESS_ON_LOOP_BYTES;
}

/* ---- Doing it ------------------------------------------------------------------------------- */

/* What has become of `from`, in less than its size; NULL: it does not get shorter, or there is no
 * memory. The caller frees. */
static char *gzip_of(const char *from, size_t size, size_t *out) {
  z_stream z = {.next_in = (Bytef *)(uintptr_t)from, .avail_in = (uInt)size};
  if (deflateInit2(&z, Z_BEST_SPEED, Z_DEFLATED, GZIP_WINDOW, GZIP_MEMORY, Z_DEFAULT_STRATEGY))
    return NULL;
  char *to = malloc(size);
  z.next_out = (Bytef *)to;
  z.avail_out = (uInt)size - 1;
  bool done = to && deflate(&z, Z_FINISH) == Z_STREAM_END;
  *out = z.total_out;
  deflateEnd(&z);
  char *fit = done ? realloc(to, *out) : NULL;
  if (!done) free(to);
  return fit ? fit : done ? to : NULL;
}

void compress_answer(request *q) {
  size_t size = 0;
  char *shorter = compress_wanted(q) ? gzip_of(q->out.data, q->out.size, &size) : NULL;
  if (!shorter) return;
  out_free(&q->out);
  q->out.data = shorter;
  q->out.size = q->out.capacity = size;
  out_seal(&q->out);
  q->encoding = "gzip";
}
