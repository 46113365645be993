/* A short list with a weight for each key. */
#include "store/postgresql/hot_keys.h"

#include <pthread.h>
#include <string.h>

#define WEIGHT_ONCE 32   /* for being asked for once: so long is it remembered */
#define WEIGHT_WANTED 48 /* from here on a key is fetched: asked for twice, and not long ago */
#define WEIGHT_MAX 512

typedef struct asked_key {
  uint16_t weight, size; /* 0: a free place */
  unsigned char bytes[HOT_KEYS_BYTES];
} asked_key;

struct hot_keys {
  orr_allocator allocator;
  pthread_mutex_t mutex;
  asked_key keys[HOT_KEYS_MAX];
};

hot_keys *hot_keys_new(const orr_allocator *allocator) {
  hot_keys *a = env_zalloc(allocator, sizeof *a);
  if (!a) return NULL;
  a->allocator = *allocator;
  pthread_mutex_init(&a->mutex, NULL);
  return a;
}

void hot_keys_free(hot_keys *a) {
  if (!a) return;
  orr_allocator allocator = a->allocator;
  pthread_mutex_destroy(&a->mutex);
  env_free(&allocator, a, sizeof *a);
}

/* Its place, or the one of the least weight. */
static asked_key *asked_place(hot_keys *a, store_bytes key) {
  asked_key *least = a->keys;
  for (asked_key *k = a->keys; k < a->keys + HOT_KEYS_MAX; k++) {
    if (k->weight && k->size == key.size && memcmp(k->bytes, key.data, key.size) == 0) return k;
    if (k->weight < least->weight) least = k;
  }
  if (least->weight >= WEIGHT_WANTED) return NULL;
  least->weight = 0;
  least->size = (uint16_t)key.size;
  memcpy(least->bytes, key.data, key.size);
  return least;
}

void hot_keys_note(hot_keys *a, store_bytes key) {
  if (key.size > HOT_KEYS_BYTES) return;
  pthread_mutex_lock(&a->mutex);
  asked_key *k = asked_place(a, key);
  if (k) k->weight = k->weight > 0 ? WEIGHT_MAX : WEIGHT_ONCE;
  pthread_mutex_unlock(&a->mutex);
}

void hot_keys_take(hot_keys *a, hot_key_spans *out) {
  out->count = 0;
  pthread_mutex_lock(&a->mutex);
  for (asked_key *k = a->keys; k < a->keys + HOT_KEYS_MAX; k++) {
    if (k->weight >= WEIGHT_WANTED) {
      unsigned char *bytes = memcpy(out->bytes[out->count], k->bytes, k->size);
      out->spans[out->count++] = (store_span){.low = {bytes, k->size}};
    }
    if (k->weight) k->weight--;
  }
  pthread_mutex_unlock(&a->mutex);
}
