/* Building a value tree front to back in one buffer. An open array or map is a frame that remembers where its content
 * starts; closing it puts tag and size before the content. A map also remembers its entries and sorts them when it closes,
 * if they came unsorted. */
#include "base/builder.h"

#include <stdlib.h>
#include <string.h>

#include "base/env.h"
#include "base/error.h"
#include "base/limits.h"
#include "base/value.h"

typedef struct entry {
  size_t start, end;     /* in the buffer: key size, key, item */
  size_t key, key_size;
  size_t order;          /* as added: of equal keys the last one stays */
  const uint8_t *buffer; /* for the comparison; set before sorting */
} entry;

typedef struct frame {
  size_t start;       /* of the content in the buffer */
  size_t first_entry; /* of a map, in the builder's entries */
  uint32_t type;
  bool has_key; /* a key waits for its value */
  bool sorted;  /* so far */
} frame;

struct orr_builder {
  orr_allocator allocator;
  uint8_t *buffer;
  size_t size, capacity;
  entry *entries;
  size_t entry_count, entry_capacity;
  frame frames[ORR_VALUE_DEPTH_MAX];
  int depth;
  int failure; /* the first one */
  const char *reason;
};

orr_builder *builder_new(const orr_allocator *allocator) {
  orr_builder *b = env_zalloc(allocator, sizeof *b);
  if (b && allocator) b->allocator = *allocator;
  return b;
}

orr_builder *orr_builder_new(void) { return builder_new(NULL); }

void orr_builder_free(orr_builder *b) {
  if (!b) return;
  orr_allocator allocator = b->allocator;
  env_free(&allocator, b->buffer, b->capacity);
  env_free(&allocator, b->entries, b->entry_capacity * sizeof *b->entries);
  env_free(&allocator, b, sizeof *b);
}

void orr_builder_reset(orr_builder *b) {
  if (!b) return;
  b->size = b->entry_count = 0;
  b->depth = b->failure = 0;
  b->reason = NULL;
}

static void builder_fail(orr_builder *b, int code, const char *reason) {
  if (b->failure != 0) return;
  b->failure = code;
  b->reason = reason;
}

/* Room for `size` more bytes. */
static bool reserve(orr_builder *b, size_t size) {
  if (size <= b->capacity - b->size) return true;
  /* Sorting a map needs a second copy of it for a moment. */
  if (size > 2 * (size_t)ORR_VALUE_BYTES_MAX + 64 - b->size) {
    builder_fail(b, ORR_E_LIMIT, "the value is too large");
    return false;
  }
  size_t capacity = b->capacity > 0 ? b->capacity : 128;
  while (capacity - b->size < size) capacity *= 2;
  uint8_t *grown = env_realloc(&b->allocator, b->buffer, b->capacity, capacity);
  if (!grown) {
    builder_fail(b, ORR_E_MEMORY, "out of memory");
    return false;
  }
  b->buffer = grown;
  b->capacity = capacity;
  return true;
}

static bool reserve_entry(orr_builder *b) {
  if (b->entry_count < b->entry_capacity) return true;
  size_t capacity = b->entry_capacity > 0 ? b->entry_capacity * 2 : 16;
  entry *grown = env_realloc(&b->allocator, b->entries, b->entry_capacity * sizeof *grown, capacity * sizeof *grown);
  if (!grown) {
    builder_fail(b, ORR_E_MEMORY, "out of memory");
    return false;
  }
  b->entries = grown;
  b->entry_capacity = capacity;
  return true;
}

static frame *top(orr_builder *b) { return b && b->depth > 0 ? &b->frames[b->depth - 1] : NULL; }

/* Whether a value may come next; in a map it needs its key. */
static bool accepts_value(orr_builder *b) {
  const frame *f = top(b);
  if (!b || b->failure != 0) return false;
  if (!f && b->size > 0) builder_fail(b, ORR_E_ARGUMENT, "a builder makes one value");
  if (f && f->type == ORR_MAP && !f->has_key) builder_fail(b, ORR_E_ARGUMENT, "a value in a map needs a key before it");
  return b->failure == 0;
}

static int compare_entry_keys(const entry *x, const entry *y, const uint8_t *buffer) {
  return key_compare(buffer + x->key, x->key_size, buffer + y->key, y->key_size);
}

/* The value behind the latest key is complete. */
static void value_done(orr_builder *b) {
  frame *f = top(b);
  if (!f || f->type != ORR_MAP) return;
  entry *e = &b->entries[b->entry_count - 1];
  e->end = b->size;
  f->has_key = false;
  if (b->entry_count - f->first_entry > 1 && compare_entry_keys(e - 1, e, b->buffer) >= 0) f->sorted = false;
}

void orr_builder_key(orr_builder *b, const char *key, size_t size) {
  frame *f = top(b);
  if (!b || b->failure != 0) return;
  if (!f || f->type != ORR_MAP || f->has_key || !key) {
    builder_fail(b, ORR_E_ARGUMENT, "a key stands in a map, once before each value");
    return;
  }
  if (size > ORR_VALUE_BYTES_MAX) {
    builder_fail(b, ORR_E_LIMIT, "the key is too large");
    return;
  }
  if (!reserve_entry(b) || !reserve(b, varint_size(size) + size)) return;
  size_t start = b->size;
  size_t at = (size_t)(varint_put(b->buffer + start, size) - b->buffer);
  if (size > 0) memcpy(b->buffer + at, key, size);
  b->size = at + size;
  b->entries[b->entry_count] = (entry){.start = start, .key = at, .key_size = size, .order = b->entry_count};
  b->entry_count++;
  f->has_key = true;
}

/* A key whose value is 'no value' is not in the map. */
static void drop_key(orr_builder *b, frame *f) {
  b->size = b->entries[--b->entry_count].start;
  f->has_key = false;
}

void orr_builder_add(orr_builder *b, const orr_value *value) {
  if (!accepts_value(b)) return;
  frame *f = top(b);
  orr_value null = orr_null();
  if (!value || (value->type == ORR_NIL && f)) {
    if (f && f->type == ORR_MAP) {
      drop_key(b, f);
      return;
    }
    value = &null; /* keeps the indexes of an array's other elements */
  }
  switch (value_validate(value, b->depth)) {
    case 0: break;
    case ORR_E_LIMIT: builder_fail(b, ORR_E_LIMIT, "the value is too deep or too large"); return;
    default: builder_fail(b, ORR_E_ARGUMENT, "the value is damaged"); return;
  }
  size_t size = value_encoded_size(value);
  if (!reserve(b, size)) return;
  value_encode(b->buffer + b->size, value);
  b->size += size;
  value_done(b);
}

static void begin_item(orr_builder *b, uint32_t type) {
  if (!accepts_value(b)) return;
  if (b->depth == ORR_VALUE_DEPTH_MAX) {
    builder_fail(b, ORR_E_LIMIT, "the value is too deep");
    return;
  }
  if (!reserve(b, 1)) return; /* so that even an empty one has a buffer */
  b->frames[b->depth++] = (frame){.start = b->size, .first_entry = b->entry_count, .type = type, .sorted = true};
}

void orr_builder_array(orr_builder *b) { begin_item(b, ORR_ARRAY); }
void orr_builder_map(orr_builder *b) { begin_item(b, ORR_MAP); }

static int compare_entries(const void *a, const void *b) {
  const entry *x = a, *y = b;
  int order = compare_entry_keys(x, y, x->buffer);
  return order != 0 ? order : (x->order > y->order) - (x->order < y->order);
}

/* Brings a map's entries into order, through a copy behind the content. */
static void sort_map(orr_builder *b, const frame *f) {
  size_t content = b->size - f->start, count = b->entry_count - f->first_entry;
  if (!reserve(b, content)) return;
  entry *entries = b->entries + f->first_entry;
  for (size_t i = 0; i < count; i++) entries[i].buffer = b->buffer;
  qsort(entries, count, sizeof *entries, compare_entries);
  uint8_t *out = b->buffer + b->size;
  for (size_t i = 0; i < count; i++) {
    const entry *e = &entries[i];
    if (i + 1 < count && compare_entry_keys(e, e + 1, b->buffer) == 0) continue; /* a later one of equals follows */
    memcpy(out, b->buffer + e->start, e->end - e->start);
    out += e->end - e->start;
  }
  size_t kept = (size_t)(out - (b->buffer + b->size));
  memmove(b->buffer + f->start, b->buffer + b->size, kept);
  b->size = f->start + kept;
}

void orr_builder_end(orr_builder *b) {
  frame *f = top(b);
  if (!b || b->failure != 0) return;
  if (!f || f->has_key) {
    builder_fail(b, ORR_E_ARGUMENT, !f ? "no array or map is open" : "a key has no value");
    return;
  }
  if (!f->sorted) sort_map(b, f);
  size_t content = b->size - f->start, header = 1 + varint_size(content);
  if (content > ORR_VALUE_BYTES_MAX) builder_fail(b, ORR_E_LIMIT, "the value is too large");
  if (b->failure != 0 || !reserve(b, header)) return;
  memmove(b->buffer + f->start + header, b->buffer + f->start, content);
  b->buffer[f->start] = (uint8_t)f->type;
  varint_put(b->buffer + f->start + 1, content);
  b->size += header;
  b->entry_count = f->first_entry;
  b->depth--;
  value_done(b);
}

void orr_builder_put(orr_builder *b, const char *key, orr_value value) {
  orr_builder_key(b, key, key ? strlen(key) : 0);
  orr_builder_add(b, &value);
}

void builder_put_given(orr_builder *b, const char *key, orr_value value) {
  if (value.type != ORR_NIL) orr_builder_put(b, key, value);
}

bool builder_empty(const orr_builder *b) { return b && b->failure == 0 && b->depth == 0 && b->size == 0; }

bool builder_failed(const orr_builder *b) { return b->failure != 0; }

int orr_builder_value(orr_builder *b, orr_value *out, orr_error *err) {
  orr_value unwanted;
  if (!out) out = &unwanted;
  *out = (orr_value){0};
  if (!b) return error_set(err, ORR_E_MEMORY, "there is no builder");
  if (b->failure == 0 && b->depth > 0) builder_fail(b, ORR_E_ARGUMENT, "an array or map was not ended");
  if (b->failure == 0 && b->size == 0) builder_fail(b, ORR_E_ARGUMENT, "the builder holds no value");
  if (b->failure != 0) return error_set(err, b->failure, "%s", b->reason);
  const uint8_t *at = b->buffer;
  int rc = value_decode(&at, b->buffer + b->size, out);
  return rc ? error_set(err, rc, "the built value is damaged") : 0;
}

int builder_copy(orr_builder *b, orr_arena *arena, orr_value *out, orr_error *err) {
  orr_value built;
  int rc = orr_builder_value(b, &built, err);
  if (rc) return rc;
  return value_copy(arena, &built, out) ? error_memory(err) : 0;
}
