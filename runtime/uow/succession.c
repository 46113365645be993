/* Jobs at the key of the job before them: finding them, taking the place over, leaving it. */
#include "uow/succession.h"

#include "uow/uow_internal.h"

void succession_begin(rec_job *from, rec_job *to) {
  bool follows = from->head.state == REC_DELETED && to->head.state == REC_NEW && to->id == from->id + 1;
  if (!follows || to->state != ORR_JOB_LOCKED) return;
  to->head.key = from->head.key;
  to->head.hash = from->head.hash;
  to->head.revision = from->head.revision;
  to->head.old = from->head.old;
  to->head.state = REC_DIRTY;
  to->local = orr_id_local(to->id);
  from->head.state = REC_VOID;
}

orr_id succession_key(const rec_job *job) { return key_read_id(job->head.key + 1); }

rec_job *succession_job(unit *u, orr_id id, orr_id key, orr_error *err) {
  uint8_t bytes[KEY_ID_SIZE];
  if (!key || key == id) return unit_job(u, id, err);
  key_of_id(rec_job_type.tag, key, bytes);
  rec_head *head = unit_load(u, &rec_job_type, bytes, sizeof bytes, err);
  if (head && record_id(head) == id) {
    u->last[rec_job_type.number] = head;
    return (rec_job *)(void *)head;
  }
  return err && err->code ? NULL : unit_job(u, id, err);
}

int succession_seek(store_snapshot *snapshot, const rec_type *type, orr_id id, store_cursor **row, store_bytes *key,
                    store_bytes *value, orr_error *err) {
  uint8_t from[KEY_ID_SIZE], stop[KEY_ID_SIZE];
  key_of_id(type->tag, id, from);
  key_of_id(type->tag, orr_id_make(orr_id_group(id), 0), stop);
  store_range range = {.prefix = {from, 1}, .from = {from, sizeof from}, .backwards = true, .stop = {stop, sizeof stop}};
  int rc = store_scan(snapshot, &range, row, err);
  if (!rc) rc = store_next(*row, key, value, err);
  bool outside = !rc && (key->size != KEY_ID_SIZE || memcmp(key->data, stop, sizeof stop) < 0);
  return outside ? ORR_E_NOT_FOUND : rc;
}

static rec_head *adopt_found(unit *u, const rec_type *type, store_bytes key, store_bytes value, orr_error *err) {
  uint32_t hash = key_hash(key.data, key.size);
  rec_head *head = unit_known(u, key.data, key.size, hash);
  if (head) return record_exists(head) ? head : NULL;
  return unit_adopt(u, type, key, hash, value, err);
}

rec_head *succession_load(unit *u, const rec_type *type, orr_id id, orr_error *err) {
  store_snapshot *snapshot = unit_snapshot(u, err);
  if (!snapshot) return !err ? unit_fail(u, ORR_E_STORE) : NULL;
  store_cursor *row = NULL;
  store_bytes key, value;
  rec_head *head = NULL;
  int rc = succession_seek(snapshot, type, id, &row, &key, &value, err);
  if (!rc) head = adopt_found(u, type, key, value, err);
  else if (rc != ORR_E_NOT_FOUND && !err) unit_fail(u, rc);
  store_cursor_close(row);
  return head;
}

bool succession_ends(const rec_head *head) {
  if (!head->type->succeeds) return false;
  const rec_job *job = (const rec_job *)(const void *)head;
  return job->local && job->state != ORR_JOB_LOCKED;
}

int succession_end(unit *u, rec_head *head) {
  uint8_t *key = arena_alloc(u->arena, KEY_ID_SIZE);
  if (!key) return ORR_E_MEMORY;
  key_of_id(head->type->tag, record_id(head), key);
  head->key = key;
  head->hash = key_hash(key, KEY_ID_SIZE);
  head->revision = 0;
  head->old = NULL;
  ((rec_job *)(void *)head)->local = 0;
  return 0;
}
