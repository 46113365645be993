/* Two sorted arrays with binary search. */
#include "command/form/field_index.h"

#include <stdlib.h>
#include <string.h>

#include "base/value.h"

/* Fields of one name stay in the form's order. */
static int order_field_rows(const void *left, const void *right) {
  const field_row *a = left, *b = right;
  int order = key_compare(a->name, a->size, b->name, b->size);
  return order != 0 ? order : (a->field > b->field) - (a->field < b->field);
}

bool field_index_make(const form_field *fields, uint32_t n, orr_arena *arena, field_index *out) {
  *out = (field_index){.count = n};
  if (n == 0) return true;
  out->by_id = ARENA_ARRAY(arena, field_row, n);
  out->by_variable = ARENA_ARRAY(arena, field_row, n);
  if (!out->by_id || !out->by_variable) return false;
  for (uint32_t i = 0; i < n; i++) {
    const form_field *f = &fields[i];
    out->by_id[i] = (field_row){f->id, strlen(f->id), f};
    out->by_variable[i] = (field_row){f->variable, strlen(f->variable), f};
  }
  qsort(out->by_id, n, sizeof *out->by_id, order_field_rows);
  qsort(out->by_variable, n, sizeof *out->by_variable, order_field_rows);
  return true;
}

static const form_field *find_first(const field_row *rows, uint32_t count, const char *name,
                                    size_t size) {
  uint32_t low = 0, high = count;
  while (low < high) {
    uint32_t middle = low + (high - low) / 2;
    const field_row *at = &rows[middle];
    if (key_compare(at->name, at->size, name, size) < 0) low = middle + 1;
    else high = middle;
  }
  bool found = low < count && key_compare(rows[low].name, rows[low].size, name, size) == 0;
  return found ? rows[low].field : NULL;
}

const form_field *field_index_by_id(const field_index *all, const char *name, size_t size) {
  return find_first(all->by_id, all->count, name, size);
}

const form_field *field_index_by_variable(const field_index *all, const char *name, size_t size) {
  return find_first(all->by_variable, all->count, name, size);
}
