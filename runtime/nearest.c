/* Edit distance, for suggestions. */
#include "nearest.h"

#include <stdint.h>
#include <string.h>

/* Longer names are compared by their beginnings; suggestions need no more. */
#define NEAREST_BYTES_MAX 48

static size_t smallest(size_t a, size_t b, size_t c) {
  size_t least = a < b ? a : b;
  return least < c ? least : c;
}

/* Insertions, deletions and replacements from one text to the other. */
static size_t distance_of(const char *a, size_t a_size, const char *b, size_t b_size) {
  size_t row[NEAREST_BYTES_MAX + 1];
  if (a_size > NEAREST_BYTES_MAX) a_size = NEAREST_BYTES_MAX;
  if (b_size > NEAREST_BYTES_MAX) b_size = NEAREST_BYTES_MAX;
  for (size_t j = 0; j <= b_size; j++) row[j] = j;
  for (size_t i = 1; i <= a_size; i++) {
    size_t corner = row[0];
    row[0] = i;
    for (size_t j = 1; j <= b_size; j++) {
      size_t above = row[j];
      row[j] = smallest(above + 1, row[j - 1] + 1, corner + (a[i - 1] != b[j - 1]));
      corner = above;
    }
  }
  return row[b_size];
}

nearest nearest_to(const char *wrong, size_t size) { return (nearest){.wrong = wrong, .size = size, .distance = SIZE_MAX, .name = ""}; }

void nearest_offer(nearest *best, const char *name) {
  size_t distance = distance_of(best->wrong, best->size, name, strlen(name));
  if (distance >= best->distance) return;
  best->distance = distance;
  best->name = name;
}
