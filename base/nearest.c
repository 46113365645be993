/* Edit distance, for suggestions. */
#include "base/nearest.h"

#include <stdbool.h>

/* Longer names are nobody's. */
#define NEAREST_BYTES_MAX 48

static char lower(char c) { return c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c; }

static size_t smaller(size_t a, size_t b) { return a < b ? a : b; }

/* Insertions, deletions, replacements and swaps of neighbors from one text to the other, capitals aside. */
static size_t distance_of(const char *a, size_t a_size, const char *b, size_t b_size) {
  size_t rows[3][NEAREST_BYTES_MAX + 1];
  size_t *row = rows[0], *above = rows[1], *above_that = rows[2];
  for (size_t j = 0; j <= b_size; j++) row[j] = j;
  for (size_t i = 1; i <= a_size; i++) {
    size_t *spare = above_that;
    above_that = above;
    above = row;
    row = spare;
    row[0] = i;
    for (size_t j = 1; j <= b_size; j++) {
      bool same = lower(a[i - 1]) == lower(b[j - 1]);
      row[j] = smaller(smaller(above[j], row[j - 1]) + 1, above[j - 1] + (same ? 0 : 1));
      bool swapped = i > 1 && j > 1 && lower(a[i - 1]) == lower(b[j - 2]) && lower(a[i - 2]) == lower(b[j - 1]);
      if (swapped) row[j] = smaller(row[j], above_that[j - 2] + 1);
    }
  }
  return row[b_size];
}

/* More than a third of a word wrong is another word, not a slip. */
nearest nearest_to(const char *wrong, size_t size) {
  return (nearest){.wrong = wrong, .wrong_size = size, .distance = size / 3 + 1};
}

void nearest_offer(nearest *best, const char *name, size_t size) {
  if (best->wrong_size > NEAREST_BYTES_MAX || size > NEAREST_BYTES_MAX) return;
  size_t apart = size > best->wrong_size ? size - best->wrong_size : best->wrong_size - size;
  if (apart >= best->distance) return; /* it takes at least as many steps */
  size_t distance = distance_of(best->wrong, best->wrong_size, name, size);
  if (distance >= best->distance) return;
  best->distance = distance;
  best->name = name;
  best->size = size;
}
