/* Who goes through a file of thousands of processes, undeploying it say, parses it once; and so
 * does who goes from one version of it to the next, migrating instances say: as many files are kept
 * as come to two of the largest. */
#include "engine/parsed_files.h"

#include <pthread.h>
#include <string.h>

#include "base/limits.h"
#include "model/names.h"

typedef struct parsed_file {
  struct parsed_file *next;
  orr_arena *arena; /* in which all of this lies */
  orr_id deployment;
  const char *resource;
  size_t text_size;
  definition **graphs; /* each with one reference */
  uint32_t count;
  names by_key;
} parsed_file;

struct parsed_files {
  orr_allocator allocator;
  pthread_mutex_t mutex;
  parsed_file *first; /* that was asked for last */
};

parsed_files *parsed_files_new(const orr_allocator *allocator) {
  parsed_files *files = env_zalloc(allocator, sizeof *files);
  if (!files) return NULL;
  files->allocator = *allocator;
  pthread_mutex_init(&files->mutex, NULL);
  return files;
}

static void release_graphs(definition *const *graphs, uint32_t count) {
  for (uint32_t i = 0; i < count; i++) definition_release(graphs[i]);
}

static void drop_file(parsed_file **at) {
  parsed_file *gone = *at;
  *at = gone->next;
  release_graphs(gone->graphs, gone->count);
  arena_free(gone->arena);
}

void parsed_files_free(parsed_files *files) {
  if (!files) return;
  while (files->first) drop_file(&files->first);
  pthread_mutex_destroy(&files->mutex);
  orr_allocator allocator = files->allocator;
  env_free(&allocator, files, sizeof *files);
}

int definition_bind(definition *d, const rec_definition *r) {
  d->tenant = r->tenant.size > 0 ? arena_strndup(d->arena, r->tenant.data, r->tenant.size) : NULL;
  if (r->tenant.size > 0 && !d->tenant) return ORR_E_MEMORY;
  d->id = r->id;
  d->version = r->version;
  d->deployment_id = r->deployment_id;
  return 0;
}

/* ---- Asking ---------------------------------------------------------------------------------- */

static bool is_file_of(const parsed_file *file, const rec_definition *r) {
  return file->deployment == r->deployment_id && rec_text_is(r->resource, file->resource);
}

/* The file of a definition, which comes to the front; NULL: it is not kept. */
static parsed_file *find_file(parsed_files *files, const rec_definition *r) {
  parsed_file **at = &files->first;
  while (*at && !is_file_of(*at, r)) at = &(*at)->next;
  parsed_file *found = *at;
  if (!found) return NULL;
  *at = found->next;
  found->next = files->first;
  files->first = found;
  return found;
}

/* Whoever asks first binds a graph; from then on nobody writes it. */
int parsed_files_get(parsed_files *files, const rec_definition *r, definition **out) {
  pthread_mutex_lock(&files->mutex);
  parsed_file *file = find_file(files, r);
  definition *d = file ? names_get(&file->by_key, r->key.data) : NULL;
  int rc = d && !d->id ? definition_bind(d, r) : 0;
  *out = d && !rc ? definition_retain(d) : NULL;
  pthread_mutex_unlock(&files->mutex);
  return rc;
}

/* ---- Keeping --------------------------------------------------------------------------------- */

static int list_graphs(parsed_file *file, const model *m) {
  file->by_key.arena = file->arena;
  file->graphs = ARENA_ARRAY(file->arena, definition *, m->count);
  if (!file->graphs) return ORR_E_MEMORY;
  for (uint32_t i = 0; i < m->count; i++) {
    definition *d = file->graphs[file->count++] = m->items[i];
    bool known = names_get(&file->by_key, d->key);
    if (!known && !names_put(&file->by_key, d->key, d)) return ORR_E_MEMORY;
  }
  return 0;
}

/* NULL: memory is out. */
static parsed_file *make_file(const parsed_files *files, const rec_definition *r, const model *m,
                              size_t text_size) {
  orr_arena *arena = arena_new(&files->allocator);
  parsed_file *file = arena ? ARENA_NEW(arena, parsed_file) : NULL;
  if (file) {
    *file = (parsed_file){.arena = arena, .deployment = r->deployment_id, .text_size = text_size};
    file->resource = arena_strndup(arena, r->resource.data, r->resource.size);
    if (file->resource && !list_graphs(file, m)) return file;
  }
  if (arena) arena_free(arena);
  return NULL;
}

/* Lets those go that were asked for longest ago. */
static void drop_oldest(parsed_files *files) {
  size_t text = 0, count = 0;
  for (parsed_file **at = &files->first; *at;) {
    text += (*at)->text_size;
    if (++count > ORR_PARSED_FILES_MAX || text > ORR_PARSED_BYTES_MAX) drop_file(at);
    else at = &(*at)->next;
  }
}

/* Another thread may have parsed the same one meanwhile. */
static void put_file(parsed_files *files, const rec_definition *r, parsed_file *file) {
  pthread_mutex_lock(&files->mutex);
  if (find_file(files, r)) drop_file(&files->first);
  file->next = files->first;
  files->first = file;
  drop_oldest(files);
  pthread_mutex_unlock(&files->mutex);
}

static definition *graph_of_key(const model *m, rec_text key) {
  for (uint32_t i = 0; i < m->count; i++)
    if (rec_text_is(key, m->items[i]->key)) return m->items[i];
  return NULL;
}

/* A file of one process is not worth it: the cache of graphs has it. */
int parsed_files_keep(parsed_files *files, const rec_definition *r, const model *m,
                      size_t text_size, definition **out) {
  definition *d = graph_of_key(m, r->key);
  int rc = d ? definition_bind(d, r) : 0;
  *out = d && !rc ? definition_retain(d) : NULL;
  parsed_file *file = *out && m->count > 1 ? make_file(files, r, m, text_size) : NULL;
  if (file) put_file(files, r, file);
  else release_graphs(m->items, m->count);
  return rc;
}

void parsed_files_drop(parsed_files *files, orr_id deployment) {
  pthread_mutex_lock(&files->mutex);
  for (parsed_file **at = &files->first; *at;) {
    if ((*at)->deployment == deployment) drop_file(at);
    else at = &(*at)->next;
  }
  pthread_mutex_unlock(&files->mutex);
}
