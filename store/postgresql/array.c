/* A head of five numbers, then each element's size and bytes. */
#include "store/postgresql/array.h"

#include <arpa/inet.h>
#include <endian.h>
#include <string.h>

#define ARRAY_HEAD 20
#define KEPT_BYTES_MAX ((size_t)8 << 20)

static bool array_room(const orr_allocator *allocator, array *a, size_t size) {
  if (a->size + size <= a->capacity) return true;
  size_t wanted = a->capacity ? a->capacity : 1024;
  while (wanted < a->size + size) wanted *= 2;
  char *moved = env_realloc(allocator, a->data, a->capacity, wanted);
  if (!moved) return false;
  a->data = moved;
  a->capacity = wanted;
  return true;
}

static void put_number(char *at, uint32_t number) {
  number = htonl(number);
  memcpy(at, &number, sizeof number);
}

void array_free(const orr_allocator *allocator, array *a) {
  env_free(allocator, a->data, a->capacity);
  *a = (array){0};
}

bool array_begin(const orr_allocator *allocator, array *a, array_type type) {
  if (a->capacity > KEPT_BYTES_MAX) array_free(allocator, a); /* what one of uncommon size has taken is given back */
  a->size = a->count = 0;
  a->type = type;
  if (!array_room(allocator, a, ARRAY_HEAD)) return false;
  a->size = ARRAY_HEAD;
  return true;
}

bool array_add(const orr_allocator *allocator, array *a, const void *data, size_t size) {
  if (!array_room(allocator, a, size + 4)) return false;
  put_number(a->data + a->size, (uint32_t)size);
  if (size > 0) memcpy(a->data + a->size + 4, data, size);
  a->size += size + 4;
  a->count++;
  return true;
}

bool array_add_number(const orr_allocator *allocator, array *a, int64_t number) {
  uint64_t big = htobe64((uint64_t)number);
  return array_add(allocator, a, &big, sizeof big);
}

void array_end(array *a) {
  put_number(a->data, a->count > 0); /* dimensions */
  put_number(a->data + 4, 0);        /* no NULLs */
  put_number(a->data + 8, a->type);
  put_number(a->data + 12, a->count);
  put_number(a->data + 16, 1);
  if (a->count == 0) a->size = 12; /* without a dimension */
}

void array_parameter(const array *a, postgres_parameters *out) {
  out->values[out->count] = a->data;
  out->sizes[out->count++] = (int)a->size;
}
