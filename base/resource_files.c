/* Resources of a deployment from the disk. */
#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "base/env.h"
#include "base/error.h"
#include "base/limits.h"
#include "orrery.h"
#include "base/null.h"

typedef struct reading {
  orr_builder *into;
  size_t below; /* bytes of a path before the names that resources get */
  int depth;
  orr_error *err;
} reading;

static int refuse_path(const reading *r, const char *path, int code, const char *why) {
  return error_set(r->err, code, "%s: %s", path, why);
}

static int add_file(const reading *r, const char *path, size_t size) {
  const orr_allocator plain = {0}; /* malloc */
  if (size > ORR_VALUE_BYTES_MAX)
    return error_set(r->err, ORR_E_LIMIT, "%s has %zu bytes; a resource may have %d", path, size, ORR_VALUE_BYTES_MAX);
  FILE *file = fopen(path, "rb");
  if (!file) return refuse_path(r, path, ORR_E_NOT_FOUND, strerror(errno));
  char *bytes = env_alloc(&plain, size + 1);
  size_t have = bytes ? fread(bytes, 1, size, file) : 0;
  fclose(file);
  int rc = !bytes ? error_memory(r->err) : have < size ? refuse_path(r, path, ORR_E_NOT_FOUND, "cannot be read") : 0;
  if (!rc) orr_builder_put(r->into, path + r->below, orr_bytes(bytes, size)); /* copied */
  env_free(&plain, bytes, size + 1);
  return rc;
}

static int add_path(reading *r, const char *path);

static int add_entries(reading *r, const char *path) {
  if (r->depth == ORR_FOLDER_DEPTH_MAX) return error_set(r->err, ORR_E_LIMIT, "%s: more than %d folders deep", path, r->depth);
  DIR *folder = opendir(path);
  if (!folder) return refuse_path(r, path, ORR_E_NOT_FOUND, strerror(errno));
  int rc = 0;
  r->depth++;
  for (const struct dirent *entry; !rc && (entry = readdir(folder));) {
    char inner[PATH_MAX];
    if (entry->d_name[0] == '.') continue; /* .env, .git: what is hidden is nobody's resource */
    int n = snprintf(inner, sizeof inner, "%s/%s", path, entry->d_name);
    rc = n < (int)sizeof inner ? add_path(r, inner) : refuse_path(r, path, ORR_E_LIMIT, "the names in it are too long");
  }
  r->depth--;
  closedir(folder);
  return rc;
}

/* What is neither a file nor a folder (a pipe, a socket) is passed over. */
static int add_path(reading *r, const char *path) {
  struct stat info;
  if (stat(path, &info) != 0) return refuse_path(r, path, ORR_E_NOT_FOUND, strerror(errno));
  if (S_ISDIR(info.st_mode)) return add_entries(r, path);
  return S_ISREG(info.st_mode) ? add_file(r, path, (size_t)info.st_size) : 0;
}

int orr_builder_resources(orr_builder *builder, const char *path, orr_error *err) {
  REQUIRE(path);
  struct stat info;
  const char *name = strrchr(path, '/');
  bool folder = stat(path, &info) == 0 && S_ISDIR(info.st_mode);
  reading r = {.into = builder, .below = folder ? strlen(path) + 1 : name ? (size_t)(name + 1 - path) : 0, .err = err};
  orr_builder_map(builder);
  int rc = add_path(&r, path);
  orr_builder_end(builder);
  return rc;
}
