/* Keys are looked up in a table of slots; arrays are written as the server reads them, in binary.
 */
#include "store/postgresql/fold.h"

#include <arpa/inet.h>
#include <endian.h>
#include <string.h>

#include "base/error.h"
#include "store/range.h"

#define BYTEA_OID 17
#define INT8_OID 20
#define CALL_BYTES_MAX \
  ((size_t)512 << 20) /* the server takes no value of 1 GiB, and an array is one */
#define KEPT_BYTES_MAX ((size_t)8 << 20)
#define PREFIX_MARK \
  10 /* bytes of a key by which a count learns that it need not look for writes \
      */
#define MARKS 65536

/* An array in binary: a head of five numbers, then each element's size and bytes. */
#define ARRAY_HEAD 20
typedef struct array {
  char *data;
  size_t size, capacity;
  uint32_t count, type;
} array;

typedef struct folded_key {
  store_bytes key, value; /* the batches' own bytes */
  uint32_t hash;
  bool present;
  uint32_t revision;
} folded_key;

/* To which batch and operation a comparison belongs. */
typedef struct origin {
  size_t batch, op;
} origin;

typedef struct origins {
  origin *items;
  size_t count, capacity;
} origins;

struct fold {
  orr_allocator allocator;
  array check_keys, check_revisions, count_from, count_to, count_expected, put_keys, put_revisions,
      put_values, deletes;
  origins checks, counts;
  folded_key *keys;
  size_t key_count, key_capacity;
  uint32_t *slots; /* index + 1 */
  size_t slot_count;
  uint8_t marks[MARKS / 8];
  size_t bytes;
};

fold *fold_new(const orr_allocator *allocator) {
  fold *f = env_zalloc(allocator, sizeof *f);
  if (f) f->allocator = *allocator;
  return f;
}

static array *array_at(fold *f, size_t i) {
  array *all[] = {&f->check_keys,    &f->check_revisions, &f->count_from,
                  &f->count_to,      &f->count_expected,  &f->put_keys,
                  &f->put_revisions, &f->put_values,      &f->deletes};
  return i < sizeof all / sizeof *all ? all[i] : NULL;
}

void fold_free(fold *f) {
  if (!f) return;
  orr_allocator allocator = f->allocator;
  for (size_t i = 0; array_at(f, i); i++)
    env_free(&allocator, array_at(f, i)->data, array_at(f, i)->capacity);
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

static bool array_room(fold *f, array *a, size_t size) {
  if (a->size + size <= a->capacity) return true;
  size_t wanted = a->capacity ? a->capacity : 1024;
  while (wanted < a->size + size) wanted *= 2;
  char *moved = env_realloc(&f->allocator, a->data, a->capacity, wanted);
  if (!moved) return false;
  a->data = moved;
  a->capacity = wanted;
  return true;
}

static void put_number(char *at, uint32_t number) {
  number = htonl(number);
  memcpy(at, &number, sizeof number);
}

static bool array_add(fold *f, array *a, const void *data, size_t size) {
  if (!array_room(f, a, size + 4)) return false;
  put_number(a->data + a->size, (uint32_t)size);
  if (size > 0) memcpy(a->data + a->size + 4, data, size);
  a->size += size + 4;
  a->count++;
  f->bytes += size + 4;
  return true;
}

static bool array_add_integer(fold *f, array *a, int64_t number) {
  uint64_t big = htobe64((uint64_t)number);
  return array_add(f, a, &big, sizeof big);
}

/* What a commit of uncommon size has taken is given back. */
static void array_shrink(fold *f, array *a) {
  if (a->capacity <= KEPT_BYTES_MAX) return;
  env_free(&f->allocator, a->data, a->capacity);
  *a = (array){0};
}

static bool array_begin(fold *f, array *a, uint32_t type) {
  array_shrink(f, a);
  a->size = a->count = 0;
  a->type = type;
  if (!array_room(f, a, ARRAY_HEAD)) return false;
  a->size = ARRAY_HEAD;
  return true;
}

static void array_end(array *a) {
  put_number(a->data, a->count > 0); /* dimensions */
  put_number(a->data + 4, 0);        /* no NULLs */
  put_number(a->data + 8, a->type);
  put_number(a->data + 12, a->count);
  put_number(a->data + 16, 1);
  if (a->count == 0) a->size = 12; /* without a dimension */
}

static bool add_origin(fold *f, origins *list, size_t batch, size_t op) {
  origin *items =
      with_room(&f->allocator, list->items, list->count, &list->capacity, sizeof *items);
  if (!items) return false;
  list->items = items;
  items[list->count++] = (origin){batch, op};
  return true;
}

/* ---- Keys ------------------------------------------------------------------------------------ */

static uint32_t hash_bytes(const void *data, size_t size) {
  const uint8_t *at = data;
  uint32_t hash = 2166136261u;
  for (size_t i = 0; i < size; i++) hash = (hash ^ at[i]) * 16777619u;
  return hash;
}

static size_t key_slot(const fold *f, store_bytes key, uint32_t hash) {
  size_t i = hash & (f->slot_count - 1);
  for (; f->slots[i]; i = (i + 1) & (f->slot_count - 1)) {
    const folded_key *k = &f->keys[f->slots[i] - 1];
    if (k->hash == hash && k->key.size == key.size && memcmp(k->key.data, key.data, key.size) == 0)
      break;
  }
  return i;
}

static folded_key *find_written(const fold *f, store_bytes key) {
  if (f->slot_count == 0) return NULL;
  size_t i = key_slot(f, key, hash_bytes(key.data, key.size));
  return f->slots[i] ? &f->keys[f->slots[i] - 1] : NULL;
}

/* Keeps the table at most half full. */
static bool slots_room(fold *f) {
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

static folded_key *add_written(fold *f, store_bytes key) {
  folded_key *known = find_written(f, key);
  if (known) return known;
  folded_key *keys =
      with_room(&f->allocator, f->keys, f->key_count, &f->key_capacity, sizeof *keys);
  if (keys) f->keys = keys;
  if (!keys || !slots_room(f)) return NULL;
  uint32_t hash = hash_bytes(key.data, key.size);
  keys[f->key_count] = (folded_key){.key = key, .hash = hash};
  f->slots[key_slot(f, key, hash)] = (uint32_t)f->key_count + 1;
  if (key.size >= PREFIX_MARK) f->marks[mark_of(key) / 8] |= (uint8_t)(1u << mark_of(key) % 8);
  return &keys[f->key_count++];
}

/* Has an earlier batch of the fold written a key that begins so? */
static bool written_below(const fold *f, store_bytes prefix) {
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

/* False: the fold's earlier batches make the operation lose. */
static bool agrees(const folded_key *k, const store_op *op) {
  if (op->expected == STORE_ABSENT) return !k->present;
  return k->present && k->revision == op->expected;
}

static bool fold_count(fold *f, const store_op *op) {
  unsigned char end[STORE_KEY_MAX + 1];
  size_t size = range_end(op->key, end);
  return array_add(f, &f->count_from, op->key.data, op->key.size) &&
         array_add(f, &f->count_to, end, size) &&
         array_add_integer(f, &f->count_expected, op->expected);
}

static bool fold_check(fold *f, const store_op *op) {
  return array_add(f, &f->check_keys, op->key.data, op->key.size) &&
         array_add_integer(f, &f->check_revisions, op->expected);
}

static bool compare_op(fold *f, store_batch *batch, size_t number, size_t i) {
  const store_op *op = &batch->ops[i];
  if (op->kind == STORE_COUNT) return fold_count(f, op) && add_origin(f, &f->counts, number, i);
  const folded_key *k = find_written(f, op->key);
  if (!k) return fold_check(f, op) && add_origin(f, &f->checks, number, i);
  if (agrees(k, op)) return true;
  batch->status = ORR_E_CONFLICT;
  batch->lost_op = i;
  return true;
}

static bool write_op(fold *f, const store_op *op) {
  if (op->kind != STORE_PUT && op->kind != STORE_DELETE) return true;
  folded_key *k = add_written(f, op->key);
  if (!k) return false;
  k->present = op->kind == STORE_PUT;
  k->value = op->value;
  k->revision = k->present ? store_revision(op->value) : STORE_ABSENT;
  return true;
}

/* All of a batch is compared before any of it is written. What a batch compares that loses only
 * here stays in the call: it may fail there as well, and the batch has lost either way. */
static bool fold_batch(fold *f, store_batch *batch, size_t number) {
  for (size_t i = 0; i < batch->count && !batch->status; i++) {
    if (op_compares(&batch->ops[i]) && !compare_op(f, batch, number, i)) return false;
  }
  for (size_t i = 0; i < batch->count && !batch->status; i++) {
    if (!write_op(f, &batch->ops[i])) return false;
  }
  return true;
}

static bool counts_written(const fold *f, const store_batch *batch) {
  for (size_t i = 0; i < batch->count; i++) {
    if (batch->ops[i].kind == STORE_COUNT && written_below(f, batch->ops[i].key)) return true;
  }
  return false;
}

static bool fold_begin(fold *f) {
  f->bytes = f->checks.count = f->counts.count = f->key_count = 0;
  memset(f->marks, 0, sizeof f->marks);
  if (f->slots) memset(f->slots, 0, f->slot_count * sizeof *f->slots);
  for (size_t i = 0; array_at(f, i); i++) {
    array *a = array_at(f, i);
    bool integers = a == &f->check_revisions || a == &f->count_expected || a == &f->put_revisions;
    if (!array_begin(f, a, integers ? INT8_OID : BYTEA_OID)) return false;
  }
  return true;
}

static bool fold_values(fold *f) {
  for (size_t i = 0; i < f->key_count; i++) {
    const folded_key *k = &f->keys[i];
    bool added = k->present ? array_add(f, &f->put_keys, k->key.data, k->key.size) &&
                                  array_add_integer(f, &f->put_revisions, k->revision) &&
                                  array_add(f, &f->put_values, k->value.data, k->value.size)
                            : array_add(f, &f->deletes, k->key.data, k->key.size);
    if (!added || f->bytes > CALL_BYTES_MAX) return added;
  }
  return true;
}

int fold_batches(fold *f, store_batch *batches, const bool *lost, size_t first, size_t count,
                 size_t *end, orr_error *err) {
  if (!fold_begin(f)) return error_memory(err);
  size_t i = first;
  for (; i < count; i++) {
    if (lost[i]) continue;
    if (counts_written(f, &batches[i])) break;
    batches[i].status = 0;
    if (!fold_batch(f, &batches[i], i)) return error_memory(err);
  }
  *end = i;
  if (!fold_values(f)) return error_memory(err);
  if (f->bytes > CALL_BYTES_MAX)
    return error_set(err, ORR_E_LIMIT, "a commit of more than %zu MiB is too large for PostgreSQL",
                     CALL_BYTES_MAX >> 20);
  for (size_t a = 0; array_at(f, a); a++) array_end(array_at(f, a));
  return 0;
}

bool fold_asks(const fold *f) { return f->checks.count + f->counts.count + f->key_count > 0; }
bool fold_writes(const fold *f) { return f->key_count > 0; }

void fold_parameters(const fold *f, postgres_parameters *out) {
  for (size_t i = 0; array_at((fold *)f, i); i++) {
    const array *a = array_at((fold *)f, i);
    out->values[out->count] = a->data;
    out->sizes[out->count++] = (int)a->size;
  }
}

bool fold_lose(const fold *f, int64_t which, store_batch *batches, bool *lost) {
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
