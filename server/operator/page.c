/* The operator's page. */
#include "server/operator/page.h"

#include <dirent.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/hash.h"
#include "server/server_internal.h"

enum { PAGE_DEPTH_MAX = 8 };

typedef struct page_file {
  char *path; /* as it is asked for: "/assets/x.js" */
  char *data;
  size_t size;
  char tag[20]; /* of what is in it, for ETag */
} page_file;

struct page {
  page_file files[PAGE_FILES_MAX];
  size_t n_files, bytes;
};

/* ---- Reading ---------------------------------------------------------------------------------- */

static int page_add(page *p, const char *path, const char *name, size_t size, orr_error *err) {
  FILE *file = fopen(path, "rbe");
  page_file *f = &p->files[p->n_files];
  if (!file) return error_set(err, ORR_E_ARGUMENT, "\"%s\" cannot be read", path);
  *f = (page_file){.path = strdup(name), .data = malloc(size + 1), .size = size};
  p->n_files++;
  bool read = f->path && f->data && fread(f->data, 1, size, file) == size;
  fclose(file);
  uint64_t hash = read ? hash_bytes_wide(f->data, size) : 0;
  snprintf(f->tag, sizeof f->tag, "\"%016" PRIx64 "\"", hash);
  return read ? 0 : error_set(err, ORR_E_ARGUMENT, "\"%s\" cannot be read", path);
}

static int page_walk(page *p, const char *folder, const char *below, int depth, orr_error *err);

static int page_entry(page *p, const char *folder, const char *below, const char *name, int depth, orr_error *err) {
  char *path = NULL, *shown = NULL;
  struct stat is;
  int rc = 0;
  if (asprintf(&path, "%s/%s", folder, name) < 0) path = NULL;
  if (asprintf(&shown, "%s/%s", below, name) < 0) shown = NULL;
  if (!path || !shown) rc = error_memory(err);
  else if (lstat(path, &is) != 0 || (!S_ISREG(is.st_mode) && !S_ISDIR(is.st_mode))) rc = 0; /* links lead elsewhere */
  else if (S_ISDIR(is.st_mode)) rc = page_walk(p, path, shown, depth + 1, err);
  else if (p->n_files == PAGE_FILES_MAX || (p->bytes += (size_t)is.st_size) > PAGE_BYTES_MAX)
    rc = error_set(err, ORR_E_LIMIT, "%s is no page: more than %d files or %d MiB", folder, PAGE_FILES_MAX,
                   PAGE_BYTES_MAX >> 20);
  else rc = page_add(p, path, shown, (size_t)is.st_size, err);
  free(path);
  free(shown);
  return rc;
}

/* As deep as folders may be. */
static int page_walk(page *p, const char *folder, const char *below, int depth, orr_error *err) {
  DIR *dir = opendir(folder);
  int rc = 0;
  if (!dir) return error_set(err, ORR_E_ARGUMENT, "the page's folder \"%s\" cannot be read", folder);
  for (struct dirent *e; !rc && depth < PAGE_DEPTH_MAX && (e = readdir(dir));)
    if (e->d_name[0] != '.') rc = page_entry(p, folder, below, e->d_name, depth, err);
  closedir(dir);
  return rc;
}

page *page_open(const char *folder, orr_error *err) {
  page *p = calloc(1, sizeof *p);
  if (!p) {
    error_memory(err);
    return NULL;
  }
  if (!page_walk(p, folder, "", 0, err)) return p;
  page_close(p);
  return NULL;
}

void page_close(page *p) {
  for (size_t i = 0; p && i < p->n_files; i++) {
    free(p->files[i].path);
    free(p->files[i].data);
  }
  free(p);
}

/* ---- Answering -------------------------------------------------------------------------------- */

static const char *page_type(const char *path) {
  static const char *const types[][2] = {
      {".html", "text/html; charset=utf-8"}, {".js", "text/javascript; charset=utf-8"}, {".css", "text/css; charset=utf-8"},
      {".json", "application/json"},         {".svg", "image/svg+xml"},                 {".png", "image/png"},
      {".ico", "image/x-icon"},              {".woff2", "font/woff2"},                  {".txt", "text/plain; charset=utf-8"}};
  const char *end = strrchr(path, '.');
  for (size_t i = 0; end && i < sizeof types / sizeof types[0]; i++)
    if (strcmp(end, types[i][0]) == 0) return types[i][1];
  return "application/octet-stream";
}

static const page_file *page_file_of(const page *p, const char *path) {
  if (strcmp(path, "/") == 0) path = "/index.html";
  if (strcmp(path, "/tasks") == 0) path = "/tasks.html";
  for (size_t i = 0; p && i < p->n_files; i++)
    if (strcmp(p->files[i].path, path) == 0) return &p->files[i];
  return NULL;
}

/* The build names a file by what is in it: NAME-XXXXXXXX.EXT. What has the name never changes. */
static bool page_is_hashed(const char *path) {
  const char *dot = strrchr(path, '.');
  const char *dash = dot ? memrchr(path, '-', (size_t)(dot - path)) : NULL;
  if (!dash || dot - dash != 9) return false;
  return strspn(dash + 1, "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789") == 8 &&
         strspn(dash + 1, "0123456789") < 8; /* a date */
}

/* The same file as the build has compressed it; NULL: it has not, or the client takes none. */
static const page_file *page_compressed(request *q, const page_file *f) {
  char *name = request_printf(q, "%s.gz", f->path);
  const page_file *is = name ? page_file_of(q->server->page, name) : NULL;
  q->varies = is;
  return q->takes_gzip ? is : NULL;
}

static int page_answer(request *q) {
  const page_file *f = page_file_of(q->server->page, q->page_path);
  const page_file *shorter = page_compressed(q, f);
  q->is_page = true;
  q->type = page_type(f->path);
  if (page_is_hashed(f->path)) q->cache = "public, max-age=31536000, immutable";
  if (shorter) {
    f = shorter;
    q->encoding = "gzip";
  }
  q->tag = f->tag;
  if (q->if_none_match && strcmp(q->if_none_match, f->tag) == 0) return q->status = 304;
  q->fixed = f->data;
  q->fixed_size = f->size;
  return request_done(q);
}

static int page_missing(request *q) {
  q->is_page = true;
  q->type = "text/html; charset=utf-8";
  out_rawf(&q->out, "<!doctype html><meta charset=\"utf-8\"><title>Orrery</title><h1>Orrery</h1>"
                    "<p>The REST interface is at <a href=\"/engine-rest/engine\">/engine-rest</a>.</p>"
                    "<p>The operator's page is not here: <code>make ui</code> builds it (it needs npm), and "
                    "<code>orrery serve --ui ui/dist</code> serves it.</p>");
  return request_done(q);
}

const operation *page_route(request *q, const char *path) {
  static const operation file = {.method = "GET", .path = "/{page}", .handle = page_answer};
  static const operation none = {.method = "GET", .path = "/", .handle = page_missing};
  if (strcmp(q->method, "GET") != 0 && strcmp(q->method, "HEAD") != 0) return NULL;
  q->page_path = path;
  if (page_file_of(q->server->page, path)) return &file;
  return !q->server->page && strcmp(path, "/") == 0 ? &none : NULL;
}
