/* A table of chains. When it is full it is emptied: what steps are about is offered again soon. */
#include "store/postgresql/images.h"

#include <pthread.h>
#include <string.h>

#define PLACES 8192u
#define IMAGES_MAX 32768u
#define BYTES_MAX ((size_t)32 << 20)
#define OFFERS_MAX 4096u /* between two commits */

typedef struct offer {
  struct offer *next;
  int64_t page, revision;
  uint32_t moment;
  size_t size;
  char bytes[];
} offer;

struct page_images {
  orr_allocator allocator;
  pthread_mutex_t mutex; /* guards what is offered */
  offer *offers;
  size_t offer_count;
  page_image *places[PLACES];
  size_t count, bytes;
  page_image **touched;
  size_t touched_count, touched_capacity;
};

page_images *page_images_new(const orr_allocator *allocator) {
  page_images *im = env_zalloc(allocator, sizeof *im);
  if (!im) return NULL;
  im->allocator = *allocator;
  pthread_mutex_init(&im->mutex, NULL);
  return im;
}

static void free_bytes(page_images *im, store_bytes *bytes) {
  if (bytes->data) env_free(&im->allocator, (void *)bytes->data, bytes->size);
  *bytes = (store_bytes){0};
}

static void clear_images(page_images *im) {
  for (size_t i = 0; i < PLACES; i++) {
    for (page_image *image = im->places[i], *next; image; image = next) {
      next = image->next;
      free_bytes(im, &image->bytes);
      free_bytes(im, &image->next_bytes);
      env_free(&im->allocator, image, sizeof *image);
    }
    im->places[i] = NULL;
  }
  im->count = im->bytes = im->touched_count = 0;
}

/* ---- Offers ---------------------------------------------------------------------------------- */

static void free_offers(page_images *im, offer *first) {
  for (offer *next; first; first = next) {
    next = first->next;
    env_free(&im->allocator, first, sizeof *first + first->size);
  }
}

void page_images_free(page_images *im) {
  if (!im) return;
  orr_allocator allocator = im->allocator;
  clear_images(im);
  free_offers(im, im->offers);
  env_free(&allocator, im->touched, im->touched_capacity * sizeof *im->touched);
  pthread_mutex_destroy(&im->mutex);
  env_free(&allocator, im, sizeof *im);
}

void page_images_offer(page_images *im, int64_t page, int64_t revision, store_bytes bytes, uint32_t moment) {
  offer *o = env_alloc(&im->allocator, sizeof *o + bytes.size);
  if (!o) return;
  *o = (offer){.page = page, .revision = revision, .moment = moment, .size = bytes.size};
  if (bytes.size > 0) memcpy(o->bytes, bytes.data, bytes.size);
  pthread_mutex_lock(&im->mutex);
  bool taken = im->offer_count < OFFERS_MAX;
  if (taken) {
    o->next = im->offers;
    im->offers = o;
    im->offer_count++;
  }
  pthread_mutex_unlock(&im->mutex);
  if (!taken) free_offers(im, o);
}

static offer *take_offers(page_images *im) {
  pthread_mutex_lock(&im->mutex);
  offer *all = im->offers;
  im->offers = NULL;
  im->offer_count = 0;
  pthread_mutex_unlock(&im->mutex);
  return all;
}

/* ---- Images ---------------------------------------------------------------------------------- */

/* Pages of groups that follow each other lie apart. */
static page_image **image_place(page_images *im, int64_t page) {
  return &im->places[(uint32_t)((uint64_t)page * UINT64_C(11400714819323198485) >> 40) % PLACES];
}

static page_image *image_at(page_images *im, int64_t page) {
  page_image **place = image_place(im, page), *image = *place;
  while (image && image->page != page) image = image->next;
  if (image) return image;
  image = env_zalloc(&im->allocator, sizeof *image);
  if (!image) return NULL;
  *image = (page_image){.next = *place, .page = page};
  *place = image;
  im->count++;
  return image;
}

bool page_images_set(page_images *im, page_image *image, int64_t revision, store_bytes bytes) {
  char *copy = bytes.size > 0 ? env_alloc(&im->allocator, bytes.size) : NULL;
  if (bytes.size > 0 && !copy) return false;
  if (copy) memcpy(copy, bytes.data, bytes.size);
  im->bytes = im->bytes - image->bytes.size + bytes.size;
  free_bytes(im, &image->bytes);
  image->bytes = (store_bytes){copy, bytes.size};
  image->revision = revision;
  image->known = true;
  return true;
}

static void take_offer(page_images *im, const offer *o, const recent_writes *written) {
  unsigned char key[PACKED_KEY_SIZE];
  packed_first_key((unsigned char)*POSTGRES_PACKED_TAGS, o->page, key);
  if (recent_writes_since(written, (store_bytes){key, sizeof key}, o->moment)) return;
  page_image *image = packed_intact((store_bytes){o->bytes, o->size}) ? image_at(im, o->page) : NULL;
  if (image && !(image->known && image->revision == o->revision))
    (void)page_images_set(im, image, o->revision, (store_bytes){o->bytes, o->size});
}

void page_images_begin(page_images *im, const recent_writes *written) {
  if (im->count > IMAGES_MAX || im->bytes > BYTES_MAX) clear_images(im);
  offer *all = take_offers(im);
  for (const offer *o = all; o; o = o->next) take_offer(im, o, written);
  free_offers(im, all);
}

page_image *page_images_touch(page_images *im, int64_t page) {
  page_image *image = image_at(im, page);
  if (!image || image->touched) return image;
  if (im->touched_count == im->touched_capacity) {
    size_t wanted = im->touched_capacity ? im->touched_capacity * 2 : 256;
    page_image **moved = env_realloc(&im->allocator, im->touched, im->touched_capacity * sizeof *moved, wanted * sizeof *moved);
    if (!moved) return NULL;
    im->touched = moved;
    im->touched_capacity = wanted;
  }
  image->touched = true;
  im->touched[im->touched_count++] = image;
  return image;
}

page_image *const *page_images_touched(const page_images *im, size_t *count) {
  *count = im->touched_count;
  return im->touched;
}

bool page_images_missing(page_images *im, array *out) {
  if (!array_begin(&im->allocator, out, ARRAY_NUMBERS)) return false;
  for (size_t i = 0; i < im->touched_count; i++) {
    page_image *image = im->touched[i];
    if (image->known) continue;
    if (!array_add_number(&im->allocator, out, image->page)) return false;
    (void)page_images_set(im, image, 0, (store_bytes){0}); /* which needs no memory */
  }
  return true;
}

/* ---- A commit's course ----------------------------------------------------------------------- */

void page_images_forget_fold(page_images *im) {
  for (size_t i = 0; i < im->touched_count; i++) {
    im->touched[i]->relied = im->touched[i]->written = false;
    free_bytes(im, &im->touched[i]->next_bytes);
  }
}

void page_images_advance(page_images *im, int64_t revision) {
  for (size_t i = 0; i < im->touched_count; i++) {
    page_image *image = im->touched[i];
    if (!image->written) continue;
    im->bytes = im->bytes - image->bytes.size + image->next_bytes.size;
    free_bytes(im, &image->bytes);
    image->bytes = image->next_bytes;
    image->revision = image->bytes.size > 0 ? revision : 0;
    image->next_bytes = (store_bytes){0};
    image->written = false;
  }
}

void page_images_end(page_images *im, bool made) {
  page_images_forget_fold(im);
  for (size_t i = 0; i < im->touched_count; i++) {
    im->touched[i]->touched = false;
    if (!made) im->touched[i]->known = false;
  }
  im->touched_count = 0;
}
