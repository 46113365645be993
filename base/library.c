/* Libraries that are loaded when they are first needed. */
#include "base/library.h"

#include <dlfcn.h>
#include <pthread.h>
#include <string.h>

static int library_missing(orr_error *err) {
  return error_set(err, ORR_E_UNSUPPORTED, "this needs a library that cannot be loaded: %s: install it", dlerror());
}

/* An object pointer that stands for a function is POSIX's way; ISO C knows it only as bytes. */
static int find_functions(const library *l, void *handle, orr_error *err) {
  char *at = l->functions;
  for (const char *const *name = l->names; *name; name++, at += sizeof(void (*)(void))) {
    void *address = dlsym(handle, *name);
    if (!address) return library_missing(err);
    memcpy(at, &address, sizeof address);
  }
  return 0;
}

static int open_library(library *l, orr_error *err) {
  void *handle = dlopen(l->file, RTLD_NOW | RTLD_LOCAL);
  if (!handle) return library_missing(err);
  int rc = find_functions(l, handle, err);
  if (rc) {
    dlclose(handle);
    return rc;
  }
  if (l->initialize) l->initialize();
  atomic_store_explicit(&l->loaded, true, memory_order_release);
  return 0;
}

int library_load(library *l, orr_error *err) {
  static pthread_mutex_t loading = PTHREAD_MUTEX_INITIALIZER;
  if (atomic_load_explicit(&l->loaded, memory_order_acquire)) return 0;
  pthread_mutex_lock(&loading);
  int rc = atomic_load_explicit(&l->loaded, memory_order_relaxed) ? 0 : open_library(l, err);
  pthread_mutex_unlock(&loading);
  return rc;
}
