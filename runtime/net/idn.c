/* libidn2, which libcurl brings mostly. libcurl itself takes names to be in the locale's charset, and a host may have none. */
#include "net/idn.h"

#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "base/library.h"

/* As its header has them, which nothing else is needed of. */
enum { IDN2_NFC_INPUT = 1, IDN2_NONTRANSITIONAL = 8 };
static struct {
  int (*lookup_u8)(const uint8_t *name, uint8_t **found, int flags);
  const char *(*strerror)(int rc);
  void (*free)(void *found);
} idn2;

static const char *const names[] = {"idn2_lookup_u8", "idn2_strerror", "idn2_free", NULL};

/* libidn2 turns what looks like a bracket, an @ or a blank into one. */
static bool names_host(const char *name) {
  static const char allowed[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_.";
  size_t size = strlen(name);
  return size <= IDN_NAME_MAX && strspn(name, allowed) == size;
}

int idn_to_ascii(const char *name, char out[IDN_NAME_MAX + 1], orr_error *err) {
  static library libidn2 = {"libidn2.so.0", names, &idn2, NULL, false};
  uint8_t *found = NULL;
  int rc = library_load(&libidn2, err);
  if (rc) return rc;
  int problem = idn2.lookup_u8((const uint8_t *)name, &found, IDN2_NFC_INPUT | IDN2_NONTRANSITIONAL);
  if (problem) return error_set(err, ORR_E_ARGUMENT, "%s", idn2.strerror(problem));
  if (names_host((const char *)found)) snprintf(out, IDN_NAME_MAX + 1, "%s", (const char *)found);
  else rc = error_set(err, ORR_E_ARGUMENT, "a host's name has letters, digits and hyphens alone");
  idn2.free(found);
  return rc;
}
