/* Keys are looked up in a table of slots; arrays are written as the server reads them, in binary.
 */
#include "store/postgresql/merge.h"

#include <string.h>

#include "base/error.h"
#include "base/hash.h"
#include "store/postgresql/packing.h"
#include "store/range.h"

#define REVISION_BYTES sizeof(uint32_t) /* as the header of a value has them */
#define CALL_BYTES_MAX \
  ((size_t)512 << 20) /* the server takes no value of 1 GiB, and an array is one */
#define PREFIX_MARK \
  10 /* bytes of a key by which a count learns that it need not look for writes \
      */
#define MARKS 65536

typedef struct merged_key {
  store_bytes key, value; /* the batches' own bytes */
  uint32_t hash;
  bool packed;     /* it is in a page, whose image tells what was there before */
  uint32_t before; /* what the first who writes it expects: a revision, STORE_ABSENT or STORE_ANY_REVISION */
  bool present;
  uint32_t revision;
} merged_key;

/* To which batch and operation a comparison belongs. */
typedef struct origin {
  size_t batch, op;
} origin;

typedef struct origins {
  origin *items;
  size_t count, capacity;
} origins;

struct merge {
  orr_allocator allocator;
  page_images *images;
  array check_keys, check_revisions, count_from, count_to, count_first, count_last, count_expected;
  array insert_keys, insert_values, update_keys, update_revisions, update_values;
  array put_keys, put_values, delete_keys, delete_revisions, drop_keys;
  packing pages;
  packed_change *changes;
  size_t change_capacity;
  origins checks, counts;
  merged_key *keys;
  size_t key_count, key_capacity;
  uint32_t *slots; /* index + 1 */
  size_t slot_count;
  uint8_t marks[MARKS / 8];
  size_t bytes;
};

merge *merge_new(const orr_allocator *allocator, page_images *images) {
  merge *f = env_zalloc(allocator, sizeof *f);
  if (!f) return NULL;
  f->allocator = *allocator;
  f->images = images;
  return f;
}

static array *array_at(merge *f, size_t i) {
  array *all[] = {&f->check_keys,    &f->check_revisions, &f->count_from,       &f->count_to,
                  &f->count_first,   &f->count_last,      &f->count_expected,   &f->insert_keys,
                  &f->insert_values, &f->update_keys,     &f->update_revisions, &f->update_values,
                  &f->put_keys,      &f->put_values,      &f->delete_keys,      &f->delete_revisions,
                  &f->drop_keys};
  return i < sizeof all / sizeof *all ? all[i] : NULL;
}

void merge_free(merge *f) {
  if (!f) return;
  orr_allocator allocator = f->allocator;
  for (size_t i = 0; array_at(f, i); i++)
    array_free(&allocator, array_at(f, i));
  packing_free(&f->pages, &allocator);
  env_free(&allocator, f->changes, f->change_capacity * sizeof *f->changes);
  env_free(&allocator, f->checks.items, f->checks.capacity * sizeof(origin));
  env_free(&allocator, f->counts.items, f->counts.capacity * sizeof(origin));
  env_free(&allocator, f->keys, f->key_capacity * sizeof *f->keys);
  env_free(&allocator, f->slots, f->slot_count * sizeof *f->slots);
  env_free(&allocator, f, sizeof *f);
}

/* ---- Growing --------------------------------------------------------------------------------- */

/* Room for one more of `size` bytes behind `count`. */
static void *with_room(const orr_allocator *allocator, void *items, size_t count, size_t *capacity,
                       size_t size) {
  if (count < *capacity) return items;
  size_t wanted = *capacity ? *capacity * 2 : 64;
  void *moved = env_realloc(allocator, items, *capacity * size, wanted * size);
  if (moved) *capacity = wanted;
  return moved;
}

static bool merge_bytes(merge *f, array *a, store_bytes bytes) {
  f->bytes += bytes.size + 4;
  return array_add(&f->allocator, a, bytes.data, bytes.size);
}

static bool merge_number(merge *f, array *a, int64_t number) { return array_add_number(&f->allocator, a, number); }

static bool add_origin(merge *f, origins *list, size_t batch, size_t op) {
  origin *items =
      with_room(&f->allocator, list->items, list->count, &list->capacity, sizeof *items);
  if (!items) return false;
  list->items = items;
  items[list->count++] = (origin){batch, op};
  return true;
}

/* ---- Keys ------------------------------------------------------------------------------------ */

static size_t key_slot(const merge *f, store_bytes key, uint32_t hash) {
  size_t i = hash & (f->slot_count - 1);
  for (; f->slots[i]; i = (i + 1) & (f->slot_count - 1)) {
    const merged_key *k = &f->keys[f->slots[i] - 1];
    if (k->hash == hash && k->key.size == key.size && memcmp(k->key.data, key.data, key.size) == 0)
      break;
  }
  return i;
}

static merged_key *find_written(const merge *f, store_bytes key) {
  if (f->slot_count == 0) return NULL;
  size_t i = key_slot(f, key, hash_bytes(key.data, key.size));
  return f->slots[i] ? &f->keys[f->slots[i] - 1] : NULL;
}

/* Keeps the table at most half full. */
static bool slots_room(merge *f) {
  if ((f->key_count + 1) * 2 <= f->slot_count) return true;
  size_t wanted = f->slot_count ? f->slot_count * 2 : 128;
  uint32_t *slots = env_zalloc(&f->allocator, wanted * sizeof *slots);
  if (!slots) return false;
  env_free(&f->allocator, f->slots, f->slot_count * sizeof *slots);
  f->slots = slots;
  f->slot_count = wanted;
  for (size_t n = 0; n < f->key_count; n++) {
    size_t i = f->keys[n].hash & (wanted - 1);
    while (slots[i]) i = (i + 1) & (wanted - 1);
    slots[i] = (uint32_t)n + 1;
  }
  return true;
}

static uint32_t mark_of(store_bytes key) { return hash_bytes(key.data, PREFIX_MARK) % MARKS; }

static merged_key *add_written(merge *f, store_bytes key, uint32_t before) {
  merged_key *known = find_written(f, key);
  if (known) return known;
  merged_key *keys =
      with_room(&f->allocator, f->keys, f->key_count, &f->key_capacity, sizeof *keys);
  if (keys) f->keys = keys;
  if (!keys || !slots_room(f)) return NULL;
  uint32_t hash = hash_bytes(key.data, key.size);
  keys[f->key_count] = (merged_key){.key = key, .hash = hash, .packed = packed_key(key), .before = before};
  f->slots[key_slot(f, key, hash)] = (uint32_t)f->key_count + 1;
  if (key.size >= PREFIX_MARK) f->marks[mark_of(key) / 8] |= (uint8_t)(1u << mark_of(key) % 8);
  return &keys[f->key_count++];
}

/* Has an earlier batch of the merge written a key that begins so? */
static bool written_below(const merge *f, store_bytes prefix) {
  if (prefix.size >= PREFIX_MARK && !(f->marks[mark_of(prefix) / 8] >> mark_of(prefix) % 8 & 1))
    return false;
  for (size_t i = 0; i < f->key_count; i++) {
    if (range_has_prefix(f->keys[i].key, prefix)) return true;
  }
  return false;
}

/* ---- Batches --------------------------------------------------------------------------------- */

static bool op_compares(const store_op *op) {
  return op->kind == STORE_COUNT || op->expected != STORE_ANY_REVISION;
}

/* False: the merge's earlier batches make the operation lose. */
static bool agrees(const merged_key *k, const store_op *op) {
  if (op->expected == STORE_ABSENT) return !k->present;
  return k->present && k->revision == op->expected;
}

/* Pages in which keys with this prefix may lie: none, if it is not of a packed type. */
static bool add_pages_of(merge *f, store_bytes prefix, store_bytes end) {
  bool packed = packed_key(prefix);
  int64_t last = packed ? packed_page_below(*(const unsigned char *)prefix.data, end) : -1;
  return merge_number(f, &f->count_first, packed ? packed_page(prefix) : 0) && merge_number(f, &f->count_last, last);
}

static bool merge_count(merge *f, const store_op *op) {
  unsigned char end[STORE_KEY_MAX + 1];
  store_bytes high = {end, range_end(op->key, end)};
  return merge_bytes(f, &f->count_from, op->key) && merge_bytes(f, &f->count_to, high) &&
         add_pages_of(f, op->key, high) && merge_number(f, &f->count_expected, op->expected);
}

/* Whether all keys that begin so are in one page. */
static bool counts_in_page(const store_op *op) { return packed_key(op->key) && op->key.size >= PACKED_KEY_SIZE; }

static uint32_t count_in_page(const page_image *image, store_bytes prefix) {
  uint32_t count = 0;
  store_bytes rest = image->bytes;
  for (packed_entry e; packed_next(&rest, &e);) count += range_has_prefix(e.key, prefix);
  return count;
}

/* By the image of its page, which the call compares: so the batch has lost, or the image is of yesterday. */
static bool compare_packed(merge *f, store_batch *batch, size_t i) {
  const store_op *op = &batch->ops[i];
  store_bytes value;
  page_image *image = page_images_touch(f->images, packed_page(op->key));
  if (!image) return false;
  image->relied = true;
  bool fits;
  if (op->kind == STORE_COUNT) {
    fits = count_in_page(image, op->key) == op->expected;
  } else {
    bool present = packed_find(image->bytes, op->key, &value);
    fits = op->expected == STORE_ABSENT ? !present : present && store_revision(value) == op->expected;
  }
  if (fits) return true;
  batch->status = ORR_E_CONFLICT;
  batch->lost_op = i;
  return true;
}

static bool compare_op(merge *f, store_batch *batch, size_t number, size_t i) {
  const store_op *op = &batch->ops[i];
  if (op->kind == STORE_COUNT) {
    if (counts_in_page(op)) return compare_packed(f, batch, i);
    return merge_count(f, op) && add_origin(f, &f->counts, number, i);
  }
  const merged_key *k = find_written(f, op->key);
  if (!k && packed_key(op->key)) return compare_packed(f, batch, i);
  if (!k) return add_origin(f, &f->checks, number, i);
  if (agrees(k, op)) return true;
  batch->status = ORR_E_CONFLICT;
  batch->lost_op = i;
  return true;
}

static bool write_op(merge *f, const store_op *op) {
  if (op->kind != STORE_PUT && op->kind != STORE_DELETE) return true;
  merged_key *k = add_written(f, op->key, op->expected);
  if (!k) return false;
  k->present = op->kind == STORE_PUT;
  k->value = op->value;
  k->revision = k->present ? store_revision(op->value) : STORE_ABSENT;
  return true;
}

/* All of a batch is compared before any of it is written. What a batch compares that loses only
 * here stays in the call: it may fail there as well, and the batch has lost either way. */
static bool merge_batch(merge *f, store_batch *batch, size_t number) {
  for (size_t i = 0; i < batch->count && !batch->status; i++) {
    if (op_compares(&batch->ops[i]) && !compare_op(f, batch, number, i)) return false;
  }
  for (size_t i = 0; i < batch->count && !batch->status; i++) {
    if (!write_op(f, &batch->ops[i])) return false;
  }
  return true;
}

static bool counts_written(const merge *f, const store_batch *batch) {
  for (size_t i = 0; i < batch->count; i++) {
    if (batch->ops[i].kind == STORE_COUNT && written_below(f, batch->ops[i].key)) return true;
  }
  return false;
}

static bool merge_begin(merge *f) {
  f->bytes = f->checks.count = f->counts.count = f->key_count = 0;
  memset(f->marks, 0, sizeof f->marks);
  if (f->slots) memset(f->slots, 0, f->slot_count * sizeof *f->slots);
  page_images_forget_fold(f->images);
  for (size_t i = 0; array_at(f, i); i++) {
    array *a = array_at(f, i);
    bool numbers = a == &f->count_first || a == &f->count_last || a == &f->count_expected;
    if (!array_begin(&f->allocator, a, numbers ? ARRAY_NUMBERS : ARRAY_BYTES)) return false;
  }
  return true;
}

/* ---- What is sent ---------------------------------------------------------------------------- */

static bool add_revision(merge *f, array *a, uint32_t revision) {
  return merge_bytes(f, a, (store_bytes){&revision, revision == STORE_ABSENT ? 0 : REVISION_BYTES});
}

static bool add_pair(merge *f, array *keys, array *values, const merged_key *k) {
  return merge_bytes(f, keys, k->key) && merge_bytes(f, values, k->value);
}

/* Does writing this key compare what the first who writes it expects? */
static bool compares_itself(const merged_key *k) {
  return k->before == STORE_ABSENT ? k->present : k->before != STORE_ANY_REVISION;
}

/* A row of an index is there if and only if its record says so: who puts one mostly does so because it is not there. */
static bool send_put(merge *f, const merged_key *k, bool careful) {
  bool new = k->before == STORE_ABSENT || (k->value.size == 0 && !careful);
  if (new) return add_pair(f, &f->insert_keys, &f->insert_values, k);
  if (k->before == STORE_ANY_REVISION) return add_pair(f, &f->put_keys, &f->put_values, k);
  return add_pair(f, &f->update_keys, &f->update_values, k) &&
         add_revision(f, &f->update_revisions, k->before);
}

static bool send_delete(merge *f, const merged_key *k) {
  if (k->before == STORE_ABSENT) return true;
  if (k->before == STORE_ANY_REVISION) return merge_bytes(f, &f->drop_keys, k->key);
  return merge_bytes(f, &f->delete_keys, k->key) &&
         add_revision(f, &f->delete_revisions, k->before);
}

static bool send_values(merge *f, bool careful) {
  for (size_t i = 0; i < f->key_count && f->bytes <= CALL_BYTES_MAX; i++) {
    const merged_key *k = &f->keys[i];
    if (k->packed) continue;
    if (k->present ? !send_put(f, k, careful) : !send_delete(f, k)) return false;
  }
  return true;
}

static bool send_pages(merge *f) {
  if (f->change_capacity < f->key_count) {
    packed_change *moved = env_realloc(&f->allocator, f->changes, f->change_capacity * sizeof *moved,
                                       f->key_capacity * sizeof *moved);
    if (!moved) return false;
    f->changes = moved;
    f->change_capacity = f->key_capacity;
  }
  size_t count = 0;
  for (const merged_key *k = f->keys; k < f->keys + f->key_count; k++) {
    if (k->packed) f->changes[count++] = (packed_change){k->key, k->value, k->present};
  }
  if (!packing_make(&f->pages, &f->allocator, f->images, f->changes, count)) return false;
  f->bytes += f->pages.bytes;
  return true;
}

/* Those that no write makes, or all. */
static bool send_checks(merge *f, const store_batch *batches, bool careful) {
  size_t kept = 0;
  for (size_t i = 0; i < f->checks.count; i++) {
    origin o = f->checks.items[i];
    const store_op *op = &batches[o.batch].ops[o.op];
    const merged_key *k = careful ? NULL : find_written(f, op->key);
    if (k && k->before == op->expected && compares_itself(k)) continue;
    f->checks.items[kept++] = o;
    if (!merge_bytes(f, &f->check_keys, op->key) ||
        !add_revision(f, &f->check_revisions, op->expected))
      return false;
  }
  f->checks.count = kept;
  return true;
}

/* Ids are given in their order: who makes the first record of a page finds none there. */
static bool begins_page(const store_op *op) {
  const unsigned char *key = op->key.data;
  return op->kind == STORE_PUT && op->expected == STORE_ABSENT && op->key.size == PACKED_KEY_SIZE &&
         key[0] != POSTGRES_LATE_TAG && (key[PACKED_KEY_SIZE - 1] & ((1u << POSTGRES_PAGE_BITS) - 1)) <= 1;
}

static bool touch_page(merge *f, const store_op *op, bool guess) {
  if (!packed_key(op->key) || (op->kind == STORE_COUNT && !counts_in_page(op))) return true;
  page_image *image = page_images_touch(f->images, packed_page(op->key));
  if (image && !image->known && guess && begins_page(op)) (void)page_images_set(f->images, image, 0, (store_bytes){0});
  return image;
}

bool merge_touch_pages(merge *f, const store_batch *batches, size_t count, bool guess) {
  for (const store_batch *b = batches; b < batches + count; b++) {
    for (size_t i = 0; i < b->count; i++) {
      if (!touch_page(f, &b->ops[i], guess)) return false;
    }
  }
  return true;
}

int merge_batches(merge *f, store_batch *batches, const merge_how *how, size_t first, size_t count,
                 size_t *end, orr_error *err) {
  if (!merge_begin(f)) return error_memory(err);
  size_t i = first;
  for (; i < count; i++) {
    if (how->lost[i]) continue;
    if (counts_written(f, &batches[i])) break;
    batches[i].status = 0;
    if (!merge_batch(f, &batches[i], i)) return error_memory(err);
  }
  *end = i;
  if (!send_checks(f, batches, how->careful) || !send_values(f, how->careful) || !send_pages(f))
    return error_memory(err);
  if (f->bytes > CALL_BYTES_MAX)
    return error_set(err, ORR_E_LIMIT, "a commit of more than %zu MiB is too large for PostgreSQL",
                     CALL_BYTES_MAX >> 20);
  for (size_t a = 0; array_at(f, a); a++) array_end(array_at(f, a));
  return 0;
}

static bool writes_rows(const merge *f) {
  return f->insert_keys.count + f->update_keys.count + f->put_keys.count + f->delete_keys.count + f->drop_keys.count > 0;
}

bool merge_asks(const merge *f) {
  return f->checks.count + f->counts.count > 0 || writes_rows(f) || packing_asks(&f->pages);
}

bool merge_writes(const merge *f) { return writes_rows(f) || packing_writes(&f->pages); }

void merge_parameters(const merge *f, postgres_parameters *out) {
  for (size_t i = 0; array_at((merge *)f, i); i++) {
    array_parameter(array_at((merge *)f, i), out);
  }
  packing_parameters(&f->pages, out);
}

bool merge_lose(const merge *f, int64_t which, store_batch *batches, bool *lost) {
  const origins *list = which > 0 ? &f->checks : &f->counts;
  uint64_t place = (uint64_t)(which > 0 ? which : -which);
  if (place == 0 || place > list->count) return false;
  origin o = list->items[place - 1];
  store_batch *batch = &batches[o.batch];
  if (lost[o.batch] && batch->lost_op <= o.op) return true;
  lost[o.batch] = true;
  batch->status = ORR_E_CONFLICT;
  batch->lost_op = o.op;
  return true;
}
