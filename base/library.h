/* Libraries that are loaded when they are first needed. What they bring is much (libcurl and libpq some thirty more, of
 * TLS, Kerberos and LDAP), and most hosts call nobody: those start sooner, and have none of it in their process. */
#ifndef ORR_BASE_LIBRARY_H
#define ORR_BASE_LIBRARY_H

#include <stdatomic.h>

#include "base/error.h"

typedef struct library {
  const char *file;         /* as the dynamic linker finds it */
  const char *const *names; /* of its functions; the last is NULL */
  void *functions;          /* a struct of as many pointers to functions, in their order */
  void (*initialize)(void); /* called once they are there; or NULL */
  atomic_bool loaded;
} library;

/* Loads it once a process, for good. Any thread; who comes back from here may call the functions. ORR_E_UNSUPPORTED: it is not
 * there, or lacks one; a later call tries again. */
int library_load(library *l, orr_error *err);

#endif
