/* Bytes alone: nothing here asks a server. */
#include "store/postgresql/packed.h"

#include <endian.h>
#include <string.h>

#define ID_SIZE 8
_Static_assert(POSTGRES_PAGE_BITS < 64 - STORE_GROUP_BITS, "no page has records of two groups");

/* Pages hold these numbers. */
int packed_tag(unsigned char first) {
  switch (first) {
  case 'E': return 1;
  case 'I': return 2;
  case 'W': return 4;
  case 'K': return 8;
  default: return 0;
  }
}

bool packed_key(store_bytes key) { return key.size > 0 && packed_tag(*(const unsigned char *)key.data) != 0; }

static uint64_t id_in_packed(store_bytes key) {
  uint64_t id = 0;
  size_t size = key.size > ID_SIZE ? ID_SIZE : key.size - 1;
  if (size > 0) memcpy(&id, (const char *)key.data + 1, size);
  return be64toh(id);
}

/* A key without a whole id comes right before the one that goes on with zeros. */
int64_t packed_page(store_bytes key) {
  uint64_t id = id_in_packed(key);
  if (key.size < PACKED_KEY_SIZE && id > 0) id--;
  return (int64_t)(id >> POSTGRES_PAGE_BITS);
}

void packed_first_key(unsigned char tag, int64_t page, unsigned char out[PACKED_KEY_SIZE]) {
  uint64_t id = htobe64((uint64_t)page << POSTGRES_PAGE_BITS);
  out[0] = tag;
  memcpy(out + 1, &id, sizeof id);
}

int64_t packed_page_below(unsigned char tag, store_bytes high) {
  if (high.size == 0 || *(const unsigned char *)high.data < tag) return -1;
  if (*(const unsigned char *)high.data > tag) return POSTGRES_PAGE_LAST;
  if (high.size == 1) return -1;
  uint64_t id = id_in_packed(high);
  if (high.size <= PACKED_KEY_SIZE && id > 0) id--; /* that of the greatest key below */
  return (int64_t)(id >> POSTGRES_PAGE_BITS);
}

static uint32_t read_big_number(const unsigned char *at, size_t size) {
  uint32_t number = 0;
  for (size_t i = 0; i < size; i++) number = number << 8 | at[i];
  return number;
}

bool packed_next(store_bytes *rest, packed_entry *out) {
  if (rest->size < PACKED_HEAD) return false;
  const unsigned char *at = rest->data;
  size_t key = read_big_number(at, 2), value = read_big_number(at + 2, 4);
  if (key == 0 || key > STORE_KEY_MAX || rest->size - PACKED_HEAD < key || rest->size - PACKED_HEAD - key < value)
    return false;
  at += PACKED_HEAD;
  *out = (packed_entry){{at, key}, {at + key, value}};
  rest->data = at + key + value;
  rest->size -= PACKED_HEAD + key + value;
  return true;
}

bool packed_intact(store_bytes page) {
  packed_entry e;
  while (packed_next(&page, &e)) continue;
  return page.size == 0;
}

bool packed_find(store_bytes page, store_bytes key, store_bytes *value) {
  packed_entry e;
  while (packed_next(&page, &e)) {
    if (e.key.size != key.size || memcmp(e.key.data, key.data, key.size) != 0) continue;
    *value = e.value;
    return true;
  }
  return false;
}

static void write_number(char *at, size_t number, size_t size) {
  for (size_t i = size; i > 0; i--, number >>= 8) at[i - 1] = (char)number;
}

char *packed_put(char *at, const packed_entry *entry) {
  write_number(at, entry->key.size, 2);
  write_number(at + 2, entry->value.size, 4);
  at += PACKED_HEAD;
  memcpy(at, entry->key.data, entry->key.size);
  at += entry->key.size;
  if (entry->value.size > 0) memcpy(at, entry->value.data, entry->value.size);
  return at + entry->value.size;
}

int packed_compare(store_bytes a, store_bytes b) {
  size_t size = a.size < b.size ? a.size : b.size;
  int order = size > 0 ? memcmp(a.data, b.data, size) : 0;
  return order ? order : (a.size > b.size) - (a.size < b.size);
}
