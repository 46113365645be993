/* Prefetching: which records of a group a step mostly reads. */
#include "uow/prefetch.h"

#include "uow/uow_internal.h"

_Static_assert(64 - ORR_LOCAL_BITS == STORE_GROUP_BITS, "the store knows groups by the same bits");

static const rec_type *const types[] = {&rec_instance_type, &rec_execution_type, &rec_variable_type,
                                        &rec_job_type, &rec_exclusive_type, &rec_history_instance_type};
#define SPANS (sizeof types / sizeof *types) /* of a group */

typedef struct bounds {
  store_span spans[UNIT_PREFETCH_MAX * SPANS];
  uint8_t bytes[UNIT_PREFETCH_MAX * SPANS][2][KEY_ID_SIZE];
  size_t count;
} bounds;

static void span_group(bounds *b, char tag, uint64_t group) {
  uint8_t(*bytes)[KEY_ID_SIZE] = b->bytes[b->count];
  key_of_id(tag, orr_id_make(group, 0), bytes[0]);
  key_of_id(tag, orr_id_make(group + 1, 0), bytes[1]);
  b->spans[b->count++] = (store_span){{bytes[0], KEY_ID_SIZE}, {bytes[1], KEY_ID_SIZE}};
}

static void span_record(bounds *b, char tag, orr_id id) {
  key_of_id(tag, id, b->bytes[b->count][0]);
  b->spans[b->count] = (store_span){.low = {b->bytes[b->count][0], KEY_ID_SIZE}};
  b->count++;
}

bool unit_is_far(unit *u) {
  store_snapshot *snapshot = unit_snapshot(u, NULL);
  return snapshot && store_is_far(snapshot);
}

store_prefetched *unit_prefetch_groups(unit_source *source, const orr_id *ids, size_t count) {
  store *s = unit_source_store(source);
  if (!s->methods->prefetch) return NULL;
  bounds b = {.count = 0};
  for (size_t i = 0; i < count && i < UNIT_PREFETCH_MAX; i++) {
    uint64_t group = orr_id_group(ids[i]);
    for (size_t t = 0; t < SPANS && group > 0 && group < ORR_GROUP_MAX; t++) span_group(&b, types[t]->tag, group);
  }
  return store_prefetch(s, b.spans, b.count);
}

void unit_use_prefetched(unit *u, store_prefetched *p) {
  store_snapshot *snapshot = p ? unit_snapshot(u, NULL) : NULL;
  if (snapshot) store_snapshot_use(snapshot, p);
}

void unit_prefetch_keys(unit *u, const store_bytes *keys, size_t count) {
  store_snapshot *snapshot = unit_snapshot(u, NULL);
  store_span spans[UNIT_PREFETCH_MAX];
  size_t n = 0;
  if (!snapshot || !store_is_far(snapshot)) return;
  for (size_t i = 0; i < count && n < UNIT_PREFETCH_MAX; i++) {
    bool known = unit_known(u, keys[i].data, keys[i].size, key_hash(keys[i].data, keys[i].size));
    if (!known) spans[n++] = (store_span){.low = keys[i]};
  }
  if (n > 1) store_read_ahead(snapshot, spans, n);
}

void unit_prefetch_jobs(unit *u, const orr_id *jobs, size_t count) {
  store_snapshot *snapshot = unit_snapshot(u, NULL);
  if (!snapshot || !store_is_far(snapshot)) return;
  bounds b = {.count = 0};
  for (size_t i = 0; i < count && i < UNIT_PREFETCH_MAX; i++) {
    span_record(&b, rec_job_type.tag, jobs[i]);
    span_record(&b, rec_exclusive_type.tag, orr_id_instance(jobs[i]));
  }
  store_read_ahead(snapshot, b.spans, b.count);
}
