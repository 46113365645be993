/* Counting by name, in a hash table over an array. */
#include "query/tally.h"

#include <stdlib.h>
#include <string.h>

#include "base/builder.h"
#include "engine/engine.h"
#include "record/key.h"

static uint32_t slot_of(const tally *t, rec_text name) {
  uint32_t at = (uint32_t)rec_text_hash(name) & t->slot_mask;
  while (t->slots[at] && !rec_text_equal(t->rows[t->slots[at] - 1].name, name)) at = (at + 1) & t->slot_mask;
  return at;
}

static int grow_slots(context *c, tally *t) {
  if (t->slots && t->n_rows * 2 <= t->slot_mask) return 0;
  uint32_t size = t->slots ? (t->slot_mask + 1) * 2 : 64;
  t->slots = ARENA_ARRAY(c->arena, uint32_t, size);
  if (!t->slots) return context_memory(c);
  t->slot_mask = size - 1;
  for (uint32_t i = 0; i < t->n_rows; i++) t->slots[slot_of(t, t->rows[i].name)] = i + 1;
  return 0;
}

tally_row *tally_at(context *c, tally *t, rec_text name) {
  if (grow_slots(c, t)) return NULL;
  uint32_t at = slot_of(t, name);
  if (t->slots[at]) return &t->rows[t->slots[at] - 1];
  char *own = arena_strndup(c->arena, name.data ? name.data : "", name.size);
  if (!own || !ARENA_ROOM(c->arena, t->rows, t->n_rows, t->rows_capacity, 16)) {
    context_memory(c);
    return NULL;
  }
  t->slots[at] = t->n_rows + 1;
  t->rows[t->n_rows] = (tally_row){.name = {own, name.size}};
  return &t->rows[t->n_rows++];
}

tally_row *tally_of_id(context *c, tally *t, orr_id id) {
  tally_row *row = tally_at(c, t, (rec_text){(const char *)&id, sizeof id});
  if (row) row->id = id;
  return row;
}

int tally_part(context *c, tally_row *row, rec_text name) {
  if (!row->parts) row->parts = ARENA_NEW(c->arena, tally);
  tally_row *part = row->parts ? tally_at(c, row->parts, name) : NULL;
  if (!part) return c->error.code ? c->error.code : context_memory(c);
  part->counts[0]++;
  return 0;
}

int tally_parts_value(context *c, const tally_row *row, orr_value *out) {
  orr_builder *b = builder_new(&c->engine->env.allocator);
  if (!b) return context_memory(c);
  orr_builder_map(b);
  for (uint32_t i = 0; row->parts && i < row->parts->n_rows; i++) {
    const tally_row *part = &row->parts->rows[i];
    orr_value count = orr_int(part->counts[0]);
    orr_builder_key(b, part->name.data, part->name.size);
    orr_builder_add(b, &count);
  }
  orr_builder_end(b);
  int rc = builder_copy(b, c->arena, out, &c->error);
  orr_builder_free(b);
  return rc;
}

static int compare_tally_rows(const void *a, const void *b) {
  const tally_row *x = a, *y = b;
  if (x->id || y->id) return x->id < y->id ? -1 : x->id > y->id;
  size_t size = x->name.size < y->name.size ? x->name.size : y->name.size;
  int order = memcmp(x->name.data, y->name.data, size);
  return order ? order : (x->name.size > y->name.size) - (x->name.size < y->name.size);
}

/* The hash table is void afterwards. */
void tally_sort(tally *t) {
  if (t->n_rows > 1) qsort(t->rows, t->n_rows, sizeof *t->rows, compare_tally_rows);
  t->slots = NULL;
}
