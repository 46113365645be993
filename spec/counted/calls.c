/* Calls of the C library whose cost is the length of what they look at. The linker hands us those of our own code, which
 * would otherwise count as nothing however long they took (blocks.c). */
#include <stddef.h>

#include "work.h"

#define BYTES_OF_A_BLOCK 16 /* the C library looks at about as many at once */

static void add_bytes(size_t bytes) { orrery_work += bytes / BYTES_OF_A_BLOCK; }
static void add_until(const void *found, const void *from, size_t otherwise) {
  add_bytes(found ? (size_t)((const char *)found - (const char *)from) : otherwise);
}

/* AddressSanitizer looks at each call first: it stands behind the real ones. */
#define WRAPPED(type, name, ...) \
  type __real_##name(__VA_ARGS__); \
  type __wrap_##name(__VA_ARGS__); \
  type __wrap_##name(__VA_ARGS__)

WRAPPED(void *, memcpy, void *to, const void *from, size_t size) {
  add_bytes(size);
  return __real_memcpy(to, from, size);
}

WRAPPED(void *, memmove, void *to, const void *from, size_t size) {
  add_bytes(size);
  return __real_memmove(to, from, size);
}

WRAPPED(void *, memset, void *to, int byte, size_t size) {
  add_bytes(size);
  return __real_memset(to, byte, size);
}

WRAPPED(int, memcmp, const void *a, const void *b, size_t size) {
  add_bytes(size);
  return __real_memcmp(a, b, size);
}

WRAPPED(void *, memchr, const void *bytes, int byte, size_t size) {
  void *found = __real_memchr(bytes, byte, size);
  add_until(found, bytes, size);
  return found;
}

WRAPPED(void *, memmem, const void *bytes, size_t size, const void *sought, size_t sought_size) {
  void *found = __real_memmem(bytes, size, sought, sought_size);
  add_until(found, bytes, size);
  return found;
}

WRAPPED(size_t, strlen, const char *text) {
  size_t size = __real_strlen(text);
  add_bytes(size);
  return size;
}

WRAPPED(size_t, strspn, const char *text, const char *of) {
  size_t size = __real_strspn(text, of);
  add_bytes(size);
  return size;
}

WRAPPED(size_t, strcspn, const char *text, const char *of) {
  size_t size = __real_strcspn(text, of);
  add_bytes(size);
  return size;
}

WRAPPED(char *, strchr, const char *text, int byte) {
  char *found = __real_strchr(text, byte);
  add_until(found, text, found ? 0 : __real_strlen(text));
  return found;
}

WRAPPED(char *, strrchr, const char *text, int byte) {
  add_bytes(__real_strlen(text));
  return __real_strrchr(text, byte);
}

WRAPPED(char *, strstr, const char *text, const char *sought) {
  char *found = __real_strstr(text, sought);
  add_until(found, text, found ? 0 : __real_strlen(text));
  return found;
}

/* How much of two texts is the same: so far the real one has looked. */
static size_t common(const char *a, const char *b, size_t size) {
  size_t same = 0;
  while (same < size && a[same] && a[same] == b[same]) same++;
  return same;
}

WRAPPED(int, strcmp, const char *a, const char *b) {
  int order = __real_strcmp(a, b);
  add_bytes(common(a, b, SIZE_MAX));
  return order;
}

WRAPPED(int, strncmp, const char *a, const char *b, size_t size) {
  int order = __real_strncmp(a, b, size);
  add_bytes(common(a, b, size));
  return order;
}

/* What grows is copied, here each time. */
WRAPPED(void *, realloc, void *old, size_t size) {
  add_bytes(size);
  return __real_realloc(old, size);
}
