/* An image and the changes of its page are merged in the order of keys. */
#include "store/postgresql/packing.h"

#include <stdlib.h>
#include <string.h>

static array *packing_array(packing *p, size_t i) {
  array *all[] = {&p->relied,           &p->relied_revisions, &p->insert_pages,  &p->insert_tags,   &p->insert_counts,
                  &p->insert_values,    &p->update_pages,     &p->update_revisions, &p->update_tags, &p->update_counts,
                  &p->update_values,    &p->delete_pages,     &p->delete_revisions};
  return i < sizeof all / sizeof *all ? all[i] : NULL;
}

void packing_free(packing *p, const orr_allocator *allocator) {
  for (size_t i = 0; packing_array(p, i); i++) array_free(allocator, packing_array(p, i));
}

void packing_parameters(const packing *p, postgres_parameters *out) {
  for (size_t i = 0; packing_array((packing *)p, i); i++) array_parameter(packing_array((packing *)p, i), out);
}

bool packing_writes(const packing *p) { return p->insert_pages.count + p->update_pages.count + p->delete_pages.count > 0; }

bool packing_asks(const packing *p) { return packing_writes(p) || p->relied.count > 0; }

/* ---- One page -------------------------------------------------------------------------------- */

typedef struct page_merge {
  store_bytes rest; /* of the image */
  packed_entry entry; /* its next */
  bool more;
  const packed_change *change, *end;
} page_merge;

static void next_of_image(page_merge *m) { m->more = packed_next(&m->rest, &m->entry); }

static page_merge begin_merge(const page_image *image, const packed_change *changes, size_t count) {
  page_merge m = {.rest = image->bytes, .change = changes, .end = changes + count};
  next_of_image(&m);
  return m;
}

/* False: there is none any more. */
static bool merged_entry(page_merge *m, packed_entry *out) {
  while (m->more || m->change < m->end) {
    int order = !m->more ? 1 : m->change == m->end ? -1 : packed_compare(m->entry.key, m->change->key);
    if (order < 0) {
      *out = m->entry;
      next_of_image(m);
      return true;
    }
    if (order == 0) next_of_image(m);
    const packed_change *c = m->change++;
    if (!c->present) continue;
    *out = (packed_entry){c->key, c->value};
    return true;
  }
  return false;
}

typedef struct page_sums {
  size_t size;
  int64_t count, tags;
} page_sums;

static page_sums sum_entries(page_merge m) {
  page_sums s = {0};
  for (packed_entry e; merged_entry(&m, &e); s.count++) {
    s.size += PACKED_HEAD + e.key.size + e.value.size;
    s.tags |= packed_tag(*(const unsigned char *)e.key.data);
  }
  return s;
}

static bool write_image(const orr_allocator *allocator, page_image *image, page_merge m, size_t size) {
  image->written = true;
  if (size == 0) return true;
  char *bytes = env_alloc(allocator, size), *at = bytes;
  if (!bytes) return false;
  for (packed_entry e; merged_entry(&m, &e);) at = packed_put(at, &e);
  image->next_bytes = (store_bytes){bytes, size};
  return true;
}

static bool add_image(packing *p, const orr_allocator *allocator, const page_image *image, page_sums s) {
  store_bytes v = image->next_bytes;
  if (s.count == 0)
    return array_add_number(allocator, &p->delete_pages, image->page) &&
           array_add_number(allocator, &p->delete_revisions, image->revision);
  p->bytes += v.size;
  if (image->revision == 0)
    return array_add_number(allocator, &p->insert_pages, image->page) &&
           array_add_number(allocator, &p->insert_tags, s.tags) &&
           array_add_number(allocator, &p->insert_counts, s.count) &&
           array_add(allocator, &p->insert_values, v.data, v.size);
  return array_add_number(allocator, &p->update_pages, image->page) &&
         array_add_number(allocator, &p->update_revisions, image->revision) &&
         array_add_number(allocator, &p->update_tags, s.tags) &&
         array_add_number(allocator, &p->update_counts, s.count) &&
         array_add(allocator, &p->update_values, v.data, v.size);
}

/* What was not there and comes to nothing is only compared. */
static bool pack_page(packing *p, const orr_allocator *allocator, page_image *image, const packed_change *changes,
                      size_t count) {
  page_merge m = begin_merge(image, changes, count);
  page_sums s = sum_entries(m);
  image->relied = true;
  if (s.count == 0 && image->revision == 0) return true;
  return write_image(allocator, image, m, s.size) && add_image(p, allocator, image, s);
}

/* ---- All of them ----------------------------------------------------------------------------- */

static int by_page(const void *left, const void *right) {
  const packed_change *a = left, *b = right;
  int64_t one = packed_page(a->key), other = packed_page(b->key);
  return one != other ? (one > other) - (one < other) : packed_compare(a->key, b->key);
}

static bool begin_arrays(packing *p, const orr_allocator *allocator) {
  p->bytes = 0;
  for (size_t i = 0; packing_array(p, i); i++) {
    array *a = packing_array(p, i);
    bool bytes = a == &p->insert_values || a == &p->update_values;
    if (!array_begin(allocator, a, bytes ? ARRAY_BYTES : ARRAY_NUMBERS)) return false;
  }
  return true;
}

static bool add_relied(packing *p, const orr_allocator *allocator, page_images *images) {
  size_t count;
  page_image *const *touched = page_images_touched(images, &count);
  for (size_t i = 0; i < count; i++) {
    const page_image *image = touched[i];
    if (image->relied && !image->written &&
        !(array_add_number(allocator, &p->relied, image->page) &&
          array_add_number(allocator, &p->relied_revisions, image->revision)))
      return false;
  }
  return true;
}

bool packing_make(packing *p, const orr_allocator *allocator, page_images *images, packed_change *changes, size_t count) {
  if (!begin_arrays(p, allocator)) return false;
  if (count > 0) qsort(changes, count, sizeof *changes, by_page);
  for (size_t from = 0, to; from < count; from = to) {
    int64_t page = packed_page(changes[from].key);
    for (to = from + 1; to < count && packed_page(changes[to].key) == page;) to++;
    page_image *image = page_images_touch(images, page);
    if (!image || !pack_page(p, allocator, image, changes + from, to - from)) return false;
  }
  if (!add_relied(p, allocator, images)) return false;
  for (size_t i = 0; packing_array(p, i); i++) array_end(packing_array(p, i));
  return true;
}
