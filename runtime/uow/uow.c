/* The unit of work: its life, the identity map and the states of records. Writing is flush.c, searching find.c. */
#include "uow/uow.h"

#include "base/error.h"
#include "uow/flush.h"
#include "uow/relation.h"
#include "uow/succession.h"
#include "uow/uow_internal.h"

#include <assert.h>

/* ---- Life ------------------------------------------------------------------------------------ */

unit *unit_make(unit_source *source, const orr_allocator *allocator) {
  unit *u = env_zalloc(allocator, sizeof *u);
  if (!u) return NULL;
  u->source = source;
  u->arena = arena_new(allocator);
  if (!u->arena) {
    env_free(allocator, u, sizeof *u);
    return NULL;
  }
  return u;
}

void unit_unmake(unit *u, const orr_allocator *allocator) {
  arena_free(u->arena);
  env_free(allocator, u, sizeof *u);
}

static unit *begin_unit(unit_source *source, unit *lender, orr_error *err) {
  unit *u = source_take_unit(source, err);
  if (!u) return NULL;
  u->lender = lender;
  u->yielded = false;
  memset(u->slots_inline, 0, sizeof u->slots_inline);
  memset(u->live, 0, sizeof u->live);
  memset(u->runs, 0, sizeof u->runs);
  memset(u->last, 0, sizeof u->last);
  u->slots = u->slots_inline;
  u->slot_mask = UNIT_SLOTS_INLINE - 1;
  u->slots_used = u->changed_count = u->relied_count = u->relied_capacity = 0;
  u->changed = NULL;
  u->changed_tail = &u->changed;
  u->relied = NULL;
  u->counted = NULL;
  u->counted_count = 0;
  u->hooks = NULL;
  u->hooks_tail = &u->hooks;
  u->failure = 0;
  u->writes = 0;
  u->flushed = u->lost = false;
  u->changes_catalog = u->holds_catalog = false;
  u->siblings = (siblings_place){0};
  u->alone = u->caught_up = u->settled = u->outdated = false;
  u->relies_on_orders = false;
  if (!unit_snapshot(u, err)) {
    unit_end(u);
    return NULL;
  }
  return u;
}

unit *unit_begin(unit_source *source, orr_error *err) { return begin_unit(source, NULL, err); }

unit *unit_begin_beside(unit *lender, orr_error *err) { return begin_unit(lender->source, lender, err); }

void unit_end(unit *u) {
  if (!u) return;
  unit_pause(u);
  unit_unsettle(u);
  siblings_leave(u->siblings);
  if (u->holds_catalog) source_catalog_end(u->source);
  arena_reset(u->arena);
  source_put_unit(u->source, u);
}

orr_arena *unit_arena(unit *u) { return u->arena; }

unit_source *unit_source_of(const unit *u) { return u->source; }

store_snapshot *unit_snapshot(unit *u, orr_error *err) {
  if (u->lender) return unit_snapshot(u->lender, err);
  if (!u->snapshot || u->yielded) u->catalog = source_catalog(u->source);
  orr_error failure = {0};
  int rc = 0;
  if (!u->snapshot) u->snapshot = source_take_snapshot(u->source, &failure);
  else if (u->yielded) rc = store_snapshot_renew(u->snapshot, &failure);
  if (rc || !u->snapshot) {
    u->lost = u->lost || error_marked(&failure, STORE_AWAY);
    error_move(err, &failure);
    return NULL;
  }
  u->yielded = false;
  return u->snapshot;
}

bool unit_lost(const unit *u) {
  return u->lost || store_snapshot_lost(u->snapshot) || (u->lender && unit_lost(u->lender));
}

int unit_scan(unit *u, const store_range *range, store_cursor **out, orr_error *err) {
  *out = NULL;
  store_snapshot *snapshot = unit_snapshot(u, err);
  if (!snapshot) return err && err->code ? err->code : ORR_E_STORE;
  if (u->rows) unit_rows_note(u, range->from.size > 0 ? range->from : range->prefix);
  return store_scan(snapshot, range, out, err);
}

void unit_borrow(unit *u, unit *lender) {
  unit_pause(u);
  u->lender = lender;
}

void unit_yield(unit *u) {
  u->lost = unit_lost(u);
  u->lender = NULL;
  if (u->snapshot && !u->yielded) store_snapshot_release(u->snapshot);
  u->yielded = true;
}

void unit_pause(unit *u) {
  u->lost = unit_lost(u);
  u->lender = NULL;
  u->yielded = false;
  source_put_snapshot(u->source, u->snapshot);
  u->snapshot = NULL;
}

bool unit_changed(const unit *u) { return u->changed; }

uint64_t unit_writes(const unit *u) { return u->writes; }

void *unit_fail(unit *u, int code) {
  if (u->failure == 0) u->failure = code;
  return NULL;
}

static unit_hook *add_hook(unit *u, void (*fn)(void *ud), void *ud, size_t size) {
  unit_hook *hook = ARENA_NEW(u->arena, unit_hook);
  if (!hook) return unit_fail(u, ORR_E_MEMORY);
  *hook = (unit_hook){.fn = fn, .ud = ud, .size = size};
  *u->hooks_tail = hook;
  u->hooks_tail = &hook->next;
  return hook;
}

void unit_after_commit(unit *u, void (*fn)(void *ud), void *ud) { add_hook(u, fn, ud, 0); }

void unit_after_commit_anywhere(unit *u, void (*fn)(void *ud), const void *ud, size_t size) {
  void *copy = arena_alloc(u->arena, size);
  if (copy) add_hook(u, fn, memcpy(copy, ud, size), size);
  else unit_fail(u, ORR_E_MEMORY);
}

void unit_hooks_run(const unit_hook *first) {
  for (const unit_hook *hook = first; hook; hook = hook->next) hook->fn(hook->ud);
}

void unit_committed(unit *u) {
  unit_hooks_run(u->hooks);
  u->hooks = NULL; /* once */
  u->hooks_tail = &u->hooks;
}

/* A packed hook with what it is called with, so that the next one is aligned. */
static size_t packed_size(const unit_hook *hook) {
  return sizeof *hook + (hook->size + sizeof(void *) - 1) / sizeof(void *) * sizeof(void *);
}

size_t unit_hooks_size(const unit *u) {
  size_t size = 0;
  for (const unit_hook *hook = u->hooks; hook; hook = hook->next) size += packed_size(hook);
  return size;
}

unit_hook *unit_hooks_pack(const unit *u, void *memory) {
  unit_hook *first = NULL, **tail = &first;
  for (const unit_hook *hook = u->hooks; hook; hook = hook->next) {
    unit_hook *packed = memory;
    *packed = (unit_hook){.fn = hook->fn, .ud = packed + 1, .size = hook->size};
    memcpy(packed->ud, hook->ud, hook->size);
    *tail = packed;
    tail = &packed->next;
    memory = (uint8_t *)memory + packed_size(hook);
  }
  return first;
}

static bool hooks_are_packable(const unit *u) {
  for (const unit_hook *hook = u->hooks; hook; hook = hook->next)
    if (!hook->size) return false;
  return true;
}

bool unit_ends_with_batch(const unit *u) { return u->flushed && !u->holds_catalog && hooks_are_packable(u); }

int unit_batch_status(const store_batch *batch, orr_error *err) {
  if (batch->status == 0) return 0;
  if (batch->status != ORR_E_CONFLICT) return error_set(err, batch->status, "the store did not take the changes");
  char name[128] = "a record";
  store_bytes key = {0};
  if (batch->lost_op < batch->count) key = batch->ops[batch->lost_op].key;
  if (key.size) record_describe(key, name, sizeof name);
  const rec_type *type = key.size ? rec_type_by_tag(*(const char *)key.data) : NULL;
  const char *heirs = type && type->succeeds ? " or one that followed it" : "";
  return error_set(err, ORR_E_CONFLICT, "%s%s was changed meanwhile", name, heirs);
}

int unit_commit(unit *u, orr_error *err) {
  store_batch *batch = NULL;
  int rc = unit_flush(u, &batch, err);
  if (rc) return rc;
  if (batch->count > 0) {
    rc = store_commit(unit_source_store(u->source), batch, 1, err);
    if (!rc) rc = unit_batch_status(batch, err);
    if (rc) return rc;
  }
  unit_committed(u);
  return 0;
}

/* ---- Identity map ---------------------------------------------------------------------------- */

static inline bool key_equal(const rec_head *head, const uint8_t *key, size_t size, uint32_t hash) {
  return head->hash == hash && head->key_size == size && memcmp(head->key, key, size) == 0;
}

rec_head *unit_known(const unit *u, const uint8_t *key, size_t size, uint32_t hash) {
  for (uint32_t i = hash & u->slot_mask; u->slots[i]; i = (i + 1) & u->slot_mask)
    if (key_equal(u->slots[i], key, size, hash)) return u->slots[i];
  return NULL;
}

static void map_place(rec_head **slots, uint32_t mask, rec_head *head) {
  uint32_t i = head->hash & mask;
  while (slots[i]) i = (i + 1) & mask;
  slots[i] = head;
}

/* Keeps the map at most half full. False: out of memory. */
static bool add_to_map(unit *u, rec_head *head) {
  if (u->slots_used * 2 > u->slot_mask) {
    uint32_t mask = u->slot_mask * 2 + 1;
    rec_head **slots = ARENA_ARRAY(u->arena, rec_head *, (size_t)mask + 1);
    if (!slots) return false;
    for (uint32_t i = 0; i <= u->slot_mask; i++)
      if (u->slots[i]) map_place(slots, mask, u->slots[i]);
    u->slots = slots;
    u->slot_mask = mask;
  }
  map_place(u->slots, u->slot_mask, head);
  u->slots_used++;
  return true;
}

/* A zeroed record, its key and room for its stored value behind it, in one piece. */
static rec_head *record_make(unit *u, const rec_type *type, store_bytes key, uint32_t hash, size_t value_size) {
  rec_head *head = arena_alloc(u->arena, type->size + key.size + value_size);
  if (!head) return NULL;
  memset(head, 0, type->size);
  uint8_t *at = (uint8_t *)head + type->size;
  memcpy(at, key.data, key.size);
  head->type = type;
  head->key = at;
  head->key_size = (uint16_t)key.size;
  head->hash = hash;
  return head;
}

rec_head *unit_adopt(unit *u, const rec_type *type, store_bytes key, uint32_t hash, store_bytes value, orr_error *err) {
  rec_head *head = record_make(u, type, key, hash, value.size);
  if (!head) {
    error_memory(err);
    return unit_fail(u, ORR_E_MEMORY);
  }
  uint8_t *bytes = (uint8_t *)head + type->size + key.size;
  memcpy(bytes, value.data, value.size);
  store_bytes own_key = {head->key, key.size};
  int rc = record_decode(type, head, u->arena, own_key, (store_bytes){bytes, value.size}, err);
  if (!rc && !add_to_map(u, head)) rc = error_memory(err);
  if (!rc) return head;
  if (rc == ORR_E_MEMORY || !err) unit_fail(u, rc);
  return NULL;
}

bool unit_catalog(unit *u, catalog_stamp *out) {
  store_snapshot *snapshot = u->changes_catalog ? NULL : unit_snapshot(u, NULL);
  if (!snapshot) return false;
  const unit *reader = u;
  while (reader->lender) reader = reader->lender;
  *out = (catalog_stamp){.own = reader->catalog, .foreign = store_foreign_seen(snapshot)};
  if (source_catalog_changing(out->own) || out->foreign == STORE_FOREIGN_UNKNOWN) return false;
  return source_catalog(u->source) == out->own;
}

void *unit_recall(unit *u, const rec_type *type, store_bytes key, store_bytes value, orr_error *err) {
  uint32_t hash = key_hash(key.data, key.size);
  rec_head *head = unit_known(u, key.data, key.size, hash);
  if (head) return record_exists(head) ? head : NULL;
  return unit_adopt(u, type, key, hash, value, err);
}

int unit_stored(unit *u, const void *record, store_bytes *value, orr_error *err) {
  const rec_head *head = record;
  store_snapshot *snapshot = unit_snapshot(u, err);
  return snapshot ? store_get(snapshot, (store_bytes){head->key, head->key_size}, value, err) : err->code;
}

rec_head *unit_load(unit *u, const rec_type *type, const uint8_t *key, size_t size, orr_error *err) {
  uint32_t hash = key_hash(key, size);
  rec_head *head = unit_known(u, key, size, hash);
  if (head) return record_exists(head) ? head : NULL;
  store_snapshot *snapshot = unit_snapshot(u, err);
  if (!snapshot) return !err ? unit_fail(u, ORR_E_STORE) : NULL;
  store_bytes name = {key, size}, value;
  if (u->rows) unit_rows_note(u, name);
  int rc = store_get(snapshot, name, &value, err);
  if (rc == ORR_E_NOT_FOUND) return NULL;
  if (rc) return !err ? unit_fail(u, rc) : NULL;
  return unit_adopt(u, type, name, hash, value, err);
}

void *unit_get(unit *u, const rec_type *type, orr_id id, orr_error *err) {
  assert(!type->keyed);
  rec_head *last = u->last[type->number];
  if (last && record_id(last) == id && record_exists(last)) return last;
  uint8_t key[KEY_ID_SIZE];
  key_of_id(type->tag, id, key);
  rec_head *head = unit_load(u, type, key, sizeof key, err);
  if (type->succeeds && !head && !(err && err->code)) head = succession_load(u, type, id, err);
  if (head && record_id(head) != id) return NULL; /* it has had a successor */
  if (head) u->last[type->number] = head;
  return head;
}

void *unit_deleted(unit *u, const rec_type *type, orr_id id) {
  uint8_t key[KEY_ID_SIZE];
  key_of_id(type->tag, id, key);
  rec_head *head = unit_known(u, key, sizeof key, key_hash(key, sizeof key));
  return head && !record_exists(head) ? head : NULL;
}

void *unit_get_key(unit *u, const rec_type *type, const void *key, orr_error *err) {
  uint8_t bytes[STORE_KEY_MAX];
  const uint8_t *end = type->encode_key(key, bytes, bytes + sizeof bytes);
  if (!end) return NULL; /* no record can have such a key */
  return unit_load(u, type, bytes, (size_t)(end - bytes), err);
}

/* ---- States of records ----------------------------------------------------------------------- */

static void changed_add(unit *u, rec_head *head) {
  if (head->type == &rec_definition_type || head->type == &rec_job_definition_type) u->changes_catalog = true;
  *u->changed_tail = head;
  u->changed_tail = &head->next_changed;
  u->changed_count++;
}

static struct rec_relation *relations_of(rec_head *head) {
  if (head->type == &rec_instance_type) return ((rec_instance *)head)->rel;
  return head->type == &rec_execution_type ? ((rec_execution *)head)->rel : NULL;
}

void unit_forget_relations(rec_head *head) {
  struct rec_relation *relations = relations_of(head);
  if (relations) memset(relations, 0, UNIT_RELATIONS * sizeof *relations);
}

/* A scope that was made here has no children in the store. */
static void relations_begin(rec_head *head) {
  struct rec_relation *relations = relations_of(head);
  for (int i = 0; relations && i < UNIT_RELATIONS; i++) relations[i].loaded = true;
}

/* Reuses the struct of a record that was deleted in this unit; its old image and revision are still
 * those of the store. */
static void record_revive(rec_head *head) {
  rec_head kept = *head;
  memset(head, 0, head->type->size);
  *head = kept;
  head->state = kept.state == REC_DELETED ? REC_DIRTY : REC_NEW;
  head->counts_only = false;
}

/* The store has such a record by now, and this unit has read it: a view that it opened later shows
 * what others have made with numbers that were free in its first view. The unit will lose. Until
 * then it works with a record that is nowhere else. */
static rec_head *record_double(unit *u, const rec_head *known) {
  assert(known->state != REC_NEW);
  unit_fail(u, ORR_E_CONFLICT);
  rec_head *head = record_make(u, known->type, (store_bytes){known->key, known->key_size}, known->hash, 0);
  if (head) head->state = REC_NEW;
  return head;
}

static rec_head *record_create(unit *u, const rec_type *type, const uint8_t *key, size_t size) {
  assert(!u->flushed);
  uint32_t hash = key_hash(key, size);
  rec_head *head = unit_known(u, key, size, hash);
  if (head && record_exists(head)) {
    head = record_double(u, head);
    if (!head) return unit_fail(u, ORR_E_MEMORY);
  } else if (head) {
    record_revive(head);
  } else {
    head = record_make(u, type, (store_bytes){key, size}, hash, 0);
    if (!head || !add_to_map(u, head)) return unit_fail(u, ORR_E_MEMORY);
    head->state = REC_NEW;
    changed_add(u, head);
  }
  u->writes++;
  live_add(u, head);
  relations_begin(head);
  if (type->decode_key(head, u->arena, head->key, size) != 0) return unit_fail(u, ORR_E_MEMORY);
  return head;
}

void *unit_new(unit *u, const rec_type *type, orr_id id) {
  assert(!type->keyed);
  uint8_t key[KEY_ID_SIZE];
  key_of_id(type->tag, id, key);
  return record_create(u, type, key, sizeof key);
}

void *unit_new_key(unit *u, const rec_type *type, const void *key) {
  uint8_t bytes[STORE_KEY_MAX];
  const uint8_t *end = type->encode_key(key, bytes, bytes + sizeof bytes);
  if (!end) return unit_fail(u, ORR_E_LIMIT);
  return record_create(u, type, bytes, (size_t)(end - bytes));
}

/* Texts of the old image point into the arena, where nothing is overwritten: a flat copy is enough. */
static int old_image_keep(unit *u, rec_head *head) {
  if (head->type->n_indexes == 0 && !unit_has_siblings(u)) return 0;
  void *old = arena_alloc(u->arena, head->type->size);
  if (!old) {
    unit_fail(u, ORR_E_MEMORY);
    return ORR_E_MEMORY;
  }
  head->old = memcpy(old, head, head->type->size);
  return 0;
}

int unit_touch(unit *u, void *record) {
  rec_head *head = record;
  assert(!u->flushed && record_exists(head));
  u->writes++;
  head->counts_only = false;
  if (head->state != REC_CLEAN) return 0;
  if (old_image_keep(u, head)) return ORR_E_MEMORY;
  head->state = REC_DIRTY;
  changed_add(u, head);
  live_add(u, head);
  return 0;
}

int unit_touch_counter(unit *u, void *record) {
  rec_head *head = record;
  bool alone = head->state == REC_CLEAN ? unit_has_siblings(u) : head->counts_only;
  if (unit_touch(u, record)) return ORR_E_MEMORY;
  head->counts_only = alone;
  return 0;
}

void unit_changed_counter(unit *u, void *record) { ((rec_head *)record)->counts_only = unit_has_siblings(u); }

int unit_delete(unit *u, void *record) {
  rec_head *head = record;
  if (!record_exists(head)) return 0;
  if (unit_touch(u, record)) return ORR_E_MEMORY;
  unit_detach(u, record);
  live_remove(u, head);
  head->state = head->state == REC_NEW ? REC_VOID : REC_DELETED;
  return 0;
}

/* A batch names a key once, so the list has each record once. */
static int relied_add(unit *u, rec_head *head) {
  if (!ARENA_ROOM(u->arena, u->relied, u->relied_count, u->relied_capacity, 8)) {
    unit_fail(u, ORR_E_MEMORY);
    return ORR_E_MEMORY;
  }
  u->relied[u->relied_count++] = head;
  return 0;
}

static int rely(unit *u, rec_head *head, rec_reliance how) {
  if (head->relied >= how) return 0;
  if (head->relied == RELIED_NOT && relied_add(u, head)) return ORR_E_MEMORY;
  head->relied = (uint8_t)how;
  return 0;
}

int unit_rely(unit *u, void *record) { return rely(u, record, RELIED_REVISION); }
int unit_rely_exists(unit *u, void *record) { return rely(u, record, RELIED_EXISTENCE); }

rec_head *unit_decode_apart(unit *u, const rec_head *head, store_bytes value, orr_error *err) {
  store_bytes key = {head->key, head->key_size};
  rec_head *apart = record_make(u, head->type, key, head->hash, value.size);
  if (!apart) {
    error_memory(err);
    return NULL;
  }
  uint8_t *bytes = (uint8_t *)apart + head->type->size + key.size;
  memcpy(bytes, value.data, value.size);
  store_bytes own_key = {apart->key, key.size};
  return record_decode(head->type, apart, u->arena, own_key, (store_bytes){bytes, value.size}, err) ? NULL : apart;
}

void unit_copy_field(rec_head *to, const rec_head *from, const rec_field *field) {
  static const size_t sizes[] = {
      [REC_ID] = sizeof(orr_id),       [REC_BOOL] = sizeof(bool),       [REC_INT] = sizeof(int64_t),
      [REC_TIME] = sizeof(orr_time),   [REC_U8] = sizeof(uint8_t),      [REC_NODE] = sizeof(uint32_t),
      [REC_TEXT] = sizeof(rec_text),   [REC_VALUE] = sizeof(orr_value), [REC_IDS] = sizeof(rec_ids),
      [REC_TEXTS] = sizeof(rec_texts),
  };
  memcpy((char *)to + field->offset, record_field(from, field), sizes[field->type]);
}

rec_head *unit_blank(unit *u, const rec_type *type) {
  rec_head *blank = arena_alloc(u->arena, type->size);
  return blank ? memset(blank, 0, type->size) : NULL;
}

int unit_refresh(unit *u, void *record, orr_error *err) {
  rec_head *head = record;
  store_bytes key = {head->key, head->key_size}, value;
  unit_pause(u); /* an open view would show it as it was */
  store_snapshot *snapshot = unit_snapshot(u, err);
  if (!snapshot) return err->code;
  int rc = store_get(snapshot, key, &value, err);
  if (rc == ORR_E_NOT_FOUND) return error_set(err, ORR_E_CONFLICT, "a record is gone that was read before");
  if (rc) return rc;
  rec_head *fresh = unit_decode_apart(u, head, value, err);
  if (!fresh) return err->code;
  if (head->type->succeeds && record_id(fresh) != record_id(head))
    return error_set(err, ORR_E_CONFLICT, "a record has had a successor that was read before");
  head->revision = fresh->revision;
  if (head->old) head->old = fresh;
  else if (head->state == REC_CLEAN) memcpy(head + 1, fresh + 1, head->type->size - sizeof *head);
  return 0;
}

/* ---- Ids and texts --------------------------------------------------------------------------- */

#define LOCAL_FIRST 2 /* 1 is the instance */

/* The siblings that deal out this instance's numbers. NULL: its record alone has them. */
static siblings *dealer(const unit *u, const rec_instance *instance) {
  siblings *with = u->siblings.with;
  return with && siblings_are_of(with, orr_id_group(instance->id)) ? with : NULL;
}

orr_id unit_next_id(unit *u, rec_instance *instance, orr_error *err) {
  int64_t local = instance->next_local < LOCAL_FIRST ? LOCAL_FIRST : instance->next_local;
  siblings *deals = dealer(u, instance);
  if (deals) local = siblings_deal_local(deals, local);
  if (local > (int64_t)ORR_LOCAL_MAX) {
    error_set(err, ORR_E_LIMIT, "an instance has had %u records, which is the most", ORR_LOCAL_MAX);
    return 0;
  }
  if (unit_touch_counter(u, instance)) {
    error_memory(err);
    return 0;
  }
  instance->next_local = local + 1;
  return orr_id_make(orr_id_group(instance->id), (uint32_t)local);
}

int64_t unit_next_sequence(unit *u, rec_instance *instance, int64_t n) {
  siblings *deals = dealer(u, instance);
  int64_t first = deals ? siblings_deal_sequence(deals, instance->sequence, n) : instance->sequence;
  if (unit_touch_counter(u, instance)) return -1;
  instance->sequence = first + n;
  return first;
}

orr_id unit_new_group(unit *u, orr_error *err) {
  uint64_t group = unit_source_group(u->source, u, err);
  return group == 0 ? 0 : orr_id_make(group, 1);
}

rec_text unit_text(unit *u, const char *data, size_t size) {
  if (!data) return (rec_text){NULL, 0};
  char *copy = arena_strndup(u->arena, data, size);
  if (!copy) {
    unit_fail(u, ORR_E_MEMORY);
    return (rec_text){NULL, 0};
  }
  return (rec_text){copy, size};
}

rec_text unit_textz(unit *u, const char *text) { return !text ? (rec_text){NULL, 0} : unit_text(u, text, strlen(text)); }
