/* Forms with files, by libmicrohttpd's parser. */
#include "server/transport/multipart.h"

#include <microhttpd.h>
#include <stdlib.h>
#include <string.h>

typedef struct multipart {
  struct MHD_PostProcessor *parser;
  part **last;
  size_t n_parts;
  bool broken, full;
} multipart;

static char *copied(const char *text) { return text ? strdup(text) : NULL; }

static part *part_add(request *q, const char *name, const char *filename, const char *type) {
  multipart *m = q->form;
  part *p = m->n_parts < PARTS_MAX ? calloc(1, sizeof *p) : NULL;
  if (!p) return NULL;
  *m->last = p;
  m->last = &p->next;
  m->n_parts++;
  p->name = copied(name);
  p->filename = copied(filename);
  p->type = copied(type);
  return p->name ? p : NULL;
}

static bool part_grow(part *p, const char *data, size_t size) {
  if (p->capacity - p->size <= size) {
    size_t capacity = p->capacity ? p->capacity * 2 : 256;
    while (capacity - p->size <= size) capacity *= 2;
    char *more = realloc(p->data, capacity);
    if (!more) return false;
    p->data = more;
    p->capacity = capacity;
  }
  memcpy(p->data + p->size, data, size);
  p->size += size;
  p->data[p->size] = '\0';
  return true;
}

/* A piece of a part; the first of each has offset 0. */
static enum MHD_Result multipart_piece(void *ud, enum MHD_ValueKind kind, const char *name, const char *filename,
                                       const char *type, const char *coding, const char *data, uint64_t offset,
                                       size_t size) {
  request *q = ud;
  multipart *m = q->form;
  (void)kind;
  (void)coding;
  part *p = offset == 0 ? part_add(q, name, filename, type) : q->parts;
  while (offset > 0 && p && p->next) p = p->next;
  if (p && part_grow(p, data, size)) return MHD_YES;
  m->full = true;
  return MHD_NO;
}

bool multipart_begin(request *q, struct MHD_Connection *mhd) {
  multipart *m = calloc(1, sizeof *m);
  if (!m) return false;
  m->last = &q->parts;
  m->parser = MHD_create_post_processor(mhd, 4096, multipart_piece, q);
  q->form = m;
  if (m->parser) return true;
  free(m);
  q->form = NULL;
  return false;
}

bool multipart_add(request *q, const char *data, size_t size) {
  multipart *m = q->form;
  if (!m->broken && MHD_post_process(m->parser, data, size) != MHD_YES) m->broken = true;
  return !m->full;
}

bool multipart_end(request *q) {
  multipart *m = q->form;
  if (!m) return true;
  bool whole = MHD_destroy_post_processor(m->parser) == MHD_YES && !m->broken;
  free(m);
  q->form = NULL;
  return whole;
}

const part *multipart_part(const request *q, const char *name) {
  const part *p = q->parts;
  while (p && strcmp(p->name, name) != 0) p = p->next;
  return p;
}
